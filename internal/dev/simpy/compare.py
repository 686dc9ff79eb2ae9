"""Compares vsla's schedule with the SimPy program on random scenarios: compare.py VSLA [COUNT [FIRST]]."""

import json
import math
import random
import subprocess
import sys

from schedule import simulate

FIGURES = (
    "compliance_percent", "within_rpo_percent", "all_within_rpo_percent", "violations", "violation_minutes", "alarms",
    "worst_recovery_point_minutes", "p95_sync_seconds", "transferred_gib", "recovered_after_minutes",
    "in_sync_after_minutes", "days_simulated", "converged", "deadline_met", "verdict",
)
# Compared figures of one promise and of a whole plan.
PROMISED = ("compliance_percent", "within_rpo_percent", "violations", "alarms", "worst_recovery_point_minutes",
            "p95_sync_seconds")
PLANNED = ("days_simulated", "groups")
# Relative tolerance, because the two programs round differently.
TOLERANCE = 1e-9
# Relative changes of the rates, smaller than the rounding errors of both programs. If such a change affects vsla's
# result, a difference is accepted as long as each compliance is within MARGIN times that effect.
RATES = ("throughput_mbps", "hourly_throughput_mbps", "source_read_mbps", "target_write_mbps", "write_mbps")
CHANGES = (1e-13, -1e-13, 3e-13, -3e-13, 1e-12, -1e-12, 1e-11, -1e-11)
MARGIN = 2


def scenario(seed):
    """Returns a random scenario: every input occurs, with loads of 20 % to 130 % of the link."""
    r = random.Random(seed)
    groups, demand = {}, 0.0
    for name in r.sample(["gold", "silver", "bronze", "tin"], r.randint(1, 3)):
        g = {
            "vm_count": r.randint(1, 6), "vm_size_gib": round(r.uniform(1, 300), 3),
            "rpo_minutes": r.choice([15, 30, 45, 60, 120, 240, 480]),
        }
        daily = r.uniform(0.5, 20)
        if r.random() < 0.35:
            day = g["vm_size_gib"] * daily / 100
            hour = day * r.uniform(1 / 24, 0.6)
            g["change_curve"] = {"60": round(hour, 6), "1440": round(max(hour, day), 6)}
            demand += g["vm_count"] * g["change_curve"]["60"] * 24
        else:
            g["daily_change_percent"] = round(daily, 4)
            demand += g["vm_count"] * g["vm_size_gib"] * daily / 100
        shape = r.random()
        if shape < 0.3:
            g["peak_factor"] = r.choice([1, 1.5, 2, 4, 10])
            if r.random() < 0.5:
                g["peak_start_hour"] = r.choice([0, 3.5, 22])
        elif shape < 0.6:
            g["hourly_weights"] = [r.choice([0, 1, 1, 2, 5]) for _ in range(23)] + [1]
        if r.random() < 0.3:
            g["compression_ratio"] = round(r.uniform(1, 3), 3)
        if r.random() < 0.3:
            g["overhead_seconds"] = round(r.uniform(1, 60), 2)
        if r.random() < 0.2:
            g["quiesce_seconds"] = r.choice([2, 15])
        if r.random() < 0.5:
            g["seeded_percent"] = round(r.uniform(0, 100), 2)
        groups[name] = g
    mean = demand * 2**33 / 86400 / 1e6 / r.uniform(0.2, 1.3)
    s = {"groups": groups}
    if r.random() < 0.3:
        profile = [r.choice([0, 0.5, 1, 1, 2]) for _ in range(23)] + [1]
        s["hourly_throughput_mbps"] = [round(mean * p * 24 / sum(profile), 6) for p in profile]
    else:
        s["throughput_mbps"] = round(mean, 6)
    if r.random() < 0.25:
        s["max_concurrent_syncs"] = r.randint(1, 4)
    if r.random() < 0.25:
        s["per_sync_mbps"] = round(mean * r.uniform(0.2, 1.2), 6)
    if r.random() < 0.25:
        s["efficiency_percent"] = round(r.uniform(50, 100), 2)
    if r.random() < 0.25:
        s["start_in_sync"] = False
        if r.random() < 0.5:
            s["deadline_hours"] = r.choice([1, 6, 30])
        if r.random() < 0.6:
            s["checksum_mbps"] = round(mean * r.uniform(1, 20), 3)
    if r.random() < 0.25:
        s["outage_minutes"] = r.choice([20, 60, 150.5])
        s["outage_start_hours"] = r.choice([3, 7.25, 12])
    if r.random() < 0.5:
        s["jitter_percent"] = r.choice([0, 1, 50, 100])
    if r.random() < 0.2:
        s["source_read_mbps"] = round(mean * r.uniform(0.5, 2), 6)
    if r.random() < 0.2:
        s["target_write_mbps"] = round(mean * r.uniform(1, 4), 6)
    for g in groups.values():
        if r.random() < 0.3:
            size, count = g.pop("vm_size_gib"), g.pop("vm_count")
            g["vm_sizes_gib"] = [round(size * r.uniform(0.2, 2), 3) for _ in range(count)]
    s["runs"] = 1
    if r.random() < 0.6:
        s["days"] = r.choice([2, 3, 9])
    return s


