#!/bin/bash
# witness.sh: the engine says what an independent replay in Python says (tests/witness/), on a few hundred small random instances.
#
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR. Others, and more of them: see replay_witness.py.
. "$HO_TEST_SRCDIR/tests/tap.sh"
export PYTHONDONTWRITEBYTECODE=1
witness=$HO_TEST_SRCDIR/tests/witness/replay_witness.py

# agrees NAME ARGUMENTS…: no difference, and most instances are feasible, so that there was something to compare.
agrees() {
  local name=$1 said status same
  shift
  said=$(python3 "$witness" --heteroopt "$HO_TEST_BUILDDIR/heteroopt" "$@" 2>&1)
  status=$?
  same=$(printf '%s\n' "$said" | sed -n 's/.*same: \([0-9]*\).*/\1/p')
  [ $status -eq 0 ] && [ "${same:-0}" -ge 50 ]
  ok $? "$name" "replay_witness.py $*" "$said"
}

if command -v python3 >/dev/null; then
  agrees "a replay is what an independent one says" --seed 1 --count 220
  agrees "a policy does what an independent one does" --seed 1 --count 60 --policies
else
  skip "a replay is what an independent one says" "no python3"
  skip "a policy does what an independent one does" "no python3"
fi
finish
