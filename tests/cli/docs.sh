#!/bin/bash
# docs.sh: what the documentation tells a reader to type works as written; what it tells to add builds and runs.
#
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR, HETEROOPT_DATA, HO_TEST_CC, HO_TEST_CFLAGS.
. "$HO_TEST_SRCDIR/tests/tap.sh"
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
set -o pipefail
ln -s "$HO_TEST_SRCDIR/experiments" . && mkdir bin && ln -s "$HO_TEST_BUILDDIR/heteroopt" bin/heteroopt && PATH=$place/bin:$PATH

# console FILE: the lines of its console blocks.
console() { sed -n '/^```console$/,/^```$/{/^```/!p}' "$1"; }

# typed FILE PATTERN: every console line of a page that matches succeeds, in order, in this folder.
typed() {
  local line
  while IFS= read -r line; do
    if [[ $line == sqlite3* ]] && ! command -v sqlite3 >/dev/null; then
      skip "$line" "sqlite3 is not installed"
      continue
    fi
    eval "$line" >"$place/out" 2>"$place/err" </dev/null
    ok $? "${1##*/}: $line" "$(tail -n 3 "$place/err")"
    # the config that the guide writes is made small before it is run
    [[ $line == "heteroopt new mypaper.yaml" ]] && sed -i -E 's/^(replicates:) *[0-9]+/\1 2/; s/evaluations: [0-9]+/evaluations: 60/; s/times: [0-9]+/times: 5/' mypaper.yaml
  done < <(console "$1" | grep -E "$2")
}

typed "$HO_TEST_SRCDIR/docs/guide.md" .
cd "$place" || exit 1

# The table of shapes.md is what its command prints.
said=$(eval "$(console "$HO_TEST_SRCDIR/docs/shapes.md" | head -n 1)" 2>&1 | diff - <(sed -n '/^```text$/,/^```$/{/^```/!p}' "$HO_TEST_SRCDIR/docs/shapes.md"))
ok $? "shapes.md shows what the program prints" "$said"

# examples: every block of adding.md that begins with its file's name, as that file.
awk '/^```(c|yaml)$/ { getline; if (match($0, /file: [^ ]+/)) { name = substr($0, RSTART + 6, RLENGTH - 6); inside = 1; next } }
     /^```$/ { inside = 0 } inside { file = "added/" name; dir = file; sub(/\/[^\/]*$/, "", dir); if (!(dir in made)) { system("mkdir -p " dir); made[dir] = 1 } print > file }' \
  "$HO_TEST_SRCDIR/docs/adding.md"
[ -s added/sched/round_robin.c ] && [ -s added/models/chain.c ] && [ -s added/models/rules/inplace.c ] && [ -s added/devices/toy-accelerator.yaml ]
ok $? "adding.md holds its examples" "$(find added)"
cp -r added/devices added/toy.yaml .
typed "$HO_TEST_SRCDIR/docs/adding.md" toy.yaml

# The one line in each table, as the page says, then the command linked with all.
sed 's/^const ho_scheduler \*const ho_schedulers\[\] = {/extern const ho_scheduler ho_scheduler_round_robin;\n&\n  \&ho_scheduler_round_robin,/' \
  "$HO_TEST_SRCDIR/sched/registry.c" >added/registry.c
sed 's/^const ho_model_builder \*const ho_model_builders\[\] = {/extern const ho_model_builder ho_model_chain;\n&\&ho_model_chain,\n/' \
  "$HO_TEST_SRCDIR/models/source.c" >added/source.c
sed 's/^const ho_rewrite_rule \*const ho_rewrite_rules\[\] = {/extern const ho_rewrite_rule ho_rewrite_rule_inplace;\n&\&ho_rewrite_rule_inplace,\n/' \
  "$HO_TEST_SRCDIR/models/rules.c" >added/rules.c
flags="-std=c17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror -I$HO_TEST_SRCDIR $HO_TEST_CFLAGS"
# shellcheck disable=SC2086 # lists of words
said=$($HO_TEST_CC $flags -c added/sched/round_robin.c -o round_robin.o 2>&1 && $HO_TEST_CC $flags -c added/models/chain.c -o chain.o 2>&1 &&
  $HO_TEST_CC $flags -c added/models/rules/inplace.c -o inplace.o 2>&1)
ok $? "the scheduler, the model and the rule compile without a warning" "$said"
# shellcheck disable=SC2086
said=$($HO_TEST_CC $flags -o bin/heteroopt2 round_robin.o chain.o inplace.o added/registry.c added/source.c added/rules.c "$HO_TEST_BUILDDIR"/cli/*.o \
  "$HO_TEST_BUILDDIR"/bench/bench.o -L"$HO_TEST_BUILDDIR/.libs" -lheteroopt $HO_TEST_LIBS 2>&1)
ok $? "they link into the command" "$said"
export LD_LIBRARY_PATH=$HO_TEST_BUILDDIR/.libs
rm bin/heteroopt && ln -s heteroopt2 bin/heteroopt
typed "$HO_TEST_SRCDIR/docs/adding.md" 'chain|round-robin|inplace'

finish
