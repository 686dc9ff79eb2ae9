"""A second implementation of vsla_replication_schedule, and of the simulation of vsla_sla_plan, with SimPy.

It was written from the page of the data source (templates/data-sources/replication_schedule.md.tmpl), not from the Go
code. Where the Go program has one event loop in virtual time, this one has a process for each VM, and pipes that
record the remaining bits of each transfer.
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
    """A resource that its users share equally, with at most `most` bit/s each."""

    def __init__(self, env, rate, most=math.inf):
        self.env, self.rate, self.most = env, rate, most
        self.left = {}  # remaining bits, by the event of each user
        self.since = env.now
        self.sent = 0.0
        self.alarm = 0  # number of the latest alarm; earlier ones are void

    def share(self):
        return min(self.most, self.rate / len(self.left)) if self.left else 0.0

    def settle(self):
        share, took = self.share(), self.env.now - self.since
        for user in self.left:
            self.left[user] -= share * took
        self.sent += share * took * len(self.left)
        self.since = self.env.now

    def transfer(self, bits):
        """Returns an event that is triggered when this many bits have been transferred."""
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


class Network(Pipe):
    """Links, targets and a source. Each transfer uses a share of some of them. All rates are raised together until one
    resource is full, and the rates of its transfers then stay there."""

    def __init__(self, env, rates):
        super().__init__(env, 0.0)
        self.rates, self.uses = rates, {}

    def transfer(self, bits, uses=(), most=math.inf):
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
            stopped = [u for u in rising if self.uses[u][1] <= level * (1 + 1e-12) or any(n in full for n, _ in self.uses[u][0])]
            for user in stopped:
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


def estate(given):
    """A schedule or a plan as links, targets and tiers of single VMs, in bit/s."""
    def link(of, outage_minutes=None, outage_start=12, limit=None):
        hourly = of.get("hourly_throughput_mbps") or [of["throughput_mbps"]] * 24
        start = outage_start * 3600.0
        return {
            "hourly": [v * 1e6 * (of.get("efficiency_percent", 100) / 100) for v in hourly], "limit": limit,
            "outage": (start, start + outage_minutes * 60.0) if outage_minutes else None,
        }

    def tier(of, link, target, per_sync):
        alike = {"size": of.get("vm_size_gib"), "daily": of.get("daily_change_percent"), "seeded": of.get("seeded_percent", 0)}
        if of.get("virtual_machines"):
            vms = [{"size": v["size_gib"], "daily": v.get("daily_change_percent", alike["daily"]),
                    "seeded": v.get("seeded_percent", alike["seeded"])} for _, v in sorted(of["virtual_machines"].items())]
        elif of.get("vm_sizes_gib"):
            vms = [dict(alike, size=size) for size in of["vm_sizes_gib"]]
        else:
            vms = [alike] * of["vm_count"]
        return dict(of, link=link, target=target, vms=vms, per_sync=per_sync * 1e6 if per_sync else math.inf)

    write = lambda of: (of["write_mbps"] * 1e6, of.get("write_factor", 2)) if of.get("write_mbps") else None
    if "tiers" in given:
        limit, source, cold = given.get("max_concurrent_syncs"), None, False
        links = {n: link(l, l.get("outage_minutes"), l.get("outage_start_hours", 12), limit) for n, l in given["links"].items()}
        targets = {n: write(t) for n, t in given.get("targets", {}).items()}
        tiers = {n: tier(t, t.get("link") or next(iter(links)), t.get("target"), t.get("per_sync_mbps"))
                 for n, t in given["tiers"].items()}
    else:
        links = {"": link(given, given.get("outage_minutes"), given.get("outage_start_hours", 12),
                          given.get("max_concurrent_syncs"))}
        targets = {"": write({"write_mbps": given.get("target_write_mbps"), "write_factor": given.get("target_write_factor", 2)})}
        source, cold = given.get("source_read_mbps"), not given.get("start_in_sync", True)
        tiers = {n: tier(g, "", "", given.get("per_sync_mbps")) for n, g in given["groups"].items()}
    return {"links": links, "targets": targets, "tiers": tiers, "source": source * 1e6 if source else None, "cold": cold}


class Group:
    def __init__(self, name, given, scenario):
        self.name, self.count, self.given_vms = name, len(given["vms"]), given["vms"]
        self.link, self.target, self.per_sync = given["link"], given["target"], given["per_sync"]
        self.promised = given.get("target_compliance_percent", scenario.get("target_compliance_percent"))
        self.rpo = given["rpo_minutes"] * 60.0
        self.curve = sorted((float(m), g) for m, g in (given.get("change_curve") or {}).items())
        self.weights = given.get("hourly_weights") or [1] * 24
        self.compression = given.get("compression_ratio", 1)
        self.overhead = given.get("overhead_seconds", 0) + given.get("quiesce_seconds", 0)
        self.peak = given.get("peak_factor")
        self.peak_start = given.get("peak_start_hour", 8) * 60.0
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

    def on_curve(self, minutes):
        m, g = self.curve[0]
        if minutes <= m or len(self.curve) == 1 or self.curve[-1][1] == 0:
            return g * minutes / m
        right = next((i for i, (x, _) in enumerate(self.curve) if x >= minutes), len(self.curve) - 1)
        (x0, y0), (x1, y1) = self.curve[right - 1], self.curve[right]
        return math.exp(math.log(y0) + math.log(y1 / y0) * math.log(minutes / x0) / math.log(x1 / x0))


class VM:
    def __init__(self, number, group, index, run):
        self.number, self.group = number, group
        given = group.given_vms[index]
        self.size, self.daily, self.seeded = given["size"], given["daily"], given["seeded"] / 100
        self.numbers = Numbers(f"{run}/{group.name}/{index}")
        self.index = index
        self.point = None  # start of the sync that created the newest recovery point
        self.history = deque(maxlen=15)
        self.late_since = None
        self.stretches, self.durations = [], []
        self.days = []  # highest age of each day, and the age at its end
        self.oldest, self.today, self.sent = 0.0, 0.0, 0.0
        self.landed = None  # when the initial sync arrived
        self.sending = None  # bits and event of the current transfer

    def bits(self, minutes):
        """Returns the changes in weighted minutes, as bits on the wire."""
        if minutes <= 0:
            return 0.0
        if not self.group.curve:
            gib = self.size * self.daily / 100 * minutes / 1440
        else:
            gib = min(self.size, self.group.on_curve(minutes))
        return gib * GIB / self.group.compression

    def spacing(self, rate):
        """Returns s such that s + 1.2 (overhead + T(s)) = RPO, by bisection."""
        low, high = 0.0, self.group.rpo
        for _ in range(200):
            middle = (low + high) / 2
            if middle + 1.2 * (self.group.overhead + self.bits(middle / 60) / rate) <= self.group.rpo:
                low = middle
            else:
                high = middle
        return low

    def moved(self):
        return self.numbers.next() * self.group.jitter if self.group.jitter else 0.0

    def lands(self, now, begun):
        """Handles the arrival of a recovery point whose sync began at `begun`."""
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
        """Handles the end of a day."""
        self.ages(now)
        self.days.append((self.today, now - self.point if self.point is not None else now))
        self.today = 0.0


class Simulation:
    def __init__(self, scenario, run=1):
        self.scenario, self.estate = scenario, estate(scenario)
        self.links, self.targets = self.estate["links"], self.estate["targets"]
        self.groups = [Group(n, g, scenario) for n, g in sorted(self.estate["tiers"].items())]
        largest = max(g.rpo for g in self.groups) / 60
        self.least = max(1, math.ceil(4 * largest / 1440), math.ceil(scenario.get("deadline_hours", 0) / 24))
        self.days = self.end = None
        self.warm = not self.estate["cold"]
        self.env = simpy.Environment()
        self.link = Network(self.env, self.rates(0.0))
        checksum = scenario.get("checksum_mbps")
        self.seeds = Pipe(self.env, checksum * 1e6) if checksum else None
        self.slots = {n: simpy.PriorityResource(self.env, l["limit"]) if l["limit"] else None for n, l in self.links.items()}
        self.vms = []
        for group in sorted(self.groups, key=lambda g: g.rpo):
            for index in range(group.count):
                self.vms.append(VM(len(self.vms), group, index, run))

    def rates(self, t):
        rates = {("target", n): w[0] for n, w in self.targets.items() if w}
        rates["source"] = self.estate["source"] or math.inf
        for name, link in self.links.items():
            out = link["outage"] and link["outage"][0] <= t < link["outage"][1]
            rates["link", name] = 0.0 if out else link["hourly"][int(t // 3600) % 24]
        return rates

    def uses(self, group):
        """Returns how much of each link, target and source a transfer uses per bit on the wire."""
        uses = [(("link", group.link), 1.0)]
        if self.targets.get(group.target):
            uses.append((("target", group.target), self.targets[group.target][1] * group.compression))
        if self.estate["source"]:
            uses.append(("source", group.compression))
        return uses

    def best(self, group):
        """Returns the rate of a transfer without competition in the best hour."""
        best = min(group.per_sync, max(self.links[group.link]["hourly"]))
        if self.targets.get(group.target):
            rate, factor = self.targets[group.target]
            best = min(best, rate / (factor * group.compression))
        return min(best, (self.estate["source"] or math.inf) / group.compression)

    def run(self):
        self.env.process(self.clock())
        for vm in self.vms:
            self.env.process(self.replicate(vm))
        day, lengths = 0, self.lengths()
        for self.days in lengths:
            self.end = self.days * 86400.0
            while day < self.days:
                day += 1
                # Slightly longer, so that transfers that end at the last moment count.
                self.env.run(until=math.nextafter(day * 86400.0, math.inf))
                for vm in self.vms:
                    vm.midnight(day * 86400.0)
            if self.agrees():
                return self.summary(True)
        return self.summary(False)

    def lengths(self):
        """Returns the numbers of days after which the run ends if its halves agree. It always ends after the last."""
        if self.scenario.get("days"):
            return [self.scenario["days"]]
        a_day = sum(g.count * 86400 / g.rpo for g in self.groups)
        few = [d for d in (31, 16, 8) if d >= self.least and a_day * d <= 500000]
        if few:
            return few[:1]
        fits = [d for d in (8, 16, 31) if d >= self.least and a_day * d <= 1e7]
        return fits or [next((d for d in (8, 4, 2) if d >= self.least and a_day * d <= 1e7), self.least)]

    def agrees(self):
        """Returns whether the two halves of the run so far agree."""
        used = {}
        for vm in self.vms:
            for name, weight in self.uses(vm.group):
                used[name] = used.get(name, 0.0) + weight * vm.bits(vm.group.rpo / 60) / vm.group.rpo
        means = self.rates(0.0)
        means.update({("link", n): sum(l["hourly"]) / 24 for n, l in self.links.items()})
        if self.days < 8 or any(rate > means[name] for name, rate in used.items()):
            return False
        first, half = self.days % 2, self.days - self.days // 2
        over = [0.0]
        if not self.warm:
            over.append(self.in_sync())
        for name, link in self.links.items():
            if link["outage"]:
                recovered = self.recovered(name)
                over.append(None if recovered is None else link["outage"][1] / 60 + recovered)
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
        """Returns the compliance of the days from first to last, in percent. Violations count in full."""
        if first == last:
            return 100.0
        a, b = first * 86400.0, last * 86400.0
        late = sum(max(0.0, min(y, b) - max(x, a)) for vm in vms for x, y in self.late(vm))
        return 100 * (1 - late / ((b - a) * len(vms)))

    def late(self, vm):
        """Returns the violations of a VM that last more than a second."""
        open_now = [(vm.late_since, self.end)] if vm.late_since is not None else []
        return [(a, b) for a, b in vm.stretches + open_now if b - a > 1.0]

    def clock(self):
        times = {3600.0 * h for h in range(1, 31 * 24)}
        for link in self.links.values():
            times |= set(link["outage"] or ())
        for t in sorted(times):
            yield self.env.timeout(t - self.env.now)
            self.link.set_rates(self.rates(t))

    def replicate(self, vm):
        group, env = vm.group, self.env
        slots, best = self.slots[group.link], self.best(group)
        first = vm.moved()
        if self.warm:
            first += group.rpo * vm.index / group.count
            spacing = vm.spacing(best)
            vm.point = first - spacing
            vm.history.append(group.overhead + vm.bits(spacing / 60) / best)
        else:
            vm.late_since = 0.0
        request = None
        yield env.timeout(first)
        while True:
            if slots:
                deadline = group.rpo + (vm.point if vm.point is not None else 0.0)
                before, request = request, slots.request(priority=(deadline, vm.number))
                if before is not None:  # due at once: it competes for a slot, then the old slot is released
                    slots.release(before)
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
                if slots:
                    slots.release(request)
                    request = None
                yield env.timeout(following - env.now)

    def sync(self, vm, begun, initial):
        group = vm.group
        if initial:
            bits = vm.size * (1 - vm.seeded) * GIB / group.compression
            parts = [self.link.transfer(bits, self.uses(group), group.per_sync)]
            if self.seeds and vm.seeded > 0:
                parts.append(self.seeds.transfer(vm.size * vm.seeded * GIB))
            vm.sending = (bits, parts[0])
            yield self.env.all_of(parts)
        else:
            bits = vm.bits(group.minutes(begun) - group.minutes(vm.point))
            if group.overhead:
                yield self.env.timeout(group.overhead)
            event = self.link.transfer(bits, self.uses(group), group.per_sync)
            vm.sending = (bits, event)
            yield event
        vm.sent += bits
        vm.sending = None

    def figures(self, vms, converged):
        durations = sorted(d for vm in vms for d in vm.durations)
        counted = [stretch for vm in vms for stretch in self.late(vm)]
        alarms = sum(b - a >= 60 for a, b in counted)
        compliance, within = self.compliance(vms, 0, self.days), min(self.within(vm) for vm in vms)
        meets, misses = (self.promised(vms), self.promised(vms)) if self.promised(vms) else (99.9, 99)
        verdict = "misses" if within < misses else "at_risk"
        if within >= meets and converged and len(self.vms) >= 500:  # a single run is not enough
            verdict = "meets"
        return {
            "compliance_percent": compliance,
            "within_rpo_percent": within,
            "all_within_rpo_percent": 100 * (1 - sum(b - a for a, b in union(counted)) / self.end),
            "violations": len(counted),
            "alarms": alarms,
            "violation_minutes": sum(b - a for a, b in counted) / 60,
            "worst_recovery_point_minutes": max(vm.oldest for vm in vms) / 60,
            "p95_sync_seconds": durations[math.ceil(0.95 * len(durations)) - 1] if durations else None,
            "transferred_gib": sum(self.sent(vm) for vm in vms) / GIB,
            "verdict": verdict,
        }

    def promised(self, vms):
        return vms[0].group.promised

    def within(self, vm):
        """Returns the share of time that a VM is within its RPO, for the run or its second half, after a cold start."""
        after = 0.0
        if not self.warm and self.in_sync() is not None:
            after = self.in_sync() * 60
        shares = []
        for start in (0.0, (self.days - self.days // 2) * 86400.0):
            start = max(start, after)
            late = sum(max(0.0, b - max(a, start)) for a, b in self.late(vm))
            if start < self.end:
                shares.append(100 * (1 - late / (self.end - start)))
        return min(shares)

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
        recovered = self.recovered("") if "" in self.links else None
        result.update(days_simulated=self.days, converged=converged, recovered_after_minutes=recovered,
                      in_sync_after_minutes=self.in_sync(), deadline_met=None)
        if self.scenario.get("deadline_hours"):
            after = result["in_sync_after_minutes"]
            result["deadline_met"] = after is not None and after <= self.scenario["deadline_hours"] * 60
            if not result["deadline_met"]:
                result["verdict"] = "misses"
        return result

    def recovered(self, name):
        outage = self.links[name]["outage"]
        vms = [vm for vm in self.vms if vm.group.link == name]
        return self.first_outside(outage[1], outage[1], vms) if outage else None

    def in_sync(self):
        if self.warm or any(vm.landed is None for vm in self.vms):
            return None
        return self.first_outside(max(vm.landed for vm in self.vms), 0.0, self.vms)

    def first_outside(self, t, origin, vms):
        for a, b in union([stretch for vm in vms for stretch in self.late(vm)]):
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
