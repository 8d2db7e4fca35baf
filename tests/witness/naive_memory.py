# naive_memory.py: what lies in each memory from when to when.
#
# A block is bytes in one memory and the uses that keep it alive. A use is ("op", entry), done when the op ends, ("copy",
# transfer), done when the transfer ends, or "forever". A block goes when its last use is done. An output that is an alias of a
# tensor that its op reads lies in that tensor's block and adds its own uses to it; any other alias has a block of its own. Of two
# copies of an op on one memory, the first to start has the block; what the other makes is held while it runs.


class Block:
    def __init__(self, memory, size, uses):
        self.memory, self.size, self.uses = memory, size, uses


class Ledger:
    def __init__(self, costs):
        self.c = costs
        n = len(costs.platform["memories"])
        self.live, self.peak = [0] * n, [0] * n
        self.total_peak = self.accelerator_peak = 0
        self.blocks = []
        self.where = {}  # (tensor, memory): block
        self.asked = []  # transfers that will read from a block

    def is_output(self, t):
        return not self.c.tensors[t].get("consumers") or self.c.tensors[t].get("output", False)

    # -- taking and giving back ---------------------------------------------------------------------------------------

    def fits(self, memory, size):
        return self.live[memory] + size <= self.c.platform["memories"][memory]["capacity"]

    def take(self, memory, size):
        self.live[memory] += size
        self.peak[memory] = max(self.peak[memory], self.live[memory])
        self.total_peak = max(self.total_peak, sum(self.live))
        self.accelerator_peak = max(self.accelerator_peak, sum(self.live) - self.live[self.c.platform["host"]])

    def done(self, use):
        for b in self.blocks:
            b.uses.discard(use)
        self.sweep()

    def sweep(self):
        for b in [b for b in self.blocks if not b.uses]:
            self.live[b.memory] -= b.size
            self.blocks.remove(b)

    def uses_in(self, t, memory):
        """Who will read t in a memory: ops there, copies away from there that are asked for already."""
        uses = {("op", e) for e in self.c.consumers(t) if e.memory == memory and e.state != "done"}
        return uses | {("copy", x) for x in self.asked if x.src == memory and x.tensor == t and x.state != "done"}

    def put(self, t, memory, size, extra):
        self.take(memory, size)
        b = Block(memory, size, self.uses_in(t, memory) | set(extra))
        self.blocks.append(b)
        self.where[t, memory] = b

    def spare(self, t, memory, use):
        """A second block for a tensor that has one there."""
        self.take(memory, self.c.bytes_of(t))
        self.blocks.append(Block(memory, self.c.bytes_of(t), {use}))

    def block(self, t, memory):
        return self.where.get((t, memory))

    # -- what a replay tells ------------------------------------------------------------------------------------------

    def original(self, t):
        """The tensor that an input is a view of, where it lies beside it from the start; None: it has a block of its own."""
        u = t
        while "alias" in self.c.tensors[u]:
            u = self.c.tensor_index[self.c.tensors[u]["alias"]]
        if u == t or not self.c.tensors[u].get("consumers"):
            return None
        there = self.c.home(t) in self.c.needed_in(u) if self.c.is_weight(u) else self.c.is_input(u) and self.c.home(u) == self.c.home(t)
        return u if there else None

    def initial(self):
        from naive_replay import Infeasible
        for t in range(len(self.c.tensors)):
            if "producer" in self.c.tensors[t] or not self.c.tensors[t].get("consumers"):
                continue
            if self.c.is_weight(t):
                for m in sorted(self.c.needed_in(t)):
                    size = max(self.c.scaled(t, e.precision) for e in self.c.consumers(t) if e.memory == m)
                    self.put(t, m, size, ["forever"])
            elif self.original(t) is None:
                self.put(t, self.c.home(t), self.c.own_bytes(t), ["start"] + (["forever"] if self.is_output(t) else []))
        for t in range(len(self.c.tensors)):
            if self.c.is_input(t) and self.c.tensors[t].get("consumers") and self.original(t) is not None:
                b = self.where[t, self.c.home(t)] = self.block(self.original(t), self.c.home(t))
                b.uses |= self.uses_in(t, self.c.home(t)) | {"start"} | ({"forever"} if self.is_output(t) else set())
        for m, x in enumerate(self.c.platform["memories"]):
            if self.live[m] > x["capacity"]:
                raise Infeasible("inputs and weights do not fit into %s" % x["name"])

    def inputs_are_asked(self):
        self.done("start")

    def viewed(self, e, t):
        """The block that output t of an op lies in when it is a view."""
        of = self.c.tensor_index.get(self.c.tensors[t].get("alias"))
        return self.block(of, e.memory) if of in self.c.inputs[e.op] else None

    def op_needs(self, e):
        made = [t for t in self.c.outputs[e.op] if self.viewed(e, t) is None]
        return self.c.ops[e.op].get("workspace", 0) + sum(self.c.bytes_of(t) for t in made)

    def op_starts(self, e):
        for t in self.c.outputs[e.op]:
            stays = ["forever"] if self.is_output(t) else []
            if self.block(t, e.memory):
                self.spare(t, e.memory, ("op", e))
            elif self.viewed(e, t):
                b = self.where[t, e.memory] = self.viewed(e, t)
                b.uses |= self.uses_in(t, e.memory) | {("op", e)} | set(stays)
            else:
                self.put(t, e.memory, self.c.bytes_of(t), [("op", e)] + stays)
        self.take(e.memory, self.c.ops[e.op].get("workspace", 0))

    def op_ends(self, e):
        self.live[e.memory] -= self.c.ops[e.op].get("workspace", 0)
        self.done(("op", e))

    def transfer_asked(self, x):
        self.asked.append(x)
        b = self.block(x.tensor, x.src)
        if b:
            b.uses.add(("copy", x))

    def transfer_needs(self, x):
        return self.c.bytes_of(x.tensor)

    def transfer_starts(self, x):
        if self.block(x.tensor, x.dst):
            self.spare(x.tensor, x.dst, ("copy", x))
        else:
            self.put(x.tensor, x.dst, self.c.bytes_of(x.tensor), [("copy", x)])

    def transfer_ends(self, x):
        self.done(("copy", x))
