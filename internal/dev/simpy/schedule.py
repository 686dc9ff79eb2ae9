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
        self.overhead = given.get("overhead_seconds", 0) + given.get("quiesce_seconds", 0)
        self.peak = given.get("peak_factor")
        self.peak_start = given.get("peak_start_hour", 8) * 60.0
        self.seeded = given.get("seeded_percent", 0) / 100
        self.jitter = scenario.get("jitter_percent", 10) / 100 * self.rpo
        mean = sum(self.weights) / 24
        self.passed = [0.0]  # weighted minutes by the start of each hour
        for weight in self.weights:
            self.passed.append(self.passed[-1] + 60 * weight / mean)

    def minutes(self, t):
        """The weighted minutes from a fixed moment to t."""
        if self.peak:
            day, rest = divmod(t / 60 - self.peak_start, 1440)
            return day * 1440 + min(1440.0, rest * self.peak)
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
        self.days = []  # oldest age of each day, and age at its end
        self.oldest, self.today, self.sent = 0.0, 0.0, 0.0
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
        age = now - self.point if self.point is not None else now
        self.oldest, self.today = max(self.oldest, age), max(self.today, age)
        if self.late_since is None and now > self.point + self.group.rpo:
            self.late_since = self.point + self.group.rpo

    def midnight(self, now):
        """A day ends."""
        self.ages(now)
        self.days.append((self.today, now - self.point if self.point is not None else now))
        self.today = 0.0


class Simulation:
    def __init__(self, scenario, run=1):
        self.scenario = scenario
        self.groups = [Group(n, g, scenario) for n, g in sorted(scenario["groups"].items())]
        largest = max(g.rpo for g in self.groups) / 60
        self.least = max(1, math.ceil(4 * largest / 1440), math.ceil(scenario.get("deadline_hours", 0) / 24))
        self.days = self.end = None
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
        day, lengths = 0, self.lengths()
        for self.days in lengths:
            self.end = self.days * 86400.0
            while day < self.days:
                day += 1
                # An instant more, so that transfers that end in the last moment count.
                self.env.run(until=math.nextafter(day * 86400.0, math.inf))
                for vm in self.vms:
                    vm.midnight(day * 86400.0)
            if self.agrees():
                return self.summary(True)
        return self.summary(False)

    def lengths(self):
        """The numbers of days after each of which the run ends if its halves agree; it ends after the last one."""
        if self.scenario.get("days"):
            return [self.scenario["days"]]
        a_day = sum(g.count * 86400 / g.rpo for g in self.groups)
        fits = [d for d in (8, 16, 31) if d >= self.least and a_day * d <= 1e7]
        return fits or [next((d for d in (8, 4, 2) if d >= self.least and a_day * d <= 1e7), self.least)]

    def agrees(self):
        """Whether the halves of the run until now agree."""
        change = sum(g.count * g.bits(g.rpo / 60) / g.rpo for g in self.groups)
        if self.days < 8 or change > sum(self.hourly) / 24 * 1e6 * self.efficiency:
            return False
        first, half = self.days % 2, self.days - self.days // 2
        over = [0.0]
        if not self.warm:
            over.append(self.in_sync())
        if self.outage:
            recovered = self.recovered()
            over.append(None if recovered is None else self.outage[1] / 60 + recovered)
        if None in over:
            return False
        first = max(first, math.ceil(max(over) / 1440))
        return first < half and all(self.same(g, first, half) for g in self.groups)

    def same(self, group, first, half):
        vms = [vm for vm in self.vms if vm.group is group]
        late = [100 - self.compliance(vms, a, b) for a, b in ((first, half), (half, self.days))]
        if abs(late[0] - late[1]) > max(0.1, max(late) / 10):
            return False
        tolerated = max(60.0, group.rpo / 10)
        oldest = [max(vm.days[d][0] for vm in vms for d in range(a, b)) for a, b in ((first, half), (half, self.days))]
        ages = [sum(vm.days[d][1] for vm in vms for d in range(a, b)) / len(vms) / (b - a)
                for a, b in ((first, half), (half, self.days))]
        return all(of[1] <= max(of[0] + tolerated, group.rpo) for of in (oldest, ages))

    def compliance(self, vms, first, last):
        """In the days from first to last, in percent; stretches count by their whole length."""
        if first == last:
            return 100.0
        a, b = first * 86400.0, last * 86400.0
        late = sum(max(0.0, min(y, b) - max(x, a)) for vm in vms for x, y in self.late(vm))
        return 100 * (1 - late / ((b - a) * len(vms)))

    def late(self, vm):
        """The stretches of a VM that count."""
        open_now = [(vm.late_since, self.end)] if vm.late_since is not None else []
        return [(a, b) for a, b in vm.stretches + open_now if b - a > 1.0]

    def clock(self):
        times = {3600.0 * h for h in range(1, 31 * 24)}
        times |= set(self.outage or ())
        for t in sorted(times):
            yield self.env.timeout(t - self.env.now)
            self.link.set_rate(self.rate(t))

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

    def figures(self, vms, converged):
        durations = sorted(d for vm in vms for d in vm.durations)
        counted = [stretch for vm in vms for stretch in self.late(vm)]
        alarms = sum(b - a >= 60 for a, b in counted)
        compliance, half = self.compliance(vms, 0, self.days), self.days - self.days // 2
        verdict = "misses"
        if min(compliance, self.compliance(vms, half, self.days)) >= self.scenario.get("target_compliance_percent", 99):
            verdict = "meets" if alarms == 0 and converged else "at_risk"
        return {
            "compliance_percent": compliance,
            "all_within_rpo_percent": 100 * (1 - sum(b - a for a, b in union(counted)) / self.end),
            "violations": len(counted),
            "alarms": alarms,
            "violation_minutes": sum(b - a for a, b in counted) / 60,
            "worst_recovery_point_minutes": max(vm.oldest for vm in vms) / 60,
            "p95_sync_seconds": durations[math.ceil(0.95 * len(durations)) - 1] if durations else None,
            "transferred_gib": sum(self.sent(vm) for vm in vms) / GIB,
            "verdict": verdict,
        }

    def sent(self, vm):
        if not vm.sending:
            return vm.sent
        bits, event = vm.sending
        return vm.sent + bits - max(0.0, self.link.left.get(event, 0.0))

    def summary(self, converged):
        self.link.settle()
        result = self.figures(self.vms, converged)
        result["groups"] = {
            g.name: self.figures([vm for vm in self.vms if vm.group is g], converged) for g in self.groups
        }
        order = ["meets", "at_risk", "misses"]
        verdicts = [result["verdict"]] + [g["verdict"] for g in result["groups"].values()]
        result["verdict"] = max(verdicts, key=order.index)
        result.update(days_simulated=self.days, converged=converged, recovered_after_minutes=self.recovered(),
                      in_sync_after_minutes=self.in_sync(), deadline_met=None)
        if self.scenario.get("deadline_hours"):
            after = result["in_sync_after_minutes"]
            result["deadline_met"] = after is not None and after <= self.scenario["deadline_hours"] * 60
            if not result["deadline_met"]:
                result["verdict"] = "misses"
        return result

    def recovered(self):
        return self.first_outside(self.outage[1], self.outage[1]) if self.outage else None

    def in_sync(self):
        if self.warm or any(vm.landed is None for vm in self.vms):
            return None
        return self.first_outside(max(vm.landed for vm in self.vms), 0.0)

    def first_outside(self, t, origin):
        for a, b in union([stretch for vm in self.vms for stretch in self.late(vm)]):
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
