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

# StarPU's own simulation of its measured machine, where the data lies beside the sources.
data=${HO_SHARED:-$HO_TEST_SRCDIR/../shared}/data/starpu
name="dmda and dmdas take what StarPU over SimGrid takes, to 5 %, for T = 16 and more"
if ! command -v python3 >/dev/null; then
  skip "$name" "no python3"
elif [ ! -d "$data" ]; then
  skip "$name" "no reference data: $data is absent"
else
  said=$(python3 "$folder/starpu_mirage.py" --heteroopt "$HO_TEST_BUILDDIR/heteroopt" --data "$data" 2>&1)
  [ $? -eq 0 ] && grep -q '^same: 4, different: 0' <<<"$said"
  ok $? "$name" "$said"
fi
finish
