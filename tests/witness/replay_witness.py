# replay_witness.py: compares `heteroopt simulate` with the naive replay on small random instances.
#
#   replay_witness.py --heteroopt ./heteroopt [--seed N] [--count N] [--policies] [--only I] [--keep DIR]
#
# Prints one line per difference and a summary; exit 1 if there was one. Instance i of seed s is always the same. An instance counts as
# `rounding`, not as a difference, where the program's own times have two events that differ in their last bits only: equal in
# exact numbers, they may come in either order in double precision, and all that follows may depend on it.
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import instance
from naive_policy import Online
from naive_replay import Infeasible, Replay

TOLERANCE = 1e-9


def expected(platform, graph, plan, num=float):
    """What the naive replay says, in the words of `simulate --json`; None where the plan is infeasible."""
    try:
        r = Replay(platform, graph, plan, num).run()
    except Infeasible:
        return None
    out = {"makespan": r.makespan(), "energy": r.total_energy}
    for m, x in enumerate(platform["memories"]):
        out["peak of " + x["name"]] = r.m.peak[m]
        out["arena of " + x["name"] + " holds its peak"] = 1
    out["tightest"] = max(r.m.peak[m] / x["capacity"] for m, x in enumerate(platform["memories"]))
    out["total"], out["accelerator"] = r.m.total_peak, r.m.accelerator_peak
    for d, x in enumerate(platform["devices"]):
        out["energy of " + x["name"]] = r.energy[d]
        out["busy of " + x["name"]] = r.busy[d]
    for i, x in enumerate(platform["links"]):
        over = [y for y in r.transfers if any(j == i for _, j, _ in r.c.route(y.src, y.dst).links)]
        out["bytes of " + x["name"]], out["busy of " + x["name"]] = sum(r.c.bytes_of(y.tensor) for y in over), r.link_busy[i]
    for e in r.entries:
        name = "o%d copy %d" % (e.op, e.copy)
        out[name + " start"], out[name + " end"] = e.start, e.end
    for x in r.transfers:
        name = "%s %s-%s" % (graph["tensors"][x.tensor]["name"], platform["memories"][x.src]["name"],
                             platform["memories"][x.dst]["name"])
        out[name + " start"], out[name + " end"], out[name + " bytes"] = x.start, x.end, r.c.bytes_of(x.tensor)
    return {key: float(x) for key, x in out.items()}


def simulate(program, folder, *more):
    run = subprocess.run([program, "simulate", "--graph", folder + "/graph.json", "--platform", folder + "/platform.yaml",
                          "--json", *more], capture_output=True, text=True)
    if run.returncode:
        return None, "exit %d: %s" % (run.returncode, run.stderr.strip())
    return json.loads(run.stdout), ""


def observed(program, folder, plan):
    """What the program says, in the same words; the message where it refuses."""
    r, message = simulate(program, folder, "--plan", folder + "/plan.json")
    if r is None:
        return None, message
    out = {"makespan": r["makespan"], "energy": r["energy"]}
    for name, x in r["memory"].items():
        out["peak of " + name] = x["peak"]
        out["arena of " + name + " holds its peak"] = float(x["arena"] >= x["peak"])
    for key in ("tightest", "total", "accelerator"):
        out[key] = r["objectives"][key]
    for name, x in r["devices"].items():
        out["energy of " + name], out["busy of " + name] = x["energy"], x["busy"]
    for name, x in r["links"].items():
        out["bytes of " + name], out["busy of " + name] = x["bytes"], x["busy"]
    for a, x in zip(plan["assign"], r["ops"]):
        assert a["op"] == x["op"]
        name = "%s copy %d" % (x["op"], a.get("copy", 0))
        out[name + " start"], out[name + " end"] = x["start"], x["end"]
    for x in r["transfers"]:
        name = "%s %s-%s" % (x["tensor"], x["from"], x["to"])
        out[name + " start"], out[name + " end"], out[name + " bytes"] = x["start"], x["end"], x["bytes"]
    return out, ""


