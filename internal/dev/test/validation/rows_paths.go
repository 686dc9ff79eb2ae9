// Rows of paths and of streams: what a nominal rate carries, what streams add up to, and what a buffer allows.

package validation

import "fmt"

var connections = Source{
	Title: "cloud-hypervisor, pull request 7669",
	Year:  "2026",
	Where: "benchmarks in the description. Its first line, 1,617 MiB/s over one connection, is what a connection " +
		"carries; it is therefore not a row",
	Address: "https://github.com/cloud-hypervisor/cloud-hypervisor/pull/7669",
	Rows: []Row{
		connectionsRow(2, 3752.15), connectionsRow(4, 7238.08), connectionsRow(8, 11502.83), connectionsRow(16, 10683.72),
	},
}

func connectionsRow(streams, published float64) Row {
	const each, link = 1617.29, 11.5 * 1024
	return Row{
		ID: fmt.Sprintf("ch-connections-%g", streams), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("live migration over %g connections", streams),
		Inputs:    fmt.Sprintf("the lesser of %g * 1,617 MiB/s and the 11.5 GiB/s that iperf measured", streams),
		Published: []float64{published}, Unit: "MiB/s",
		Predict: carried{
			mbps: link * mibpsToMbps, streams: streams, perFlowMbps: each * mibpsToMbps, answer: mbpsOf(mibpsToMbps),
		},
		Hand: []float64{min(link, streams*each)},
	}
}

var torchcomms = Source{
	Title: "torchcomms, pull request 3897", Year: "2026",
	Where:   "description: link baseline. One stream, 15.4 GB/s, is what a stream carries; it is therefore not a row",
	Address: "https://github.com/meta-pytorch/torchcomms/pull/3897",
	Rows: []Row{{
		ID: "torchcomms-8", Kind: Measured, Rule: Between, What: "iperf3 with 8 streams",
		Inputs:    "the lesser of 8 * 15.4 GB/s and 200 Gbit/s, and 70 % of it",
		Published: []float64{23.3}, Unit: "GB/s",
		Predict: carried{mbps: 200e3, streams: 8, perFlowMbps: 15.4 * 8000, efficiency: lineRate, answer: mbpsOf(8000)},
		Hand:    []float64{25, 25 * 0.7},
	}},
}

const twinDocs = "https://github.com/Mochi486/Digital-Twin/blob/0242ef81f372a5726e3caef885082f7b236a225d/docs/"

var germany50 = Source{
	Title: "Digital-Twin, Germany50 selected-path results", Year: "2026",
	Where:   "table: reverse iperf3 over links of 20 Mbit/s, means of three runs",
	Address: twinDocs + "progress/germany50-selected-path-results.md",
	Rows: []Row{
		nominalRow("germany50-41ms", "iperf3 at a round trip of 41 ms", 20, 18.8, Miss{}),
		nominalRow("germany50-105ms", "iperf3 at a round trip of 105 ms", 20, 17.8, Miss{}),
		nominalRow("germany50-214ms", "iperf3 at a round trip of 214 ms", 20, 15.7, Miss{}),
	},
}

var twinBandwidth = Source{
	Title: "Digital-Twin, 50 Mbps and 100 Mbps bandwidth evidence", Year: "2026",
	Where:   "table: reverse iperf3 behind a token bucket, means of five runs",
	Address: twinDocs + "final/bandwidth-50-100-evidence-supplement.md",
	Rows: []Row{
		nominalRow("twin-50m", "iperf3 behind a token bucket of 50 Mbit/s", 50, 41.5, Miss{}),
		nominalRow("twin-100m", "iperf3 behind a token bucket of 100 Mbit/s", 100, 78.78, Miss{}),
	},
}

