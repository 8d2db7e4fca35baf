#!/bin/bash
# golden.sh: what the commands print, word for word and bit for bit, on a small problem with fixed seeds.
#
# After a wanted change:   make check TESTS=tests/cli/golden.sh UPDATE_GOLDEN=1      and read the difference before committing it.
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR.
. "$HO_TEST_SRCDIR/tests/tap.sh"
golden=$HO_TEST_SRCDIR/tests/cli/golden
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
cp "$HO_TEST_SRCDIR"/tests/data/cli/* "$place" && chmod u+w "$place"/* && cd "$place" || exit 1
heteroopt=$HO_TEST_BUILDDIR/heteroopt
on="--graph graph.json --platform platform.yaml"

# same FILE NAME: the file `got` is what tests/cli/golden/FILE holds.
same() {
  if [ -n "$UPDATE_GOLDEN" ]; then cp got "$golden/$1"; fi
  local difference status
  difference=$(diff -u "$golden/$1" got 2>&1)
  status=$?
  ok $status "$2" "$difference"
}

# prints FILE ARGUMENTS…: the command succeeds, says nothing on standard error, and prints what the golden file holds.
prints() {
  local file=$1 status
  shift
  "$heteroopt" "$@" >got 2>err </dev/null
  status=$?
  [ -s err ] && cat err >>got
  [ $status -eq 0 ] || echo "exit $status" >>got
  same "$file" "heteroopt $*"
}

# shellcheck disable=SC2086 # $on is a list of words
{
  prints graph-info.txt graph info graph.json
  prints graph-info.json graph info graph.json --json
  prints graph-convert.json graph convert graph.json
  prints graph-rewrite.txt graph rewrite graph.json --rule group
  prints graph-rewrite-list.json graph rewrite graph.json --rule fuse,group --list --json
  prints list-readers.json list readers --json
  shapes="shapes --graph product.onnx --platform platform.yaml --scheduler heft --sizes seq=2*3,10,40 --edges 10,40"
  cp "$HO_TEST_SRCDIR/tests/data/onnx/product.onnx" .
  prints shapes.txt $shapes
  prints shapes.csv $shapes --csv
  prints shapes.json $shapes --json
  prints schedule-rewrite.json schedule $on --scheduler heft --rewrite group --json
  prints platform-info.txt platform info platform.yaml
  prints platform-info.json platform info platform.yaml --json
  prints policies.json list policies --json
  prints hv.txt hv points.txt --ref 4,4
  prints hv.json hv points.txt --ref 4,4 --json
  prints schedule.txt schedule $on --scheduler nsga2 --set population=20 --evaluations 400 --seed 3 --explain
  prints schedule.json schedule $on --scheduler heft --json
  "$heteroopt" schedule $on --scheduler nsga2 --set population=20 --evaluations 400 --seed 3 -o front.json >/dev/null
  cp front.json got && same front.json "the front that schedule -o writes"
  prints simulate-plan.txt simulate $on --plan front.json --number 1
  prints simulate-noise.txt simulate $on --plan front.json --number 1 --repeat 20 --noise 0.1 --seed 5
  prints graph-info-plan.txt graph info graph.json --platform platform.yaml --plan front.json --number 1
  prints graph-info-plan.json graph info graph.json --platform platform.yaml --plan front.json --number 1 --json
  prints simulate-profile.txt simulate $on --plan front.json --number 1 --profile
  prints simulate-policy.json simulate $on --policy fifo --json --trace trace.json --timeline timeline.svg
  cp trace.json got && same trace.json "the trace of the policy fifo"
  cp timeline.svg got && same timeline.svg "the timeline of the policy fifo"
}
"$heteroopt" check experiment.yaml --json --jobs 1 | sed -E 's/"(probe|seconds|bytes)": [^,]*/"\1": 0/' >got
same check.json "check counts what it would run"
prints new.txt new made.yaml
cp made.yaml got && same new.yaml "the config to start from"
prints run.txt run experiment.yaml --jobs 2
prints compare.csv compare tiny.db --format csv
prints compare.json compare tiny.db --format json
prints compare.tex compare tiny.db --format latex
prints compare-slr.txt compare tiny.db --indicator slr
prints run-again.txt run experiment.yaml
cp tiny-out/front.dat got && same front.dat "the data of the figure"
cp tiny-out/front.gp got && same front.gp "the script of the figure"

finish
