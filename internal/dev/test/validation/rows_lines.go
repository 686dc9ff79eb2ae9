// Rows of what a line carries, and of what it holds, in vendors' manuals.

package validation

import "fmt"

// gbPerHour is 1 GB an hour in Mbit/s.
const gbPerHour = 8000. / 3600

var lineGuides = []Source{
	{
		Title: "6200 Series router user manual, QLogic", Year: "not on the page that was read",
		Where:   "page 5-17, the allocated bandwidth",
		Address: "http://office.manualsonline.com/manuals/mfg/qlogic/6200_series.html?p=115",
		Rows: []Row{{
			ID: "qlogic-half", Kind: Worked, Rule: Exact, What: "half of an OC-3 of 150 Mbit/s for FCIP",
			Inputs: "150 Mbit/s * 50 %", Published: []float64{75}, Unit: "Mbit/s",
			Predict: carried{mbps: 150, share: 50, answer: mbpsOf(1)},
			Hand:    []float64{150 * 0.5},
		}},
	},
	{
		Title: "Continuous Protection Server sizing (Symantec), white paper for Dell PowerVault DL2200",
		Year:  "2008",
		Where: "page 12; the rates for a minute are the same in another unit",
		Address: "https://www.manualshelf.com/manual/dell/powervault-dl2200/" +
			"14-13-12-11-10-9-8-7-6-5-4-3-2-1-white-papers-english/page-12.html",
		Rows: []Row{protectionRow(1, 0.7), protectionRow(10, 7), protectionRow(100, 70)},
	},
	{
		Title: "How to calculate the required data transfer rate for your network, Symantec", Year: "not on the page",
		Where:   "the table, and the required rate of the example",
		Address: "http://www.symantec.com/business/support/index?page=content&id=HOWTO56085",
		Rows: []Row{
			ethernetRow("theoretical", 100, 36, Miss{}), ethernetRow("theoretical", 1000, 360, Miss{}),
			ethernetRow("theoretical", 10000, 3600, Miss{}),
			ethernetRow("typical", 100, 25, typicalRate), ethernetRow("typical", 1000, 250, typicalRate),
			ethernetRow("typical", 10000, 2500, typicalRate),
			{
				ID: "symantec-500gb", Kind: Worked, Rule: Exact, What: "rate that moves 500 GB in 8 hours",
				Inputs: "500 GB / 8 h", Published: []float64{62.5}, Unit: "GB/h",
				Predict: cycle{dailyBytes: 500e9, rpoMinutes: 480, answer: neededFor(gbPerHour)},
				Hand:    []float64{500. / 8},
			},
		},
	},
	{
		Title: "BrightStor ARCserve Backup, Implementation Guide and Administration Guide, Computer Associates",
		Year:  "not on the pages that were read",
		Where: "page 21 of the one, page 42 of the other; the theoretical rates are the same in another unit",
		Address: "https://www.manualowl.com/m/Computer%20Associates/BABWBR1151S38/Manual/441789?page=21 " +
			"(and /BABNWUP900NE6/Manual/360727?page=42)",
		Rows: []Row{
			arcserveRow(100, 80, 36),
			arcserveRow(1000, 70, 315),
			{
				ID: "arcserve-5h", Kind: Worked, Rule: Exact, What: "data in 5 hours over the former",
				Inputs: "100 Mbit/s * 80 % * 5 * 3,600 s / 8", Published: []float64{180}, Unit: "GB",
				Predict: carried{mbps: 100, efficiency: []float64{80}, answer: mbpsOf(gbPerHour / 5)},
				Hand:    []float64{100e6 * 0.8 / 8 * 5 * 3600 / 1e9},
			},
			{
				ID: "arcserve-1tb", Kind: Worked, Rule: Exact, What: "rate that moves 1 TB in 5 hours",
				Inputs: "1,000 GB / 5 h", Published: []float64{200}, Unit: "GB/h",
				Predict: cycle{dailyBytes: 1e12, rpoMinutes: 300, answer: neededFor(gbPerHour)},
				Hand:    []float64{1000. / 5},
			},
		},
	},
	drbd,
}

