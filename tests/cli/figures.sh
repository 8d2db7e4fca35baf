#!/bin/bash
# figures.sh: traces that a viewer opens, timelines that are XML, figures that come out the same twice, scripts that run again.
#
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR. What needs gnuplot or python3 is skipped without.
. "$HO_TEST_SRCDIR/tests/tap.sh"
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
cp "$HO_TEST_SRCDIR"/tests/data/cli/* "$place" && chmod u+w "$place"/* && cd "$place" || exit 1
heteroopt=$HO_TEST_BUILDDIR/heteroopt

"$heteroopt" simulate --graph layered:ops=300,ccr=1,seed=4 --platform platform.yaml --policy fifo --trace trace.json --timeline timeline.svg --json >run.json 2>err
ok $? "a replay is traced and drawn" "$(cat err)"

# The Trace Event Format: slices of one thread do not overlap; each arrow has one beginning and one end, on slices, forward in time; a
# counter of watts integrates to the device's joules; a counter of bytes peaks where the replay says.
cat >laws.py <<'END'
import collections, json, sys
trace, run = json.load(open("trace.json")), json.load(open("run.json"))
events = trace["traceEvents"]
slices, arrows, counters, names = collections.defaultdict(list), collections.defaultdict(dict), collections.defaultdict(list), {}
for e in events:
    track = e["pid"], e["tid"]
    if e["ph"] == "X": slices[track].append((e["ts"], e["ts"] + e["dur"]))
    elif e["ph"] in "sf": arrows[e["id"]].setdefault(e["ph"], []).append(e)
    elif e["ph"] == "C": counters[e["pid"], e["name"]].append((e["ts"] * 1e-6, *e["args"].values()))
    elif e["name"] == "process_name": names[e["pid"]] = e["args"]["name"]
law = sys.argv[1]
if law == "overlap":
    for track in slices.values():
        track.sort()
        for a, b in zip(track, track[1:]): assert b[0] >= a[1] * (1 - 1e-12), (a, b)
elif law == "count":
    assert sum(len(v) for v in slices.values()) == len(run["ops"]) + len(run["transfers"])
elif law == "arrows":
    assert arrows
    starts = {t: {a for a, _ in v} for t, v in slices.items()}
    for a in arrows.values():
        (s,), (f,) = a["s"], a["f"]
        assert s["ts"] <= f["ts"] and s["ts"] in starts[s["pid"], s["tid"]] and f["ts"] in starts[f["pid"], f["tid"]]
elif law == "joules":
    devices = 0
    for (pid, name), points in counters.items():
        device = names[pid].split(" (")[0]
        if name != "power" or device not in run["devices"]: continue
        devices += 1
        ends = [p[0] for p in points[1:]] + [run["makespan"]]
        joules = sum(w * (end - t) for (t, w), end in zip(points, ends))
        assert abs(joules - run["devices"][device]["energy"]) <= 1e-9 * joules, (device, joules)
    assert devices == 2
elif law == "bytes":
    for memory, m in run["memory"].items():
        assert max((p[1] for (_, n), ps in counters.items() if n == memory for p in ps), default=0) == m["peak"], memory
END
if command -v python3 >/dev/null; then
  for law in "overlap slices of one track do not overlap" "count every kernel and every transfer is a slice" "arrows arrows lead from slice to slice, forward" \
    "joules power integrates to energy" "bytes memory counters peak where the replay says"; do
    said=$(python3 laws.py "${law%% *}" 2>&1)
    ok $? "trace: ${law#* }" "$said"
  done
  said=$(python3 -c 'import xml.dom.minidom as m; d = m.parse("timeline.svg"); assert len(d.getElementsByTagName("rect")) > 50' 2>&1)
  ok $? "a timeline is well-formed XML" "$said"
else
  skip "laws of traces and timelines" "python3 is not installed"
fi

"$heteroopt" simulate --graph layered:ops=20000,ccr=0.01,seed=4 --platform platform.yaml --policy fifo --timeline large.svg >/dev/null 2>err
[ $? -eq 0 ] && [ "$(stat -c %s large.svg)" -lt 2000000 ]
ok $? "a timeline of 20,000 ops stays below 2 MB" "$(cat err)" "$(ls -l large.svg)"

"$heteroopt" run experiment.yaml >/dev/null 2>err
ok $? "an experiment runs" "$(cat err)"
if command -v gnuplot >/dev/null; then
  for kind in pdf png svg; do
    "$heteroopt" plot tiny.db --kind front -o a.$kind >out 2>err
    [ $? -eq 0 ] && [ -s a.$kind ] && [ "$(cat out)" = a.$kind ] && [ -s a.dat ] && [ -s a.gp ]
    ok $? "fronts are drawn as $kind, with data and script beside" "$(cat err)"
  done
  "$heteroopt" plot tiny.db --kind front -o a.pdf >out && cp a.pdf first.pdf && sleep 1.1 && "$heteroopt" plot tiny.db --kind front -o a.pdf >out
  cmp first.pdf a.pdf
  ok $? "a figure drawn twice has the same bytes"
  mkdir moved && cp a.gp a.dat moved && (cd moved && gnuplot a.gp) 2>err && [ -s moved/a.pdf ]
  ok $? "the script runs again elsewhere" "$(cat err)"
  "$heteroopt" schedule --graph graph.json --platform platform.yaml --scheduler random --evaluations 300 -o front.json >/dev/null
  "$heteroopt" plot front.json --kind front -o "of a file.pdf" >out 2>err && [ -s "of a file.pdf" ]
  ok $? "a front file is drawn, into a name with blanks" "$(cat err)"
  "$heteroopt" plot run.json --kind gantt -o gantt.pdf >out 2>err && [ -s gantt.pdf ]
  ok $? "a replay is drawn as a Gantt chart" "$(cat err)"
  "$heteroopt" plot tiny.db --kind gantt --plan 1000000 -o plan.pdf >out 2>err && [ -s plan.pdf ]
  ok $? "a plan of a database is replayed and drawn" "$(cat err)"
  [ -s tiny-out/front.pdf ] && [ -s tiny-out/front.png ]
  ok $? "run leaves its figure as PDF and PNG"
else
  skip "figures" "gnuplot is not installed"
fi
mkdir empty && PATH=$place/empty "$heteroopt" plot tiny.db --kind front -o without.pdf >out 2>err
[ $? -eq 0 ] && grep -q "gnuplot is not installed" err && [ -s without.dat ] && [ -s without.gp ] && [ ! -s out ]
ok $? "without gnuplot data and script are written, and it says so" "$(cat err)"
"$heteroopt" plot tiny.db --kind front --problem nowhere -o x.pdf >out 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "nowhere" err
ok $? "a problem that is not there is an error" "$(cat err)"

"$heteroopt" plot tiny.db --kind gantt --plan 999 -o x.pdf >out 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "999" err
ok $? "a plan that is not there is an error" "$(cat err)"

finish
