# instance.py: small random platforms, graphs and plans, and the files that say them.
#
# Memories and switches are numbers here (vertices: memories first), names in the files. Every feature is drawn at random; half
# of the instances have numbers on a coarse grid, so that many things happen at one instant.
import json

KINDS = ["conv", "gemm", "relu", "add", "softmax", "maxpool"]
DTYPES = ["fp32", "fp32", "fp32", "fp16", "int64", "int8"]


class Draw:
    def __init__(self, rng):
        self.rng, self.coarse = rng, rng.random() < 0.5

    def chance(self, p):
        return self.rng.random() < p

    def near(self, x):
        """A number of the size of x."""
        if self.coarse:
            return x * self.rng.choice([0.5, 1, 1, 2])
        return x * self.rng.uniform(0.3, 3)

    def part(self):
        return self.rng.choice([0.5, 0.25, 1]) if self.coarse else self.rng.uniform(0.2, 1)


def make_platform(d):
    rng = d.rng
    n = rng.randint(2, 4)
    tight = d.chance(0.3)
    memories = [{"name": "m%d" % i, "capacity": int(rng.uniform(2e3, 8e3) if tight else 1e9), "bandwidth": d.near(2048.0)}
                for i in range(n)]
    devices = []
    for m in range(n):
        for _ in range(rng.choice([1, 1, 1, 2, 2]) if m else rng.choice([0, 1, 1, 2])):
            devices.append(make_device(d, "d%d" % len(devices), m))
    p = {"name": "random", "memories": memories, "devices": devices, "host": 0 if d.chance(0.8) else rng.randrange(n),
         "contention": rng.choice(["fair", "fair", "fair", "serial", "none"]),
         "dispatchers": rng.choice(["per_device", "per_device", "one"]), "count_idle": rng.choice(["used", "all"])}
    p["switches"], p["links"] = make_links(d, n)
    p["peer_to_peer"] = [[a, b] for a in range(n) for b in range(a) if d.chance(0.4)]
    return p


def make_device(d, name, memory):
    rng = d.rng
    device = {"name": name, "memory": memory, "kind": rng.choice(["cpu", "gpu", "npu"]),
              "peak": {}, "efficiency": {}, "copy_engines": rng.choice([0, 0, 1, 1, 2]), "streams": rng.randint(1, 3),
              "sharing": rng.choice(["exclusive", "spatial"]), "reconfigure": d.near(0.25) if d.chance(0.15) else 0,
              "launch": {"mode": rng.choice(["async", "sync", "graph"]), "host": rng.choice([0, d.near(0.125)]),
                         "device": rng.choice([0, d.near(0.0625)])}}
    for p in ["fp64", "fp32", "bf16", "fp16", "int8"]:
        if d.chance(0.5):
            device["peak"][p] = d.near(1024.0)
    if not device["peak"]:
        device["peak"]["fp32"] = d.near(1024.0)
    for f in ["conv", "gemm", "elementwise", "softmax", "pool", "default", "memory"]:
        if d.chance(0.4):
            device["efficiency"][f] = d.part()
    if d.chance(0.3):
        device["bandwidth"] = d.near(512.0)
    if d.chance(0.5):
        device["saturation"] = d.near(64.0)
    device["power"] = make_power(d, device)
    if d.chance(0.4):
        device["points"] = [{"name": "p%d" % i, "speed": rng.choice([0.5, 2.0, d.near(1.0)]), "power": d.near(1.0)}
                            for i in range(rng.randint(1, 2))]
    return device


def make_power(d, device):
    idle = d.near(4.0)
    power = {"idle": idle}
    if d.chance(0.2):
        power["peak"] = idle + d.near(8.0)
        return power
    if d.chance(0.7):
        power["busy"] = idle + d.near(2.0)
    if d.chance(0.7):
        power["per_flop"] = {p: d.near(1 / 256) for p in device["peak"] if d.chance(0.8)}
        if not power["per_flop"]:
            del power["per_flop"]
    if d.chance(0.6):
        power["per_byte"] = d.near(1 / 512)
    if d.chance(0.4) and ("per_byte" in power or "per_flop" in power):
        power["peak"] = power.get("busy", idle) + d.near(3.0)
    if d.chance(0.3):
        power["off"] = d.near(0.5)
    return power