var tcpInUDP = Source{
	Title:   "tcp-in-udp, issue 10",
	Year:    "2026",
	Where:   "description: two paths of a MPTCP connection, with and without it",
	Address: "https://github.com/multipath-tcp/tcp-in-udp/issues/10",
	Rows: []Row{
		nominalRow("mptcp-500m", "path of 500 Mbit/s at a delay of 100 ms", 500, 440, Miss{}),
		nominalRow("mptcp-75m", "path of 75 Mbit/s at a delay of 10 ms", 75, 75, Miss{}),
		nominalRow("tcp-in-udp-500m", "path of 500 Mbit/s at a delay of 100 ms, through tcp-in-udp", 500, 120, Miss{
			CauseInput, "What limits the program is not published; that is what the issue asks (`per_flow_limit_mbps`).",
		}),
		nominalRow("tcp-in-udp-75m", "path of 75 Mbit/s at a delay of 10 ms, through tcp-in-udp", 75, 75, Miss{}),
	},
}

// nominalRow is the throughput of a path of which only the rate is published.
func nominalRow(id, what string, mbps, published float64, miss Miss) Row {
	return Row{
		ID: id, Kind: Measured, Rule: Between, What: "throughput, " + what,
		Inputs:    number(mbps) + " Mbit/s, and 70 % of it",
		Published: []float64{published}, Unit: "Mbit/s",
		Predict: carried{mbps: mbps, efficiency: lineRate, answer: mbpsOf(1)},
		Hand:    []float64{mbps, mbps * 0.7},
		Miss:    miss,
	}
}

// netperfBuffer is what 101.80 Mbit/s at 200 ms mean, in bytes; that line is no row. So it is for 435.69 Mbit/s at
// 52 ms in the second table.
const (
	netperfBuffer       = 101.80e6 / 8 * 0.2
	netperfBufferSecond = 435.69e6 / 8 * 0.052
)

var netperf = Source{
	Title: "libdatachannel, issue 409", Year: "2021",
	Where: "tables of a physical computer of 15 and of 20 April, column of TCP with netperf. The buffer comes from the " +
		"longest round trip of each that could be read, 102 Mbit/s at 200 ms and 436 Mbit/s at 52 ms: 2.54 and 2.83 MB. " +
		"These lines are therefore not rows",
	Address: "https://github.com/paullouisageneau/libdatachannel/issues/409",
	Rows: []Row{
		netperfRow(12, 2035.23, Miss{
			CauseUnexplained,
			"The source's own numbers do not fit one buffer: 3.05 MB here, 2.54 MB at 200 ms.",
		}),
		netperfRow(20, 1193.27, Miss{}),
		netperfRow(52, 407.74, Miss{}),
		netperfRow(100, 227.85, Miss{}),
		netperfSecondRow(12, 2042.19),
		netperfSecondRow(20, 1218.99),
	},
}

func netperfRow(rtt, published float64, miss Miss) Row {
	const loopback = 13540.24 // Mbit/s at 0 ms, in the same table
	return Row{
		ID: fmt.Sprintf("netperf-%gms", rtt), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("throughput of TCP at %g ms", rtt),
		Inputs:    fmt.Sprintf("2.54 MB * 8 / %g ms; 13,540 Mbit/s without a delay", rtt),
		Published: []float64{published}, Unit: "Mbit/s",
		Predict: carried{mbps: loopback, rttMs: []float64{rtt}, windowBytes: netperfBuffer, answer: mbpsOf(1)},
		Hand:    []float64{101.80 * 200 / rtt},
		Miss:    miss,
	}
}

func netperfSecondRow(rtt, published float64) Row {
	const loopback = 15148.89 // Mbit/s at 0 ms, in the same table
	return Row{
		ID: fmt.Sprintf("netperf-second-%gms", rtt), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("throughput of TCP at %g ms, second table", rtt),
		Inputs:    fmt.Sprintf("2.83 MB * 8 / %g ms; 15,149 Mbit/s without a delay", rtt),
		Published: []float64{published}, Unit: "Mbit/s",
		Predict: carried{mbps: loopback, rttMs: []float64{rtt}, windowBytes: netperfBufferSecond, answer: mbpsOf(1)},
		Hand:    []float64{435.69 * 52 / rtt},
	}
}
