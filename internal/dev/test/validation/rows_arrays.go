// Rows of the vendors of arrays, backup appliances and clouds: tables of link speeds.

package validation

var hp = Source{
	Title: "HP StoreVirtual 4000 Storage, technical white paper, HP",
	Year:  "not on the page that was read", Where: "page 22, tables 6 and 7",
	Address: "https://www.easymanua.ls/hp/storevirtual-4000/manual/522901?p=22",
	Rows: []Row{
		hpRow("hp-256k", 0.256, 149.1, hour),
		hpRow("hp-768k", 0.768, 49.7, hour),
		hpRow("hp-t1", 1.54, 24.7, hour),
		hpRow("hp-2t1", 3, 12.4, hour),
		hpRow("hp-3t1", 6, 6.2, hour),
		hpRow("hp-10m", 10, 3.8, hour),
		hpRow("hp-t3", 45, 51.2, minute),
		hpRow("hp-100m", 100, 22.9, minute),
		hpRow("hp-oc3", 155, 14.8, minute),
		hpRow("hp-oc12", 622, 3.7, minute),
		hpRow("hp-1g", 1000, 2.3, minute),
		hpRow("hp-10m-seconds", 10, 13743, 1),
	},
}

func hpRow(id string, mbps, published, per float64) Row {
	unit := map[float64]string{1: "s", minute: "min", hour: "h"}[per]
	return Row{
		ID: id, Kind: Worked, Rule: Exact, What: "remote copy of 16 GB at " + number(mbps) + " Mbit/s",
		Inputs:    "1 GB = 2^30 bytes; 16 * 2^30 * 8 / " + number(mbps) + " Mbit/s",
		Published: []float64{published}, Unit: unit,
		Predict: copied{bytes: 16 * gib, mbps: mbps, per: per},
		Hand:    []float64{16 * 1073741824 * 8 / (mbps * 1e6) / per},
	}
}

var dr4100 = Source{
	Title: "DR4100 Best Practice Guide, Dell", Year: "2014", Where: "page 13",
	Address: "https://www.easymanua.ls/dell/dr4100/manual/534157?p=13",
	Rows: []Row{{
		ID: "dr4100-2tb", Kind: Worked, Rule: Exact, What: "replication of 2 TB of which 15 % are left after deduplication",
		Inputs:    "1 TB = 2^40 bytes; 2 * 1,048,576 * 0.15 MB / 10 MB/s, both MB 2^20 bytes (83.9 Mbit/s)",
		Published: []float64{31457}, Unit: "s",
		Predict: copied{bytes: 2 * 1048576 * 0.15 * mib, mbps: 10 * mibpsToMbps, per: 1},
		Hand:    []float64{2 * 1048576 * 0.15 / 10},
	}},
}

var dl4000 = Source{
	Title: "DL4000 User's Guide (AppAssure), Dell", Year: "not on the page that was read",
	Where:   "page 46, table of the largest change rate for WAN connections",
	Address: "https://manualarchiveguide.com/manuals/Dell-DL4000-User-Manual-3016700?page=46",
	Rows: []Row{
		dlRow("dl4000-dsl", "DSL, 768 kbit/s", 0.768, 330, Miss{}),
		dlRow("dl4000-cable", "cable, 1 Mbit/s", 1, 429, Miss{}),
		dlRow("dl4000-t1", "T1, 1.5 Mbit/s", 1.5, 644, Miss{}),
		dlRow("dl4000-fiber", "fiber, 20 Mbit/s", 20, 838e3, Miss{
			CauseSource,
			"The source prints 838 GB where its other rows lead to 8.4 GB: a misprint, a hundred times what 20 Mbit/s carry.",
		}),
	},
}

func dlRow(id, what string, mbps, mbPerHour float64, miss Miss) Row {
	return Row{
		ID: id, Kind: Worked, Rule: Between, What: "largest change in an hour over " + what,
		Inputs:    number(mbps) + " Mbit/s * 3,600 s / 8, and 70 % of it",
		Published: []float64{mbPerHour}, Unit: "MB",
		Predict: carried{mbps: mbps, efficiency: lineRate, answer: mbpsOf(8 / hour)},
		Hand:    []float64{mbps * 3600 / 8, mbps * 0.7 * 3600 / 8},
		Miss:    miss,
	}
}

const day = 24 * hour

// The source's GB is 1,024 * 10^6 bytes, by its column of 50 Mbit/s; its TB are 1,024 of them.
var dataFactory = Source{
	Title: "Copy activity performance and scalability guide (Azure Data Factory), Microsoft", Year: "2020",
	Where:   "table of data sizes and bandwidths, column of 100 Mbit/s, up to 100 TB: its months have no length",
	Address: azureDocs + "data-factory/copy-activity-performance.md",
	Rows: []Row{
		dataFactoryRow("1gb", "1 GB", 1, 1.4, minute),
		dataFactoryRow("10gb", "10 GB", 10, 13.7, minute),
		dataFactoryRow("100gb", "100 GB", 100, 2.3, hour),
		dataFactoryRow("1tb", "1 TB", 1024, 23.3, hour),
		dataFactoryRow("10tb", "10 TB", 10240, 9.7, day),
		dataFactoryRow("100tb", "100 TB", 102400, 97.1, day),
	},
}

func dataFactoryRow(id, what string, gb, published, per float64) Row {
	unit := map[float64]string{minute: "min", hour: "h", day: "days"}[per]
	return Row{
		ID: "data-factory-" + id, Kind: Worked, Rule: Exact, What: "copy of " + what + " at 100 Mbit/s",
		Inputs:    number(gb) + " * 1,024 * 10^6 bytes * 8 / 100 Mbit/s",
		Published: []float64{published}, Unit: unit,
		Predict: copied{bytes: gb * 1024e6, mbps: 100, per: per},
		Hand:    []float64{gb * 1024e6 * 8 / 100e6 / per},
	}
}
