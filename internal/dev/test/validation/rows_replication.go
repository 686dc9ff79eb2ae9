// Rows of replication and of copies: data over a link.

package validation

// lineRate are the ends of what a nominal rate carries.
var lineRate = []float64{full, planning}

const (
	dellAddress = "http://38.142.81.21:8001/manual/dell/storage-solution-resources/" +
		"10-9-8-7-6-5-4-3-2-1-white-papers-english/"
	forklift = "https://github.com/kubev2v/forklift-documentation/blob/"
)

// The source divides 102,400 MB by a decimal rate, so that its GB is 1,024 * 10^6 bytes.
const dellGB = 1024e6

var dell = Source{
	Title:   "PS Series Asynchronous Replication: Best Practices and Sizing Guide (BP1012), Dell EMC",
	Year:    "not on the pages that were read",
	Where:   "pages 16, 18, 19, 21 and 23",
	Address: dellAddress + "page-19.html (and page-16, -18, -21, -23)",
	Rows: []Row{
		dellRow("dell-100gb-oc3", "100 GB, one volume, OC3", 100, 155, 95, Miss{}),
		dellRow("dell-100gb-1g", "100 GB, one volume, 1 Gbit/s", 100, 1000, 16, Miss{}),
		dellRow("dell-100gb-10g", "100 GB, one volume, 10 Gbit/s", 100, 10000, 8, arraysLimit),
		dellRow("dell-300gb-oc3", "300 GB, three volumes, OC3", 300, 155, 280, Miss{}),
		dellRow("dell-300gb-1g", "300 GB, three volumes, 1 Gbit/s", 300, 1000, 44, Miss{}),
		dellRow("dell-300gb-10g", "300 GB, three volumes, 10 Gbit/s", 300, 10000, 16, arraysLimit),
		dellRow("dell-10gb-oc3", "10 GB of changes, OC3, no loss", 10, 155, 11.6, Miss{
			CauseInput,
			"A replication has a fixed cost that is not published (`overhead_seconds`); it counts more for 10 GB than for 100.",
		}),
		{
			ID: "dell-latency-40", Kind: Measured, Rule: Within15,
			What:      "factor by which 40 ms of round trip slow the replication of 10 GB down, OC3",
			Inputs:    "window 65,535 bytes, 144.15 Mbit/s without latency; 144.15 / (65,535 * 8 / 0.04 s)",
			Published: []float64{12}, Unit: "times",
			Predict: carried{mbps: 144.15, rttMs: []float64{40}, windowBytes: 65535, answer: slowdown},
			Hand:    []float64{144.15e6 / (65535 * 8 / 0.04)},
		},
		{
			ID: "dell-latency-100", Kind: Measured, Rule: Within15,
			What:      "the same for 100 ms (the source: over 30)",
			Inputs:    "144.15 / (65,535 * 8 / 0.1 s)",
			Published: []float64{30}, Unit: "times",
			Predict: carried{mbps: 144.15, rttMs: []float64{100}, windowBytes: 65535, answer: slowdown},
			Hand:    []float64{144.15e6 / (65535 * 8 / 0.1)},
		},
		{
			ID: "dell-example-oc3", Kind: Worked, Rule: Exact,
			What: "time to send a volume of 100 GB over OC3", Inputs: "102,400 MB * 8 / (155 Mbit/s * 0.93)",
			Published: []float64{5683}, Unit: "s",
			Predict: copied{bytes: 100 * dellGB, mbps: 155, efficiency: []float64{93}, per: 1},
			Hand:    []float64{102400e6 * 8 / (155e6 * 0.93)},
		},
	},
}

var arraysLimit = Miss{
	CauseInput,
	"At 10 Gbit/s the arrays limit, at a rate that is not published (`source_read_mbps`, `target_write_mbps`).",
}

func dellRow(id, what string, gb, mbps, minutes float64, miss Miss) Row {
	return Row{
		ID: id, Kind: Measured, Rule: Within15, What: "replication of " + what,
		Inputs:    "1 GB = 1,024 MB, " + number(mbps) + " Mbit/s at the 93 % that the source measured with",
		Published: []float64{minutes}, Unit: "min",
		Predict: copied{bytes: gb * dellGB, mbps: mbps, efficiency: []float64{93}, per: minute},
		Hand:    []float64{gb * 1024e6 * 8 / (mbps * 1e6 * 0.93) / 60},
		Miss:    miss,
	}
}

var mtvHosts = Source{
	Title: "Migration Toolkit for Virtualization 2.6, ESXi performance (cold migration from vSphere), Red Hat",
	Year:  "2024", Where: "tables of single and of multiple ESXi hosts",
	Address: forklift + "0951124fe278577f1b106eeeff092850313e2e47/documentation/modules/mtv-esxi-performance.adoc",
	Rows: []Row{
		mtvRow("mtv-10", "10 VMs, one host", 10, 1, mtvHost, 21+39./60, Miss{}),
		mtvRow("mtv-20", "20 VMs, one host", 20, 1, mtvHost, 41+16./60, Miss{}),
		mtvRow("mtv-30", "30 VMs, one host", 30, 1, mtvHost, 60+59./60, Miss{}),
		mtvRow("mtv-40", "40 VMs, one host", 40, 1, mtvHost, 83+2./60, Miss{}),
		mtvRow("mtv-50", "50 VMs, one host", 50, 1, mtvHost, 106+24./60, Miss{}),
		mtvRow("mtv-80", "80 VMs, one host", 80, 1, mtvHost, 162+49./60, Miss{}),
		mtvRow("mtv-100", "100 VMs, one host", 100, 1, mtvHost, 205+15./60, Miss{}),
		mtvRow("mtv-100-4hosts", "100 VMs, four hosts, one datastore", 100, 4, mtvHost, mtvFour, Miss{
			CauseInput,
			"Beside others a host reads less than alone, 181 MiB/s by this line; that is not published " +
				"(`source_read_mbps`). The line supplies it for five hosts.",
		}),
		mtvRow("mtv-100-5hosts", "100 VMs, five hosts, one datastore", 100, 5, mtvHostOfFour, 64+57./60, Miss{}),
	},
}

