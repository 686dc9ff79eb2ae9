"""A second implementation of vsla_replication_schedule, with SimPy.

It was written from the page of the data source (templates/data-sources/replication_schedule.md.tmpl), not from the Go
code. Where the Go program has one event loop in virtual time, this one has a process for each VM, and pipes that keep
what each transfer still has to get.
"""

import math
from collections import deque

import simpy

GIB = 8 * 2**30  # bit
MASK = 2**64 - 1


class Numbers:
    """SplitMix64, seeded with the FNV-1a-64 hash of a name."""

    def __init__(self, name):
        state = 0xCBF29CE484222325
        for byte in name.encode():
            state = (state ^ byte) * 0x100000001B3 & MASK
        self.state = state

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return ((z ^ (z >> 31)) >> 11) / 2**53


class Pipe:
    """What is shared equally by all that use it, each with at most `most` bit/s."""

    def __init__(self, env, rate, most=math.inf):
        self.env, self.rate, self.most = env, rate, most
        self.left = {}  # event of each user: bits that it still has to get
        self.since = env.now
        self.sent = 0.0
        self.alarm = 0  # number of the newest alarm; older ones are void

    def share(self):
        return min(self.most, self.rate / len(self.left)) if self.left else 0.0

    def settle(self):
        share, took = self.share(), self.env.now - self.since
        for user in self.left:
            self.left[user] -= share * took
        self.sent += share * took * len(self.left)
        self.since = self.env.now

    def transfer(self, bits):
        """Returns an event that is triggered when so many bits have been got."""
        self.settle()
        done = self.env.event()
        self.left[done] = bits
        self.plan()
        return done

    def set_rate(self, rate):
        self.settle()
        self.rate = rate
        self.plan()

    def plan(self):
        self.alarm += 1
        if self.share() > 0:
            first = min(self.left, key=self.left.get)
            self.env.process(self.ring(self.alarm, first, max(0.0, self.left[first]) / self.share()))

    def ring(self, number, first, after):
        yield self.env.timeout(after)
        if number != self.alarm:
            return
        self.settle()
        del self.left[first]
        first.succeed()
        self.plan()


