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

# The example of a plug-in builds outside of the tree, with its own Makefile, and runs; others are refused in one line.
# schedule_with FILE: what it says, on standard error too.
schedule_with() { "$root$prefix/bin/heteroopt" schedule --graph resnet18 --platform server --scheduler "plugin:$1" 2>&1; }
cp -r "$root$prefix/share/heteroopt/examples/plugin" "$root/plugin" && cd "$root/plugin" || exit 1
said=$(make CC="$HO_TEST_CC" CFLAGS="-Wall -Wextra -Werror -I$root$prefix/include/heteroopt" 2>&1)
ok $? "the example of a plug-in builds with its own Makefile" "$said"
said=$(schedule_with ./round_robin.so)
[ $? -eq 0 ] && grep -q '^1 ' <<<"$said"
ok $? "and runs" "$said"
cat >"$root/p.yaml" <<END
format: heteroopt-experiment/1
name: p
seed: 1
replicates: 1
workloads: [resnet18]
modes: [inference]
platforms: [server]
budget: {evaluations: 50}
checkpoints: 3
replays: {times: 5, noise: 0.05}
schedulers:
  - {use: heft}
  - {use: "plugin:plugin/round_robin.so", label: Mine, set: [starts=4]}
END
said=$(cd "$root" && "$root$prefix/bin/heteroopt" run p.yaml 2>&1)
[ $? -eq 0 ] && grep -q 'Mine' <<<"$said"
ok $? "and competes in an experiment" "$said"
sed -i 's/int device = (int)k - 1;/int device = (int)k;/' round_robin.c && rm round_robin.so
said=$(make CC="$HO_TEST_CC" CFLAGS="-Wall -Wextra -Werror -I$root$prefix/include/heteroopt" 2>&1; cd "$root" && "$root$prefix/bin/heteroopt" run p.yaml 2>&1)
grep -q '1 of 2 runs were there already' <<<"$said"
ok $? "where another build of it is run anew" "$said"
sed 's/HO_SCHEDULER_ABI/99/' round_robin.c >other.c && $HO_TEST_CC -std=c17 -fPIC -shared -o other.so other.c \
  -I"$root$prefix/include/heteroopt" $(pkg-config --cflags glib-2.0)
said=$(schedule_with ./other.so)
[ $? -eq 1 ] && [ "$(wc -l <<<"$said")" = 1 ] && grep -q 'built for version 99 of the scheduler interface, expected 1' <<<"$said"
ok $? "a plug-in of another version is refused" "$said"
echo 'int nothing;' >empty.c && $HO_TEST_CC -fPIC -shared -o empty.so empty.c
said=$(schedule_with ./empty.so)
[ $? -eq 1 ] && [ "$(wc -l <<<"$said")" = 1 ] && grep -q "has no object 'ho_plugin_scheduler'" <<<"$said"
ok $? "a plug-in without a scheduler is refused" "$said"
said=$(schedule_with ./nothing-like-it.so)
[ $? -eq 1 ] && [ "$(wc -l <<<"$said")" = 1 ]
ok $? "a plug-in that is not there is refused" "$said"
finish
