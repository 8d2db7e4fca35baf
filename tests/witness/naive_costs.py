# naive_costs.py: what a plan's ops take when alone, how large tensors are, which way copies go.
import math

BITS = {"fp64": 64, "fp32": 32, "tf32": 32, "bf16": 16, "fp16": 16, "fp8": 8, "int8": 8, "int4": 4,
        "int64": 64, "int32": 32, "bool": 8, "uint8": 8}
PRECISIONS = ["fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "int4"]  # the most precise first
FAMILY = {"conv": "conv", "gemm": "gemm", "matmul": "gemm", "relu": "elementwise", "add": "elementwise", "softmax": "softmax",
          "maxpool": "pool"}
INF = float("inf")


class Entry:
    """An op in the plan."""

    def __init__(self, position):
        self.position = position
        self.state, self.launched, self.launching = "waiting", False, False
        self.start = self.end = self.until = self.left = None


class Route:
    """channels: link directions that it shares with others; cap: what fat links allow."""

    def __init__(self, links, num):
        self.links = links
        self.latency = sum((num(l["latency"]) for l, _, _ in links), num(0))
        self.energy = sum((num(l["energy"]) for l, _, _ in links), num(0))
        self.bandwidth = min(num(l["bandwidth"]) for l, _, _ in links)
        self.channels = [(i, 0 if l["duplex"] == "half" else b) for l, i, b in links if l["duplex"] != "fat"]
        self.cap = min([num(l["bandwidth"]) for l, _, _ in links if l["duplex"] == "fat"], default=INF)


class Costs:
    def __init__(self, platform, graph, plan, num):
        self.num, self.platform, self.graph = num, platform, graph
        self.ops, self.tensors = graph["ops"], graph["tensors"]
        self.op_index = {o["name"]: i for i, o in enumerate(self.ops)}
        self.tensor_index = {t["name"]: i for i, t in enumerate(self.tensors)}
        self.inputs = [[] for _ in self.ops]
        self.outputs = [[] for _ in self.ops]
        for i, t in enumerate(self.tensors):
            if "producer" in t:
                self.outputs[self.op_index[t["producer"]]].append(i)
            for c in t.get("consumers", []):
                if i not in self.inputs[self.op_index[c]]:
                    self.inputs[self.op_index[c]].append(i)
        self.entries = [self.entry(i, a) for i, a in enumerate(plan["assign"])]
        for e in self.entries:
            self.cost(e)
        self.engines = [self.memory_engines(m) for m in range(len(platform["memories"]))]
        self.channel_capacity = {}
        for i, l in enumerate(platform["links"]):
            self.channel_capacity[i, 0] = self.channel_capacity[i, 1] = num(l["bandwidth"])
        self.routes = {}

    # -- tensors ------------------------------------------------------------------------------------------------------

    def is_weight(self, t):
        return "producer" not in self.tensors[t] and self.tensors[t].get("role") == "weight"

    def is_input(self, t):
        return "producer" not in self.tensors[t] and not self.is_weight(t)

    def home(self, t):
        return self.tensors[t].get("memory", self.platform["host"])

    def own_bytes(self, t):
        x = self.tensors[t]
        if "bytes" in x:
            return x["bytes"]
        return (math.prod(x["shape"]) * BITS[x.get("dtype", "fp32")] + 7) // 8

    def scaled(self, t, precision):
        """Bytes of tensor t in a precision; data that is no precision does not scale."""
        own = self.tensors[t].get("dtype", "fp32")
        if precision is None or own not in PRECISIONS:
            return self.own_bytes(t)
        return -(-self.own_bytes(t) * BITS[precision] // BITS[own])

    def bytes_of(self, t):
        made = self.makers(t)
        return self.scaled(t, made[0].precision if made else None)

    def makers(self, t):
        made = [e for e in self.entries if t in self.outputs[e.op]]
        return sorted(made, key=lambda e: e.copy)

    def consumers(self, t):
        return [e for e in self.entries if t in self.inputs[e.op]]

    def needed_in(self, t):
        return {e.memory for e in self.consumers(t)}

    def made_in(self, t):
        return {e.memory for e in self.makers(t)}

    # -- ops ----------------------------------------------------------------------------------------------------------

    def entry(self, position, a):
        e = Entry(position)
        e.op = self.op_index[a["op"]]
        e.device = [d["name"] for d in self.platform["devices"]].index(a["device"])
        device = self.platform["devices"][e.device]
        e.memory = device["memory"]
        e.stream, e.copy = a.get("stream", 0), a.get("copy", 0)
        e.not_before = self.num(a.get("not_before", 0))
        e.earliest = max(e.not_before, self.num(self.ops[e.op].get("release", 0)))
        e.precision = a.get("precision") or self.default_precision(e.op, device)
        points = [{"name": "nominal", "speed": 1, "power": 1}] + device.get("points", [])
        e.point = {k: v if k == "name" else self.num(v)
                   for k, v in next(p for p in points if p["name"] == a.get("point", "nominal")).items()}
        return e

    def default_precision(self, op, device):
        own = "fp32"
        for t in self.inputs[op][::-1] + self.outputs[op][::-1]:
            if self.tensors[t].get("dtype", "fp32") in PRECISIONS:
                own = self.tensors[t].get("dtype", "fp32")
        if not device["peak"]:
            return own
        return own if own in device["peak"] else min(device["peak"], key=PRECISIONS.index)

    def traffic(self, e):
        """Bytes that the kernel moves, each tensor's share of read and write scaled as the tensor is."""
        op, num = self.ops[e.op], self.num
        total = num(0)
        for key, tensors in (("read", self.inputs[e.op]), ("write", self.outputs[e.op])):
            own = sum(self.own_bytes(t) for t in tensors)
            now = 0
            for t in tensors:
                if self.is_weight(t) or key == "write":
                    now += self.scaled(t, e.precision)
                else:
                    now += self.bytes_of(t)
            if key not in op:
                total += num(now)
            elif own:
                total += num(op[key]) * now / own
            else:
                total += num(op[key])
        return total

    def cost(self, e):
        op, device, num = self.ops[e.op], self.platform["devices"][e.device], self.num
        speed, power = e.point["speed"], e.point["power"]
        flops, moved = num(op.get("flops", 0)), self.traffic(e)
        memory_bandwidth = num(self.platform["memories"][e.memory]["bandwidth"])
        port = num(device.get("bandwidth", self.platform["memories"][e.memory]["bandwidth"])) * num(device["efficiency"].get("memory", 1))
        parallelism, saturation = num(op.get("parallelism", 0)), num(device.get("saturation", 0))
        e.occupancy = num(1)
        if parallelism > 0 and saturation > 0:
            e.occupancy = min(num(1), parallelism / saturation)
        watts = device["power"]
        e.dynamic = (flops * num(watts.get("per_flop", {}).get(e.precision, 0)) + moved * num(watts.get("per_byte", 0))) * power / speed
        if "time" in op:
            e.alone = num(op["time"][device["name"]]) / speed
            e.occupancy, e.port, e.compute_use = num(1), num(0), num(1)
            e.draws = {("compute", e.device): num(1)}
            return
        efficiency = device["efficiency"].get(FAMILY.get(op.get("kind", "")), device["efficiency"].get("default", 1))
        compute = flops / (num(device["peak"][e.precision]) * num(efficiency) * e.occupancy) if flops > 0 else num(0)
        port = min(port * speed, memory_bandwidth)  # no point makes the memory faster
        e.alone = max(compute / speed, moved / port)
        e.port, e.compute_use, e.draws = num(0), num(0), {}
        if e.alone > 0:
            e.port = moved / e.alone / port
            e.compute_use = compute / speed * e.occupancy / e.alone
            e.draws = {("compute", e.device): e.occupancy, ("port", e.device): e.port,
                       ("memory", e.memory): moved / e.alone / memory_bandwidth}
            room = num(watts.get("peak", 0)) - num(watts.get("busy", watts["idle"]))
            if watts.get("peak", 0) > 0 and not self.power_by_use(e.device) and e.dynamic > 0:
                e.draws["power", e.device] = e.dynamic / e.alone / room

    def power_by_use(self, d):
        watts = self.platform["devices"][d]["power"]
        return watts.get("peak", 0) > 0 and not {"busy", "per_flop", "per_byte"} & set(watts)

    def is_host_device(self, d):
        """The CPU on the host memory; without one, the first device there."""
        on_host = [i for i, x in enumerate(self.platform["devices"]) if x["memory"] == self.platform["host"]]
        cpus = [i for i in on_host if self.platform["devices"][i]["kind"] == "cpu"]
        return d in (cpus or on_host[:1])

    # -- ways ---------------------------------------------------------------------------------------------------------

    def memory_engines(self, m):
        """Copy engines of a memory, per direction: those of its devices together."""
        counts = [d["copy_engines"] for d in self.platform["devices"] if d["memory"] == m]
        return INF if not counts or 0 in counts else sum(counts)

    def direct(self, a, b):
        return self.platform["host"] in (a, b) or [a, b] in self.platform["peer_to_peer"] or [b, a] in self.platform["peer_to_peer"]

    def route(self, a, b):
        """Least latency, then fewest links, then lowest link indices: all simple paths are looked at."""
        if (a, b) not in self.routes:
            best = []

            def walk(v, seen, path):
                if v == b:
                    key = (sum(self.exact(l["latency"]) for l, _, _ in path), len(path), sorted(i for _, i, _ in path))
                    if not best or key < best[0]:
                        best[:] = [key, list(path)]
                    return
                for i, l in enumerate(self.platform["links"]):
                    for back in (0, 1):
                        if back and l["duplex"] == "simplex":
                            continue
                        u, w = l["ends"][::-1] if back else l["ends"]
                        if u == v and w not in seen:
                            walk(w, seen | {w}, path + [(l, i, back)])

            walk(a, {a}, [])
            self.routes[a, b] = Route(best[1], self.num) if best else None
        return self.routes[a, b]

    @staticmethod
    def exact(x):
        from fractions import Fraction
        return Fraction(x)
