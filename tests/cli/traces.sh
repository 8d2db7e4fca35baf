#!/bin/bash
# traces.sh: the three traces of one replay say what the replay says: trace events, CSV, and Paje as pj_dump (pajeng) reads it. So does
# its profile.
#
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR. What needs python3 or pj_dump is skipped without.
. "$HO_TEST_SRCDIR/tests/tap.sh"
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
cp "$HO_TEST_SRCDIR"/tests/data/cli/* "$place" && chmod u+w "$place"/* && cd "$place" || exit 1
heteroopt=$HO_TEST_BUILDDIR/heteroopt

# Four devices behind one uplink: copies share it, and go from card to card in two hops.
on=(--graph layered:ops=300,ccr=0.3,seed=4 --platform workstation --policy fifo)
"$heteroopt" platform info workstation --json >platform.json
for f in trace.json trace.csv trace.paje; do
  "$heteroopt" simulate "${on[@]}" --trace $f --profile --json >run.json 2>err
  ok $? "a replay is written as $f" "$(cat err)"
done
"$heteroopt" simulate "${on[@]}" --trace again.trace --json >/dev/null && cmp trace.paje again.trace
ok $? "a trace written twice has the same bytes, and .trace is Paje too"

cat >laws.py <<'END'
import collections, csv, json, sys
run, platform = json.load(open("run.json")), json.load(open("platform.json"))
end = run["makespan"]
near = lambda x, y, share=1e-9: abs(x - y) <= share * abs(y)
def integral(points):
    """Of a step curve of (time, value)."""
    return sum(v * (t - s) for (s, v), (t, _) in zip(points, points[1:] + [(end, 0)]))

def events():
    trace = json.load(open("trace.json"))["traceEvents"]
    slices, ends, counters, names = collections.defaultdict(list), collections.defaultdict(dict), collections.defaultdict(list), {}
    for e in trace:
        if e["ph"] == "X": slices[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"], e["name"]))
        elif e["ph"] in "sf": ends[e["id"]][e["ph"]] = e
        elif e["ph"] == "C": counters[e["pid"], e["name"]].append((e["ts"] * 1e-6, *e["args"].values()))
        elif e["name"] == "process_name": names[e["pid"]] = e["args"]["name"].split(" (")[0]
    return slices, ends, counters, names

def law_arrows():
    slices, ends, _, names = events()
    into, out = set(), set()
    for a in ends.values():
        assert set(a) == set("sf") and a["s"]["ts"] <= a["f"]["ts"], a
        for e in a.values():
            inside = [s for s in slices[e["pid"], e["tid"]] if s[0] <= e["ts"] <= s[1]]
            assert inside, e
        out.add((a["s"]["pid"], a["s"]["tid"], a["s"]["ts"]))
        into.add((a["f"]["pid"], a["f"]["tid"], a["f"]["ts"]))
    # producer -> copy -> consumer: whatever crosses links goes on somewhere, and comes from somewhere unless it is an input of the graph
    made = {o["op"] for o in run["ops"]}
    copies = [(p, t, s[0], s[2]) for (p, t), list in slices.items() if names[p] in run["links"] for s in list]
    led = collections.Counter(name for p, t, at, name in copies if (p, t, at) in out)
    assert len(ends) > 300 and copies
    assert set(led) == {x["tensor"] for x in run["transfers"]}
    came = {name for p, t, at, name in copies if (p, t, at) in into}
    assert came and all(name.startswith("in") for name in set(led) - came), set(led) - came

def law_bandwidth():
    _, _, counters, names = events()
    links = {l["name"]: l for l in platform["links"]}
    sums = collections.Counter()
    for (pid, name), points in counters.items():
        link = names[pid]
        if link not in links: continue
        assert max(v for _, v in points) <= links[link]["bandwidth"] * (1 + 1e-9), link
        sums[link] += integral(points)
    busy = {l: x["bytes"] for l, x in run["links"].items() if x["bytes"]}
    assert len(busy) > 2 and set(sums) == set(busy)
    for l in busy: assert near(sums[l], busy[l]), (l, sums[l], busy[l])

def law_watts():
    _, _, counters, names = events()
    joules = {names[p]: integral(points) for (p, name), points in counters.items() if name == "power"}
    assert sum(x["energy"] > 0 for x in run["devices"].values()) > 2
    for d, x in run["devices"].items(): assert near(joules.get(d, 0), x["energy"]), d

def law_path():
    path = run["profile"]["critical_path"]
    classes = "compute", "transfer", "launch", "memory", "time"
    assert path[0]["from"] == 0 and path[-1]["to"] == end and all(a["to"] == b["from"] for a, b in zip(path, path[1:]))
    assert all(abs(sum(s[c] for c in classes) - (s["to"] - s["from"])) < 1e-12 * end for s in path)
    assert abs(sum(s[c] for s in path for c in classes) - end) < 1e-12 * end
    copies = {x["tensor"] for x in run["transfers"]}
    assert any(s["waited_for"] == "copy" for s in path) and all(s["copy"] in copies for s in path if s["waited_for"] == "copy")

def law_parts():
    profile = run["profile"]
    parts = profile["energy"]
    assert set(parts) == {"idle", "launch", "busy", "compute", "memory", "link"} and all(v > 0 for v in parts.values()), parts
    assert abs(sum(parts.values()) - run["energy"]) <= 1e-12 * run["energy"]
    for d, x in profile["devices"].items(): assert abs(sum(x["energy"].values()) - run["devices"][d]["energy"]) <= 1e-12 * run["energy"]
    for m, x in profile["memory"].items():
        assert (x["peak"], x["arena"]) == (run["memory"][m]["peak"], run["memory"][m]["arena"]), m
        assert near(x["fragmentation"] * x["arena"], x["arena"] - x["peak"]), m

def rows():
    return list(csv.DictReader(open("trace.csv", newline="")))

def law_kernels():
    kernels = [r for r in rows() if r["event"] == "kernel"]
    assert [(r["name"], r["on"], int(r["stream"]), float(r["start"]), float(r["end"])) for r in kernels] == \
        [(o["op"], o["device"], o["stream"], o["start"], o["end"]) for o in run["ops"]]
    assert all(float(r["launched"]) <= float(r["start"]) <= float(r["kernel"]) <= float(r["end"]) and r["kind"] for r in kernels)

def law_transfers():
    assert [(r["name"], r["from"], r["to"], float(r["start"]), float(r["end"]), float(r["bytes"])) for r in rows() if r["event"] == "transfer"] == \
        [(t["tensor"], t["from"], t["to"], t["start"], t["end"], t["bytes"]) for t in run["transfers"]]
    sums = collections.Counter()
    for r in rows():
        if r["event"] == "transfer":
            for link in r["on"].split("+"): sums[link] += float(r["bytes"])
    assert all(sums[l] == x["bytes"] for l, x in run["links"].items())

def law_buffers():
    changes, top = collections.defaultdict(list), collections.Counter()
    for r in rows():
        if r["event"] not in ("buffer", "workspace"): continue
        changes[r["on"]] += [(float(r["start"]), float(r["bytes"])), (float(r["end"]), -float(r["bytes"]))]
        top[r["on"]] = max(top[r["on"]], float(r["offset"]) + float(r["bytes"]))
    for m, x in run["memory"].items():
        live = peak = 0
        for _, by in sorted(changes[m]):
            live += by
            peak = max(peak, live)
        assert peak == x["peak"] and top[m] == x["arena"], (m, peak, x)

def dump():
    """What pj_dump prints: kind, container, type, start, end, duration, …"""
    return [[f.strip() for f in line.split(",")] for line in open("dump.csv")]

def law_states():
    states = [r for r in dump() if r[0] == "State"]
    seconds = lambda type, launch: sum(float(r[5]) for r in states if r[2] == type and (r[7] == "launch") == launch)
    kernels = [r for r in rows() if r["event"] == "kernel"]
    assert near(seconds("kernel", False), sum(float(r["end"]) - float(r["kernel"]) for r in kernels))
    assert near(seconds("kernel", True), sum(float(r["kernel"]) - float(r["start"]) for r in kernels))
    assert sum(r[2] == "kernel" and r[7] != "launch" for r in states) == len(kernels)
    assert {r[8] for r in states if r[2] == "kernel"} == {r["name"] for r in kernels}
    assert sum(r[2] == "transfer" for r in states) == sum(r["on"].count("+") + 1 for r in rows() if r["event"] == "transfer")

def law_variables():
    single = 2 ** -22 # pj_dump keeps values in single precision
    sums, peaks = collections.Counter(), collections.Counter()
    for r in dump():
        if r[0] != "Variable": continue
        sums[r[2], r[1].split(":")[0]] += float(r[6]) * float(r[5])
        peaks[r[2], r[1]] = max(peaks[r[2], r[1]], float(r[6]))
    for d, x in run["devices"].items(): assert near(sums["power (W)", d], x["energy"], single), d
    for l, x in run["links"].items(): assert near(sums["rate (B/s)", l], x["bytes"], single), l
    for m, x in run["memory"].items(): assert near(peaks["bytes (B)", m], x["peak"], single), m

def law_links():
    links = [r for r in dump() if r[0] == "Link"]
    ends = {round(float(r[4]), 12) for r in dump() if r[0] == "State"}
    assert len(links) == len(events()[1])
    for r in links: assert float(r[3]) <= float(r[4]) and round(float(r[3]), 12) in ends, r

globals()["law_" + sys.argv[1]]()
END

# laws LAW "NAME"…
laws() {
  while [ $# -gt 0 ]; do
    said=$(python3 laws.py "$1" 2>&1)
    ok $? "$2" "$said"
    shift 2
  done
}

if command -v python3 >/dev/null; then
  laws arrows "arrows lead from slice to slice, and copies from and to somewhere" bandwidth "rates integrate to a link's bytes and stay below its bandwidth" \
    watts "power integrates to a device's energy" path "the steps of the critical path make up the makespan" \
    parts "the parts of energy make up the energy" kernels "CSV: kernels are those of the replay" transfers "CSV: transfers are those of the replay" \
    buffers "CSV: buffers add up to peak and arena"
else
  skip "laws of trace events and CSV" "python3 is not installed"
fi
if command -v python3 >/dev/null && command -v pj_dump >/dev/null; then
  pj_dump -u -l 17 trace.paje >dump.csv 2>err
  ok $? "pj_dump reads the Paje trace" "$(head -n 3 err)"
  laws states "Paje: states are kernels, launches and transfers" variables "Paje: variables integrate to joules and bytes, and peak where memory does" \
    links "Paje: there is a link per arrow, from an end to a beginning"
else
  skip "laws of Paje" "python3 or pj_dump (pajeng) is not installed"
fi

# Less memory: a plan that was made for the whole platform waits, and one for the smaller platform is not for the whole one.
small=(--graph graph.json --platform platform.yaml)
"$heteroopt" schedule "${small[@]}" --scheduler heft -o whole.json >/dev/null
"$heteroopt" simulate "${small[@]}" --plan whole.json --json --limit hbm=20MB >limited.json 2>err && grep -q '"hbm": {"peak": [0-9]*, "capacity": 20000000' limited.json
ok $? "a plan is replayed with less memory than it was made for" "$(cat err)"
"$heteroopt" schedule "${small[@]}" --scheduler heft --limit hbm=20MB -o smaller.json >/dev/null 2>err && "$heteroopt" simulate "${small[@]}" --plan smaller.json --limit gpu=20MB >/dev/null 2>err
ok $? "a plan for the smaller platform is replayed on it" "$(cat err)"
"$heteroopt" simulate "${small[@]}" --plan smaller.json >out 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "platform_digest" err
ok $? "and refused on the whole one" "$(cat err)"

# Names that need quoting: a comma, a quote, a blank.
cat >odd.json <<'END'
{"format":"heteroopt-graph/1","name":"odd","ops":[{"name":"a, \"b\"","kind":"gemm","flops":1e9},{"name":"c d","kind":"gemm","flops":1e9}],
 "tensors":[{"name":"x,y","bytes":4000000,"producer":"a, \"b\"","consumers":["c d"]}]}
END
"$heteroopt" simulate --graph odd.json --platform platform.yaml --policy random --trace odd.csv >/dev/null 2>err && grep -q '^kernel,"a, ""b""",' odd.csv
ok $? "CSV quotes what it must" "$(cat err odd.csv)"
"$heteroopt" simulate --graph odd.json --platform platform.yaml --policy random --trace odd.paje >/dev/null 2>err && grep -q "\"a, 'b'\"" odd.paje
ok $? "Paje has no quote within a name" "$(cat err)"
"$heteroopt" simulate "${on[@]}" --trace absent/trace.csv >out 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ]
ok $? "a trace that cannot be written is an error" "$(cat err)"

finish
