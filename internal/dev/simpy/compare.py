"""Compares vsla_sla_plan with the SimPy program on random plans: compare.py VSLA [COUNT [FIRST]]."""

import json
import random
import subprocess
import sys

from syncs import simulate

# Relative tolerance. The two programs round differently, and the difference grows from sync to sync on a busy link.
TOLERANCE = 1e-6


def drawn(seed):
    """Returns a random plan to which the closed form does not apply, with loads of 20% to 110% of the links."""
    r = random.Random(seed)
    links, demand, tiers = r.sample(["north", "south"], r.randint(1, 2)), {}, {}
    targets = ["depot"] if r.random() < 0.4 else []
    for name in r.sample(["gold", "silver", "bronze"], r.randint(max(2, len(links)), 3)):
        promised = r.choice([60, 120, 240])
        t = {"rpo_minutes": promised, "configured_rpo_minutes": round(promised * r.choice([0.5, 0.75, 1])),
             "daily_change_percent": round(r.uniform(0.5, 20), 4), "link": links[len(tiers) % len(links)]}
        if r.random() < 0.6:
            t["virtual_machines"] = {f"vm-{i}": {"size_gib": round(r.uniform(1, 300), 3)} for i in range(r.randint(1, 4))}
        else:
            t.update(vm_count=r.randint(1, 4), vm_size_gib=round(r.uniform(1, 300), 3))
        shape = r.random()
        if shape < 0.3:
            t["hourly_weights"] = [r.choice([0, 1, 1, 2, 5]) for _ in range(23)] + [1]
        else:
            t["peak_factor"] = r.choice([1, 1.5, 2, 4])
        if targets and r.random() < 0.7:
            t["target"] = targets[0]
        if r.random() < 0.3:
            t["compression_ratio"] = round(r.uniform(1, 3), 3)
        if r.random() < 0.3:
            t["overhead_seconds"] = round(r.uniform(1, 60), 2)
        sizes = t.get("virtual_machines") or {str(i): {"size_gib": t["vm_size_gib"]} for i in range(t["vm_count"])}
        gib = sum(v["size_gib"] for v in sizes.values()) * t["daily_change_percent"] / 100
        demand[t["link"]] = demand.get(t["link"], 0.0) + gib * 2**33 / 86400 / 1e6
        if r.random() < 0.2:
            t["per_sync_mbps"] = round(demand[t["link"]] * r.uniform(1, 4), 6)
        tiers[name] = t
    plan = {"links": {}, "tiers": tiers, "jitter_percent": r.choice([0, 10, 50])}
    for name in links:
        mean = demand[name] / r.uniform(0.2, 1.1)
        if r.random() < 0.3:
            profile = [r.choice([0.5, 1, 1, 2]) for _ in range(24)]
            plan["links"][name] = {"hourly_throughput_mbps": [round(mean * p * 24 / sum(profile), 6) for p in profile]}
        else:
            plan["links"][name] = {"throughput_mbps": round(mean, 6)}
        plan["links"][name]["throughput_basis"] = "transfer"
    if any("target" in t for t in tiers.values()):
        plan["targets"] = {"depot": {"write_mbps": round(sum(demand.values()) * r.uniform(2, 8), 6)}}
    if r.random() < 0.25:
        plan["max_concurrent_syncs"] = r.randint(1, 4)
    if r.random() < 0.2:
        plan["source_read_mbps"] = round(sum(demand.values()) * r.uniform(1, 4), 6)
    return plan


def alone(plan):
    """Reports whether a part of the plan has only one tier, which the closed form can decide."""
    if "targets" in plan or "source_read_mbps" in plan:
        return False
    links = [t["link"] for t in plan["tiers"].values()]
    return any(links.count(name) == 1 for name in links)


def vsla(program, plan):
    done = subprocess.run([program, "estimate", "plan", "--json", "-"], input=json.dumps(plan), capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{done.stderr}\n{json.dumps(plan)}")
    return json.loads(done.stdout)["promises"]


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    compared, figures, failed = 0, 0, 0
    while compared < count:
        plan = drawn(seed)
        seed += 1
        if alone(plan):
            continue
        compared += 1
        theirs = vsla(program, plan)
        for tier, of in simulate(plan).items():
            for name, ours in of.items():
                figures += 1
                if abs(ours - theirs[tier][name]) > TOLERANCE * max(1.0, abs(ours)):
                    failed += 1
                    print(f"plan {seed - 1}: {tier}.{name} is {theirs[tier][name]} by vsla, and {ours} by SimPy")
    print(f"{compared} plans with {figures} figures, of which {figures - failed} are equal")
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
