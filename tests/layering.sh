#!/bin/bash
# layering.sh: the house has no stair back up, and every public header stands alone.
#
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR, HO_TEST_HEADERS (installed headers), HO_TEST_CC, HO_TEST_CFLAGS.
cd "$HO_TEST_SRCDIR" || exit 1
. tests/tap.sh

layers="base models hwprofiles sim results sched experiments plots bench cli"

# Includes of a file of layer $1 that are not of this layer or of one before it.
steps_up() {
  local allowed="" layer
  for layer in $layers; do
    allowed="$allowed${allowed:+|}$layer"
    [ "$layer" = "$1" ] && break
  done
  grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$1"/*.[ch] "$1"/*/*.[ch] 2>/dev/null |
    grep -vE "include[[:space:]]*\"(($allowed)/|[a-z0-9_.-]+\")"
}

for layer in $layers; do
  [ -d "$layer" ] || continue
  found=$(steps_up "$layer")
  [ -z "$found" ]
  ok $? "$layer includes only what lies below it" "$found"
done

missing=$(for f in $(find $layers -name '*.[ch]' ! -name '*.pb-c.[ch]' 2>/dev/null | sort); do
  grep -qF "$f" Makefile.am || echo "$f"
done)
[ -z "$missing" ]
ok $? "every source file is in the build" "$missing"

long=$(find $layers tests -name '*.[ch]' ! -name '*.pb-c.[ch]' 2>/dev/null | xargs wc -l | awk '$2 != "total" && $1 >= 400 { print $2 ": " $1 " lines" }')
[ -z "$long" ]
ok $? "no source file has 400 lines or more" "$long"

headless=$(for f in $(find $layers tests -name '*.[ch]' ! -name '*.pb-c.[ch]' 2>/dev/null | sort); do
  head -1 "$f" | grep -qF "/* $(basename "$f"): " || echo "$f"
done)
[ -z "$headless" ]
ok $? "every source file begins with what it is" "$headless"

# compiles LANGUAGE COMPILER HEADER FLAGS…
compiles() {
  local language=$1 compiler=$2 header=$3
  shift 3
  printf '#include "%s"\n' "$header" |
    $compiler -x "$language" -fsyntax-only -Wall -Wextra -Werror "$@" -D_GNU_SOURCE -I. -I"$HO_TEST_BUILDDIR" $HO_TEST_CFLAGS - 2>&1
}

cxx=$(command -v "${CXX:-g++}" || command -v clang++)
for header in $HO_TEST_HEADERS; do
  found=$(compiles c "$HO_TEST_CC" "$header" -std=c17 -Wpedantic)
  ok $? "$header compiles alone as C" "$found"
  if [ -n "$cxx" ]; then
    found=$(compiles c++ "$cxx" "$header" -std=c++17)
    ok $? "$header compiles alone as C++" "$found"
  else
    skip "$header compiles alone as C++" "no C++ compiler on this machine"
  fi
done
finish
