# naive_policy.py: the online policies fifo and priority, a second time: a replay whose plan is made while it runs.
#
# For platforms with ample memory and unlimited copy engines: memory is not looked at.
from types import SimpleNamespace

from naive_costs import Costs
from naive_replay import Replay


class NoLedger:
    def __getattr__(self, name):
        return lambda *_: 0

    def fits(self, *_):
        return True


class Online(Replay):
    def __init__(self, platform, graph, policy, num=float):
        super().__init__(platform, graph, {"assign": []}, num)
        self.m, self.policy = NoLedger(), policy
        self.memories = [{d["memory"] for d in platform["devices"] if self.can_run(o, d)} for o in range(len(graph["ops"]))]
        self.missing = [self.waits_for(o) for o in range(len(graph["ops"]))]
        self.ready = [(0, o) for o, w in enumerate(self.missing) if not w]  # (event, op)
        self.event = 0
        self.held = set()

    def can_run(self, o, device):
        op = self.c.ops[o]
        return device["name"] in op["time"] if "time" in op else True

    def only_memory(self, o):
        return next(iter(self.memories[o])) if len(self.memories[o]) == 1 else None

    def waits_for(self, o):
        """What is missing until an op is ready: its release; inputs in the only memory that can run it, else ends of producers."""
        w = {"release"} if self.c.ops[o].get("release", 0) > 0 else set()
        for t in self.c.inputs[o]:
            if self.only_memory(o) is not None and not self.c.is_weight(t) or "producer" in self.c.tensors[t]:
                w.add(t)
        return w

    def comes(self, o, what):
        if what in self.missing[o]:
            self.missing[o].remove(what)
            if not self.missing[o]:
                self.ready.append((self.event, o))

    # -- what becomes of the events -----------------------------------------------------------------------------------

    def run(self):
        for t in range(len(self.c.tensors)):
            if self.c.is_input(t):
                self.appears(t, self.c.home(t))
        while True:
            self.settle()
            if len(self.entries) == len(self.c.ops) and all(e.state == "done" for e in self.entries) and not self.active_transfers():
                return self
            self.advance()

    def timers(self):
        yield from super().timers()
        for o, w in enumerate(self.missing):
            if "release" in w:
                yield self.num(self.c.ops[o]["release"])

    def launches(self):
        """Between ends and launches: releases, then assignments."""
        for o in range(len(self.c.ops)):
            if self.c.ops[o].get("release", 0) <= self.now:
                self.event += 1
                self.comes(o, "release")
        changed = self.assign()
        return super().launches() or changed

    def end_transfer(self, x):
        self.event += 1
        super().end_transfer(x)

    def end_op(self, e):
        self.event += 1
        for t in self.c.outputs[e.op]:
            for o in range(len(self.c.ops)):
                if t in self.c.inputs[o] and self.only_memory(o) is None:
                    self.comes(o, t)
        super().end_op(e)
        self.held.remove(e.device)

    def appears(self, t, memory):
        for o in range(len(self.c.ops)):
            if t in self.c.inputs[o] and self.only_memory(o) == memory:
                self.comes(o, t)
        super().appears(t, memory)

    def readers(self, t):
        """Those assigned, and those to come that can run in one memory only."""
        mine = list(self.c.consumers(t))
        placed = {e.op for e in self.entries}
        for o in range(len(self.c.ops)):
            if t in self.c.inputs[o] and o not in placed and self.only_memory(o) is not None:
                mine.append(SimpleNamespace(memory=self.only_memory(o), position=len(self.c.ops) + o, not_before=self.num(0)))
        return mine

    # -- decisions ----------------------------------------------------------------------------------------------------

    def assign(self):
        order = sorted(self.ready)
        if self.policy == "priority":
            order.sort(key=lambda x: -self.c.ops[x[1]].get("priority", 0))  # stable: then in order of readiness
        changed = False
        for x in order:
            o = x[1]
            idle = [d for d, x in enumerate(self.p["devices"]) if d not in self.held and self.can_run(o, x)]
            if idle:
                self.ready.remove(x)
                self.give(o, idle[0])
                changed = True
        return changed

    def give(self, o, d):
        a = {"op": self.c.ops[o]["name"], "device": self.p["devices"][d]["name"]}
        if self.only_memory(o) is None:
            a["not_before"] = self.now
        e = self.c.entry(len(self.entries), a)
        self.entries.append(e)
        self.c.cost(e)
        self.held.add(d)
        self.queue.setdefault((d, 0), []).append(e)
        key = d if self.p["dispatchers"] == "per_device" else "one"
        self.dispatch.setdefault(key, []).append(e)
        self.dispatch_free.setdefault(key, self.num(0))
        self.dispatch_waits.setdefault(key, None)
        for t in self.c.inputs[o]:
            if not self.c.is_weight(t) and (t, e.memory) not in self.present:
                self.spread(t, self.c.makers(t)[0].memory if self.c.makers(t) else self.c.home(t))
