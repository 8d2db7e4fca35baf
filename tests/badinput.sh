#!/bin/bash
# badinput.sh: whatever is wrong with the input, the command says it in one line and exits with 1; never a crash or a hang.
#
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR. Under --enable-sanitizers this is also where leaks of the whole
# command are found: they change the exit status.
. "$HO_TEST_SRCDIR/tests/tap.sh"
place=$(mktemp -d) || exit 1
trap 'umount "$place/small" 2>/dev/null; rm -rf "$place"' EXIT
cd "$place" || exit 1
heteroopt=$HO_TEST_BUILDDIR/heteroopt

# refused NAME PATTERN ARGUMENTS…: exit 1, one line on standard error that matches, nothing on standard output.
refused() { exits 1 "$@"; }
misused() { exits 2 "$@"; }
exits() {
  local expected=$1 name=$2 pattern=$3 status
  shift 3
  timeout 60 "$heteroopt" "$@" >out 2>err </dev/null
  status=$?
  [ $status -eq "$expected" ] && [ "$(wc -l <err)" -eq 1 ] && grep -qE -- "$pattern" err && [ ! -s out ]
  ok $? "$name" "heteroopt $*" "exit $status, expected $expected and: $pattern" "$(head -c 2000 err)" "$(head -c 300 out)"
}

# accepted NAME ARGUMENTS…: what all the bad inputs are made from is itself good.
accepted() {
  local name=$1 status
  shift
  timeout 60 "$heteroopt" "$@" >out 2>err </dev/null
  status=$?
  [ $status -eq 0 ]
  ok $? "$name" "heteroopt $*" "exit $status" "$(head -c 2000 err)"
}

# with FILE PATTERN REPLACEMENT: `bad`, a copy of the file with one change, which must be one.
with() {
  sed "s|$2|$3|" "$1" >"bad.${1##*.}"
  if cmp -s "$1" "bad.${1##*.}"; then echo "Bail out! '$2' is not in $1"; exit 1; fi
}

cat >graph.json <<'END'
{"format":"heteroopt-graph/1","name":"demo",
 "ops":[{"name":"A","kind":"conv","flops":2.1e9,"parallelism":100352},
        {"name":"B","kind":"elementwise","flops":1e6},
        {"name":"C","kind":"gemm","flops":4e8}],
 "tensors":[{"name":"w","shape":[64,3,7,7],"dtype":"fp32","role":"weight","consumers":["A"]},
            {"name":"a","bytes":800000,"producer":"A","consumers":["B"]},
            {"name":"b","bytes":800000,"producer":"B","consumers":["C"]},
            {"name":"c","bytes":4000,"producer":"C","consumers":[]}]}
END
sed 's/"name":"demo"/"name":"other"/; s/2.1e9/2.2e9/' graph.json >other.json
cat >platform.yaml <<'END'
format: heteroopt-platform/1
name: pair
memories:
  - {name: host, capacity: 64GB, bandwidth: 100GB/s}
  - {name: hbm, capacity: 16GB, bandwidth: 900GB/s}
devices:
  - name: cpu
    kind: cpu
    memory: host
    peak: {fp32: 1e12}
    power: {idle: 10, busy: 20, peak: 100}
  - name: gpu
    kind: gpu
    memory: hbm
    peak: {fp32: 10e12}
    power: {idle: 30, busy: 50, peak: 300}
links:
  - {name: pcie, ends: [host, hbm], bandwidth: 16GB/s, latency: 1us, duplex: full}
host: host
END
cat >experiment.yaml <<'END'
format: heteroopt-experiment/1
name: tiny
seed: 7
replicates: 2
workloads:
  - graph.json
modes: [inference]
platforms: [platform.yaml]
objectives: [latency, energy, memory]
frame: payoff
budget: {evaluations: 50}
checkpoints: 3
replays: {times: 5, noise: 0.05}
schedulers:
  - {use: heft}
  - {use: random}
END
on=(--platform platform.yaml)
of=(--graph graph.json)
by=(--scheduler heft)