func protectionRow(nominal, usable float64) Row {
	return Row{
		ID: fmt.Sprintf("protection-server-%g", nominal), Kind: Worked, Rule: Exact,
		What:      fmt.Sprintf("what Ethernet of %g MB/s carries for backups", nominal),
		Inputs:    fmt.Sprintf("%g MB/s * 70 %%", nominal),
		Published: []float64{usable}, Unit: "MB/s",
		Predict: carried{mbps: nominal * 8, efficiency: []float64{70}, answer: mbpsOf(8)},
		Hand:    []float64{nominal * 0.7},
	}
}

var typicalRate = Miss{
	CauseInput, "What limits a backup to 56 % of the line is not published (`efficiency_percent`).",
}

func ethernetRow(kind string, mbps, published float64, miss Miss) Row {
	return Row{
		ID: fmt.Sprintf("symantec-%s-%g", kind, mbps), Kind: Worked, Rule: Between,
		What:      fmt.Sprintf("%s rate of Ethernet, %s Mbit/s", kind, number(mbps)),
		Inputs:    number(mbps) + " Mbit/s * 3,600 s / 8, and 70 % of it",
		Published: []float64{published}, Unit: "GB/h",
		Predict: carried{mbps: mbps, efficiency: lineRate, answer: mbpsOf(gbPerHour)},
		Hand:    []float64{mbps * 3600 / 8000, mbps * 0.7 * 3600 / 8000},
		Miss:    miss,
	}
}

func arcserveRow(mbps, efficiency, published float64) Row {
	return Row{
		ID: fmt.Sprintf("arcserve-%g", mbps), Kind: Worked, Rule: Exact,
		What:      fmt.Sprintf("realistic rate of Ethernet, %s Mbit/s", number(mbps)),
		Inputs:    fmt.Sprintf("%s Mbit/s * %g %% * 3,600 s / 8", number(mbps), efficiency),
		Published: []float64{published}, Unit: "GB/h",
		Predict: carried{mbps: mbps, efficiency: []float64{efficiency}, answer: mbpsOf(gbPerHour)},
		Hand:    []float64{mbps * efficiency / 100 * 3600 / 8000},
	}
}

const linbit = "https://github.com/LINBIT/linbit-documentation/blob/9a13cb5e6122dd0edfea295c5d03499510d9072f/UG9/en/"

var drbd = Source{
	Title: "DRBD User's Guide 9, LINBIT",
	Year:  "not in the documents",
	Where: "drbd-administration-manual.adoc, estimating a synchronization speed and variable rate; " +
		"drbd-throughput.adoc, effects on throughput",
	Address: linbit + "drbd-administration-manual.adoc (and drbd-throughput.adoc)",
	Rows: []Row{
		drbdRate("drbd-network", "network 110 MB/s, storage 400 MB/s", 110, 33),
		drbdRate("drbd-storage", "storage 80 MB/s, gigabit Ethernet", 80, 24),
		drbdRate("drbd-fast", "storage 800 MB/s, Ethernet of 10 Gbit/s", 800, 240),
		drbdProduct("drbd-crossover", 120, 0.2, 24000, Miss{}),
		drbdProduct("drbd-wan", 12, 200, 2.5e6, Miss{CauseSource, "The source rounds 12 MB/s * 0.2 s, 2.4 MB, to 2.5 MB."}),
		drbdThroughput("drbd-throughput-network", "network 110 MB/s, storage 600 MB/s", 110, 110, Miss{}),
		drbdThroughput("drbd-throughput-storage", "storage 80 MB/s, gigabit Ethernet", 80, 77, Miss{
			CauseSource, "The source takes off less than 3 %, which leave 77.6 MB/s or more, and prints 77.",
		}),
	},
}

func drbdRate(id, what string, lesser, published float64) Row {
	return Row{
		ID: id, Kind: Worked, Rule: Exact, What: "rate of synchronization: " + what,
		Inputs:    fmt.Sprintf("the lesser, %g MB/s, * 30 %%", lesser),
		Published: []float64{published}, Unit: "MB/s",
		Predict: carried{mbps: lesser * 8, share: 30, answer: mbpsOf(8)},
		Hand:    []float64{lesser * 0.3},
	}
}

