#!/bin/bash
# install.sh: what `make install DESTDIR=…` leaves is complete: the command runs, and a program builds against the library.
#
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR, HO_TEST_HEADERS, HO_TEST_CC.
. "$HO_TEST_SRCDIR/tests/tap.sh"
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
setting() { sed -n "s/^$1 = //p" "$HO_TEST_BUILDDIR/Makefile"; }
prefix=$(setting prefix)

said=$(make -C "$HO_TEST_BUILDDIR" -s install DESTDIR="$root" 2>&1)
ok $? "make install with DESTDIR works" "$said"
export LD_LIBRARY_PATH="$root$prefix/lib" PKG_CONFIG_PATH="$root$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"

said=$("$root$prefix/bin/heteroopt" --version 2>&1)
ok $? "the installed command runs" "$said"

missing=$(for f in $HO_TEST_HEADERS; do [ -f "$root$prefix/include/heteroopt/$f" ] || echo "$f"; done)
[ -z "$missing" ]
ok $? "every public header is installed" "$missing"

missing=$(cd "$HO_TEST_SRCDIR" && for f in hwprofiles/devices/*.yaml hwprofiles/platforms/*.yaml experiments/*.yaml plots/*.gp; do
  [ ! -f "$f" ] || [ -f "$root$prefix/share/heteroopt/$f" ] || echo "$f"
done)
[ -z "$missing" ]
ok $? "every profile, platform, experiment and plot script is installed" "$missing"

# The program that docs/adding.md shows.
sed -n '/^\/\* file: mine.c/,/^```$/{/^```$/!p}' "$HO_TEST_SRCDIR/docs/adding.md" >"$root/mine.c"
# the prefix in the .pc file is the final one: its folders do not exist yet, those below the root stand for them
# shellcheck disable=SC2046 # lists of words
said=$($HO_TEST_CC -std=c17 -Wall -Wextra -Werror -o "$root/mine" "$root/mine.c" -I"$root$prefix/include/heteroopt" -L"$root$prefix/lib" \
  $(pkg-config --cflags --libs heteroopt) 2>&1)
ok $? "a program builds with what pkg-config says" "$said"
export HETEROOPT_DATA="$root$prefix/share/heteroopt"
said=$("$root/mine" 2>&1)
shown=$("$root$prefix/bin/heteroopt" schedule --graph resnet50:batch=8 --platform workstation --scheduler heft --json | tr ',' '\n' |
  sed -n 's/.*"latency": \([0-9.e-]*\).*/\1/p' | head -n 1)
[ "$(printf '%.6g' "$shown")" = "${said%% s, *}" ]
ok $? "and computes what the command does" "said '$said', the command '$shown'"
finish
