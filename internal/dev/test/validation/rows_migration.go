// Rows of live migration: memory over a link, while it is written.

package validation

import (
	"math"

	"terraform-provider-vsla/internal/plan/migration"
)

var vmotion = Source{
	Title: "What is vMotion?, cloudpathshalacom.wordpress.com", Year: "not on the page", Where: "list of facts",
	Address: "https://cloudpathshalacom.wordpress.com/page/2/",
	Rows: []Row{{
		ID: "vmotion-64gb", Kind: Measured, Rule: Between, What: "vMotion of 64 GB of memory over 10 GbE",
		Inputs:    "64 * 2^30 bytes * 8 / 10,000 Mbit/s, and 70 % of it",
		Published: []float64{57}, Unit: "s",
		Predict: moved{bytes: 64 * gib, mbps: []float64{10000, 7000}, answer: durationOf},
		Hand:    []float64{64 * 1073741824 * 8 / 10e9, 64 * 1073741824 * 8 / 7e9},
	}},
}

var holman = Source{
	Title: "Hyper-V, Live Migration, and the upgrade to 10 gigabit Ethernet, Kevin Holman, TechNet blogs",
	Year:  "2013", Where: "summary",
	Address: "https://blogs.technet.microsoft.com/kevinholman/2013/07/01/" +
		"hyper-v-live-migration-and-the-upgrade-to-10-gigabit-ethernet/",
	Rows: []Row{
		holmanRow("holman-1g", "1 GbE", 1000, 13*60+15),
		holmanRow("holman-10g", "10 GbE", 10000, 65),
	},
}

func holmanRow(id, what string, mbps, seconds float64) Row {
	return Row{
		ID: id, Kind: Measured, Rule: Between, What: "live migration of 18 VMs with 80 GB of memory together, " + what,
		Inputs:    "80 * 10^9 bytes * 8 / " + number(mbps) + " Mbit/s, and 70 % of it",
		Published: []float64{seconds}, Unit: "s",
		Predict: evacuated{vms: 18, bytes: 80e9 / 18, mbps: []float64{mbps, mbps * 0.7}, per: 1},
		Hand:    []float64{640e9 / (mbps * 1e6), 640e9 / (mbps * 0.7e6)},
	}
}

// finnSetup is what the first row misses; it supplies the fixed cost of a migration for the others. A plan pays it once
// for each wave of finnWave VMs, vCenter's limit for a host.
const (
	finnSetup = 7 - 512*1048576/119509089.
	finnWave  = 8
)

var besidePeak = Miss{CauseInput, "The rate is the highest that was seen; the mean is not published."}

var finn = Source{
	Title: "Windows Server 2012 Hyper-V Concurrent Live Migration & NIC Teaming Speed Comparisons, Aidan Finn",
	Year:  "2012", Where: "1 GbE and 1 * 10 GbE", Address: "http://www.aidanfinn.com/?p=12228",
	Rows: []Row{
		finnRow("finn-1g-1", "one VM, 1 GbE", 1, 119509089, 0, 7, Miss{
			CauseInput,
			"A migration has a fixed cost that is not published (`setup_seconds`), 2.51 s by this line. It supplies it for " +
				"the lines below.",
		}),
		finnRow("finn-1g-10", "10 VMs, 1 GbE", 10, 121625798, finnSetup, 40, Miss{}),
		finnRow("finn-1g-20", "20 VMs, 1 GbE", 20, 122842926, finnSetup, 80, Miss{}),
		finnRow("finn-10g-1", "one VM, 10 GbE", 1, 338530495, finnSetup, 5, besidePeak),
		finnRow("finn-10g-10", "10 VMs, 10 GbE", 10, 1761871871, finnSetup, 13, besidePeak),
	},
}

func finnRow(id, what string, vms int, bytesPerSecond, setup, seconds float64, miss Miss) Row {
	inputs := "512 * 2^20 bytes each at the highest rate that was seen, " + number(bytesPerSecond) + " bytes/s"
	if setup > 0 {
		inputs += "; 2.51 s for a migration, as with one VM over 1 GbE; waves of 8"
	}
	return Row{
		ID: id, Kind: Measured, Rule: AtMost, What: "live migration of " + what + ", 512 MB each",
		Inputs:    inputs,
		Published: []float64{seconds}, Unit: "s",
		Predict: evacuated{
			vms: vms, bytes: 512 * mib, mbps: []float64{bytesPerSecond * 8 / 1e6}, setup: setup, per: 1,
		},
		Hand: []float64{float64(vms)*512*1048576/bytesPerSecond + math.Ceil(float64(vms)/finnWave)*setup},
		Miss: miss,
	}
}

const qemu = "https://github.com/qemu/qemu/blob/"

var rdma = Source{
	Title: "RDMA Live Migration Specification, QEMU, Michael R. Hines", Year: "2013", Where: "section Performance",
	Address: qemu + "0a516707219ad69adcff14636b493b691eea7fd5/docs/rdma.txt",
	Rows: []Row{
		qemuRow("qemu-rdma-dynamic", "8 GB, idle, all in use, pages registered one by one", 8, 9500, 7.5, Miss{}),
		qemuRow("qemu-rdma-pinned", "8 GB, idle, all in use, all memory pinned", 8, 26000, 4, Miss{
			CauseInput,
			"Pinning all memory before the copy takes time that is not published (`setup_seconds`).",
		}),
	},
}