func drbdProduct(id string, mbytes, rtt, published float64, miss Miss) Row {
	return Row{
		ID: id, Kind: Worked, Rule: Exact, What: fmt.Sprintf("what %g MB/s at %g ms hold", mbytes, rtt),
		Inputs:    fmt.Sprintf("%g MB/s * %g ms", mbytes, rtt),
		Published: []float64{published}, Unit: "bytes",
		Predict: carried{mbps: mbytes * 8, rttMs: []float64{rtt}, answer: productBytes},
		Hand:    []float64{mbytes * 1e6 * rtt / 1000},
		Miss:    miss,
	}
}

func drbdThroughput(id, what string, lesser, published float64, miss Miss) Row {
	return Row{
		ID: id, Kind: Worked, Rule: Between, What: "throughput of replication: " + what,
		Inputs:    fmt.Sprintf("the lesser, %g MB/s, and 97 %% of it", lesser),
		Published: []float64{published}, Unit: "MB/s",
		Predict: carried{mbps: lesser * 8, efficiency: []float64{full, 97}, answer: mbpsOf(8)},
		Hand:    []float64{lesser, lesser * 0.97},
		Miss:    miss,
	}
}

var buffers = []Source{
	bufferSource("Net Services Administrator's Guide 23, determining the bandwidth-delay product, Oracle",
		"https://docs.oracle.com/en/database/oracle/oracle-database/23/netag/determining-bandwidth-delay-product.html",
		buffer{"oracle-net", 100, 5, 62500, ""}),
	bufferSource("AIX 7.2, tcp_recvspace, IBM",
		"https://www.ibm.com/docs/ja/ssw_aix_72/performance/tcp_recvspace_tunable.html",
		buffer{"aix", 100, 0.2, 2500, ""}),
	bufferSource(
		"TCP performance tuning, NASA Research and Engineering Network",
		"http://www.nren.nasa.gov/tcp_tuning.html",
		buffer{"nasa", 10000, 80, 100e6, ""},
	),
	bufferSource("TCP window, DDoS-Guard", "https://ddos-guard.net/en/terminology/common/tcp-window",
		buffer{"ddos-guard-down", 20, 250, 625e3, ""}, buffer{"ddos-guard-up", 1, 250, 32e3, ""}),
	bufferSource("Bandwidth*delay product, myNetWatchman", "http://www.mynetwatchman.com/kb/ADSL/banddelay.htm",
		buffer{"watchman-dialup", 0.056, 300, 2100, "7,000 bytes/s * 300 ms"},
		buffer{"watchman-lan", 10, 2, 2500, "1,250,000 bytes/s * 2 ms"},
		buffer{"watchman-cable", 1.456, 200, 37500, "182,000 bytes/s * 200 ms"},
		buffer{"watchman-satellite", 0.5, 1000, 62500, "62,500 bytes/s * 1,000 ms"}),
}

// buffer is a published window that fills a line.
type buffer struct {
	id                   string
	mbps, rtt, published float64
	inputs               string
}

func bufferSource(title, address string, buffers ...buffer) Source {
	source := Source{Title: title, Year: "not on the page", Where: "the example or the table", Address: address}
	for _, b := range buffers {
		if b.inputs == "" {
			b.inputs = fmt.Sprintf("%s Mbit/s * %g ms / 8", number(b.mbps), b.rtt)
		}
		source.Rows = append(source.Rows, Row{
			ID: "buffer-" + b.id, Kind: Worked, Rule: Exact,
			What:   fmt.Sprintf("window that fills %s Mbit/s at %s ms", number(b.mbps), number(b.rtt)),
			Inputs: b.inputs, Published: []float64{b.published}, Unit: "bytes",
			Predict: carried{mbps: b.mbps, rttMs: []float64{b.rtt}, answer: productBytes},
			Hand:    []float64{b.mbps * 1e6 * b.rtt / 1000 / 8},
		})
	}
	return source
}
