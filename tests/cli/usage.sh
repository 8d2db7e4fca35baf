#!/bin/bash
# usage.sh: the command line itself: help, versions, typing errors, exit statuses, and results that cannot be written.
#
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR.
. "$HO_TEST_SRCDIR/tests/tap.sh"
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
cp "$HO_TEST_SRCDIR"/tests/data/cli/* "$place" && chmod u+w "$place"/* && cd "$place" || exit 1
heteroopt=$HO_TEST_BUILDDIR/heteroopt
on=(--graph graph.json --platform platform.yaml)

# says STATUS PATTERN ARGUMENTS…: exits so, with one line on standard error that matches, and nothing on standard output.
says() {
  local expected=$1 pattern=$2 status
  shift 2
  "$heteroopt" "$@" >out 2>err </dev/null
  status=$?
  [ $status -eq "$expected" ] && [ "$(wc -l <err)" -eq 1 ] && grep -qE -- "$pattern" err && [ ! -s out ]
  ok $? "heteroopt $*: exit $expected" "exit $status, expected: $pattern" "$(cat err)" "$(head -n 3 out)"
}

commands=$("$heteroopt" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 10 ]
ok $? "--help lists the commands" "$commands"
for c in $commands; do
  "$heteroopt" "$c" --help >out 2>err
  [ $? -eq 0 ] && [ ! -s err ] && grep -q '^Example' out && grep -q "^  .*heteroopt $c" out
  ok $? "heteroopt $c --help shows an example" "$(cat err)" "$(tail -n 5 out)"
done
[ "$("$heteroopt" --version)" = "heteroopt $(sed -n 's/^PACKAGE_VERSION = //p' "$HO_TEST_BUILDDIR/Makefile")" ]
ok $? "--version names program and version"

says 2 "a command is missing"
says 2 "unknown command 'shedule' \(did you mean 'schedule'\?\)" shedule
says 2 "unknown command 'reproduce'" reproduce x.db
says 2 "unknown option '--versoin' \(did you mean|unknown option '--versoin'" --versoin
says 2 "unknown option --sheduler \(did you mean --scheduler\?\)" schedule --sheduler heft
says 2 "unknown option -x" schedule -x
says 2 "--graph is missing" schedule --platform platform.yaml --scheduler heft
says 2 "--platform is missing" schedule --graph graph.json --scheduler heft
says 2 "--scheduler is missing" schedule "${on[@]}"
says 2 "'hefft' is not known \(did you mean 'heft'\?\)" schedule "${on[@]}" --scheduler hefft
says 2 "--seed: '-1'" schedule "${on[@]}" --scheduler heft --seed -1
says 2 "--seed: '1.5'" schedule "${on[@]}" --scheduler heft --seed 1.5
says 2 "--evaluations: '0'" schedule "${on[@]}" --scheduler heft --evaluations 0
says 2 "'latncy' is not known \(did you mean 'latency'\?\)" schedule "${on[@]}" --scheduler heft --objectives latncy
says 2 "'energy' is named twice" schedule "${on[@]}" --scheduler heft --objectives energy,energy
says 2 "--memory: 'most'" schedule "${on[@]}" --scheduler heft --memory most
says 1 "popluation.*did you mean.*population" schedule "${on[@]}" --scheduler nsga2 --set popluation=20
shapes=(shapes --graph bert-base --platform platform.yaml --scheduler heft)
says 2 "--graph, --platform and --sizes are needed" "${shapes[@]}"
says 2 "'seq' is not NAME=SIZES" "${shapes[@]}" --sizes seq
says 2 "--buckets and --edges are two ways" "${shapes[@]}" --sizes seq=8 --buckets 2 --edges 8
says 2 "--csv goes without --json" "${shapes[@]}" --sizes seq=8 --csv --json
says 2 "--edges: the last one is below the largest size, 8" "${shapes[@]}" --sizes seq=8 --edges 4
says 1 "no size 'sqe', expected one of: .*seq" "${shapes[@]}" --sizes sqe=8
says 1 "absent.csv" "${shapes[@]}" --sizes seq=./absent.csv
says 1 "has fixed sizes" shapes "${on[@]}" --scheduler heft --sizes seq=8
says 2 "either --plan FILE or --policy NAME" simulate "${on[@]}"
says 2 "either --plan FILE or --policy NAME" simulate "${on[@]}" --plan p.json --policy fifo
says 2 "--policy: 'fofo' is not known \(did you mean 'fifo'\?\)" simulate "${on[@]}" --policy fofo
says 2 "--noise: '-0.1'" simulate "${on[@]}" --policy fifo --noise -0.1
says 2 "--noise: 'nan'" simulate "${on[@]}" --policy fifo --noise nan
says 2 "--repeat: '0'" simulate "${on[@]}" --policy fifo --repeat 0
says 2 "--limit: 'gpu' is not NAME=BYTES" simulate "${on[@]}" --policy fifo --limit gpu
says 1 "--limit: '4 apples' is not" simulate "${on[@]}" --policy fifo --limit "gpu=4 apples"
says 1 "--limit: .*no device or memory 'gpuu' \(did you mean 'gpu'\?\)" simulate "${on[@]}" --policy fifo --limit gpuu=4GB
says 1 "--limit: .*'gpu' limited to 20.0 GB: .*at most the 16.0 GB" schedule "${on[@]}" --scheduler heft --limit gpu=20GB
says 1 "--limit: .*limited to 0 B" schedule "${on[@]}" --scheduler heft --limit hbm=0
says 1 "memory 'hbm' cannot hold" simulate "${on[@]}" --policy fifo --limit gpu=1MB
says 1 "No such file" simulate "${on[@]}" --plan absent.json
says 1 "No such file" simulate --graph graph.json --platform ./absent.yaml --policy fifo
says 2 "'inf' is not known \(did you mean 'info'\?\)|is not known" graph inf graph.json
says 2 "an argument is missing" graph info
says 2 "unexpected argument 'more'" graph info graph.json more
says 2 "--bind: 'batch' is not NAME=N" graph info graph.json --bind batch
says 2 "--plan needs --platform" graph info graph.json --plan front.json
says 2 "--number: 'two'" graph info graph.json --platform platform.yaml --plan front.json --number two
says 1 "absent.json" graph info graph.json --platform platform.yaml --plan absent.json
says 2 "--ref is missing" hv points.txt
says 2 "--ref" hv points.txt --ref 1,x
says 1 "points.txt:2: 2 numbers, expected 3" hv points.txt --ref 4,4,4
says 1 "absent.txt" hv absent.txt --ref 4,4
says 2 "--format: 'latx' is not known \(did you mean 'latex'\?\)" compare x.db --format latx
says 1 "x.db" compare x.db
says 2 "--kind: 'fornt' is not known \(did you mean 'front'\?\)" plot x.db --kind fornt -o x.pdf
says 2 "-o is missing" plot x.db --kind front
says 1 "x.db" plot x.db --kind front -o x.pdf
says 2 "list: 'scheduler'.*schedulers" list scheduler
says 2 "--jobs: '0'" run experiment.yaml --jobs 0
says 2 "--shard 2/2: expected I/N" run experiment.yaml --shard 2/2
says 1 "experiment.yaml: exists already" new experiment.yaml
printf 'op,precision,flops,bytes,time_us\ngemm,fp32,1e9,1e6,100\n' >times.csv
says 2 "calibrate: --profile is missing" calibrate times.csv
says 1 "'nvidia-t5' is neither a file nor an installed profile \(did you mean 'nvidia-t4'\?\)" calibrate times.csv --profile nvidia-t5
says 1 "times.csv: 1 rows, expected at least 10 for 3 parameters and 5 folds" calibrate times.csv --profile nvidia-t4 -b 320GB/s
says 2 "--bandwidth: '0' is not above 0" calibrate times.csv --profile nvidia-t4 -b 0
says 2 "--folds: '1'" calibrate times.csv --profile nvidia-t4 --folds 1
says 1 "times.csv: no column is called 'device', expected one, or no --device" calibrate times.csv --profile nvidia-t4 --device x
says 2 "adversary: expected --a and --b, or --pairs" adversary --a heft
says 2 "adversary: expected --a and --b, or --pairs" adversary --a heft --b peft --pairs heft,peft
says 2 "'hefft' is not known" adversary --a hefft --b peft
says 2 "--seconds: '5' is not LEAST,MOST" adversary --a heft --b peft --seconds 5
says 2 "--seconds: '2,1': expected two values" adversary --a heft --b peft --seconds 2,1
says 2 "--ops: '65'" adversary --a heft --b peft --ops 65
says 2 "--figure: only with --pairs" adversary --a heft --b peft --figure x.png
says 1 "nowhere/heft-against-peft.json: cannot write" adversary --pairs heft,peft --steps 1 -o nowhere
says 2 "--against: printed as text or csv" compare x.db --against heft --format latex

# ---- results that cannot be written
"$heteroopt" list policies >/dev/full 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "standard output: No space left on device" err
ok $? "a full disk under standard output is noticed" "$(cat err)"
"$heteroopt" graph convert graph.json >/dev/full 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "No space left on device" err
ok $? "a full disk under a converted graph is noticed" "$(cat err)"
{ sleep 0.3; "$heteroopt" list policies 2>err; echo $? >status; } | :
[ "$(cat status)" = 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "standard output: Broken pipe" err
ok $? "a closed pipe is noticed" "$(cat status err)"
"$heteroopt" list policies >&- 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "standard output" err
ok $? "a closed standard output is noticed" "$(cat err)"
"$heteroopt" schedule "${on[@]}" --scheduler heft -o /dev/full >out 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ]
ok $? "a front that cannot be written is an error, and nothing is printed" "$(cat err)" "$(cat out)"
"$heteroopt" schedule "${on[@]}" --scheduler heft -o absent/front.json >out 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "absent" err
ok $? "a folder that is not there is an error" "$(cat err)"

finish
