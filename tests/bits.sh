#!/bin/bash
# bits.sh: results are the same bits with another compiler, at other optimisation levels, and whatever the number of jobs.
#
# usage: tests/bits.sh BUILD   (BUILD: a finished build; two more are made in a temporary folder)
# Not part of `make check`, since it builds the project again; ./quickstart check runs it.
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd) || exit 1
. "$source/tests/tap.sh"
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
export HETEROOPT_DATA=$source LC_ALL=C.UTF-8

another_build() { # another_build NAME COMPILER FLAGS…
  mkdir "$place/$1" && cd "$place/$1" || return 1
  # by way of a link: autoconf takes no blanks in the path of the sources
  ln -sfn "$source" ../source
  ../source/configure -q CC="$2" CFLAGS="${*:3}" >log 2>&1 && make -s -j "$(nproc)" heteroopt >>log 2>&1
}

# Everything that is compared, one file per command. $1: the command, $2: the folder for what it says.
results_of() {
  local heteroopt=$1 out=$2 scheduler graph platform
  mkdir -p "$out"
  # The published examples are for all; exact, which refuses large graphs and contention, has only these, and proves a front there.
  local evaluations
  for scheduler in $schedulers; do
    evaluations=400
    [ "$scheduler" != exact ] || evaluations=100000
    for graph in "$source"/examples/heft/*.json; do
      "$heteroopt" schedule --graph "$graph" --platform "${graph%.json}.yaml" --scheduler "$scheduler" --seed 7 \
        --objectives latency,energy --evaluations $evaluations --json >"$out/schedule-$scheduler-$(basename "$graph" .json)" 2>&1
    done
    [ "$scheduler" != exact ] || continue
    for graph in resnet50:batch=4 "$source"/tests/data/bits.json; do
      for platform in workstation edge-soc; do
        "$heteroopt" schedule --graph "$graph" --platform $platform --scheduler "$scheduler" --seed 7 --evaluations 400 --json \
          >"$out/schedule-$scheduler-$(basename "$graph" .json)-$platform" 2>&1
      done
    done
  done
  for platform in workstation server edge-soc; do
    for policy in fifo priority; do
      "$heteroopt" simulate --graph resnet50:batch=4 --platform $platform --policy $policy --seed 3 --repeat 3 --noise 0.2 --json \
        >"$out/simulate-$policy-$platform" 2>&1
    done
    "$heteroopt" platform info $platform --json >"$out/platform-$platform" 2>&1
  done
  "$heteroopt" graph info resnet50:batch=4,mode=training --json >"$out/graph" 2>&1
}

# compare NAME FOLDER: each file of the folder against the one of the given build.
compare() {
  local file
  for file in "$place"/given/*; do
    cmp -s "$file" "$2/$(basename "$file")"
    ok $? "$1: $(basename "$file")" "$(diff "$file" "$2/$(basename "$file")" | head -5)"
  done
}

# fronts DB: front points and indicators as text, without row numbers.
fronts() {
  sqlite3 "file:$1?mode=ro" "select study, problem, scheduler, replicate, printf('%.17g %.17g %.17g', latency, energy, memory) from final_front order by 1, 2, 3, 4, 5;
    select study, problem, scheduler, replicate, frame, indicator, printf('%.17g', value) from final_indicator order by 1, 2, 3, 4, 5, 6;"
}

schedulers=$("$build/heteroopt" list schedulers --json | python3 -c 'import json, sys; print(*(s["name"] for s in json.load(sys.stdin)))')
grep -q 'define HAVE_METIS' "$build/config.h" || schedulers=${schedulers/metis/}
[ -n "$schedulers" ]
ok $? "there are schedulers to compare"
results_of "$build/heteroopt" "$place/given"
failing=$(grep -l '^heteroopt: ' "$place"/given/*)
[ -z "$failing" ]
ok $? "every command succeeds" "$(head -n 2 $failing)"

cat >"$place/experiment.yaml" <<'END'
format: heteroopt-experiment/1
name: bits
seed: 7
replicates: 2
workloads:
  - resnet50:batch=2
modes: [inference]
platforms: [workstation, edge-soc]
objectives: [latency, energy, memory]
frame: payoff
budget: {evaluations: 300}
checkpoints: 4
replays: {times: 5, noise: 0.1}
schedulers:
  - {use: heft}
  - {use: random}
  - {use: nsga2}
END
for jobs in 1 2; do
  said=$("$build/heteroopt" run "$place/experiment.yaml" --db "$place/jobs$jobs.db" --jobs $jobs 2>&1 </dev/null)
  ok $? "the experiment runs with --jobs $jobs" "$said"
done
fronts "$place/jobs1.db" >"$place/fronts1"
fronts "$place/jobs2.db" >"$place/fronts2"
[ -s "$place/fronts1" ] && cmp -s "$place/fronts1" "$place/fronts2"
ok $? "--jobs 1 and --jobs 2 give the same bits" "$(diff "$place/fronts1" "$place/fronts2" | head -5)"

try() { # try NAME COMPILER FLAGS…
  if ! command -v "$2" >/dev/null; then
    skip "$1" "no $2 on this machine"
    return
  fi
  (another_build "$@")
  ok $? "$1 builds" "$(tail -n 20 "$place/$1/log" 2>/dev/null)"
  [ -x "$place/$1/heteroopt" ] || return
  results_of "$place/$1/heteroopt" "$place/$1.results"
  compare "$1" "$place/$1.results"
  "$place/$1/heteroopt" run "$place/experiment.yaml" --db "$place/$1.db" --jobs 2 >/dev/null 2>&1 </dev/null
  fronts "$place/$1.db" >"$place/$1.fronts"
  cmp -s "$place/fronts1" "$place/$1.fronts"
  ok $? "$1: the experiment gives the same bits" "$(diff "$place/fronts1" "$place/$1.fronts" | head -5)"
}
try clang-O0 clang -O0
try gcc-O3-native gcc -O3 -march=native
finish