def make_links(d, n):
    rng = d.rng
    switches, ends = [], []
    shape = rng.choice(["star", "chain", "tree", "mesh"])
    if shape == "star":
        switches = ["s0"]
        ends = [[v, n] for v in range(n)]
    elif shape == "chain":
        ends = [[v, v + 1] for v in range(n - 1)]
    elif shape == "tree":
        switches = ["s0", "s1"]
        ends = [[n, n + 1]] + [[v, n + rng.randint(0, 1)] for v in range(n)]
    else:
        ends = [[a, b] for b in range(n) for a in range(b)]
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        a, b = rng.sample(range(n + len(switches)), 2)
        ends.append([a, b])
    links = []
    for e in ends:
        duplex = rng.choice(["full", "full", "half", "fat"])
        e = e[::-1] if d.chance(0.3) else e
        one = {"bandwidth": d.near(512.0), "latency": rng.choice([0, 1, 2, 4]) / 64 if d.chance(0.7) else 0,
               "duplex": duplex, "energy": d.near(1 / 128) if d.chance(0.6) else 0, "ends": e}
        if d.chance(0.15):
            links += [dict(one, duplex="simplex"), dict(one, duplex="simplex", ends=e[::-1])]
        else:
            links.append(one)
    for i, l in enumerate(links):
        l["name"] = "l%d" % i
    return switches, links


def make_graph(d, p):
    rng = d.rng
    n = rng.randint(3, 25)
    tables = rng.choice([0, 0, 0.3, 1])
    rich = d.chance(0.3)
    ops, tensors = [], []
    for i in range(n):
        op = {"name": "o%d" % i, "kind": rng.choice(KINDS)}
        if d.chance(tables):
            devices = [x["name"] for x in p["devices"] if d.chance(0.8)] or [p["devices"][0]["name"]]
            op["time"] = {name: 0 if d.chance(0.1) else d.near(0.5) for name in devices}
        if not d.chance(0.1):
            op["flops"] = d.near(512.0)
        for key, x in (("read", 512.0), ("write", 256.0), ("parallelism", 64.0)):
            if d.chance(0.3):
                op[key] = d.near(x)
        if d.chance(0.25):
            op["workspace"] = int(d.near(256))
        if d.chance(0.1):
            op["release"] = d.near(1.0)
        if d.chance(0.5):
            op["priority"] = rng.randint(0, 3)
        ops.append(op)
    for i in range(n):
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            t = make_tensor(d, "t%d" % len(tensors))
            t["producer"] = "o%d" % i
            t["consumers"] = ["o%d" % j for j in range(i + 1, n) if d.chance(min(0.9, 2.5 / n))]
            if t["consumers"] and d.chance(0.1):
                t["output"] = True
            tensors.append(t)
    for _ in range(rng.randint(0, 4)):
        t = make_tensor(d, "t%d" % len(tensors))
        t["consumers"] = ["o%d" % j for j in range(n) if d.chance(3 / n)]
        t["role"] = rng.choice(["input", "weight"])
        if t["role"] == "input" and d.chance(0.3):
            t["memory"] = rng.randrange(len(p["memories"]))
        tensors.append(t)
    if rich:
        make_aliases(d, tensors)
    rng.shuffle(tensors)
    g = {"name": "random", "ops": ops, "tensors": tensors}
    if d.chance(0.2):
        g["period"] = d.near(8.0)
    return g


def make_tensor(d, name):
    t = {"name": name}
    if d.chance(0.3):
        t["dtype"] = d.rng.choice(DTYPES)
    if d.chance(0.3):
        t["shape"] = [d.rng.randint(1, 4), d.rng.randint(8, 64)]
    else:
        t["bytes"] = 0 if d.chance(0.05) else int(d.near(256))
    return t


def make_aliases(d, tensors):
    """Outputs of an op that are views of one of its inputs; inputs that are views of another one; an input that nobody reads."""
    inputs = [t for t in tensors if t.get("role") == "input"]
    if inputs and d.chance(0.4):
        view = make_tensor(d, "view")
        view.update(consumers=list(d.rng.choice(tensors)["consumers"]), role="input", alias=inputs[0]["name"])
        if "memory" in inputs[0] and d.chance(0.7):
            view["memory"] = inputs[0]["memory"]
        tensors.append(view)
    if d.chance(0.2):
        tensors.append(dict(make_tensor(d, "unread"), consumers=[]))
    for t in tensors:
        if "producer" in t and d.chance(0.4):
            reads = [u["name"] for u in tensors if t["producer"] in u["consumers"]]
            if reads:
                t["alias"] = d.rng.choice(reads)