def plan(seed):
    """Returns a random plan: several links and targets, tiers of single VMs, fan-in and both directions of a line."""
    r = random.Random(f"plan {seed}")
    links, demand = r.sample(["north", "south", "east"], r.randint(1, 3)), {}
    targets = r.sample(["depot", "cellar"], r.randint(0, 2))
    tiers = {}
    for name in r.sample(["gold", "silver", "bronze", "tin"], r.randint(len(links), 4)):
        t = {"rpo_minutes": r.choice([15, 30, 60, 240]), "daily_change_percent": round(r.uniform(0.5, 20), 4),
             "link": links[len(tiers) % len(links)]}
        if r.random() < 0.6:
            t["virtual_machines"] = {f"vm-{i}": {"size_gib": round(r.uniform(1, 300), 3)} for i in range(r.randint(1, 5))}
            for v in t["virtual_machines"].values():
                if r.random() < 0.3:
                    v["daily_change_percent"] = round(r.uniform(0.5, 20), 4)
        else:
            t.update(vm_count=r.randint(1, 5), vm_size_gib=round(r.uniform(1, 300), 3))
        if targets and r.random() < 0.7:
            t["target"] = r.choice(targets)
        if r.random() < 0.3:
            t["compression_ratio"] = round(r.uniform(1, 3), 3)
        if r.random() < 0.3:
            t["overhead_seconds"] = round(r.uniform(1, 60), 2)
        if r.random() < 0.3:
            t["peak_factor"] = r.choice([1.5, 2, 4])
        sizes = t.get("virtual_machines") or {str(i): {"size_gib": t["vm_size_gib"]} for i in range(t["vm_count"])}
        gib = sum(v["size_gib"] * v.get("daily_change_percent", t["daily_change_percent"]) / 100 for v in sizes.values())
        demand[t["link"]] = demand.get(t["link"], 0.0) + gib * 2**33 / 86400 / 1e6
        if r.random() < 0.2:
            t["per_sync_mbps"] = round(demand[t["link"]] * r.uniform(1, 4), 6)
        tiers[name] = t
    mean = sum(demand.values())
    s = {"links": {n: {"throughput_mbps": round(demand[n] / r.uniform(0.2, 1.1), 6)} for n in links}, "tiers": tiers,
         "targets": {n: {"write_mbps": round(mean * r.uniform(0.5, 4), 6), "write_factor": r.choice([1, 2])} for n in targets
                     if any(t.get("target") == n for t in tiers.values())},
         "runs": 1, "days": r.choice([2, 3, 9]), "jitter_percent": r.choice([0, 10, 50])}
    return s


def differences(ours, theirs, prefix=""):
    """Yields the name and the relative difference of each figure that differs."""
    for name in FIGURES:
        if name not in ours:
            continue
        a, b = ours[name], theirs[name]
        if a is None or b is None or isinstance(a, (bool, str)):
            if a != b:
                yield prefix + name, math.inf
        elif abs(a - b) > TOLERANCE * max(1.0, abs(a), abs(b)):
            yield prefix + name, abs(a - b) / max(1.0, abs(a), abs(b))
    for name in ours.get("groups", {}):
        if "promises" in theirs:
            yield from differences({n: v for n, v in ours["groups"][name].items() if n in PROMISED},
                                   theirs["promises"][name], f"{name}.")
        else:
            yield from differences(ours["groups"][name], theirs["groups"][name], f"{name}.")


def vsla(program, given):
    done = subprocess.run(
        [program, "estimate", "plan" if "tiers" in given else "schedule", "--json", "-"], input=json.dumps(given), capture_output=True, text=True,
        check=False,
    )
    if done.returncode not in (0, 3):
        sys.exit(f"{done.stderr}\n{json.dumps(given)}")
    return json.loads(done.stdout)


def moved(program, given, theirs):
    """Returns the relative change of each vsla figure for minimal changes of the rates."""
    moves = {}
    for change in CHANGES:
        other = json.loads(json.dumps(given))
        places = [other, *other.get("links", {}).values(), *other.get("targets", {}).values()]
        for place, name in ((place, name) for place in places for name in RATES if name in place):
            rate = place[name]
            place[name] = [v * (1 + change) for v in rate] if isinstance(rate, list) else rate * (1 + change)
        for name, by in differences(own(vsla(program, other)), theirs):
            moves[name] = max(moves.get(name, 0.0), by)
    return moves


def own(answer):
    """Returns a result of vsla in the format of the second program."""
    return dict(answer, groups=answer["promises"]) if "promises" in answer else answer


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    equal, chaotic, worst = 0, 0, 0.0
    for seed in range(first, first + count):
        given = plan(seed) if seed % 2 else scenario(seed)
        theirs, ours = vsla(program, given), simulate(given)
        if "tiers" in given:
            ours = {name: ours[name] for name in PLANNED}
        found = dict(differences(ours, theirs))
        if not found:
            equal += 1
            continue
        moves = moved(program, given, theirs)
        rounding = bool(moves) and all(
            by <= MARGIN * moves.get(name, 0.0) for name, by in found.items() if name.endswith("compliance_percent"))
        chaotic += rounding
        worst = max(worst, found.get("compliance_percent", 0.0))
        name = max(found, key=found.get)
        print(f"scenario {seed}: {len(found)} figures differ, most {name} by {found[name]:.3g} of it; compliance by "
              f"{100 * found.get('compliance_percent', 0):.2g} %, and by {100 * moves.get('compliance_percent', 0):.2g} % "
              f"in vsla when the rates change in the 12th to 14th digit{'' if rounding else ': NOT EXPLAINED'}")
    print(f"{equal} of {count} scenarios are equal, and {chaotic} differ by no more than {MARGIN} times what rounding moves "
          f"in vsla itself; compliance differs by {100 * worst:.2g} % at most")
    if equal + chaotic < count:
        sys.exit("the others differ by a rule")


if __name__ == "__main__":
    main()
