// Rows of replicas that are built over a network.

package validation

import "fmt"

// replicas are the sources of this subject.
var replicas = []Source{longhorn, longhornFast, vmkfstools, hostCopy}

var longhorn = Source{
	Title: "Longhorn, issue 2053",
	Year:  "2020",
	Where: "description: one volume over gigabit Ethernet, and scp between the " +
		"same nodes",
	Address: "https://github.com/longhorn/longhorn/issues/2053",
	Rows: []Row{
		rebuildRow("longhorn-1g", "a replica of 15 GB", 15e9, 1000, 6*60, verified),
		rebuildRow("longhorn-1g-scp", "15 GB with scp", 15e9, 1000, 2*60+45, Miss{}),
	},
}

var longhornFast = Source{
	Title: "Longhorn, issue 1948", Year: "2021", Where: "comment of 4 March 2021: one volume over 10 Gbit/s",
	Address: "https://github.com/longhorn/longhorn/issues/1948",
	Rows: []Row{
		rebuildRow("longhorn-10g", "a replica of 38.8 GiB", 38.8*gib, 10000, 648, verified),
	},
}

var verified = Miss{
	CauseInput,
	"Longhorn compares checksums while it copies; how fast it does is not published (`checksum_mbps`).",
}

func rebuildRow(id, what string, bytes, mbps, seconds float64, miss Miss) Row {
	return Row{
		ID: id, Kind: Measured, Rule: Between, What: "copy of " + what,
		Inputs:    number(mbps) + " Mbit/s, and 70 % of it",
		Published: []float64{seconds}, Unit: "s",
		Predict: copied{bytes: bytes, mbps: mbps, efficiency: lineRate, per: 1},
		Hand:    []float64{bytes * 8 / (mbps * 1e6), bytes * 8 / (mbps * 0.7e6)},
		Miss:    miss,
	}
}

var vmkfstools = Source{
	Title: "ESXi migration benchmarks, cipeople", Year: "2026",
	Where: "benchmark-results.html, the matrix of 16 copies of one VM disk from a host to NFS (async): 19 GiB allocated " +
		"of 32. The lines with NFS sync are not rows: their times and rates contradict each other",
	Address: "https://github.com/cipeople/esx-migration/blob/fcda92b7890301a8a1eca2a4be47f694d05a750f/" +
		"benchmark-results.html",
	Rows: []Row{
		diskRow("hdd", "hdd", 1, 1500, 236, slowDisks),
		diskRow("hdd", "hdd", 1, 9000, 227, Miss{}),
		diskRow("hdd", "nvme", 1, 1500, 234, slowDisks),
		diskRow("hdd", "nvme", 1, 9000, 226, Miss{}),
		diskRow("hdd", "hdd", 25, 1500, 176, slowDisks),
		diskRow("hdd", "hdd", 25, 9000, 169, slowDisks),
		diskRow("hdd", "nvme", 25, 1500, 158, slowDisks),
		diskRow("hdd", "nvme", 25, 9000, 152, slowDisks),
		diskRow("ssd", "hdd", 1, 1500, 198, Miss{}),
		diskRow("ssd", "hdd", 1, 9000, 189, Miss{}),
		diskRow("ssd", "nvme", 1, 1500, 197, Miss{}),
		diskRow("ssd", "nvme", 1, 9000, 188, Miss{}),
		diskRow("ssd", "hdd", 25, 1500, 125, slowDisks),
		diskRow("ssd", "hdd", 25, 9000, 123, slowDisks),
		diskRow("ssd", "nvme", 25, 1500, 68, slowDisks),
		diskRow("ssd", "nvme", 25, 9000, 67, slowDisks),
	},
}

var slowDisks = Miss{
	CauseInput,
	"The disks limit; what they read and write apart from these copies is not published (`source_read_mbps`).",
}

func diskRow(from, to string, gbps, mtu, seconds float64, miss Miss) Row {
	return rebuildRow(
		fmt.Sprintf("vmkfstools-%s-%s-%gg-%g", from, to, gbps, mtu),
		fmt.Sprintf("a VM disk of 19 GiB from %s to %s, MTU %s", from, to, number(mtu)),
		19*gib, gbps*1000, seconds, miss,
	)
}

var hostCopy = Source{
	Title: "Karim Elatov, why scp and dd from an ESX(i) host are not good performance tools", Year: "2012",
	Where:   "scp of 1,000 MiB between two hosts, and netperf between VMs on them",
	Address: "https://elatov.github.io/2012/04/why-scp-and-dd-from-an-esxi-host-are-not-good-performance-tools/",
	Rows: []Row{
		{
			ID: "esxi-scp", Kind: Measured, Rule: Within15, What: "copy of 1,000 MiB with scp between hosts",
			Inputs:    "939.59 Mbit/s by netperf",
			Published: []float64{41}, Unit: "s",
			Predict: copied{bytes: 1000 * mib, mbps: 939.59, per: 1},
			Hand:    []float64{1000 * mib * 8 / 939.59e6},
			Miss: Miss{
				CauseInput,
				"A host holds back what its own shell starts, by the source; to which rate is not published.",
			},
		},
	},
}
