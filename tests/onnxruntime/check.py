#!/usr/bin/env python3
"""Rewrites ONNX models, runs them before and after under ONNX Runtime, and compares every output: the proof that rewrites are legal.

Usage: check.py HETEROOPT MODULES MODEL[,NAME=N]… [--table]
MODULES: the node_modules folder that holds onnxruntime-node. Prints TAP, one line per model and rule; for `split` every place where it
applies, one by one, in two shares that differ, by axis. --table: a Markdown table in place of that.

Tolerance: fusing, grouping, removing and folding move no arithmetic: the outputs are the same bits. A split may change the order in
which products are added up, in the kernel or by a sum: 1e-4 of the largest output.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RULES = ["fuse", "group", "remove,fold", "remove,fold,fuse"]
AXES = ["rows", "columns", "reduction", "channels", "batch", "heads"]


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


class Bench:
    def __init__(self, heteroopt, modules, folder):
        self.heteroopt, self.folder = heteroopt, folder
        self.environment = dict(os.environ, NODE_PATH=modules)

    def places(self, model, bound):
        out = run([self.heteroopt, "graph", "rewrite", model, "--rule", "split", "--list", "--json"] + bound)
        return json.loads(out.stdout)

    def compare(self, model, bound, rewrites):
        """The largest difference over the largest value of an output; or a reason as text."""
        out = os.path.join(self.folder, "rewritten.onnx")
        if not isinstance(rewrites, str):
            listed = os.path.join(self.folder, "rewrites.json")
            with open(listed, "w") as f:
                json.dump(rewrites, f)
            rewrites = listed
        done = run([self.heteroopt, "graph", "rewrite", model, "--rule", rewrites, "-o", out] + bound)
        if done.returncode:
            return done.stderr.strip().splitlines()[-1]
        done = run(["node", os.path.join(HERE, "compare.js"), model, out] + [b.split("=", 1)[1] for b in bound], env=self.environment)
        if done.returncode:
            return (done.stderr or done.stdout).strip().splitlines()[0][:300]
        worst = 0.0
        for line in done.stdout.splitlines():
            _, n, largest, difference = line.rsplit("\t", 3)
            worst = max(worst, float(difference) / max(float(largest), 1e-30) if float(difference) else 0.0)
        return worst


def split_of(place, shares):
    rewrite = {"rule": "split", "ops": place["ops"], "axis": place["pattern"]}
    if shares:
        rewrite["shares"] = shares
    return [rewrite]


def check_splits(bench, model, bound, axis, places):
    """(number compared, number refused as ONNX, worst difference, first fault)"""
    compared, refused, worst, fault = 0, 0, 0.0, None
    for place in places:
        for shares in ([0.75, 0.25], None):
            got = bench.compare(model, bound, split_of(place, shares))
            if isinstance(got, str) and "is none" in got:
                continue  # too few pieces for a quarter
            if isinstance(got, str) and ("as shapes allow, not as the operator means" in got or "a Gemm with transA" in got):
                refused += 1
            elif isinstance(got, str):
                fault = fault or "%s: %s" % (place["ops"][0], got)
            else:
                compared += 1
                worst = max(worst, got)
            break
    return compared, refused, worst, fault


def main():
    table = "--table" in sys.argv
    heteroopt, modules, *models = [a for a in sys.argv[1:] if a != "--table"]
    rows, n, failed = [], 0, 0

    def result(name, rule, compared, worst, fault, allowed):
        nonlocal n, failed
        n += 1
        ok = fault is None and worst <= allowed
        failed += not ok
        rows.append((name, rule, compared, worst))
        if not table:
            print("%sok %d - %s: %s gives the same outputs (%d compared, largest difference %.1e)" % ("" if ok else "not ", n, name, rule, compared, worst))
            if not ok:
                print("# " + (fault or "expected at most %g" % allowed))

    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(heteroopt, modules, folder)
        for spec in models:
            model, *bound = spec.split(",")
            bound = ["--bind=" + b for b in bound]
            name = os.path.basename(model)
            for rule in RULES:
                got = bench.compare(model, bound, rule)
                result(name, rule, 1, 0.0 if isinstance(got, str) else got, got if isinstance(got, str) else None, 0.0)
            places = bench.places(model, bound)
            for axis in AXES:
                there = [p for p in places if p["pattern"] == axis]
                if there:
                    compared, _, worst, fault = check_splits(bench, model, bound, axis, there)
                    result(name, "split by " + axis, compared, worst, fault, 1e-4)
    if table:
        names = list(dict.fromkeys(r[0] for r in rows))
        cell = {(r[0], r[1]): "%d: %s" % (r[2], "0" if r[3] == 0 else "%.1e" % r[3]) for r in rows}
        print("| rewrite | %s |\n|---|%s" % (" | ".join(n[:-5] for n in names), "---|" * len(names)))
        for rule in RULES + ["split by " + a for a in AXES]:
            print("| %s | %s |" % (rule, " | ".join(cell.get((name, rule), "") for name in names)))
    else:
        print("1..%d" % n)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