# ---- graphs
accepted "the good graph is read" graph info graph.json
refused "a file that is not there" "^heteroopt: absent.json: .*No such file" graph info absent.json
mkdir folder
refused "a folder instead of a file" "^heteroopt: folder: .*directory" graph info folder
: >empty.json
refused "an empty file" "^heteroopt: empty.json:.* empty" graph info empty.json
head -c 300 graph.json >bad.json
refused "a graph that stops in the middle" "^heteroopt: bad.json:[0-9]+:[0-9]+: " graph info bad.json
(cat graph.json; echo x) >bad.json
refused "a graph with something behind it" "^heteroopt: bad.json:9:[0-9]+: " graph info bad.json
head -c 5000 /dev/urandom >bad.json
refused "a file of noise" "^heteroopt: bad.json:" graph info bad.json
printf '%200000s' '' | tr ' ' '[' >bad.json
refused "a file of nothing but brackets" "^heteroopt: bad.json:" graph info bad.json
with graph.json '"flops":2.1e9' '"flop":2.1e9'
refused "a key with a typing error" "bad.json: .*'flop'.*did you mean 'flops'" graph info bad.json
with graph.json 'graph/1' 'graph/9'
refused "a format of another version" "bad.json: .*heteroopt-graph/9.*heteroopt-graph/1" graph info bad.json
with graph.json '2.1e9' 'NaN'
refused "a NaN" "^heteroopt: bad.json:2:" graph info bad.json
with graph.json '2.1e9' '-1'
refused "negative work" "bad.json: ops\[0\].*-1" graph info bad.json
with graph.json '2.1e9' '1e999'
refused "a number that no double holds" "^heteroopt: bad.json:2:" graph info bad.json
with graph.json '2.1e9' '"many"'
refused "a text instead of a number" "bad.json: ops\[0\].*many" graph info bad.json
with graph.json '{"name":"C"' '{"name":"A"},{"name":"C"'
refused "two operators of one name" "bad.json: ops\[2\].*'A'" graph info bad.json
with graph.json '"consumers":\["B"\]' '"consumers":["X"]'
refused "a consumer that is not there" "bad.json: .*X" graph info bad.json
with graph.json '"consumers":\[\]' '"consumers":["A"]'
refused "a cycle is named" "bad.json: .*cycl.*A" graph info bad.json
with graph.json '800000,"producer":"A"' '-5,"producer":"A"'
refused "a tensor of negative size" "bad.json: tensors\[1\].*-5" graph info bad.json
with graph.json '\[64,3,7,7\]' '[64,3,99999999999,99999999999,99999]'
refused "a shape that overflows" "bad.json: tensors\[0\]" graph info bad.json
with graph.json '"fp32"' '"fp33"'
refused "an element type that is not known" "bad.json: .*fp33" graph info bad.json
refused "a built-in model that is not known" "resnet5" graph info resnet5:batch=1
refused "an option of a model that is not known" "btch.*did you mean 'batch'" graph info resnet50:btch=1
refused "a batch of nothing" "batch" graph info resnet50:batch=0
refused "a batch that overflows" "batch|too large|overflow" graph info resnet50:batch=9000000000000000000

