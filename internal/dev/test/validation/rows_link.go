// Rows of links: windows, round trips and losses.

package validation

import (
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan/link"
)

// segment is the size of a segment in the tables of RFC 9438, of which only windows in segments are compared.
const segment = 1460

// fast is a link that limits nothing.
const fast = 1e12

func slowdown(r link.Result) float64 { return 144.15 / r.ThroughputMbps }

func productBytes(r link.Result) float64 { return *r.BandwidthDelayProductKiB * 1024 }

var vmotionAdapters = Source{
	Title: "Broadcom KB 323379, vMotion on a network adapter of 40 Gbit/s",
	Year:  "not on the page",
	Where: "the table. Its first line, 18 Gbit/s with one vMotion adapter of the kernel, is what one stream carries; " +
		"it is therefore not a row",
	Address: "https://knowledge.broadcom.com/external/article/323379/improving-performance-for-vmotion-when-u.html",
	Rows: []Row{
		adaptersRow(
			2,
			28,
			Miss{CauseModel, "Streams of one host share its processors: a second one adds 10 Gbit/s, not 18. " +
				"vsla adds streams up."},
		),
		adaptersRow(3, 36, Miss{}),
	},
}

func adaptersRow(streams, gbps float64, miss Miss) Row {
	return Row{
		ID: fmt.Sprintf("vmotion-40g-%g", streams), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("throughput of vMotion with %g adapters of the kernel on one of 40 Gbit/s", streams),
		Inputs:    fmt.Sprintf("the lesser of %g * 18 and 40 Gbit/s", streams),
		Published: []float64{gbps}, Unit: "Gbit/s",
		Predict: carried{mbps: 40000, streams: streams, perFlowMbps: 18000, answer: mbpsOf(1000)},
		Hand:    []float64{min(40, streams*18)},
		Miss:    miss,
	}
}

const azureDocs = "https://github.com/MicrosoftDocs/azure-docs/blob/main/articles/"

var expressRoute = Source{
	Title: "Troubleshoot network performance (ExpressRoute), Microsoft", Year: "not on the page",
	Where:   "section Latency/bandwidth results; 16 flows with a window of 1 MB, from Seattle",
	Address: azureDocs + "expressroute/expressroute-troubleshooting-network-performance.md",
	Rows: []Row{
		nearestRow(),
		flowsRow("West US", 18, 3700, Miss{}),
		flowsRow("Central US", 40, 2550, Miss{
			CauseUnexplained, "The region is off the source's own curve: South Central US is 11 ms farther and as fast.",
		}),
		flowsRow("South Central US", 51, 2490, Miss{}),
		flowsRow("North Central US", 55, 2190, Miss{}),
		flowsRow("East US 2", 73, 1790, Miss{}),
		flowsRow("East US", 74, 1780, Miss{}),
		flowsRow("Japan East", 106, 1220, Miss{}),
		flowsRow("UK South", 146, 896, Miss{}),
		flowsRow("West Europe", 153, 761,
			Miss{CauseUnexplained, "The region is off the source's own curve: UK South is 7 ms closer and 18 % faster."}),
		flowsRow("Australia East", 165, 794, Miss{}),
		flowsRow("Southeast Asia", 170, 756, Miss{}),
		flowsRow("Brazil South", 189, 699, Miss{}),
		flowsRow("South India", 202, 634, Miss{}),
	},
}

// gatewayMbps is what gateway and VM carry by the nearest line, which supplies it for the others.
const gatewayMbps = 3740

// nearestRow is the region where neither windows nor anything published limits but the nominal rate of the link.
func nearestRow() Row {
	return Row{
		ID: "expressroute-16-5ms", Kind: Measured, Rule: Between, What: "throughput of 16 flows to West US 2",
		Inputs:    "16 * 2^20 bytes * 8 / 5 ms; link 10 Gbit/s, and 70 % of it",
		Published: []float64{gatewayMbps}, Unit: "Mbit/s",
		Predict: carried{
			mbps: 10000, rttMs: []float64{5}, windowBytes: mib, streams: 16, efficiency: lineRate, answer: mbpsOf(1),
		},
		Hand: []float64{10000, 7000},
		Miss: Miss{
			CauseInput,
			"What gateway and VM carry is not published (`efficiency_percent`), 3,740 Mbit/s by this line. It supplies that " +
				"for the lines below.",
		},
	}
}

