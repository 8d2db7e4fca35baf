#!/bin/bash
# witness.sh: engine and list schedulers say what independent ones in Python say (tests/witness/), on a few hundred small random instances.
#
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR. Others, and more of them: see the witnesses.
. "$HO_TEST_SRCDIR/tests/tap.sh"
export PYTHONDONTWRITEBYTECODE=1
folder=$HO_TEST_SRCDIR/tests/witness

# agrees NAME ARGUMENTS…: no difference, and most instances are feasible, so that there was something to compare.
agrees() {
  local name=$1 witness=$folder/$2 said status same
  shift 2
  said=$(python3 "$witness" --heteroopt "$HO_TEST_BUILDDIR/heteroopt" "$@" 2>&1)
  status=$?
  same=$(printf '%s\n' "$said" | sed -n 's/.*same: \([0-9]*\).*/\1/p')
  [ $status -eq 0 ] && [ "${same:-0}" -ge 50 ]
  ok $? "$name" "$witness $*" "$said"
}

if command -v python3 >/dev/null; then
  agrees "a replay is what an independent one says" replay_witness.py --seed 1 --count 220
  agrees "a policy does what an independent one does" replay_witness.py --seed 1 --count 60 --policies
  agrees "list schedulers do what naive ones do, written from the papers" list_witness.py --seed 1 --count 12
else
  skip "a replay is what an independent one says" "no python3"
  skip "a policy does what an independent one does" "no python3"
  skip "list schedulers do what naive ones do, written from the papers" "no python3"
fi
finish
