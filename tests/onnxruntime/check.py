#!/usr/bin/env python3
"""Rewrites ONNX models, runs them before and after under ONNX Runtime, and compares every output: the proof that rewrites are legal.

Usage: check.py HETEROOPT MODULES MODEL[,NAME=N]… [--table]
MODULES: the node_modules folder that holds onnxruntime-node. Prints TAP, one line per model and rule:
- fuse, group, remove and fold wherever they apply, at once;
- split at every place that `find` reports, one by one, in two shares that differ, by axis;
- fused, then split: the same of the fused model;
- sequences: a dozen random ones of up to 14 rewrites of all these, with random shares;
- a plan: what `schedule --rewrite` put into a plan, read out of that.
Every file that is written is also read again, and must have the same multiply-accumulates; and passes onnx.checker where python3-onnx is there.
--table: a Markdown table in place of that.

Tolerance: fusing, grouping, removing and folding move no arithmetic: the outputs are the same bits. A split may change the order in
which products are added up, in the kernel or by a sum: two orders of k summands differ by at most 2·k·2^-24 of the sum of their absolute values
(Higham, Accuracy and Stability of Numerical Algorithms, 4.2). k is that of the model's longest sum; it stands over the output's largest value.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import onnx
except ImportError:
    onnx = None

HERE = os.path.dirname(os.path.abspath(__file__))
RULES = ["fuse", "group", "remove,fold", "remove,fold,fuse"]
AXES = ["rows", "columns", "reduction", "channels", "batch", "heads"]
PRODUCTS = ("conv", "depthwise_conv", "gemm", "matmul")


def run(command):
    return subprocess.run(command, capture_output=True, text=True)


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "said nothing"


class Fault(Exception):
    """Why an original or a rewritten model could not be compared."""


class Model:
    def __init__(self, bench, spec):
        self.file, *self.sizes = spec.split(",")
        self.name = os.path.basename(self.file)
        self.bound = ["--bind=" + b for b in self.sizes]
        self.bench = bench
        self.macs = self.macs_of(self.file)
        self.longest = self.longest_sum()

    def heteroopt(self, *arguments):
        done = run([self.bench.heteroopt] + list(arguments))
        if done.returncode:
            raise Fault(last_line(done.stderr))
        return done.stdout

    def macs_of(self, file):
        bound = self.bound if file == self.file else []
        return json.loads(self.heteroopt("graph", "info", file, "--json", *bound))["macs"]

    def longest_sum(self):
        """Products that are added up for one element of a convolution or a product: the most of any."""
        out = os.path.join(self.bench.folder, "graph.json")
        self.heteroopt("graph", "convert", self.file, "-o", out, *self.bound)
        with open(out) as f:
            graph = json.load(f)
        elements = {}
        for t in graph["tensors"]:
            n = 1
            for d in t.get("shape", []):
                n *= d
            elements.setdefault(t.get("producer"), n)
        sums = [op.get("flops", 0) / 2 / max(elements.get(op["name"], 1), 1) for op in graph["ops"] if op.get("kind") in PRODUCTS]
        return max(sums + [1])

    def tolerance(self):
        return 2 * self.longest * 2.0**-24

    def places(self, rule):
        return json.loads(self.heteroopt("graph", "rewrite", self.file, "--rule", rule, "--list", "--json", *self.bound))

    def compare(self, rewrites):
        """Worst relative and absolute difference."""
        out = os.path.join(self.bench.folder, "rewritten.onnx")
        if not isinstance(rewrites, str):
            listed = os.path.join(self.bench.folder, "rewrites.json")
            with open(listed, "w") as f:
                json.dump(rewrites, f)
            rewrites = listed
        self.heteroopt("graph", "rewrite", self.file, "--rule", rewrites, "-o", out, *self.bound)
        self.check(out)
        answer = self.bench.ask(self.file, out, dict(s.split("=") for s in self.sizes))
        if "error" in answer:
            raise Fault(answer["error"][:300])
        return answer["worst"], answer["absolute"]

    def check(self, out):
        if onnx and self.bench.checks(self.file):
            try:
                onnx.checker.check_model(out)
            except Exception as e:  # it raises what it likes
                raise Fault("onnx.checker: " + last_line(str(e)))
        names = set(self.bench.symbols(self.file, out))
        again = json.loads(self.heteroopt("graph", "info", out, "--json", *[b for b in self.bound if b[7:].split("=")[0] in names]))
        if again["macs"] != self.macs:
            raise Fault("read again it has %r multiply-accumulates in place of %r" % (again["macs"], self.macs))


class Bench:
    def __init__(self, heteroopt, modules, folder):
        self.heteroopt, self.folder, self.valid = heteroopt, folder, {}
        self.node = subprocess.Popen(["node", os.path.join(HERE, "compare.js")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                     env=dict(os.environ, NODE_PATH=modules))

    def ask(self, a, b, bound):
        self.node.stdin.write(json.dumps([a, b, bound]) + "\n")
        self.node.stdin.flush()
        line = self.node.stdout.readline()
        return json.loads(line) if line else {"error": "ONNX Runtime came to an end"}

    def checks(self, file):
        """Whether onnx.checker knows what is in the model at all: an older one refuses newer operators."""
        if file not in self.valid:
            try:
                onnx.checker.check_model(file)
                self.valid[file] = True
            except Exception:
                self.valid[file] = False
        return self.valid[file]

    def symbols(self, file, out):
        return [] if file == out else re.findall(r"[A-Za-z_]\w*", open(out, "rb").read().decode("latin-1"))


class Tally:
    """What became of the comparisons that belong to one cell."""

    def __init__(self):
        self.compared, self.worst, self.absolute, self.fault = 0, 0.0, 0.0, None

    def take(self, model, rewrites, what):
        try:
            worst, absolute = model.compare(rewrites)
        except Fault as e:
            if "is none" in str(e):
                return False  # fewer pieces than the shares ask for
            self.fault = self.fault or "%s: %s" % (what, e)
            return True
        self.compared += 1
        self.worst, self.absolute = max(self.worst, worst), max(self.absolute, absolute)
        return True

    def add(self, other):
        self.compared += other.compared
        self.worst, self.absolute = max(self.worst, other.worst), max(self.absolute, other.absolute)
        self.fault = self.fault or other.fault


def split_of(place, shares=None):
    return dict({"rule": "split", "ops": place["ops"], "axis": place["pattern"]}, **({"shares": shares} if shares else {}))


def check_splits(model, places):
    tally = Tally()
    for place in places:
        what = "%s .. %s" % (place["ops"][0], place["ops"][-1])
        if not tally.take(model, [split_of(place, [0.75, 0.25])], what):
            tally.take(model, [split_of(place)], what)
    return tally


def check_fused_splits(model):
    """Where a fused op splits is asked of the fused graph as a graph of its own; what its parts rule out is left out."""
    tally, fused = Tally(), os.path.join(model.bench.folder, "fused.json")
    first = json.loads(model.heteroopt("graph", "rewrite", model.file, "--rule", "fuse", "-o", fused, "--json", *model.bound))["rewrites"]
    names = {name for r in first for name in r["into"]}
    for place in json.loads(model.heteroopt("graph", "rewrite", fused, "--rule", "split", "--list", "--json")):
        if not names & set(place["ops"]):
            continue
        one = Tally()
        one.take(model, first + [split_of(place)], "%s of %s .. %s" % (place["pattern"], place["ops"][0], place["ops"][-1]))
        if one.fault and "rewrites[%d]" % len(first) in one.fault:
            continue
        tally.add(one)
    return tally


def random_sequence(places, rng):
    sequence, used = [], set()
    for place in rng.sample(places, len(places)):
        if used & set(place["ops"]) or rng.random() < 0.25 or len(sequence) == 14:
            continue
        used |= set(place["ops"])
        share = rng.choice([None, [0.3, 0.7], [0.6, 0.4], [0.25] * 4])
        sequence.append(split_of(place, share) if place["rule"] == "split" else {"rule": place["rule"].replace("group", "fuse"), "ops": place["ops"]})
    return sequence


def check_sequences(model, n=12):
    """What a rewrite before it, or too many shares, has made impossible is left out."""
    tally, rng = Tally(), random.Random(7)
    places = [p for rule in ("fuse", "group", "remove", "fold", "split") for p in model.places(rule)]
    for _ in range(n):
        sequence = random_sequence(places, rng)
        while sequence:
            try:
                worst, absolute = model.compare(sequence)
            except Fault as e:
                at = re.search(r"rewrites\[(\d+)\]", str(e))
                if not at:
                    tally.fault = tally.fault or "%s of %s" % (e, json.dumps(sequence))
                    break
                del sequence[int(at.group(1))]
                continue
            tally.compared += 1
            tally.worst, tally.absolute = max(tally.worst, worst), max(tally.absolute, absolute)
            break
    return tally


def check_plan(model):
    tally, front, plan = Tally(), os.path.join(model.bench.folder, "front.json"), os.path.join(model.bench.folder, "plan.json")
    try:
        model.heteroopt("schedule", "--graph", model.file, "--platform", "workstation", "--scheduler", "heft", "--rewrite", "remove,fold,fuse,split",
                        "-o", front, *model.bound)
    except Fault as e:
        tally.fault = str(e)
        return tally
    with open(front) as f, open(plan, "w") as g:
        json.dump(json.load(f)["plans"][0], g)
    tally.take(model, plan, "a plan")
    return tally


def tallies(model):
    for rule in RULES:
        tally = Tally()
        tally.take(model, rule, rule)
        yield rule, tally, 0.0
    places = model.places("split")
    for axis in AXES:
        there = [p for p in places if p["pattern"] == axis]
        if there:
            yield "split by " + axis, check_splits(model, there), model.tolerance()
    fused = check_fused_splits(model)
    if fused.compared or fused.fault:
        yield "fused, then split", fused, model.tolerance()
    yield "sequences", check_sequences(model), model.tolerance()
    yield "a plan", check_plan(model), model.tolerance()


def print_table(rows, models):
    cell = {(name, rule): "%d: %s" % (t.compared, "0" if t.worst == 0 else "%.1e (%.0e)" % (t.worst, t.absolute)) for name, rule, t in rows}
    print("| rewrite | %s |\n|---|%s" % (" | ".join(m.name[:-5] for m in models), "---|" * len(models)))
    for rule in RULES + ["split by " + a for a in AXES] + ["fused, then split", "sequences", "a plan"]:
        print("| %s | %s |" % (rule, " | ".join(cell.get((m.name, rule), "") for m in models)))
    print("| allowed of splits | %s |" % " | ".join("%.1e" % m.tolerance() for m in models))


def main():
    table = "--table" in sys.argv
    heteroopt, modules, *specs = [a for a in sys.argv[1:] if a != "--table"]
    rows, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(heteroopt, modules, folder)
        models = [Model(bench, spec) for spec in specs]
        for model in models:
            for rule, tally, allowed in tallies(model):
                rows.append((model.name, rule, tally))
                ok = tally.fault is None and tally.worst <= allowed and tally.compared > 0
                failed += not ok
                if not table:
                    print("%sok %d - %s: %s gives the same outputs (%d compared, largest difference %.1e)"
                          % ("" if ok else "not ", len(rows), model.name, rule, tally.compared, tally.worst), flush=True)
                if not ok:
                    print("# " + (tally.fault or "expected at most %g" % allowed), file=sys.stderr if table else sys.stdout)
        bench.node.stdin.close()
        bench.node.wait()
    if table:
        print_table(rows, models)
    else:
        print("1..%d" % len(rows))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