func flowsRow(region string, rtt, mbps float64, miss Miss) Row {
	return Row{
		ID: fmt.Sprintf("expressroute-16-%gms", rtt), Kind: Measured, Rule: Within15,
		What:      "throughput of 16 flows to " + region,
		Inputs:    fmt.Sprintf("16 * 2^20 bytes * 8 / %g ms; gateway and VM 3,740 Mbit/s", rtt),
		Published: []float64{mbps}, Unit: "Mbit/s",
		Predict: carried{mbps: gatewayMbps, rttMs: []float64{rtt}, windowBytes: mib, streams: 16, answer: mbpsOf(1)},
		Hand:    []float64{min(gatewayMbps, 16*1048576*8/(rtt/1000)/1e6)},
		Miss:    miss,
	}
}

// The window of the single flow is not published; the row with the longest round trip, 7.7 Mbit/s at 202 ms, has the
// smallest error of rounding, and sets it: it is no row.
const flowWindow = 7.7e6 * 0.202 / 8

var expressRouteSingle = Source{
	Title: "Troubleshoot network performance (ExpressRoute), Microsoft", Year: "not on the page",
	Where: "the same table, one flow. Its window is not published and comes from the last line, South India, 7.7 Mbit/s " +
		"at 202 ms: 194 KB. That line is therefore not a row",
	Address: expressRoute.Address,
	Rows: []Row{
		flowRow("West US 2", 5, 262, Miss{
			CauseSource,
			"Round trips are printed in whole milliseconds, so that 5 ms are known to 10 % only.",
		}),
		flowRow("West US", 18, 82.3, Miss{}),
		flowRow("Central US", 40, 38.8, Miss{}),
		flowRow("South Central US", 51, 30.6, Miss{}),
		flowRow("North Central US", 55, 27.7, Miss{}),
		flowRow("East US 2", 73, 21.3, Miss{}),
		flowRow("East US", 74, 21.1, Miss{}),
		flowRow("Japan East", 106, 14.6, Miss{}),
		flowRow("UK South", 146, 10.6, Miss{}),
		flowRow("West Europe", 153, 10.2, Miss{}),
		flowRow("Australia East", 165, 9.4, Miss{}),
		flowRow("Southeast Asia", 170, 9.2, Miss{}),
		flowRow("Brazil South", 189, 8.2, Miss{}),
	},
}

func flowRow(region string, rtt, mbps float64, miss Miss) Row {
	return Row{
		ID: fmt.Sprintf(
			"expressroute-1-%gms",
			rtt,
		),
		Kind:      Measured,
		Rule:      Within15,
		What:      "throughput of one flow to " + region,
		Inputs:    fmt.Sprintf("194.4 KB * 8 / %g ms", rtt),
		Published: []float64{mbps},
		Unit:      "Mbit/s",
		Predict:   carried{mbps: 10000, rttMs: []float64{rtt}, windowBytes: flowWindow, answer: mbpsOf(1)},
		Hand:      []float64{7.7 * 202 / rtt},
		Miss:      miss,
	}
}

// uproxyWindow is what 160 kB/s at 200 ms mean; that line is no row.
const uproxyWindow = 160e3 * 0.2

var uproxy = Source{
	Title: "uProxy, issue 1339", Year: "2015",
	Where: "measurements in a comment. The buffer comes from the last line, 160 kB/s at 200 ms: 32 kB. That line is " +
		"therefore not a row",
	Address: "https://github.com/UWNetworksLab/uProxy-p2p/issues/1339",
	Rows: []Row{
		uproxyRow(10, 3300, Miss{}),
		uproxyRow(20, 1300, Miss{
			CauseUnexplained,
			"The source's own numbers do not fit one buffer: 26 kB here, 32 to 33 kB at the other latencies.",
		}),
		uproxyRow(50, 650, Miss{}),
		uproxyRow(100, 320, Miss{}),
	},
}