class Group:
    def __init__(self, name, given, scenario):
        self.name, self.count = name, given["vm_count"]
        self.rpo = given["rpo_minutes"] * 60.0
        self.size = given["vm_size_gib"]
        self.daily = given.get("daily_change_percent")
        self.curve = sorted((float(m), g) for m, g in (given.get("change_curve") or {}).items())
        self.weights = given.get("hourly_weights") or [1] * 24
        self.compression = given.get("compression_ratio", 1)
        self.overhead = given.get("overhead_seconds", 0)
        self.seeded = given.get("seeded_percent", 0) / 100
        self.jitter = scenario.get("jitter_percent", 0) / 100 * self.rpo
        mean = sum(self.weights) / 24
        self.passed = [0.0]  # weighted minutes by the start of each hour
        for weight in self.weights:
            self.passed.append(self.passed[-1] + 60 * weight / mean)

    def minutes(self, t):
        """The weighted minutes from midnight of the first day to t."""
        day, rest = divmod(t, 86400)
        hour = min(int(rest // 3600), 23)
        part = (rest - hour * 3600) / 3600
        return day * 1440 + self.passed[hour] + part * (self.passed[hour + 1] - self.passed[hour])

    def bits(self, minutes):
        """What changes in weighted minutes, on the wire."""
        if minutes <= 0:
            return 0.0
        if not self.curve:
            gib = self.size * self.daily / 100 * minutes / 1440
        else:
            gib = min(self.size, self.on_curve(minutes))
        return gib * GIB / self.compression

    def on_curve(self, minutes):
        m, g = self.curve[0]
        if minutes <= m or len(self.curve) == 1 or self.curve[-1][1] == 0:
            return g * minutes / m
        right = next((i for i, (x, _) in enumerate(self.curve) if x >= minutes), len(self.curve) - 1)
        (x0, y0), (x1, y1) = self.curve[right - 1], self.curve[right]
        return math.exp(math.log(y0) + math.log(y1 / y0) * math.log(minutes / x0) / math.log(x1 / x0))

    def spacing(self, rate):
        """s with s + 1.2 (overhead + T(s)) = RPO, by bisection."""
        low, high = 0.0, self.rpo
        for _ in range(200):
            middle = (low + high) / 2
            if middle + 1.2 * (self.overhead + self.bits(middle / 60) / rate) <= self.rpo:
                low = middle
            else:
                high = middle
        return low


class VM:
    def __init__(self, number, group, index, run):
        self.number, self.group = number, group
        self.numbers = Numbers(f"{run}/{group.name}/{index}")
        self.index = index
        self.point = None  # start of the sync of the newest recovery point
        self.history = deque(maxlen=15)
        self.late_since = None
        self.stretches, self.durations = [], []
        self.oldest, self.sent = 0.0, 0.0
        self.landed = None  # when the initial sync arrived
        self.sending = None  # bits and event of the transfer that runs

    def moved(self):
        return self.numbers.next() * self.group.jitter if self.group.jitter else 0.0

    def lands(self, now, begun):
        """A recovery point of a sync that began then arrives."""
        self.ages(now)
        self.point = begun
        if self.late_since is not None and now <= begun + self.group.rpo:
            self.stretches.append((self.late_since, now))
            self.late_since = None

    def ages(self, now):
        self.oldest = max(self.oldest, now - (self.point or 0.0) if self.point is not None else now)
        if self.late_since is None and now > self.point + self.group.rpo:
            self.late_since = self.point + self.group.rpo


class Simulation:
    def __init__(self, scenario, run=1):
        self.scenario = scenario
        self.groups = [Group(n, g, scenario) for n, g in sorted(scenario["groups"].items())]
        largest = max(g.rpo for g in self.groups) / 60
        self.days = scenario.get("days") or max(1, math.ceil(4 * largest / 1440))
        self.end = self.days * 86400.0
        self.hourly = scenario.get("hourly_throughput_mbps") or [scenario["throughput_mbps"]] * 24
        self.efficiency = scenario.get("efficiency_percent", 100) / 100
        per_sync = scenario.get("per_sync_mbps")
        per_sync = per_sync * 1e6 if per_sync else math.inf
        self.best = min(per_sync, max(self.hourly) * 1e6 * self.efficiency)
        self.warm = scenario.get("start_in_sync", True)
        self.outage = None
        if scenario.get("outage_minutes"):
            start = scenario.get("outage_start_hours", 12) * 3600.0
            self.outage = (start, start + scenario["outage_minutes"] * 60.0)
        self.env = simpy.Environment()
        self.link = Pipe(self.env, self.rate(0.0), per_sync)
        checksum = scenario.get("checksum_mbps")
        self.seeds = Pipe(self.env, checksum * 1e6) if checksum else None
        limit = scenario.get("max_concurrent_syncs")
        self.slots = simpy.PriorityResource(self.env, limit) if limit else None
        self.vms = []
        for group in sorted(self.groups, key=lambda g: g.rpo):
            for index in range(group.count):
                self.vms.append(VM(len(self.vms), group, index, run))

    def rate(self, t):
        if self.outage and self.outage[0] <= t < self.outage[1]:
            return 0.0
        return self.hourly[int(t // 3600) % 24] * 1e6 * self.efficiency

    def run(self):
        self.env.process(self.clock())
        for vm in self.vms:
            self.env.process(self.replicate(vm))
        # An instant more, so that transfers that end in the last moment count.
        self.env.run(until=math.nextafter(self.end, math.inf))
        for vm in self.vms:
            vm.ages(self.end)
            if vm.late_since is not None:
                vm.stretches.append((vm.late_since, self.end))
            if vm.sending:
                bits, event = vm.sending
                vm.sent += bits - max(0.0, self.link.left.get(event, 0.0))
        return self.summary()

    def clock(self):
        times = {3600.0 * h for h in range(1, int(self.days * 24))}
        times |= {t for t in self.outage or () if t < self.end}
        for t in sorted(times):
            yield self.env.timeout(t - self.env.now)
            self.link.set_rate(self.rate(t))
        yield self.env.timeout(self.end - self.env.now)
        self.link.settle()

    def replicate(self, vm):
        group, env = vm.group, self.env
        first = vm.moved()
        if self.warm:
            first += group.rpo * vm.index / group.count
            spacing = group.spacing(self.best)
            vm.point = first - spacing
            vm.history.append(group.overhead + group.bits(spacing / 60) / self.best)
        else:
            vm.late_since = 0.0
        request = None
        yield env.timeout(first)
        while True:
            if self.slots:
                deadline = group.rpo + (vm.point if vm.point is not None else 0.0)
                before, request = request, self.slots.request(priority=(deadline, vm.number))
                if before is not None:  # due at once: it takes part, and then gives its slot back
                    self.slots.release(before)
                yield request
            begun = env.now
            initial = vm.point is None
            yield from self.sync(vm, begun, initial)
            vm.lands(env.now, begun)
            vm.durations.append(env.now - begun)
            if initial:
                vm.landed = env.now
                following = env.now
            else:
                vm.history.append(env.now - begun)
                mean = sum(vm.history) / len(vm.history)
                following = begun + group.rpo - 1.2 * mean - vm.moved()
            if following > env.now:
                if self.slots:
                    self.slots.release(request)
                    request = None
                yield env.timeout(following - env.now)

    def sync(self, vm, begun, initial):
        group = vm.group
        if initial:
            bits = group.size * (1 - group.seeded) * GIB / group.compression
            parts = [self.link.transfer(bits)]
            if self.seeds and group.seeded > 0:
                parts.append(self.seeds.transfer(group.size * group.seeded * GIB))
            vm.sending = (bits, parts[0])
            yield self.env.all_of(parts)
        else:
            bits = group.bits(group.minutes(begun) - group.minutes(vm.point))
            if group.overhead:
                yield self.env.timeout(group.overhead)
            event = self.link.transfer(bits)
            vm.sending = (bits, event)
            yield event
        vm.sent += bits
        vm.sending = None

    def figures(self, vms):
        durations = sorted(d for vm in vms for d in vm.durations)
        counted = [(a, a + 60.0 * whole) for vm in vms for a, b in vm.stretches if (whole := math.floor((b - a) / 60))]
        late = sum(b - a for a, b in counted)
        return {
            "compliance_percent": 100 * (1 - late / (self.end * len(vms))),
            "all_within_rpo_percent": 100 * (1 - sum(b - a for a, b in union(counted)) / self.end),
            "violations": len(counted),
            "violation_minutes": late / 60,
            "worst_recovery_point_minutes": max(vm.oldest for vm in vms) / 60,
            "p95_sync_seconds": durations[math.ceil(0.95 * len(durations)) - 1] if durations else None,
            "transferred_gib": sum(vm.sent for vm in vms) / GIB,
        }

    def summary(self):
        result = self.figures(self.vms)
        result["days"] = self.days
        result["groups"] = {g.name: self.figures([vm for vm in self.vms if vm.group is g]) for g in self.groups}
        stretches = union([(a, b) for vm in self.vms for a, b in vm.stretches if b - a >= 60])
        result["recovered_after_minutes"] = result["in_sync_after_minutes"] = None
        if self.outage:
            result["recovered_after_minutes"] = self.first_outside(stretches, self.outage[1], self.outage[1])
        if not self.warm and all(vm.landed is not None for vm in self.vms):
            result["in_sync_after_minutes"] = self.first_outside(stretches, max(vm.landed for vm in self.vms), 0.0)
        return result

    def first_outside(self, stretches, t, origin):
        for a, b in stretches:
            if a <= t < b:
                t = b
        return (t - origin) / 60 if t < self.end else None


def union(spans):
    merged = []
    for a, b in sorted(spans):
        if merged and a <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], b))
        else:
            merged.append((a, b))
    return merged


def simulate(scenario):
    """Returns what vsla_replication_schedule returns for one run, without the search for throughputs."""
    return Simulation(scenario).run()