var qatzip = Source{
	Title: "QATzip Compression, QEMU", Year: "not in the document", Where: "table, row without compression",
	Address: qemu + "85da4cbe6e5eb6ba6f31c8b30ee4582625546da7/docs/devel/migration/qatzip-compression.rst",
	Rows: []Row{
		qemuRow("qemu-multifd", "64 GB of which 54 are filled, idle, 10 Gbit/s", 54, 10848, 46.063, Miss{}),
	},
}

func qemuRow(id, what string, gb, mbps, seconds float64, miss Miss) Row {
	return Row{
		ID: id, Kind: Measured, Rule: Within15, What: "live migration of " + what,
		Inputs:    number(gb) + " * 2^30 bytes * 8 / " + number(mbps) + " Mbit/s, as measured",
		Published: []float64{seconds}, Unit: "s",
		Predict: moved{bytes: gb * gib, mbps: []float64{mbps}, answer: durationOf},
		Hand:    []float64{gb * 1073741824 * 8 / (mbps * 1e6)},
		Miss:    miss,
	}
}

var cloudHypervisor = Source{
	Title: "cloud-hypervisor, pull request 7799", Year: "2026", Where: "log in the description, first line",
	Address: "https://github.com/cloud-hypervisor/cloud-hypervisor/pull/7799",
	Rows: []Row{{
		ID: "ch-first-pass", Kind: Measured, Rule: Within15, What: "first pass over memory",
		Inputs:    "6,144 MiB at 1,986.83 MiB/s (16,667 Mbit/s)",
		Published: []float64{3.09}, Unit: "s",
		Predict: moved{bytes: 6144 * mib, mbps: []float64{1986.83 * mibpsToMbps}, answer: firstPass},
		Hand:    []float64{6144 / 1986.83},
	}},
}

func firstPass(r migration.VMotionResult) (float64, error) { return r.Rounds[0].Seconds, nil }

// What KubeVirt's test publishes: the first pass, the data and the time in all, from which follow the rate and the
// memory; how fast the guest writes; and the goal of the stop.
const (
	kubeSeconds = 112.4
	kubeMiB     = 11862
	kubeMbps    = kubeMiB * mibpsToMbps / kubeSeconds
	kubePass    = 67.4
	kubeDirty   = 650
	kubeGoalMs  = 300
)

var dirtyVaries = Miss{
	CauseModel,
	"The dirty rate varies much, by the source, with quiet moments: the rounds end in one of them. vsla counts " +
		"with a constant rate and, without a working set, with pages that are never written twice.",
}

var kubevirt = Source{
	Title: "KubeVirt, enhancement 291 (dynamic downtime tuning)", Year: "2026",
	Where:   "comment of 13 April 2026, column without tuning, means of 10 migrations",
	Address: "https://github.com/kubevirt/enhancements/pull/249",
	Rows: []Row{
		kubeRow("kubevirt-duration", "duration", "s", kubeSeconds, durationOf, kubePrecopy()+kubeStop(), dirtyVaries),
		kubeRow(
			"kubevirt-stop",
			"stop of the guest",
			"s",
			0.451,
			stopOf,
			kubeStop(),
			Miss{
				CauseInput,
				"The guest stopped for longer than its goal of 300 ms; the part that does not depend on memory is " +
					"not published (`resume_seconds`).",
			},
		),
		kubeRow("kubevirt-sent", "data sent", "GiB", kubeMiB/1024., sentOf,
			(kubePrecopy()+kubeStop())*kubeMbps*1e6/8/1073741824, dirtyVaries),
	},
}

func kubeRow(
	id, what, unit string, published float64, answer func(migration.VMotionResult) (float64, error), hand float64,
	miss Miss,
) Row {
	return Row{
		ID: id, Kind: Measured, Rule: Within15, What: "live migration over 1 Gbit/s of a guest that writes: " + what,
		Inputs: "11,862 MiB in 112.4 s are 885 Mbit/s; a first pass of 67.4 s is 6.95 GiB of memory; written at " +
			"650 Mbit/s; goal 300 ms",
		Published: []float64{published}, Unit: unit,
		Predict: moved{
			bytes: kubePass * kubeMbps * 1e6 / 8, mbps: []float64{kubeMbps}, dirtyMbps: kubeDirty, goalMs: kubeGoalMs,
			answer: answer,
		},
		Hand: []float64{hand},
		Miss: miss,
	}
}

// kubePrecopy is the geometric series: each pass is 650/885 of the one before, until one takes 0.3 s at most.
func kubePrecopy() float64 {
	q := kubeDirty / kubeMbps
	return kubePass * (1 - math.Pow(q, kubePasses())) / (1 - q)
}

func kubePasses() float64 {
	return math.Ceil(math.Log(kubeGoalMs/1000./kubePass) / math.Log(kubeDirty/kubeMbps))
}

func kubeStop() float64 { return kubePass * math.Pow(kubeDirty/kubeMbps, kubePasses()) }