func uproxyRow(rtt, kBps float64, miss Miss) Row {
	return Row{
		ID: fmt.Sprintf("uproxy-%gms", rtt), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("throughput of a data channel at %g ms", rtt),
		Inputs:    fmt.Sprintf("32,000 bytes / %g ms", rtt),
		Published: []float64{kBps}, Unit: "kB/s",
		Predict: carried{mbps: fast, rttMs: []float64{rtt}, windowBytes: uproxyWindow, answer: mbpsOf(0.008)},
		Hand:    []float64{32 / (rtt / 1000)},
		Miss:    miss,
	}
}

var riken = Source{
	Title: "WAN performance test, RIKEN to BNL (CHEP 2000), slide 15", Year: "2000", Where: "the slide",
	Address: "http://ccjsun.riken.go.jp/ccj/present/CHEP2000/tsld015.htm",
	Rows: []Row{
		{
			ID: "riken-8k", Kind: Measured, Rule: Within15, What: "file transfer with a window of 8 kB",
			Inputs: "8 * 1,024 bytes / 170 ms; link 12 Mbit/s", Published: []float64{47}, Unit: "kB/s",
			Predict: carried{mbps: 12, rttMs: []float64{170}, windowBytes: 8192, answer: mbpsOf(0.008)},
			Hand:    []float64{8.192 / 0.17},
		},
		{
			ID:        "riken-512k",
			Kind:      Measured,
			Rule:      Between,
			What:      "file transfer with a window of 512 kB",
			Inputs:    "the window would carry 24.7 Mbit/s; link 12 Mbit/s, and 70 % of it",
			Published: []float64{641},
			Unit:      "kB/s",
			Predict: carried{
				mbps: 12, rttMs: []float64{170}, windowBytes: 524288, efficiency: lineRate, answer: mbpsOf(0.008),
			},
			Hand: []float64{12e3 / 8, 12e3 * 0.7 / 8},
			Miss: Miss{
				CauseInput, "Losses, and what others sent on the link, are not published (`loss_percent`, `share_percent`).",
			},
		},
	},
}

var windows = []Source{
	{
		Title: "NUSspli, pull request 491", Year: "2026", Where: "comment with a table",
		Address: "https://github.com/V10lator/NUSspli/pull/491",
		Rows: []Row{{
			ID: "nusspli-64k", Kind: Measured, Rule: Between, What: "download with a window of 64 KiB",
			Inputs: "65,536 bytes * 8 / 95 ms", Published: []float64{5, 7}, Unit: "Mbit/s",
			Predict: carried{mbps: fast, rttMs: []float64{95}, windowBytes: 65536, answer: mbpsOf(1)},
			Hand:    []float64{65536 * 8 / 0.095 / 1e6},
		}},
	},
	{
		Title: "RPCEmu extended, pull request 105", Year: "2026", Where: "description",
		Address: "https://github.com/andrewtimmins/rpcemu-extended/pull/105",
		Rows: []Row{{
			ID: "rpcemu-8k", Kind: Measured, Rule: Between, What: "throughput of one connection with a window of 8 KB",
			Inputs: "8,192 bytes / 10 to 12 ms", Published: []float64{700}, Unit: "kB/s",
			Predict: carried{mbps: fast, rttMs: []float64{10, 12}, windowBytes: 8192, answer: mbpsOf(0.008)},
			Hand:    []float64{8.192 / 0.010, 8.192 / 0.012},
		}},
	},
	{
		Title: "tcp: BBR congestion control algorithm, version 4 of the patches, Eric Dumazet", Year: "not on the page",
		Where:   "measurement with netperf for comparison, as quoted at the address",
		Address: "https://unix.stackexchange.com/questions/71051/",
		Rows: []Row{{
			ID: "netperf-cubic", Kind: Measured, Rule: Within15, What: "throughput of CUBIC at 100 ms and a loss of 1 %",
			Inputs:    "a window of 1 / sqrt(0.01) = 10 segments of 1,460 bytes * 8 / 100 ms",
			Published: []float64{3.27}, Unit: "Mbit/s",
			Predict: carried{mbps: fast, rttMs: []float64{100}, lossPercent: 1, control: link.Cubic, answer: mbpsOf(1)},
			Hand:    []float64{10 * segment * 8 / 0.1 / 1e6},
			Miss: Miss{
				CauseUnexplained,
				"The sender kept 28 segments in flight. Whether the emulated losses took single segments is not published.",
			},
		}},
	},
}

