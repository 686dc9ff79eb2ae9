"""A second implementation of the simulation of vsla_sla_plan, with SimPy.

Where the Go program has one event loop in virtual time, this one has a process for each VM, and a network that records
the remaining bits of each transfer.
"""

import math

import simpy

GIB = 8 * 2**30  # bit
MASK = 2**64 - 1
DAY = 86400.0
WARM_UP, MEASURED, TOGETHER = 2, 7, 3  # days
ROUNDING = 1e-6  # s


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


class Network:
    """Links, targets and a source. Each transfer uses a share of some of them. All rates are raised together until one
    resource is full, and the rates of its transfers then stay there."""

    def __init__(self, env, rates):
        self.env, self.rates = env, rates
        self.left, self.uses = {}, {}  # remaining bits, and resources with weights and a limit, by event
        self.since, self.alarm = env.now, 0  # earlier alarms are void

    def transfer(self, bits, uses, most):
        """Returns an event that is triggered when this many bits have been transferred."""
        self.settle()
        done = self.env.event()
        self.left[done], self.uses[done] = bits, (uses, most)
        self.plan()
        return done

    def shares(self):
        """Returns the rate of each transfer."""
        rates, left, level, rising = {}, dict(self.rates), 0.0, list(self.left)
        while rising:
            wanted = {}
            for user in rising:
                for name, weight in self.uses[user][0]:
                    wanted[name] = wanted.get(name, 0.0) + weight
            room = [max(0.0, left[name]) / w for name, w in wanted.items()]
            step = min(room + [self.uses[user][1] - level for user in rising])
            level += step
            for name, w in wanted.items():
                left[name] -= step * w
            full = {name for name in wanted if left[name] <= 1e-9 * self.rates[name]}
            for user in rising:
                if self.uses[user][1] <= level * (1 + 1e-12) or any(n in full for n, _ in self.uses[user][0]):
                    rates[user] = level
            rising = [user for user in rising if user not in rates]
        return rates

    def settle(self):
        took = self.env.now - self.since
        if took > 0:
            for user, rate in self.shares().items():
                self.left[user] -= rate * took
        self.since = self.env.now

    def set_rates(self, rates):
        self.settle()
        self.rates = rates
        self.plan()

    def plan(self):
        self.alarm += 1
        ends = [(max(0.0, self.left[u]) / rate, i, u) for i, (u, rate) in enumerate(self.shares().items()) if rate > 0]
        if ends:
            after, _, first = min(ends, key=lambda end: end[:2])
            self.env.process(self.ring(self.alarm, first, after))

    def ring(self, number, first, after):
        yield self.env.timeout(after)
        if number != self.alarm:
            return
        self.settle()
        del self.left[first]
        first.succeed()
        self.plan()


