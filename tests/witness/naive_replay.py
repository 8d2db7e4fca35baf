# naive_replay.py: a replay of a plan, written a second time, from the rules alone, to be compared with the engine's.
#
# Nothing here is shared with the program. It is slow on purpose: every step looks at everything, every rate is solved anew by
# progressive filling, there is no event queue. A platform, a graph and a plan are the plain dictionaries that instance.py makes
# and writes. All arithmetic goes through `num`, so that it can also be done in fractions (exact, slower).
from naive_costs import Costs
from naive_memory import Ledger
from naive_sharing import drf, max_min

INF = float("inf")


class Infeasible(Exception):
    pass


class Transfer:
    """One hop of one tensor from a memory to another."""

    def __init__(self, tensor, src, dst, position, after):
        self.tensor, self.src, self.dst = tensor, src, dst
        self.position, self.after = position, after
        self.state = "wanted"  # wanted, queued (serial links), latency, flowing, done
        self.start = self.end = self.until = self.left = None
        self.asked = None


class Replay:
    def __init__(self, platform, graph, plan, num=float):
        self.num = num
        self.c = Costs(platform, graph, plan, num)
        self.p, self.entries = self.c.platform, self.c.entries
        self.now = num(0)
        self.m = Ledger(self.c)
        self.transfers = []
        self.present = set()  # (tensor, memory): readable there
        self.running = []  # entries, in order of start
        self.free_out = [d for d in self.c.engines]
        self.free_in = [d for d in self.c.engines]
        self.last_kind = {}
        self.queue = {}
        for e in self.entries:
            self.queue.setdefault((e.device, e.stream), []).append(e)
        self.dispatch = {}
        for e in self.entries:
            key = e.device if self.p["dispatchers"] == "per_device" else "one"
            self.dispatch.setdefault(key, []).append(e)
        self.dispatch_free = {k: num(0) for k in self.dispatch}
        self.dispatch_waits = {k: None for k in self.dispatch}
        self.graph_launched = {}
        self.busy = [num(0)] * len(self.p["devices"])
        self.energy = [num(0)] * len(self.p["devices"])
        self.link_energy = num(0)
        self.link_busy = [num(0)] * len(self.p["links"])

    # -- the loop -----------------------------------------------------------------------------------------------------

    def run(self):
        self.m.initial()
        for t in range(len(self.c.tensors)):
            if self.c.is_input(t):
                self.appears(t, self.c.home(t))
        self.m.inputs_are_asked()
        while True:
            self.settle()
            if all(e.state == "done" for e in self.entries) and not self.active_transfers():
                break
            self.advance()
        self.finish_energy()
        return self

    def active_transfers(self):
        return [x for x in self.transfers if x.state != "done"]

    def settle(self):
        """Everything that happens at this instant, in rounds: ends and what they make arrive, then launches, then starts. What begins
        in a round and takes no time ends in the next one."""
        changed = True
        while changed:
            changed = self.ends()
            changed = self.launches() or changed
            changed = self.starts() or changed

    def advance(self):
        kernels = [e for e in self.running if e.state == "kernel"]
        share = drf([e.draws for e in kernels], self.num)
        flowing = [x for x in self.transfers if x.state == "flowing"]
        rate = self.transfer_rates(flowing)
        times = []
        for e, s in zip(kernels, share):
            if s > 0:
                times.append(e.left / s)
        for x, r in zip(flowing, rate):
            times.append(x.left / r)
        timers = [t - self.now for t in self.timers() if t > self.now]
        if not times and not timers:
            raise Infeasible(self.stuck())
        step = min(times + timers)
        self.charge(kernels, share, step)
        for i in {i for x in flowing for _, i, _ in self.c.route(x.src, x.dst).links}:
            self.link_busy[i] += step
        target = None
        for t in self.timers():
            if t > self.now and t - self.now == step:
                target = t
        self.now = self.now + step if target is None else target
        for e, s in zip(kernels, share):
            e.left = self.num(0) if s > 0 and e.left / s <= step else e.left - s * step
        for x, r in zip(flowing, rate):
            x.left = self.num(0) if x.left / r <= step else x.left - r * step

    def timers(self):
        for key in self.dispatch_free:
            yield self.dispatch_free[key]
        for e in self.entries:
            if e.state == "waiting":
                yield e.earliest
            elif e.state == "device":
                yield e.until
        for x in self.transfers:
            if x.state == "wanted":
                yield x.after
            elif x.until is not None and x.state == "latency":
                yield x.until

    # -- launches -----------------------------------------------------------------------------------------------------

    def launches(self):
        """Each dispatcher launches its ops in order; `launching` is the one whose host seconds are running."""
        changed = False
        for key, todo in self.dispatch.items():
            while True:
                waits = self.dispatch_waits[key]
                if waits is not None and waits.state != "done":
                    break
                if waits is not None:
                    self.dispatch_free[key] = max(self.dispatch_free[key], waits.end)
                self.dispatch_waits[key] = None
                if not todo or self.dispatch_free[key] > self.now:
                    break
                e = todo[0]
                device = self.p["devices"][e.device]
                if not e.launching:
                    e.launching = True
                    host = device["launch"]["host"]
                    if device["launch"]["mode"] == "graph":
                        if e.device in self.graph_launched:
                            host = 0
                        self.graph_launched[e.device] = True
                    self.dispatch_free[key] += self.num(host)
                    changed = True
                    continue
                todo.pop(0)
                e.launched = True
                changed = True
                if device["launch"]["mode"] == "sync":
                    self.dispatch_waits[key] = e
        return changed

    # -- ends ---------------------------------------------------------------------------------------------------------

    def ends(self):
        """Ends in the order of starts, then ops before copies, then by index."""
        changed = False
        ending = [(e.start, 0, e.op, e.copy, e) for e in self.running]
        ending += [(x.start, 1, x.tensor, x.dst, x) for x in self.transfers if x.state in ("latency", "flowing")]
        for _, is_copy, _, _, w in sorted(ending, key=lambda w: w[:4]):
            if w.until <= self.now and w.state in ("device", "latency"):
                w.state = "flowing" if is_copy else "kernel"
                changed = True
            elif w.left <= 0 and w.state in ("flowing", "kernel"):
                (self.end_transfer if is_copy else self.end_op)(w)
                changed = True
        return changed

    def end_op(self, e):
        e.state, e.end = "done", self.now
        self.running.remove(e)
        self.queue[e.device, e.stream].remove(e)
        for t in self.c.outputs[e.op]:
            self.appears(t, e.memory)
        self.m.op_ends(e)

    def end_transfer(self, x):
        x.state, x.end = "done", self.now
        self.free_out[x.src] += 1
        self.free_in[x.dst] += 1
        self.link_energy += self.num(self.c.bytes_of(x.tensor)) * self.c.route(x.src, x.dst).energy
        self.appears(x.tensor, x.dst)
        self.m.transfer_ends(x)

    # -- copies -------------------------------------------------------------------------------------------------------

    def appears(self, t, memory):
        """Tensor t can be read in `memory` from now on: ask for the copies that start there."""
        if (t, memory) in self.present:
            return
        self.present.add((t, memory))
        if self.makes(t, memory) or memory == self.p["host"]:
            self.spread(t, memory)

    def readers(self, t):
        return self.c.consumers(t)

    def makes(self, t, memory):
        return memory in self.c.made_in(t) if self.c.makers(t) else memory == self.c.home(t)

    def wanted(self, t, memory, first):
        """Whether t is to be copied there: nobody brings it, and no copy of its maker, issued before those who wait, is there."""
        asked = any(x.tensor == t and x.dst == memory for x in self.transfers)
        own = [e.position for e in self.c.makers(t) if e.memory == memory]
        return (t, memory) not in self.present and not asked and (not own or min(own) > first.position)

    def spread(self, t, memory):
        host = self.p["host"]
        first, after = {}, {}
        for e in self.readers(t):
            first.setdefault(e.memory, e)
            after[e.memory] = min(after.get(e.memory, e.not_before), e.not_before)
        todo = {m: e for m, e in first.items() if self.wanted(t, m, e)}
        staged = [e for m, e in todo.items() if not self.c.direct(memory, m)]
        if staged:
            now = min(staged + [first[host]] if host in first else staged, key=lambda e: e.position)
            if self.wanted(t, host, now):
                todo[host] = now
                after[host] = min(after[e.memory] for e in staged + ([first[host]] if host in first else []))
        for m, e in sorted(todo.items(), key=lambda x: x[1].position):
            if self.c.direct(memory, m):
                self.ask(t, memory, m, e, after[m])
        if staged and (t, host) in self.present:
            self.spread(t, host)

    def ask(self, t, src, dst, first, after):
        x = Transfer(t, src, dst, first.position, after)
        x.asked = self.now
        self.transfers.append(x)
        self.m.transfer_asked(x)

    def transfer_rates(self, flowing):
        if self.p["contention"] in ("none", "serial"):
            return [self.c.route(x.src, x.dst).bandwidth for x in flowing]
        return max_min([self.c.route(x.src, x.dst) for x in flowing], self.c.channel_capacity)

    # -- starts -------------------------------------------------------------------------------------------------------

    def starts(self):
        """One pass over all that waits, in the order of issue: a copy has the position of its first consumer."""
        changed = False
        blocked, stopped = set(), set()  # memories with a refused request; routes whose next copy was refused
        ops = [e for e in self.entries if e.state == "waiting" and self.op_could_start(e)]
        while True:
            copies = [x for x in self.transfers if x.state == "wanted" and (x.src, x.dst) not in stopped
                      and self.transfer_could_start(x)]
            x = min(copies, key=self.turn, default=None)
            if x is None and not ops:
                return changed
            if x is not None and (not ops or x.position <= ops[0].position):
                if self.granted(x.dst, self.m.transfer_needs(x), blocked):
                    self.start_transfer(x)
                    changed = True
                else:
                    stopped.add((x.src, x.dst))
            else:
                e = ops.pop(0)
                if self.op_could_start(e) and self.granted(e.memory, self.m.op_needs(e), blocked):
                    self.start_op(e)
                    changed = True

    def granted(self, memory, need, blocked):
        if need > 0 and (memory in blocked or not self.m.fits(memory, need)):
            blocked.add(memory)
            return False
        return True

    def turn(self, x):
        """Order of copies: of their first consumers; on serial links, of their requests."""
        if self.p["contention"] == "serial":
            return max(x.asked, x.after), x.position, x.tensor
        return x.position, x.tensor

    def op_could_start(self, e):
        return (e.launched and e.earliest <= self.now and self.queue[e.device, e.stream][0] is e
                and all((t, e.memory) in self.present for t in self.c.inputs[e.op] if not self.c.is_weight(t))
                and (self.p["devices"][e.device]["sharing"] == "spatial"
                     or not any(r.device == e.device for r in self.running)))

    def start_op(self, e):
        e.state, e.start = "device", self.now
        device = self.p["devices"][e.device]
        extra = self.num(device["launch"]["device"])
        kind = self.c.ops[e.op].get("kind", "")
        if self.last_kind.get(e.device, kind) != kind:
            extra += self.num(device["reconfigure"])
        self.last_kind[e.device] = kind
        if extra == 0:
            e.state = "kernel"
        e.until = self.now + extra
        e.left = e.alone
        self.running.append(e)
        self.m.op_starts(e)

    def transfer_could_start(self, x):
        if x.after > self.now or self.free_out[x.src] <= 0 or self.free_in[x.dst] <= 0:
            return False
        if self.p["contention"] != "serial":
            return True
        under_way = [y for y in self.transfers if y.state in ("latency", "flowing")]
        return not any(set(self.c.route(x.src, x.dst).channels) & set(self.c.route(y.src, y.dst).channels) for y in under_way)

    def start_transfer(self, x):
        self.free_out[x.src] -= 1
        self.free_in[x.dst] -= 1
        self.m.transfer_starts(x)
        x.start = self.now
        x.state = "latency" if self.c.route(x.src, x.dst).latency > 0 else "flowing"
        x.until = self.now + self.c.route(x.src, x.dst).latency
        x.left = self.num(self.c.bytes_of(x.tensor))

    def stuck(self):
        waiting = [self.c.ops[e.op]["name"] for e in self.entries if e.state == "waiting"]
        return "at %g s nothing can go on; waiting: %s" % (float(self.now), ", ".join(waiting))

    # -- energy -------------------------------------------------------------------------------------------------------

    def charge(self, kernels, share, step):
        """Power of the devices over one step, above idle."""
        for d, device in enumerate(self.p["devices"]):
            mine = [(e, s) for e, s in zip(kernels, share) if e.device == d]
            if not mine:
                continue
            self.busy[d] += step
            idle = self.num(device["power"]["idle"])
            most = max(e.point["power"] for e, _ in mine)
            if self.c.power_by_use(d):
                use = max(sum(s * e.compute_use for e, s in mine), sum(s * e.port for e, s in mine))
                self.energy[d] += (self.num(device["power"]["peak"]) - idle) * min(1, use) * most * step
            else:
                self.energy[d] += (self.num(device["power"].get("busy", idle)) - idle) * most * step

    def makespan(self):
        return max([e.end for e in self.entries] + [x.end for x in self.transfers] + [self.num(0)])

    def finish_energy(self):
        horizon = max(self.makespan(), self.num(self.c.graph.get("period", 0)))
        for d, device in enumerate(self.p["devices"]):
            used = any(e.device == d for e in self.entries)
            counts = used or self.p["count_idle"] == "all" or self.c.is_host_device(d)
            self.energy[d] += horizon * self.num(device["power"]["idle"] if counts else device["power"].get("off", 0))
        for e in self.entries:
            self.energy[e.device] += e.dynamic
        self.total_energy = sum(self.energy) + self.link_energy
