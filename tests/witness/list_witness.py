#!/usr/bin/env python3
"""A second, naive implementation of the list schedulers, straight from the papers, on random task graphs with cost matrices.

Usage: list_witness.py --heteroopt PROGRAM [--seed N] [--count N]
Every instance: a random graph, seconds per task and processor, data on edges, processors with a memory each on equal links, latency 0. Costs are
random reals, so that nothing ties. Prints the number of schedules that agree to 1e-9; exit 1 when one does not.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from statistics import mean, median


class Instance:
    def __init__(self, rng):
        self.n, self.m = rng.randint(3, 14), rng.randint(2, 4)
        self.w = [[rng.uniform(1, 20) for _ in range(self.m)] for _ in range(self.n)]
        self.c = {}  # seconds between processors
        for j in range(1, self.n):
            for i in rng.sample(range(j), rng.randint(0 if j > 1 else 1, min(j, 3))):
                self.c[i, j] = rng.uniform(0, 15)
        self.succ = {i: sorted(j for (a, j) in self.c if a == i) for i in range(self.n)}
        self.pred = {j: sorted(i for (i, b) in self.c if b == j) for j in range(self.n)}

    def write(self, folder):
        bandwidth = 1e6
        devices = ["p%d" % k for k in range(self.m)]
        ops = [{"name": "t%d" % i, "time": dict(zip(devices, self.w[i]))} for i in range(self.n)]
        tensors = [{"name": "e%d_%d" % e, "bytes": round(s * bandwidth), "producer": "t%d" % e[0], "consumers": ["t%d" % e[1]]} for e, s in self.c.items()]
        for e in self.c:
            self.c[e] = round(self.c[e] * bandwidth) / bandwidth
        with open(os.path.join(folder, "g.json"), "w") as f:
            json.dump({"format": "heteroopt-graph/1", "name": "g", "ops": ops, "tensors": tensors}, f)
        links = ["{name: l%d_%d, ends: [m%d, m%d], bandwidth: 1e6, duplex: fat}" % (a, b, a, b) for a in range(self.m) for b in range(a)]
        pairs = ", ".join("[m%d, m%d]" % (a, b) for a in range(self.m) for b in range(a))
        with open(os.path.join(folder, "p.yaml"), "w") as f:
            f.write("format: heteroopt-platform/1\nname: p\nmemories:\n" + "".join("  - {name: m%d, capacity: 1e12, bandwidth: 1e12}\n" % k for k in range(self.m)))
            f.write("devices:\n" + "".join("  - {name: p%d, kind: generic, memory: m%d, peak: {fp32: 1e9}, sharing: exclusive, copy_engines: 0, "
                                            "launch: {mode: async, host: 0, device: 0}, power: {idle: 1, busy: 2}}\n" % (k, k) for k in range(self.m)))
            f.write("links:\n" + "".join("  - %s\n" % l for l in links) + "peer_to_peer: [%s]\ncontention: none\n" % pairs)


# --- what the papers define ---------------------------------------------------------------------------------------------

def mean_comm(x, i, j):  # over ordered pairs of different processors, all alike here
    return x.c[i, j]


def upward(x):
    rank = {}
    for i in reversed(range(x.n)):
        rank[i] = mean(x.w[i]) + max([mean_comm(x, i, j) + rank[j] for j in x.succ[i]], default=0)
    return rank


def downward(x):
    rank = {}
    for j in range(x.n):
        rank[j] = max([rank[i] + mean(x.w[i]) + mean_comm(x, i, j) for i in x.pred[j]], default=0)
    return rank


class Schedule:
    def __init__(self, x):
        self.x, self.on, self.start, self.end = x, {}, {}, {}

    def data_ready(self, j, p):
        return max([self.end[i] + (0 if self.on[i] == p else self.x.c[i, j]) for i in self.x.pred[j]], default=0)

    def appended(self, j, p):
        return max([self.data_ready(j, p)] + [self.end[i] for i in self.on if self.on[i] == p])

    def inserted(self, j, p):
        at, need = self.data_ready(j, p), self.x.w[j][p]
        for s, e in sorted((self.start[i], self.end[i]) for i in self.on if self.on[i] == p):
            if e <= at:
                continue
            if at + need <= s:
                break
            at = max(at, e)
        return at

    def place(self, j, p, start):
        self.on[j], self.start[j], self.end[j] = p, start, start + self.x.w[j][p]

    def ready(self):
        return [j for j in range(self.x.n) if j not in self.on and all(i in self.on for i in self.x.pred[j])]

    def makespan(self):
        return max(self.end.values())


def dynamic(x, pick):
    s = Schedule(x)
    arrived = s.ready()
    while arrived:
        j, p = pick(s, arrived)
        s.place(j, p, s.appended(j, p))
        arrived.remove(j)
        arrived += [k for k in s.ready() if k not in arrived]
    return s.makespan()


def completion(s, j, p):
    return s.appended(j, p) + s.x.w[j][p]


def best(s, j):
    return min(range(s.x.m), key=lambda p: completion(s, j, p))


def min_min(s, ready):
    j = min(ready, key=lambda k: completion(s, k, best(s, k)))
    return j, best(s, j)


def max_min(s, ready):
    j = max(ready, key=lambda k: completion(s, k, best(s, k)))
    return j, best(s, j)


def sufferage(s, ready):
    def loss(k):
        a, b = sorted(completion(s, k, p) for p in range(s.x.m))[:2]
        return b - a
    j = max(ready, key=loss)
    return j, best(s, j)


def mct(s, ready):
    return ready[0], best(s, ready[0])


def met(s, ready):
    return ready[0], min(range(s.x.m), key=lambda p: s.x.w[ready[0]][p])


def olb(s, ready):
    free = [max([s.end[i] for i in s.on if s.on[i] == p], default=0) for p in range(s.x.m)]
    return ready[0], free.index(min(free))


def static_level(x, weight):
    level = {}
    for i in reversed(range(x.n)):
        level[i] = weight(x.w[i]) + max([level[j] for j in x.succ[i]], default=0)
    return level


def etf(x):
    level = static_level(x, mean)
    return dynamic(x, lambda s, ready: min(((j, p) for j in ready for p in range(x.m)), key=lambda a: (s.appended(*a), -level[a[0]], a)))


def m_etf(x):  # memory is ample here
    return dynamic(x, lambda s, ready: min(((j, p) for j in ready for p in range(x.m)), key=lambda a: s.appended(*a)))


def dls(x):
    level = static_level(x, median)
    return dynamic(x, lambda s, ready: max(((j, p) for j in ready for p in range(x.m)),
                                           key=lambda a: level[a[0]] - s.appended(*a) + median(x.w[a[0]]) - x.w[a[0]][a[1]]))


def bil(x):
    b = {}
    for i in reversed(range(x.n)):
        for p in range(x.m):
            b[i, p] = x.w[i][p] + max([min([b[k, p]] + [b[k, q] + mean_comm(x, i, k) for q in range(x.m) if q != p]) for k in x.succ[i]], default=0)

    def pick(s, ready):
        bim = {(j, p): s.appended(j, p) + b[j, p] for j in ready for p in range(x.m)}
        k = min(len(ready), x.m)
        j = max(ready, key=lambda t: sorted(bim[t, p] for p in range(x.m))[k - 1])
        return j, min(range(x.m), key=lambda p: bim[j, p] + x.w[j][p] * max(len(ready) / x.m - 1, 0))
    return dynamic(x, pick)


def in_order(x, order, choose):
    s = Schedule(x)
    for j in order:
        p = choose(s, j)
        s.place(j, p, s.inserted(j, p))
    return s.makespan()


def finish_first(s, j):
    return min(range(s.x.m), key=lambda p: s.inserted(j, p) + s.x.w[j][p])


def start_first(s, j):
    return min(range(s.x.m), key=lambda p: (s.inserted(j, p), s.inserted(j, p) + s.x.w[j][p]))


def heft(x):
    rank = upward(x)
    return in_order(x, sorted(range(x.n), key=lambda i: -rank[i]), finish_first)


def mcp(x):
    rank = upward(x)
    length = max(rank.values())
    return in_order(x, sorted(range(x.n), key=lambda i: (length - rank[i], sorted(length - rank[j] for j in x.succ[i]))), start_first)


def hcpt(x):
    up, down = upward(x), downward(x)
    length = max(up[i] + down[i] for i in range(x.n))
    latest = {i: length - up[i] for i in range(x.n)}
    listed = []

    def push_all(ops):
        stack = sorted(ops, key=lambda i: -latest[i])
        while stack:
            top = stack[-1]
            missing = [i for i in x.pred[top] if i not in listed]
            if missing:
                stack.append(min(missing, key=lambda i: latest[i]))
            else:
                stack.pop()
                if top not in listed:
                    listed.append(top)
    push_all([i for i in range(x.n) if abs(latest[i] - down[i]) <= 1e-9 * length])
    push_all([i for i in range(x.n) if i not in listed])
    return in_order(x, listed, finish_first)


def lookahead(x):
    rank = upward(x)
    s = Schedule(x)

    def known_ready(t, j, p):
        return max([t.end[i] + (0 if t.on[i] == p else x.c[i, j]) for i in x.pred[j] if i in t.on], default=0)

    def choose(j):
        if not x.succ[j]:
            return finish_first(s, j)
        values = []
        for p in range(x.m):
            t = Schedule(x)
            t.on, t.start, t.end = dict(s.on), dict(s.start), dict(s.end)
            t.place(j, p, t.inserted(j, p))
            t.data_ready = lambda k, q, t=t: known_ready(t, k, q)
            for k in sorted(x.succ[j], key=lambda i: -rank[i]):
                q = finish_first(t, k)
                t.place(k, q, t.inserted(k, q))
            values.append((max(t.end[k] for k in x.succ[j]), t.end[j], p))
        return min(values)[2]
    for j in sorted(range(x.n), key=lambda i: -rank[i]):
        p = choose(j)
        s.place(j, p, s.inserted(j, p))
    return s.makespan()


def ippts(x):
    pcm = {}
    for i in reversed(range(x.n)):
        for p in range(x.m):
            pcm[i, p] = max([min(pcm[k, q] + x.w[i][q] + x.w[k][q] + (0 if p == q else mean_comm(x, i, k)) for q in range(x.m)) for k in x.succ[i]],
                            default=x.w[i][p])
    rank = {i: mean(pcm[i, p] for p in range(x.m)) * len(x.succ[i]) for i in range(x.n)}
    s = Schedule(x)
    while len(s.on) < x.n:
        j = max(s.ready(), key=lambda k: (rank[k], -k))
        p = min(range(x.m), key=lambda q: s.inserted(j, q) + pcm[j, q])  # EFT + (PCM - w) without rounding
        s.place(j, p, s.inserted(j, p))
    return s.makespan()


def hbmct(x):
    rank = upward(x)
    groups = []
    for j in sorted(range(x.n), key=lambda i: -rank[i]):
        if not groups or any(i in groups[-1] for i in x.pred[j]):
            groups.append([])
        groups[-1].append(j)
    s = Schedule(x)
    for group in groups:
        free = [max([s.end[i] for i in s.on if s.on[i] == p], default=0) for p in range(x.m)]
        est = {(j, p): max(s.data_ready(j, p), free[p]) for j in group for p in range(x.m)}
        on = {j: min(range(x.m), key=lambda p: x.w[j][p]) for j in group}

        def run(p, where):
            at, spans = free[p], {}
            for j in sorted([j for j in group if where[j] == p], key=lambda j: (est[j, p], j)):
                start = max(at, est[j, p])
                at = start + x.w[j][p]
                spans[j] = start
            return at, spans

        def move_one():
            ends = [run(p, on)[0] for p in range(x.m)]
            last = ends.index(max(ends))
            for j in sorted([j for j in group if on[j] == last], key=lambda j: (mean(est[j, p] for p in range(x.m)), j)):
                trials = []
                for p in range(x.m):
                    if p != last:
                        moved = dict(on)
                        moved[j] = p
                        if run(last, moved)[0] < ends[last] and run(p, moved)[0] < ends[last]:
                            trials.append((run(p, moved)[0], p))
                if trials:
                    on[j] = min(trials)[1]
                    return True
            return False
        while move_one():
            pass
        for p in range(x.m):
            for j, start in run(p, on)[1].items():
                s.place(j, p, start)
    return s.makespan()


def by_devices(x, on):
    rank = upward(x)
    s = Schedule(x)
    for j in sorted(range(x.n), key=lambda i: -rank[i]):
        s.place(j, on[j], s.inserted(j, on[j]))
    return s.makespan()


def clusters_to_devices(x, clusters):
    load, on = [0] * x.m, {}
    for cluster in sorted(clusters, key=lambda k: -sum(mean(x.w[i]) for i in k)):
        p = min(range(x.m), key=lambda q: load[q] + sum(x.w[i][q] for i in cluster))
        load[p] += sum(x.w[i][p] for i in cluster)
        on.update((i, p) for i in cluster)
    return by_devices(x, on)


def linear_clustering(x):
    left, clusters = set(range(x.n)), []
    while left:
        paths = {}
        for i in sorted(left, reverse=True):
            ways = [(mean_comm(x, i, j) + paths[j][0], paths[j][1]) for j in x.succ[i] if j in left]
            length, path = max(ways, default=(0, []))
            paths[i] = (mean(x.w[i]) + length, [i] + path)
        clusters.append(max(paths.values())[1])
        left -= set(clusters[-1])
    return clusters_to_devices(x, clusters)


def dsc(x):
    w = [mean(x.w[i]) for i in range(x.n)]
    bottom = upward(x)
    start, clusters = {}, []

    def cluster_of(i):
        return next((k for k in clusters if i in k), None)

    def top(j, home=()):  # latest arrival from examined producers, those in `home` for nothing
        return max([start[i] + w[i] + x.c[i, j] for i in x.pred[j] if i in start and i not in home], default=0)

    def end(k):
        return max(start[i] + w[i] for i in k)

    while len(start) < x.n:
        todo = [j for j in range(x.n) if j not in start]
        free = [j for j in todo if all(i in start for i in x.pred[j])]
        partly = [j for j in todo if j not in free and any(i in start for i in x.pred[j])]
        j = max(free, key=lambda i: top(i) + bottom[i])
        forbidden = None
        if partly:
            other = max(partly, key=lambda i: top(i) + bottom[i])
            if top(other) + bottom[other] > top(j) + bottom[j]:
                dominant = max([i for i in x.pred[other] if i in start], key=lambda i: start[i] + w[i] + x.c[i, other])
                k = cluster_of(dominant)
                if max(end(k), top(other, k)) < top(other):
                    forbidden = k
        order = sorted(x.pred[j], key=lambda i: -(start[i] + w[i] + x.c[i, j]))
        home = cluster_of(order[0]) if order else None
        best = (top(j), None, None)
        if home is not None and home is not forbidden:
            trial, starts = list(home), {}
            best_start = max(end(home), top(j, trial))
            at = end(home)
            for i in order[1:]:
                if i in trial:
                    continue
                if cluster_of(i) != [i] or x.succ[i] != [j]:
                    break
                i_start = max(at, top(i, trial))
                if not max(i_start + w[i], top(j, trial + [i])) < best_start:
                    break
                best_start = max(i_start + w[i], top(j, trial + [i]))
                at = i_start + w[i]
                starts[i] = i_start
                trial.append(i)
            if best_start < best[0]:
                best = (best_start, trial, starts)
        if best[1] is None:
            clusters.append([j])
        else:
            for i in best[2]:
                clusters.remove([i])
            start.update(best[2])
            home[:] = best[1] + [j]
        start[j] = best[0]
    return clusters_to_devices(x, clusters)


def heft_duplication(x):
    rank = upward(x)
    copies = {}  # task -> {processor: (start, end)}
    taken = set()  # (task, processor): a task there has its data by now
    sent = set()

    def first(table, i):
        return min(e for _, e in table[i].values())

    def comes(table, i, j, p):
        return table[i][p][1] if p in table[i] else first(table, i) + x.c[i, j]

    def earliest(table, p, ready, need):
        at = ready
        for s, e in sorted(t[p] for t in table.values() if p in t):
            if e <= at:
                continue
            if at + need <= s:
                break
            at = max(at, e)
        return at

    def trial(j, p):
        table, got, gone = {i: dict(t) for i, t in copies.items()}, set(taken), set(sent)
        while True:
            arrivals = {i: comes(table, i, j, p) for i in x.pred[j]}
            start = earliest(table, p, max(arrivals.values(), default=0), x.w[j][p])
            if not arrivals or max(arrivals.values()) == 0:
                break
            last = max(arrivals, key=arrivals.get)
            if p in table[last] or (last, p) in got:
                break
            data = max([comes(table, i, last, p) for i in x.pred[last]], default=0)
            again = earliest(table, p, data, x.w[last][p])
            end = again + x.w[last][p]
            if not end < arrivals[last] or (last in gone and end <= first(table, last)):
                break
            more = {i: dict(t) for i, t in table.items()}
            more[last][p] = (again, end)
            sooner = earliest(more, p, max([comes(more, i, j, p) for i in x.pred[j]], default=0), x.w[j][p])
            if not sooner < start:
                break
            for i in x.pred[last]:
                got.add((i, p))
                if p not in table[i]:
                    gone.add(i)
            table = more
        return start + x.w[j][p], sum(map(len, table.values())), p, start, table, got, gone

    for j in sorted(range(x.n), key=lambda i: -rank[i]):
        _, _, p, start, copies, taken, sent = min((trial(j, p) for p in range(x.m)), key=lambda t: t[:3])
        for i in x.pred[j]:
            taken.add((i, p))
            if p not in copies[i]:
                sent.add(i)
        copies[j] = {p: (start, start + x.w[j][p])}
    return max(e for t in copies.values() for _, e in t.values())


NAIVE = {"heft": heft, "mcp": mcp, "hcpt": hcpt, "lookahead": lookahead, "etf": etf, "dls": dls, "bil": bil, "ippts": ippts, "m-etf": m_etf, "heft-memory": heft, "hbmct": hbmct,
         "linear-clustering": linear_clustering, "dsc": dsc, "heft-duplication": heft_duplication}
NAIVE.update({name: (lambda x, rule=rule: dynamic(x, rule)) for name, rule in
              [("min-min", min_min), ("max-min", max_min), ("sufferage", sufferage), ("mct", mct), ("met", met), ("olb", olb)]})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heteroopt", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    args = parser.parse_args()
    same = different = 0
    for number in range(args.count):
        rng = random.Random(args.seed * 100003 + number)
        x = Instance(rng)
        with tempfile.TemporaryDirectory() as folder:
            x.write(folder)
            for name, naive in NAIVE.items():
                out = subprocess.run([args.heteroopt, "schedule", "--graph", folder + "/g.json", "--platform", folder + "/p.yaml", "--scheduler", name, "--json"],
                                     capture_output=True, text=True)
                got = json.loads(out.stdout)["plans"][0]["objectives"]["latency"] if out.returncode == 0 else out.stderr.strip()
                want = naive(x)
                if isinstance(got, float) and abs(got - want) <= 1e-9 * want:
                    same += 1
                else:
                    different += 1
                    print("instance %d: %s: %s, expected %.17g" % (number, name, got, want))
    print("same: %d, different: %d" % (same, different))
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
