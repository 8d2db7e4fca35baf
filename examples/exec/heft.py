#!/usr/bin/env python3
"""HEFT (Topcuoglu, Hariri & Wu, IEEE TPDS 13(3), 2002) as a process that heteroopt speaks to. Standard library only.

heteroopt try 'exec:python3 heft.py' --selftest
heteroopt schedule --graph bert-base --platform server --scheduler 'exec:python3 heft.py'
"""
import json
import sys


def say(kind, **more):
    print(json.dumps({"type": kind, **more}), flush=True)


def hear():
    line = sys.stdin.readline()
    return json.loads(line) if line else {"type": "quit"}


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else 0.0


def heft(p):
    cost, ready, latency, rate = p["cost"], p["ready"], p["latency"], p["seconds_per_byte"]
    devices, ops = range(len(p["devices"])), range(len(p["ops"]))
    pairs = [(a, b) for a in devices for b in devices if a != b and latency[a][b] is not None]
    mean_latency, mean_rate = mean([latency[a][b] for a, b in pairs]), mean([rate[a][b] for a, b in pairs])
    into, out = {o: [] for o in ops}, {o: [] for o in ops}
    for e in p["edges"]:
        into[e["to"]].append((e["from"], e["bytes"]))
        out[e["from"]].append((e["to"], e["bytes"]))
    rank, waiting, stack = {}, {o: len(out[o]) for o in ops}, [o for o in ops if not out[o]]
    while stack:  # from the ends up
        o = stack.pop()
        rank[o] = mean(cost[o]) + max((mean_latency + b * mean_rate + rank[c] for c, b in out[o]), default=0.0)
        for producer, _ in into[o]:
            waiting[producer] -= 1
            if waiting[producer] == 0:
                stack.append(producer)
    on, start, end, busy = {}, {}, {}, {d: [] for d in devices}
    for o in sorted(ops, key=lambda o: (-rank[o], o)):
        best = None
        for d in devices:
            if cost[o][d] is None or ready[o][d] is None or any(latency[on[c]][d] is None for c, _ in into[o]):
                continue
            at = max((end[c] + (latency[on[c]][d] + b * rate[on[c]][d] if on[c] != d else 0.0) for c, b in into[o]), default=0.0)
            at = max(at, ready[o][d])
            for s, e in busy[d]:  # the first gap that holds it
                if at + cost[o][d] <= s:
                    break
                at = max(at, e)
            if best is None or at + cost[o][d] < best[0]:
                best = (at + cost[o][d], at, d)
        end[o], start[o], on[o] = best
        busy[on[o]] = sorted(busy[on[o]] + [(start[o], end[o])])
    return [[o, on[o]] for o in sorted(ops, key=lambda o: (start[o], -rank[o], o))]


def main():
    say("hello", protocol=1, name="heft.py")
    while True:
        message = hear()
        if message["type"] == "quit":
            break
        if message["type"] == "problem":
            say("keep", plan=heft(message))
            say("done")


if __name__ == "__main__":
    main()