class Tier:
    def __init__(self, name, given, plan):
        self.name = name
        self.promised, self.configured = given["rpo_minutes"] * 60.0, given["configured_rpo_minutes"] * 60.0
        self.jitter = plan.get("jitter_percent", 10) / 100 * self.configured
        self.link = given.get("link") or next(iter(plan["links"]))
        self.target = given.get("target")
        self.most = given["per_sync_mbps"] * 1e6 if given.get("per_sync_mbps") else math.inf
        self.overhead = given.get("overhead_seconds", 0) + given.get("quiesce_seconds", 0)
        self.compression = given.get("compression_ratio", 1)
        self.peak, self.peak_start = given.get("peak_factor"), given.get("peak_start_hour", 8) * 60.0
        self.weights = given.get("hourly_weights") or [1] * 24
        mean = sum(self.weights) / 24
        self.passed = [0.0]  # weighted minutes by the start of each hour
        for weight in self.weights:
            self.passed.append(self.passed[-1] + 60 * weight / mean)
        daily = given["daily_change_percent"]
        if "virtual_machines" in given:
            vms = [(v["size_gib"], v.get("daily_change_percent", daily)) for _, v in sorted(given["virtual_machines"].items())]
        else:
            vms = [(given["vm_size_gib"], daily)] * given["vm_count"]
        self.per_minute = [size * percent / 100 * GIB / self.compression / 1440 for size, percent in vms]

    def minutes(self, t):
        """The weighted minutes from a fixed moment to t."""
        if self.peak:
            day, rest = divmod(t / 60 - self.peak_start, 1440)
            return day * 1440 + min(1440.0, rest * self.peak)
        day, rest = divmod(t, DAY)
        hour = min(int(rest // 3600), 23)
        part = (rest - hour * 3600) / 3600
        return day * 1440 + self.passed[hour] + part * (self.passed[hour + 1] - self.passed[hour])


class VM:
    def __init__(self, tier, number, index, run):
        self.tier, self.number, self.per_minute = tier, number, tier.per_minute[index]
        self.numbers = Numbers(f"{run}/{tier.name}/{index}")
        self.late = self.total = self.oldest = self.last = 0.0
        self.due = self.point = 0.0

    def count(self, now):
        """Counts the greatest possible age of the recovery point that the current sync replaces."""
        age = max(self.tier.configured, self.last) + now - self.due
        since = age - self.last
        self.total += since
        self.oldest = max(self.oldest, age)
        if age - self.tier.promised > ROUNDING:
            self.late += min(age - self.tier.promised, since)


class Simulation:
    def __init__(self, plan, run, together=False):
        self.plan, self.together = plan, together
        self.tiers = [Tier(name, given, plan) for name, given in sorted(plan["tiers"].items())]
        self.env = simpy.Environment()
        self.days = TOGETHER if together else WARM_UP + MEASURED
        self.count_from = self.busiest_hour() * 3600.0 if together else WARM_UP * DAY
        self.network = Network(self.env, self.rates(0))
        limit = plan.get("max_concurrent_syncs")
        self.slots = {n: simpy.PriorityResource(self.env, limit) if limit else None for n in plan["links"]}
        self.vms = []
        for tier in self.tiers:
            for index in range(len(tier.per_minute)):
                self.vms.append(VM(tier, len(self.vms), index, run))

    def busiest_hour(self):
        busiest, most = 0, 0.0
        for hour in range(24):
            of = sum(sum(t.per_minute) * (t.minutes((hour + 1) * 3600.0) - t.minutes(hour * 3600.0)) for t in self.tiers)
            if of > most * (1 + ROUNDING):
                busiest, most = hour, of
        return busiest

    def rates(self, hour):
        rates = {("target", n): t["write_mbps"] * 1e6 for n, t in self.plan.get("targets", {}).items() if t.get("write_mbps")}
        if self.plan.get("source_read_mbps"):
            rates["source"] = self.plan["source_read_mbps"] * 1e6
        for name, link in self.plan["links"].items():
            hourly = link.get("hourly_throughput_mbps") or [link["throughput_mbps"]] * 24
            rates["link", name] = hourly[hour % 24] * 1e6 * link.get("efficiency_percent", 100) / 100
        return rates

    def uses(self, tier):
        """Returns how much of each link, target and source a transfer uses per bit on the wire."""
        uses = [(("link", tier.link), 1.0)]
        target = self.plan.get("targets", {}).get(tier.target, {})
        if target.get("write_mbps"):
            uses.append((("target", tier.target), target.get("write_factor", 2) * tier.compression))
        if self.plan.get("source_read_mbps"):
            uses.append(("source", tier.compression))
        return uses

    def run(self):
        self.env.process(self.clock())
        for vm in self.vms:
            self.env.process(self.replicate(vm))
        end = self.days * DAY
        self.env.run(until=math.nextafter(end, math.inf))
        for vm in self.vms:
            if vm.due < end:
                vm.count(end)
        return self

    def clock(self):
        for hour in range(1, self.days * 24):
            yield self.env.timeout(3600.0)
            self.network.set_rates(self.rates(hour))

    def replicate(self, vm):
        tier, env, slots = vm.tier, self.env, self.slots[vm.tier.link]
        vm.due = self.count_from if self.together else tier.configured * vm.numbers.next()
        vm.point = vm.due - tier.configured
        mark, request = tier.minutes(vm.point), None
        yield env.timeout(vm.due)
        while True:
            if slots:
                before, request = request, slots.request(priority=(vm.point + tier.promised, vm.number))
                if before is not None:  # due at once: it competes for a slot, then the old slot is released
                    slots.release(before)
                yield request
            begun = env.now
            bits = vm.per_minute * (tier.minutes(begun) - mark)
            mark = tier.minutes(begun)
            if tier.overhead:
                yield env.timeout(tier.overhead)
            yield self.network.transfer(bits, self.uses(tier), tier.most)
            if env.now > self.count_from:
                vm.count(env.now)
            vm.point, vm.last = begun, env.now - begun
            vm.due = max(env.now, begun + tier.configured - tier.jitter * vm.numbers.next())
            if vm.due > env.now:
                if slots:
                    slots.release(request)
                    request = None
                yield env.timeout(vm.due - env.now)


def simulate(plan):
    """Returns figures of each tier as vsla_sla_plan returns them for up to 50 VMs."""
    runs = [Simulation(plan, run).run() for run in range(1, 21)]
    together = Simulation(plan, 1, together=True).run()
    figures = {}
    for tier in runs[0].tiers:
        ours = [[vm for vm in of.vms if vm.tier.name == tier.name] for of in [*runs, together]]
        shares = [sum(1 - vm.late / vm.total for vm in vms) / 20 * 100 for vms in zip(*ours[:-1])]
        figures[tier.name] = {
            "within_rpo_percent": min(shares),
            "oldest_recovery_point_minutes": max(vm.oldest for vms in ours[:-1] for vm in vms) / 60,
            "together_oldest_recovery_point_minutes": max(vm.oldest for vm in ours[-1]) / 60,
        }
    return figures
