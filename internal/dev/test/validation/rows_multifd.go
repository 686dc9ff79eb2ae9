// Rows of live migrations of QEMU whose rate was set, or measured apart from the migration.

package validation

// setRates are the sources of this subject.
var setRates = []Source{iaa, qat, compressed, emulatedWAN, concurrentVMotion}

var iaa = Source{
	Title: "QEMU, [PATCH v8 0/7] Live Migration With IAA, Yuan Liu", Year: "2024",
	Where: "tables without compression at a limit of 1 GiB/s, means of three tests. Their throughput is the data over " +
		"the duration, and not a row",
	Address: "https://lore.kernel.org/qemu-devel/20240610102110.900410-1-yuan1.liu@intel.com/",
	Rows: []Row{
		filledRow("iaa-2", "2 channels", iaaFilled, 57.758, Miss{}),
		filledRow("iaa-4", "4 channels", iaaFilled, 57.216, Miss{}),
		filledRow("iaa-8", "8 channels", iaaFilled, 56.708, Miss{}),
	},
}

var qat = Source{
	Title: "QEMU, [PATCH v4 0/4] Implement using Intel QAT to offload ZLIB, Yichen Wang",
	Year:  "2024",
	Where: "method none, with 4, 8 and 16 threads, as quoted in the answer of 9 July. The throughput is the data over " +
		"the duration, and not a row",
	Address: "https://lore.kernel.org/qemu-devel/20240705182901.48948-1-yichen.wang@bytedance.com/",
	Rows: []Row{
		filledRow("qat-4", "4 threads", qatFilled, 12.45, Miss{
			CauseInput, "How much four threads carry is not published apart from the migration (`per_flow_limit_mbps`).",
		}),
		filledRow("qat-8", "8 threads", qatFilled, 11.82, Miss{}),
		filledRow("qat-16", "16 threads", qatFilled, 16.82, Miss{
			CauseUnexplained, "16 threads are slower than 8, and than 4; why is not published.",
		}),
	},
}

// filled is an idle guest with memory in use, and the rate.
type filled struct {
	text      string
	gib, mbps float64
}

var (
	iaaFilled = filled{"90 % of 64 GiB in use; max-bandwidth 2^30 bytes/s, 8,590 Mbit/s", 0.9 * 64, gib * 8 / 1e6}
	qatFilled = filled{"60 GiB filled of 64; 50 Gbit/s by iperf3", 60, 50000}
)

func filledRow(id, what string, f filled, seconds float64, miss Miss) Row {
	return Row{
		ID: id, Kind: Measured, Rule: Within15, What: "live migration of an idle guest, " + what,
		Inputs:    f.text,
		Published: []float64{seconds}, Unit: "s",
		Predict: moved{bytes: f.gib * gib, mbps: []float64{f.mbps}, answer: durationOf},
		Hand:    []float64{f.gib * 1073741824 * 8 / (f.mbps * 1e6)},
		Miss:    miss,
	}
}

var compressed = Source{
	Title: "QEMU, Use multiple thread (de)compression in live migration, Liang Li", Year: "2015",
	Where: "both tables; what was sent is published, and the adapter. The throughput is the data over the duration, and " +
		"not a row",
	Address: "https://github.com/openeuler-mirror/qemu/blob/d0f4aa7d50d485b1fb5ec8ab6f934e5df852ab07/" +
		"docs/multi-thread-compression.txt",
	Rows: []Row{
		sentRow("mt-idle", "an idle guest", 363536, 3.333, Miss{}),
		sentRow("mt-idle-compressed", "an idle guest, compressed", 107819, 1.833, Miss{
			CauseInput, "The threads that compress limit, at a rate that is not published apart from the migration.",
		}),
		sentRow("mt-busy", "a guest that writes", 4274143, 37.369, Miss{}),
		sentRow("mt-busy-compressed", "a guest that writes, compressed", 1699824, 15.989, Miss{}),
	},
}

func sentRow(id, what string, kib, seconds float64, miss Miss) Row {
	return Row{
		ID: id, Kind: Measured, Rule: Between, What: "live migration of " + what,
		Inputs:    number(kib) + " KiB sent; adapter of 1,000 Mbit/s, and 70 % of it",
		Published: []float64{seconds}, Unit: "s",
		Predict: moved{bytes: kib * 1024, mbps: []float64{1000, 700}, answer: durationOf},
		Hand:    []float64{kib * 1024 * 8 / 1e9, kib * 1024 * 8 / 0.7e9},
		Miss:    miss,
	}
}
