#!/usr/bin/env python3
"""Tiled Cholesky on StarPU's measured machine `mirage`, beside what StarPU over SimGrid takes.

Usage: starpu_mirage.py --heteroopt PROGRAM --data FOLDER [--least T] [--table]
FOLDER holds mirage_cholesky_bounds.json (seconds of the tile kernels, measured), starpu_mirage.json (its bus) and starpu_cholesky_simgrid_clean.json (StarPU's
runs, variant no_overhead). 12 cores, of which 3 drive the GPUs: 9 CPU workers; tile 960 in single precision; a link of its own per GPU, its bandwidth
the mean of the two measured directions; copies between GPUs go through the host. Prints how many of dmda and dmdas for T ≥ --least are within 5 %;
exit 1 when one is not. --table: all as Markdown.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

TILE, WORKERS, GPUS = 960, 9, 3
# dmdas sorts each worker's tasks by priority; dmda-prio takes the ready ones in that order.
PAIRS = [("eager", "fifo"), ("prio", "priority"), ("dm", "dm"), ("dmda", "dmda"), ("dmdas", "dmda-prio")]


def graph(tiles, durations):
    ops, tensors, newest = [], [], {}

    def times(kind):
        row = {"cpu%d" % i: durations[kind]["cpu"] * 1e-6 for i in range(WORKERS)}
        row.update({"gpu%d" % g: durations[kind]["cuda"][g] * 1e-6 for g in range(GPUS)})
        return row

    def version(i, j):
        if (i, j) not in newest:
            newest[i, j] = len(tensors)
            tensors.append({"name": "A%d_%d" % (i, j), "bytes": TILE * TILE * 4, "consumers": []})
        return tensors[newest[i, j]]

    def task(kind, name, reads, writes, priority):
        ops.append({"name": name, "kind": kind, "time": times(kind), "priority": priority})
        for tile in reads + [writes]:
            version(*tile)["consumers"].append(name)
        newest[writes] = len(tensors)
        tensors.append({"name": name + ".out", "bytes": TILE * TILE * 4, "producer": name, "consumers": []})

    for k in range(tiles):  # priorities as in StarPU's example
        task("potrf", "potrf_%d" % k, [], (k, k), 2 * tiles - 2 * k)
        for m in range(k + 1, tiles):
            task("trsm", "trsm_%d_%d" % (m, k), [(k, k)], (m, k), 2 * tiles - 2 * k - m)
        for n in range(k + 1, tiles):
            task("syrk", "syrk_%d_%d" % (n, k), [(n, k)], (n, n), 2 * tiles - 2 * k - n)
            for m in range(n + 1, tiles):
                task("gemm", "gemm_%d_%d_%d" % (m, n, k), [(m, k), (n, k)], (m, n), 2 * tiles - 2 * k - n - m)
    return {"format": "heteroopt-graph/1", "name": "cholesky%d" % tiles, "ops": ops, "tensors": tensors}


def platform(bus):
    rest = "peak: {fp32: 1e12}, sharing: exclusive, copy_engines: 0, launch: {mode: async, host: 0, device: 0}, power: {idle: 0, busy: 0}"
    lines = ["format: heteroopt-platform/1", "name: mirage", "memories:", "  - {name: ram, capacity: 1e12, bandwidth: 1e11}"]
    lines += ["  - {name: m%d, capacity: 1e12, bandwidth: 1e11}" % g for g in range(GPUS)] + ["devices:"]
    lines += ["  - {name: gpu%d, kind: gpu, memory: m%d, %s}" % (g, g, rest) for g in range(GPUS)]
    lines += ["  - {name: cpu%d, kind: cpu, memory: ram, %s}" % (i, rest) for i in range(WORKERS)] + ["links:"]
    rate, latency = bus["bandwidth_MBps"], bus["latency_us"]
    for g in range(GPUS):
        lines.append("  - {name: pcie%d, ends: [ram, m%d], bandwidth: %.9g, latency: %.9gus, duplex: full}" % (g, g, (rate[0][g + 1] + rate[g + 1][0]) / 2 * 1e6, latency[0][g + 1]))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heteroopt", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--least", type=int, default=16)
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()

    def load(name):
        with open(os.path.join(args.data, name)) as f:
            return json.load(f)

    durations, bus = load("mirage_cholesky_bounds.json")["durations_us"], load("starpu_mirage.json")["bus"]
    runs = [r for r in load("starpu_cholesky_simgrid_clean.json")["runs"] if r["variant"] == "no_overhead" and r["tile"] == TILE]
    sizes = sorted({r["nblocks"] for r in runs if r["nblocks"] >= (4 if args.table else args.least)})
    same = different = 0
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/p.yaml", "w") as f:
            f.write(platform(bus))
        for tiles in sizes:
            with open(folder + "/g.json", "w") as f:
                json.dump(graph(tiles, durations), f)
            row, flops = [str(tiles)], (tiles * TILE) ** 3 / 3
            for theirs, ours in PAIRS:
                want = next(r["makespan_ms"] for r in runs if r["nblocks"] == tiles and r["scheduler"] == theirs) * 1e-3
                out = subprocess.run([args.heteroopt, "simulate", "--graph", folder + "/g.json", "--platform", folder + "/p.yaml", "--policy", ours, "--json"],
                                     capture_output=True, text=True, check=True)
                got = json.loads(out.stdout)["makespan"]
                row.append("%.0f / %.0f (%+.1f %%)" % (flops / got * 1e-9, flops / want * 1e-9, 100 * (want / got - 1)))
                if theirs in ("dmda", "dmdas") and tiles >= args.least:
                    close = abs(want / got - 1) <= 0.05
                    same += close
                    different += not close
                    if not close and not args.table:
                        print("T = %d: %s takes %.4g s, StarPU's %s %.4g s" % (tiles, ours, got, theirs, want))
            rows.append(row)
    if args.table:
        print("| T | " + " | ".join("%s, `%s`" % p for p in PAIRS) + " |\n|---|" + "---|" * len(PAIRS))
        for row in rows:
            print("| " + " | ".join(row) + " |")
    print("same: %d, different: %d" % (same, different), file=sys.stderr if args.table else sys.stdout)
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
