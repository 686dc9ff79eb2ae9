"""Compares the speed of one simulation: bench.py FILE, with the output of the Go benchmarks."""

import re
import sys
import time

from schedule import simulate

# The scenario of BenchmarkPlanningOneSimulation: 400 VMs of 50 GiB, 5 % a day, an RPO of 5 minutes, 1,000 Mbit/s.
SCENARIO = {
    "throughput_mbps": 1000, "days": 1, "jitter_percent": 0,
    "groups": {"a": {"vm_count": 400, "vm_size_gib": 50, "daily_change_percent": 5, "rpo_minutes": 5}},
}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        found = re.search(r"^BenchmarkPlanningOneSimulation\S*\s+\d+\s+(\d+) ns/op", file.read(), re.MULTILINE)
    if not found:
        sys.exit("the file has no BenchmarkPlanningOneSimulation")
    go = int(found.group(1)) / 1e9
    start = time.process_time()
    simulate(SCENARIO)
    python = time.process_time() - start
    print(f"one simulation of 400 VMs for a day: {python:.2f} s with SimPy, {go * 1000:.1f} ms with vsla, "
          f"{python / go:.0f} times faster")


if __name__ == "__main__":
    main()