var azureTCP = Source{
	Title: "TCP/IP performance tuning for Azure VMs, Microsoft", Year: "2019",
	Where:   "tables of window and round trip, and of window scaling",
	Address: azureDocs + "virtual-network/virtual-network-tcpip-performance-tuning.md",
	Rows: []Row{
		azureRow(65535, 1, 524.29), azureRow(65535, 30, 17.48), azureRow(65535, 60, 8.74), azureRow(65535, 90, 5.83),
		azureRow(65535, 120, 4.37), azureRow(131070, 30, 34.95), azureRow(262140, 30, 69.91), azureRow(524280, 30, 139.81),
	},
}

func azureRow(window, rtt, mbps float64) Row {
	return Row{
		ID: fmt.Sprintf("azure-%g-%gms", window, rtt), Kind: Worked, Rule: Exact,
		What:      fmt.Sprintf("throughput with a window of %s bytes at %g ms", number(window), rtt),
		Inputs:    fmt.Sprintf("%s bytes * 8 / %g ms", number(window), rtt),
		Published: []float64{mbps}, Unit: "Mbit/s",
		Predict: carried{mbps: fast, rttMs: []float64{rtt}, windowBytes: window, answer: mbpsOf(1)},
		Hand:    []float64{window * 8 / (rtt / 1000) / 1e6},
	}
}

// rfc are the mean windows of RFC 9438's two tables, in segments, for Reno and for CUBIC with C = 0.4.
func rfc() Source {
	source := Source{
		Title: "RFC 9438, CUBIC for Fast and Long-Distance Networks, section 5.2, tables 1 and 2",
		Year:  "2023",
		Where: "columns Reno and CUBIC (C = 0.4), read in the source of its last draft",
		Address: "https://github.com/NTAP/rfc8312bis/blob/d6622501bfba7e0f3c9c15e0c3c268bc5ead3cf2/" +
			"draft-ietf-tcpm-rfc8312bis.md",
	}
	for i, windows := range [][3]float64{
		{12, 12, 12},
		{38, 38, 38},
		{120, 187, 120},
		{379, 1054, 379},
		{1200, 5926, 1200},
		{3795, 33325, 5926},
		{12000, 187400, 33325},
	} {
		loss := math.Pow10(-2 - i)
		source.Rows = append(source.Rows,
			windowRow("reno", link.Reno, i+2, loss, 0.1, windows[0]),
			windowRow("cubic", link.Cubic, i+2, loss, 0.1, windows[1]),
			windowRow("cubic", link.Cubic, i+2, loss, 0.01, windows[2]),
		)
	}
	return source
}

func windowRow(name, control string, exponent int, loss, rtt, segments float64) Row {
	hand := 1 / math.Sqrt(loss)
	if control == link.Cubic {
		hand = max(hand, math.Pow(0.4*3.7/1.2, 0.25)*math.Pow(rtt/loss, 0.75))
	}
	return Row{
		ID: fmt.Sprintf("rfc9438-%s-1e-%d-%gms", name, exponent, rtt*1000), Kind: Formula, Rule: Cautious,
		What:      fmt.Sprintf("mean window of %s at a loss of 10^-%d and %g ms", name, exponent, rtt*1000),
		Inputs:    fmt.Sprintf("throughput * %g ms / (8 * 1,460 bytes)", rtt*1000),
		Published: []float64{segments}, Unit: "segments",
		Predict: carried{
			mbps: fast, rttMs: []float64{rtt * 1000}, lossPercent: loss * 100, control: control,
			answer: mbpsOf(8 * segment / rtt / 1e6),
		},
		Hand: []float64{hand},
	}
}