def differences(want, got):
    for key in list(want) + [k for k in got if k not in want]:
        a, b = want.get(key), got.get(key)
        if a is None or b is None or abs(a - b) > TOLERANCE * max(abs(a), abs(b)) + 1e-12:
            yield "%s: %s expected, %s found" % (key if isinstance(key, str) else " ".join(key), a, b)


def compare(program, folder, platform, graph, plan):
    instance.write_platform(platform, folder + "/platform.yaml")
    instance.write_graph(platform, graph, folder + "/graph.json")
    instance.write_plan(plan, folder + "/plan.json")
    got, message = observed(program, folder, plan)
    verdict, found = judge(expected(platform, graph, plan), got, message)
    if verdict == "differs":  # perhaps rounding put two events of one instant in another order: again, exactly
        verdict, found = judge(expected(platform, graph, plan, Fraction), got, message)
    return unless_rounding(verdict, found, got)


def unless_rounding(verdict, found, got):
    times = sorted(x for key, x in (got or {}).items() if str(key).rstrip("')").endswith(("start", "end")))
    near = any(0 < b - a <= 1e-14 * b for a, b in zip(times, times[1:]))
    return ("rounding", []) if verdict == "differs" and near else (verdict, found)


def judge(want, got, message):
    if want is None and got is None:
        return ("infeasible", []) if "infeasible" in message else ("refused", [message])
    if want is None:
        return "differs", ["infeasible expected, a makespan of %s found" % got["makespan"]]
    if got is None:
        return "differs", ["a makespan of %s expected, found %s" % (want["makespan"], message)]
    found = list(differences(want, got))
    return ("differs" if found else "same"), found


def compare_policy(program, folder, platform, graph, policy):
    """What an online policy does where memory and copy engines are ample: which op runs where, from when to when."""
    platform = dict(platform, contention="none" if platform["contention"] == "none" else "fair",
                    memories=[dict(m, capacity=10**12) for m in platform["memories"]],
                    devices=[dict(d, copy_engines=0) for d in platform["devices"]])
    instance.write_platform(platform, folder + "/platform.yaml")
    instance.write_graph(platform, graph, folder + "/graph.json")
    r, message = simulate(program, folder, "--policy", policy)
    if r is None:
        return "refused", [message]
    got = {(x["op"], x["device"], key): x[key] for x in r["ops"] for key in ("start", "end")}
    for num in (float, Fraction):
        o = Online(platform, graph, policy, num).run()
        want = {("o%d" % e.op, platform["devices"][e.device]["name"], key): float(getattr(e, key))
                for e in o.entries for key in ("start", "end")}
        found = list(differences(want, got))
        if not found:
            return "same", []
    return unless_rounding("differs", found, got)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heteroopt", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--policies", action="store_true", help="compare online policies instead of plans")
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep")
    parser.add_argument("--most", type=int, default=5, help="lines per difference")
    args = parser.parse_args()
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = args.keep or folder
        os.makedirs(folder, exist_ok=True)
        for i in [args.only] if args.only is not None else range(args.count):
            platform, graph, plan = instance.make(random.Random("%d/%d" % (args.seed, i)))
            if args.policies:
                policy = random.Random(i).choice(["fifo", "priority"])
                verdict, found = compare_policy(args.heteroopt, folder, platform, graph, policy)
            else:
                verdict, found = compare(args.heteroopt, folder, platform, graph, plan)
            counts[verdict] = counts.get(verdict, 0) + 1
            for line in found[:args.most]:
                print("instance %d: %s: %s" % (i, verdict, line))
    print(", ".join("%s: %d" % x for x in sorted(counts.items())))
    return 1 if set(counts) - {"same", "infeasible", "rounding"} else 0


if __name__ == "__main__":
    sys.exit(main())