# ---- ONNX
onnx=$(ls "$HO_TEST_SRCDIR"/tests/data/*.onnx "${HO_SHARED:-$HO_TEST_SRCDIR/../shared}"/onnx/files/*.onnx 2>/dev/null | head -1)
if [ -n "$onnx" ]; then
  size=$(stat -c %s "$onnx")
  for part in 1 2 3 5 7 9; do
    head -c $((size * part / 10)) "$onnx" >cut.onnx
    refused "an ONNX file cut at $part tenths" "^heteroopt: cut.onnx: " graph info cut.onnx
  done
  head -c 20000 /dev/urandom >cut.onnx
  refused "an ONNX file of noise" "^heteroopt: cut.onnx: " graph info cut.onnx
else
  skip "a cut ONNX file" "no ONNX file here"
fi
: >cut.onnx
refused "an empty ONNX file" "^heteroopt: cut.onnx: " graph info cut.onnx
mkdir folder.onnx
refused "a folder named like an ONNX file" "^heteroopt: folder.onnx: .*directory" graph info folder.onnx

# ---- platforms
accepted "the good platform is read" platform info platform.yaml
refused "a platform that is not there" "'serve' is neither a file nor an installed platform .*server" platform info serve
refused "a folder instead of a platform" "folder.*(directory|neither a file)" platform info folder
with platform.yaml 'capacity: 64GB, bandwidth' 'capacity: 64GB, bandwith'
refused "a platform with an unknown key" "^heteroopt: bad.yaml:4:[0-9]+: .*'bandwith'.*did you mean 'bandwidth'" platform info bad.yaml
with platform.yaml '16GB/s' '16Gb/s'
refused "a suffix that is not known" "^heteroopt: bad.yaml:18:[0-9]+: .*16Gb/s" platform info bad.yaml
with platform.yaml '16GB/s' '.nan'
refused "a bandwidth that is not a number" "^heteroopt: bad.yaml:18:[0-9]+: " platform info bad.yaml
with platform.yaml 'capacity: 16GB' 'capacity: -16GB'
refused "a negative capacity" "^heteroopt: bad.yaml:5:[0-9]+: .*-16GB" platform info bad.yaml
with platform.yaml 'memory: hbm' 'memory: hmb'
refused "a device on a memory that is not there" "^heteroopt: bad.yaml:14:[0-9]+: .*hmb" platform info bad.yaml
with platform.yaml 'ends: \[host, hbm\]' 'ends: [host, root]'
refused "a link to nowhere" "^heteroopt: bad.yaml:18:[0-9]+: .*root" platform info bad.yaml
with platform.yaml 'name: gpu' 'name: cpu'
refused "two devices of one name" "^heteroopt: bad.yaml:12:[0-9]+: .*cpu" platform info bad.yaml
with platform.yaml 'kind: gpu' 'kind: gpus'
refused "a kind of device that is not known" "^heteroopt: bad.yaml:13:[0-9]+: .*gpus" platform info bad.yaml
with platform.yaml 'kind: gpu' 'profile: nvidia-a1000'
refused "a profile that is not there" "^heteroopt: bad.yaml:13:[0-9]+: .*nvidia-a1000" platform info bad.yaml
with platform.yaml 'name: pair' 'name: [pair'
refused "YAML that is not closed" "^heteroopt: bad.yaml:[0-9]+:[0-9]+: " platform info bad.yaml
with platform.yaml 'platform/1' 'experiment/1'
refused "a file of another kind" "^heteroopt: bad.yaml:1:[0-9]+: .*heteroopt-platform/1" platform info bad.yaml
: >empty.yaml
refused "an empty platform" "^heteroopt: empty.yaml" platform info empty.yaml
head -c 5000 /dev/urandom >bad.yaml
refused "a platform of noise" "^heteroopt: bad.yaml" platform info bad.yaml
printf 'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n' >bad.yaml
refused "aliases that multiply" "^heteroopt: bad.yaml:" platform info bad.yaml
printf '%50000s' '' | tr ' ' '[' >bad.yaml
refused "YAML of nothing but brackets" "^heteroopt: bad.yaml" platform info bad.yaml

# ---- plans
accepted "a good plan is made" schedule "${of[@]}" "${on[@]}" "${by[@]}" -o plan.json
accepted "and is read" simulate "${of[@]}" "${on[@]}" --plan plan.json
refused "a plan for another graph" "plan.json: .*(graph|other|demo)" simulate --graph other.json "${on[@]}" --plan plan.json
sed 's/100GB/101GB/' platform.yaml >moved.yaml
refused "a plan for another platform" "plan.json: .*platform" simulate "${of[@]}" --platform moved.yaml --plan plan.json
cat >one.json <<'END'
{"format":"heteroopt-plan/1","graph":"demo","platform":"pair",
 "assign":[{"op":"A","device":"gpu"},{"op":"B","device":"gpu"},{"op":"C","device":"gpu"}]}
END
plan=(simulate "${of[@]}" "${on[@]}" --plan bad.json)
accepted "a plan by hand is read" simulate "${of[@]}" "${on[@]}" --plan one.json
with one.json '"op":"B","device":"gpu"' '"op":"B","device":"gpu1"'
refused "a device that is not there" "bad.json: .*assign\[1\].*gpu1" "${plan[@]}"
with one.json '{"op":"B","device":"gpu"},' ''
refused "an operator that is missing" "bad.json: .*B" "${plan[@]}"
with one.json '"op":"C"' '"op":"B"'
refused "an operator named twice" "bad.json: .*B" "${plan[@]}"
with one.json '"op":"C"' '"op":"D"'
refused "an operator that is not in the graph" "bad.json: .*assign\[2\].*D" "${plan[@]}"
with one.json '{"op":"A","device":"gpu"},{"op":"B","device":"gpu"}' '{"op":"B","device":"gpu"},{"op":"A","device":"gpu"}'
refused "an order against the edges" "bad.json: .*assign.*B.*A|bad.json: .*B.*before.*" "${plan[@]}"
with one.json '"op":"B",' '"op":"B","stream":99,'
refused "a stream that is not there" "bad.json: .*assign\[1\].*stream.*" "${plan[@]}"
with one.json '"op":"B",' '"op":"B","precision":"int4",'
refused "a precision that the device has not" "bad.json: .*assign\[1\].*int4" "${plan[@]}"
with one.json '"op":"B",' '"op":"B","not_before":-1,'
refused "a start before the start" "bad.json: .*assign\[1\].*-1" "${plan[@]}"
with one.json '"op":"B",' '"op":"B","steam":0,'
refused "a key of a plan with a typing error" "bad.json: .*steam.*did you mean 'stream'" "${plan[@]}"
with one.json '"assign":.*' '"assign":[]}'
refused "a plan of nothing" "bad.json: .*" "${plan[@]}"
with platform.yaml 'capacity: 16GB' 'capacity: 1MB'
refused "a memory that cannot hold the plan" "(hbm.*B|B.*hbm)" simulate "${of[@]}" --platform bad.yaml --plan one.json

# ---- schedulers and options
misused "a scheduler that is not known" "heff.*did you mean 'heft'" schedule "${of[@]}" "${on[@]}" --scheduler heff
refused "an option that the scheduler has not" "populaton.*did you mean 'population'" schedule "${of[@]}" "${on[@]}" --scheduler nsga2 --set populaton=5
refused "an option out of its range" "population" schedule "${of[@]}" "${on[@]}" --scheduler nsga2 --set population=-5
misused "a policy that is not known" "fifi.*did you mean 'fifo'" simulate "${of[@]}" "${on[@]}" --policy fifi
sed 's/"flops":2.1e9/"time":{"npu":1}/' graph.json >timed.json
refused "an operator that no device can run" "timed.json|A" schedule --graph timed.json "${on[@]}" "${by[@]}"

# ---- experiments
mkdir runs
for command in check run; do
  with experiment.yaml 'replicates' 'replicats'
  refused "$command: a config with a typing error" "^heteroopt: bad.yaml:4:[0-9]+: .*'replicats'.*did you mean 'replicates'" $command bad.yaml
  with experiment.yaml 'use: heft' 'use: hefd'
  refused "$command: a scheduler that is not known" "^heteroopt: bad.yaml:15:[0-9]+: .*hefd.*did you mean 'heft'" $command bad.yaml
  with experiment.yaml 'seed: 7' 'seed: -1'
  refused "$command: a negative seed" "^heteroopt: bad.yaml:3:[0-9]+: .*-1" $command bad.yaml
  with experiment.yaml 'noise: 0.05' 'noise: nan'
  refused "$command: noise that is not a number" "^heteroopt: bad.yaml:13:[0-9]+: .*nan" $command bad.yaml
  with experiment.yaml 'replicates: 2' 'replicates: 0'
  refused "$command: no replicates" "^heteroopt: bad.yaml:4:[0-9]+: " $command bad.yaml
  with experiment.yaml '  - graph.json' '  - missing.json'
  refused "$command: a workload that is not there" "^heteroopt: bad.yaml:6:[0-9]+: .*missing.json" $command bad.yaml
  with experiment.yaml '  - graph.json' '  - empty.json'
  refused "$command: a workload that cannot be read" "^heteroopt: .*empty.json:.* empty" $command bad.yaml
  with experiment.yaml 'platforms: .*' 'platforms: [platfrom.yaml]'
  refused "$command: a platform that is not there" "^heteroopt: bad.yaml:8:[0-9]+: .*platfrom.yaml" $command bad.yaml
  with experiment.yaml 'objectives: .*' 'objectives: []'
  refused "$command: a list of no objectives" "^heteroopt: bad.yaml:9:[0-9]+: .*objectives.*empty" $command bad.yaml
  with experiment.yaml 'modes: .*' 'modes: []'
  refused "$command: a list of no modes" "^heteroopt: bad.yaml:7:[0-9]+: .*modes.*empty" $command bad.yaml
  with experiment.yaml 'objectives: .*' 'objectives: [latency, power]'
  refused "$command: an objective that is not known" "^heteroopt: bad.yaml:9:[0-9]+: .*power" $command bad.yaml
  refused "$command: a config that is not there" "^heteroopt: absent.yaml: " $command absent.yaml
  refused "$command: a folder instead of a config" "^heteroopt: folder: " $command folder
done

# ---- outputs that cannot be written
refused "a plan into a folder" "folder: .*directory" schedule "${of[@]}" "${on[@]}" "${by[@]}" -o folder
refused "a plan into a folder that is not there" "no/where.json: .*No such file" schedule "${of[@]}" "${on[@]}" "${by[@]}" -o no/where.json
if [ -w /dev/full ]; then
  refused "a plan onto a full disk" "/dev/full: .*No space" schedule "${of[@]}" "${on[@]}" "${by[@]}" -o /dev/full
  refused "a trace onto a full disk" "/dev/full: .*No space" simulate "${of[@]}" "${on[@]}" --policy fifo --trace /dev/full
  refused "a timeline onto a full disk" "/dev/full: .*No space" simulate "${of[@]}" "${on[@]}" --policy fifo --timeline /dev/full
  timeout 60 "$heteroopt" graph info graph.json >/dev/full 2>err </dev/null
  [ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "No space" err
  ok $? "results onto a full disk" "$(head -c 500 err)"
else
  skip "outputs onto a full disk" "no /dev/full on this machine"
fi

# ---- databases
refused "a database in a folder that is not there" "no/where.db: " run experiment.yaml --db no/where.db
refused "a folder instead of a database" "folder: " run experiment.yaml --db folder
head -c 5000 /dev/urandom >noise.db
refused "a database of noise" "noise.db: " run experiment.yaml --db noise.db
refused "a database that is not there cannot be compared" "absent.db: .*" compare absent.db
refused "a database of noise cannot be compared" "noise.db: " compare noise.db
[ ! -e absent.db ]
ok $? "and asking for it does not make it"
mkdir small
if mount -t tmpfs -o size=48k tmpfs small 2>/dev/null; then
  refused "a database on a full disk" "small/full.db: .*no space left" run experiment.yaml --db small/full.db
else
  skip "a database on a full disk" "only root can make one"
fi
timeout 60 bash -c 'ulimit -f 40; exec "$0" "$@"' "$heteroopt" run experiment.yaml --db limited.db >out 2>err </dev/null
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "limited.db: " err
ok $? "a database beyond the limit of file sizes" "$(head -c 500 err)"

# ---- hv
printf '1,2\n3\n' >points
refused "a point with too few numbers" "^heteroopt: points:2: " hv points --ref 4,4
printf '1,x\n' >points
refused "a point that is not a number" "^heteroopt: points:1: .*x" hv points --ref 4,4
refused "a file of points that is not there" "absent" hv absent --ref 4,4

printf '1,,2\n' >points
refused "a point with a hole" "^heteroopt: points:1: ''" hv points --ref 4,4

# ---- files that are none: the command neither waits nor reads for ever
mkfifo pipe.json pipe.yaml
refused "a graph from a pipe without a writer" "^heteroopt: pipe.json:" graph info pipe.json
refused "a profiler's trace from a pipe without a writer" "^heteroopt: pipe.json:" graph info graph.json --times pipe.json --device cpu
refused "a plan from a pipe without a writer" "^heteroopt: pipe.json:" simulate "${of[@]}" "${on[@]}" --plan pipe.json
refused "a platform from a pipe without a writer" "^heteroopt: pipe.yaml: .*empty" platform info pipe.yaml
refused "a config from a pipe without a writer" "^heteroopt: pipe.yaml: .*empty" run pipe.yaml
refused "a front from a pipe without a writer" "^heteroopt: pipe.json:" plot pipe.json --kind front -o x.pdf
refused "a graph without end" "^heteroopt: /dev/zero: .*device" graph info /dev/zero
refused "a platform without end" "^heteroopt: /dev/zero: .*device" platform info /dev/zero
refused "points without end" "^heteroopt: /dev/zero: .*device" hv /dev/zero --ref 4,4

# ---- numbers that no double holds, and inputs that lie nowhere
"$heteroopt" schedule "${of[@]}" "${on[@]}" "${by[@]}" -o plan.json >/dev/null
with plan.json '"device": "gpu"' '"device": "gpu", "not_before": 1e308'
refused "a plan that takes more energy than a number holds" "takes .* inf J" simulate "${of[@]}" "${on[@]}" --plan bad.json
with plan.json '"seed": [0-9]*' '"seed": "seven"'
refused "a note of the wrong type" "bad.json: .*seed.*seven" simulate "${of[@]}" "${on[@]}" --plan bad.json
with graph.json '{"name":"a",' '{"name":"x","bytes":8,"memory":"nowhere","consumers":["A"]},{"name":"a",'
refused "an input in a memory that is not there" "'x'.*'nowhere'.*'pair'" schedule --graph bad.json "${on[@]}" --scheduler single-fastest

# ---- wrong usage
misused "noise beyond measure" "noise.*1e300.*from 0 to 10" simulate "${of[@]}" "${on[@]}" --policy fifo --noise 1e300
misused "a seed that plans cannot carry" "seed.*9223372036854775808" schedule "${of[@]}" "${on[@]}" "${by[@]}" --seed 9223372036854775808
misused "a command that is not known" "schedul.*did you mean 'schedule'" schedul
misused "an option that is not known" "--grph.*did you mean --graph" schedule --grph x
misused "no command" "command" 
misused "a seed that is not a number" "seed.*seven" schedule "${of[@]}" "${on[@]}" "${by[@]}" --seed seven
misused "a reference point that is not one" "ref" hv points --ref a,b
misused "a graph without a platform" "platform" schedule "${of[@]}" "${by[@]}"
finish