// What a host reads, in MiB/s: alone, as the source publishes, and as one of four, by the time that they took.
const (
	mtvHost       = 294.
	mtvFour       = 82 + 27./60
	mtvHostOfFour = 100 * 35 * 1024 / (4 * mtvFour * 60)
)

func mtvRow(id, what string, vms, hosts, mibps, minutes float64, miss Miss) Row {
	inputs := "35 GiB used of 50 GiB each; a host reads 294 MiB/s at most (same documentation), 2,466 Mbit/s; " +
		"adapters of 10 Gbit/s"
	if mibps != mtvHost {
		inputs = "35 GiB used of 50 GiB each; a host reads 181 MiB/s, as with four hosts; adapters of 10 Gbit/s"
	}
	return Row{
		ID: id, Kind: Measured, Rule: Within15, What: "cold migration of " + what,
		Inputs:    inputs,
		Published: []float64{minutes}, Unit: "min",
		Predict: copied{
			vms: vms, bytes: 35 * gib, mbps: hosts * 10000, readMbps: hosts * mibps * mibpsToMbps, per: minute,
		},
		Hand: []float64{vms * 35 * 1024 / (hosts * mibps) / 60},
		Miss: miss,
	}
}

var mtvNetworks = Source{
	Title: "Migration Toolkit for Virtualization 2.6, performance using different migration networks, Red Hat",
	Year:  "not on the page", Where: "the table",
	Address: forklift + "23f553c95c86c08db9f5d5907460c0ceeab2771e/documentation/modules/" +
		"ref_mtv-different-migration-networks-performance.adoc",
	Rows: []Row{
		mtvRow("mtv-10-management", "10 VMs, one host, management network", 10, 1, mtvHost, 21.5, Miss{}),
		mtvRow("mtv-10-private", "10 VMs, one host, private network", 10, 1, mtvHost, 21+20./60, Miss{}),
		mtvRow("mtv-10-default", "10 VMs, one host, default network", 10, 1, mtvHost, 21.5, Miss{}),
	},
}

var mtvAdvice = Source{
	Title: "Migration Toolkit for Virtualization, performance recommendations, Red Hat",
	Year:  "2024 and 2025", Where: "sections on concurrent VMs and on multiple hosts",
	Address: forklift +
		"06159c41b13a6f8fb8e5a81c99041606880feea9/documentation/modules/mtv-performance-recommendation.adoc",
	Rows: []Row{
		{
			ID: "mtv-1", Kind: Measured, Rule: Within15, What: "cold migration of one VM",
			Inputs:    "35 GiB used at 100 MiB/s; 35 * 1,024 / 100 s",
			Published: []float64{6}, Unit: "min",
			Predict: copied{bytes: 35 * gib, mbps: 100 * mibpsToMbps, per: minute},
			Hand:    []float64{35 * 1024 / 100. / 60},
		},
		{
			ID: "mtv-80-8hosts", Kind: Measured, Rule: Within15, What: "cold migration of 80 VMs from eight hosts",
			Inputs:    "35 GiB used each at 1,173 MiB/s together; 80 * 35 * 1,024 / 1,173 s",
			Published: []float64{41}, Unit: "min",
			Predict: copied{vms: 80, bytes: 35 * gib, mbps: 1173 * mibpsToMbps, per: minute},
			Hand:    []float64{80 * 35 * 1024 / 1173. / 60},
		},
	},
}

var vrDocs = Source{
	Title: "vSphere Replication 6.0 documentation, Calculate Bandwidth for vSphere Replication, VMware",
	Year:  "2015", Where: "example at the end of the page",
	Address: "https://docs.vmware.com/en/vSphere-Replication/6.0/com.vmware.vsphere.replication-admin.doc/" +
		"GUID-4A34D0C9-8CC1-46C4-96FF-3BF7583D3C4F.html",
	Rows: []Row{
		vrRow("vr-t1", "T1, 1.544 Mbit/s", 1.544, 200),
		vrRow("vr-10m", "10 Mbit/s", 10, 30),
		vrRow("vr-100m", "100 Mbit/s", 100, 3),
	},
}

func vrRow(id, what string, mbps, hours float64) Row {
	return Row{
		ID: id, Kind: Worked, Rule: Between, What: "replication of 100 GB of changes over " + what,
		Inputs:    "100 * 10^9 bytes * 8 / " + number(mbps) + " Mbit/s, and 70 % of it",
		Published: []float64{hours}, Unit: "h",
		Predict: copied{bytes: 100e9, mbps: mbps, efficiency: lineRate, per: hour},
		Hand:    []float64{800e9 / (mbps * 1e6) / 3600, 800e9 / (mbps * 0.7e6) / 3600},
	}
}

var homeLab = Source{
	Title: "vSphere Replication 6.0, part 2: network design options, vxpertise.net",
	Year:  "2015", Where: "options 1 and 2, esxtop",
	Address: "http://vxpertise.net/tag/replication/",
	Rows: []Row{{
		ID: "vxpertise-routed", Kind: Measured, Rule: Within15,
		What:      "replication throughput when the path crosses one adapter twice",
		Inputs:    "901 Mbit/s when it crosses it once; half of it",
		Published: []float64{440}, Unit: "Mbit/s",
		Predict: carried{mbps: 901, share: 50, answer: mbpsOf(1)},
		Hand:    []float64{901 / 2.},
	}},
}