def make_plan(d, p, g):
    rng = d.rng
    order = list(range(len(g["ops"])))
    feeds = {i: set() for i in order}
    for t in g["tensors"]:
        if "producer" in t:
            for c in t["consumers"]:
                feeds[int(c[1:])].add(int(t["producer"][1:]))
    assign, placed, left = [], set(), set(order)
    copies, points, delays = d.chance(0.25), d.chance(0.5), d.chance(0.3)
    lean = rng.sample(p["devices"], rng.randint(1, len(p["devices"])))
    while left:
        op = rng.choice([o for o in left if feeds[o] <= placed]) if d.chance(0.5) else min(o for o in left if feeds[o] <= placed)
        left.remove(op)
        placed.add(op)
        for copy in range(rng.choice([1, 1, 2, 3]) if copies else 1):
            can = [x for x in p["devices"] if "time" not in g["ops"][op] or x["name"] in g["ops"][op]["time"]]
            x = rng.choice([y for y in can if y in lean] or can)
            a = {"op": "o%d" % op, "device": x["name"], "stream": rng.randrange(x["streams"])}
            if copy:
                a["copy"] = copy
            if d.chance(0.6):
                a["precision"] = rng.choice(sorted(x["peak"]))
            if points and x.get("points") and d.chance(0.5):
                a["point"] = rng.choice(x["points"])["name"]
            if delays and d.chance(0.2):
                a["not_before"] = d.near(1.0)
            assign.append(a)
    if copies and d.chance(0.5):
        delay_copies(d, assign)
    return {"graph": g["name"], "platform": p["name"], "assign": assign}


def delay_copies(d, assign):
    """Issues duplicates later, in any case after the copies before them."""
    for a in [a for a in assign if a.get("copy")]:
        if d.chance(0.5):
            after = [b for b in assign if b["op"] == a["op"] and b.get("copy", 0) > a["copy"]]
            i = assign.index(a)
            last = assign.index(after[0]) - 1 if after else len(assign) - 1
            assign.insert(d.rng.randint(i, last), assign.pop(i))


def make(rng):
    d = Draw(rng)
    p = make_platform(d)
    g = make_graph(d, p)
    return p, g, make_plan(d, p, g)


# -- files ------------------------------------------------------------------------------------------------------------


def flow(x):
    if isinstance(x, dict):
        return "{" + ", ".join("%s: %s" % (k, flow(v)) for k, v in x.items()) + "}"
    if isinstance(x, list):
        return "[" + ", ".join(flow(v) for v in x) + "]"
    return x if isinstance(x, str) else repr(x)


def write_platform(p, path):
    vertex = [m["name"] for m in p["memories"]] + p["switches"]
    q = dict(p, devices=[dict(x, memory=vertex[x["memory"]]) for x in p["devices"]],
             links=[dict(l, ends=[vertex[v] for v in l["ends"]]) for l in p["links"]],
             host=vertex[p["host"]], peer_to_peer=[[vertex[v] for v in pair] for pair in p["peer_to_peer"]])
    with open(path, "w") as f:
        f.write("format: heteroopt-platform/1\n")
        for k, v in q.items():
            if v in ([], {}):
                continue
            if k in ("memories", "devices", "links"):
                f.write("%s:\n" % k + "".join("  - %s\n" % flow({a: b for a, b in x.items() if b not in ({},)}) for x in v))
            else:
                f.write("%s: %s\n" % (k, flow(v)))


def write_graph(p, g, path):
    tensors = [dict(t, memory=p["memories"][t["memory"]]["name"]) if "memory" in t else t for t in g["tensors"]]
    with open(path, "w") as f:
        json.dump({"format": "heteroopt-graph/1", **g, "tensors": tensors}, f)


def write_plan(plan, path):
    with open(path, "w") as f:
        json.dump({"format": "heteroopt-plan/1", **plan}, f)
