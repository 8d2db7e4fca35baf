#!/bin/bash
# exec.sh: schedulers that are processes: a good one, and every kind of bad one.
#
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR.
. "$HO_TEST_SRCDIR/tests/tap.sh"
heteroopt=$HO_TEST_BUILDDIR/heteroopt
heft="python3 $HO_TEST_SRCDIR/examples/exec/heft.py"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

if ! command -v python3 >/dev/null; then
  skip "schedulers that are processes" "no python3"
  finish
  exit
fi

# latency SCHEDULER GRAPH PLATFORM: of the front's first plan.
latency() {
  "$heteroopt" schedule --scheduler "$1" --graph "$2" --platform "$3" --objectives latency --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["plans"][0]["objectives"]["latency"])'
}

examples=$HO_TEST_SRCDIR/examples/heft
[ "$(latency "exec:$heft" "$examples/topcuoglu2002_fig3.json" "$examples/topcuoglu2002_fig3.yaml")" = 80.0 ]
ok $? "HEFT in Python gets the 80 of Topcuoglu et al. 2002"
[ "$(latency "exec:$heft" "$examples/arabnejad2014_fig1.json" "$examples/arabnejad2014_fig1.yaml")" = 133.0 ]
ok $? "HEFT in Python gets the 133 of Arabnejad and Barbosa 2014"
for graph in resnet18 bert-base:layers=2; do
  [ "$(latency "exec:$heft" $graph server)" = "$(latency heft $graph server)" ]
  ok $? "HEFT in Python is heft on $graph"
done

said=$("$heteroopt" new --scheduler mine.py && "$heteroopt" try "exec:python3 mine.py" --selftest 2>&1)
[ $? -eq 0 ] && [ "$(grep -c ' ok$' <<<"$said")" = 5 ]
ok $? "the scheduler that new writes passes all its tests" "$said"

# fails NAME COMMAND WORDS: one line with the words, exit 1, within 20 s.
fails() {
  local said status
  said=$(timeout 20 "$heteroopt" try "exec:$2" --graph resnet18 --timeout 1 2>&1 >/dev/null)
  status=$?
  [ $status -eq 1 ] && [ "$(wc -l <<<"$said")" = 1 ] && grep -qE "$3" <<<"$said"
  ok $? "$1" "exit $status: $said"
}
hello='{"type":"hello","protocol":1,"name":"x"}'
cat >bad.sh <<END
printf '%s\n' '$hello'
read -r problem
case \$1 in
  garbage) echo 'no json' ;;
  early) exit 7 ;;
  killed) kill -9 \$\$ ;;
  half) printf '{"type":' ;;
  other) echo '{"type":"dance"}' ;;
  plans) echo '{"type":"evaluate"}' ;;
  sleep) sleep 100 & sleep 100 ;;
  nothing) echo '{"type":"done"}' ;;
  wrong) echo '{"type":"keep","plan":[[0,0],[0,0]]}'; echo '{"type":"done"}' ;;
  flood) tr '\0' 'a' </dev/zero ;;
esac
END
fails "a command that is not there" "nothing-like-it" "cannot be started"
fails "a program that ends at once" "false" "exited with status 1 before it was done"
fails "a program that says nothing" "sleep 100" "time-out: no answer within 1 s"
fails "another protocol" "echo '{\"type\":\"hello\",\"protocol\":2,\"name\":\"x\"}'" "protocol 2, expected 1"
fails "no JSON" "bash bad.sh garbage" "wrote what is no JSON"
fails "an early end" "bash bad.sh early" "exited with status 7 before it was done"
fails "an end by a signal" "bash bad.sh killed" "was ended by signal 9"
fails "half a line" "bash bad.sh half" "ended within a line"
fails "a type that nobody knows" "bash bad.sh other" "of type 'dance', expected evaluate, keep or done"
fails "evaluate without plans" "bash bad.sh plans" "evaluate: expected an array 'plans'"
fails "no end in time" "bash bad.sh sleep" "time-out: no answer within 1 s"
fails "no plan at all" "bash bad.sh nothing" "made no plan"
fails "a flood" "bash bad.sh flood" "more than 256 MiB|time-out"
! pgrep -f 'sleep 100' >/dev/null
ok $? "nothing that they started is left"

said=$("$heteroopt" try "exec:bash bad.sh wrong" --graph resnet18 2>&1 >/dev/null)
grep -qF "plan 0: " <<<"$said"
ok $? "a wrong plan is told with its place" "$said"

cp "$HO_TEST_SRCDIR/examples/exec/heft.py" .
cat >e.yaml <<END
format: heteroopt-experiment/1
name: e
seed: 1
replicates: 1
workloads: [resnet18]
modes: [inference]
platforms: [server, edge-soc]
budget: {evaluations: 50}
checkpoints: 3
replays: {times: 5, noise: 0.05}
schedulers:
  - {use: heft}
  - {use: "exec:python3 heft.py", label: Ours, files: [heft.py], timeout: 1min, keep: true}
  - {use: "exec:bash bad.sh early", label: Broken}
END
said=$("$heteroopt" run e.yaml --jobs 2 2>&1)
[ $? -eq 0 ] && grep -q 'exited with status 7 before it was done' <<<"$said"
ok $? "an experiment goes on when a process fails, and says why" "$said"
same=$(python3 - <<END
import sqlite3
rows = sqlite3.connect("e.db").execute("select problem, scheduler, latency, energy, memory from final_front").fetchall()
print(sorted(r[:1] + r[2:] for r in rows if r[1] == "Ours") == sorted(r[:1] + r[2:] for r in rows if r[1] == "heft") and len(rows) == 4)
END
)
[ "$same" = True ]
ok $? "HEFT in Python stores the plans of heft"
said=$("$heteroopt" run e.yaml 2>&1)
grep -q '^heteroopt: 4 of 6 runs were there already' <<<"$said"
ok $? "runs of processes are not made again, failed ones are" "$said"
echo "# changed" >>heft.py
said=$("$heteroopt" run e.yaml 2>&1)
grep -q '^heteroopt: 2 of 6 runs were there already' <<<"$said"
ok $? "but when their files have changed" "$said"
sed -i 's/timeout: 1min/timeout: never/' e.yaml
said=$("$heteroopt" check e.yaml 2>&1)
[ $? -eq 1 ] && grep -q "e.yaml:13:.*timeout" <<<"$said"
ok $? "a wrong time-out is named with its line" "$said"
finish
