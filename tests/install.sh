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

cat >"$root/try.c" <<'END'
#include <base/fmath.h>
#include <results/archive.h>
#include <sched/scheduler.h>
#include <stdio.h>
int main(void) { return !(printf("%a\n", ho_log(2.0)) > 0); }
END
# the prefix in the .pc file is the final one, so that pkg-config must be told of the folder that stands for the root
said=$($HO_TEST_CC -std=c17 -o "$root/try" "$root/try.c" -I"$root$prefix/include/heteroopt" -L"$root$prefix/lib" \
  $(pkg-config --cflags heteroopt 2>/dev/null) $(pkg-config --cflags glib-2.0) $(pkg-config --libs heteroopt) 2>&1)
ok $? "a program builds against the pkg-config file" "$said"
said=$("$root/try" 2>&1)
[ "$said" = 0x1.62e42fefa39efp-1 ]
ok $? "and calls the library" "$said"
finish
