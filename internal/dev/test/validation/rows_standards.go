// Rows of standards of the Internet about what TCP carries, and of the cost of electricity.

package validation

import (
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan/link"
)

const rfcs = "https://github.com/tass-belgium/picotcp/blob/17773f2e4e2130e08b6e5f4d8fa9417829a325d8/RFC/"

// largestWindow is that of TCP without scaling.
const largestWindow = 65535

var standards = []Source{
	{
		Title: "RFC 1185, TCP Extension for High-Speed Paths", Year: "1990",
		Where:   "the backbone of 60 ms; how long sequence numbers last is no calculation of vsla",
		Address: rfcs + "rfc1185.txt",
		Rows: []Row{{
			ID: "rfc1185-backbone", Kind: Worked, Rule: Exact, What: "throughput of a window of 64 KB at 60 ms",
			Inputs: "65,536 bytes / 60 ms", Published: []float64{1.1}, Unit: "MB/s",
			Predict: carried{mbps: fast, rttMs: []float64{60}, windowBytes: 65536, answer: mbpsOf(8)},
			Hand:    []float64{0.065536 / 0.06},
		}},
	},
	{
		Title:   "RFC 2488, Enhancing TCP over Satellite Channels",
		Year:    "1999",
		Where:   "section 4.1.2",
		Address: rfcs + "rfc2488.txt",
		Rows: []Row{
			{
				ID: "rfc2488-window", Kind: Worked, Rule: Exact, What: "throughput of a window of 65,535 bytes at 560 ms",
				Inputs: "65,535 bytes / 560 ms", Published: []float64{117027}, Unit: "bytes/s",
				Predict: carried{mbps: fast, rttMs: []float64{560}, windowBytes: largestWindow, answer: mbpsOf(8e-6)},
				Hand:    []float64{largestWindow / 0.56},
			},
			{
				ID: "rfc2488-streams", Kind: Worked, Rule: Printed, What: "such connections that fill a T1",
				Inputs: "192,000 bytes/s / (65,535 bytes / 560 ms), rounded up", Published: []float64{2}, Unit: "connections",
				Predict: carried{mbps: 1.536, rttMs: []float64{560}, windowBytes: largestWindow, answer: streamsNeeded},
				Hand:    []float64{math.Ceil(192000 / (largestWindow / 0.56))},
			},
		},
	},
	bufferSource("RFC 2757, Long Thin Networks", rfcs+"rfc2757.txt",
		buffer{"rfc2757-lan", 1.5, 3, 562.5, "1.5 Mbit/s * 3 ms / 8; the source prints 4,500 bits"},
		buffer{"rfc2757-wan", 0.024, 500, 1500, ""}, buffer{"rfc2757-3g", 0.384, 200, 9600, ""},
		buffer{"rfc2757-2m", 2, 200, 50e3, ""}),
	{
		Title: "RFC 3819, Advice for Internet Subnetwork Designers", Year: "2004", Where: "section 8.5.3, both formulas",
		Address: "https://github.com/tass-belgium/picotcp/blob/46120abecc9fb79f7dfb2cc8192341a42e40fc8b/RFC/rfc3819.txt",
		Rows: []Row{
			lossyRow("rfc3819-simple", "the simple formula", Exact, 666, Miss{}),
			lossyRow("rfc3819-complex", "the formula with timeouts", Cautious, 402.9, Miss{
				CauseModel, "vsla's formula leaves out timeouts, which count at a loss of 1 %.",
			}),
		},
	},
	highSpeed(),
}

func streamsNeeded(r link.Result) float64 { return *r.StreamsNeeded }

func lossyRow(id, what string, rule Rule, kbps float64, miss Miss) Row {
	return Row{
		ID: id, Kind: Formula, Rule: rule, What: "throughput at a loss of 1 % and 120 ms by " + what,
		Inputs:    "1,000 bytes * 8 / (120 ms * sqrt(0.01))",
		Published: []float64{kbps}, Unit: "kbit/s",
		Predict: carried{
			mbps: fast, rttMs: []float64{120}, lossPercent: 1, control: link.Reno, mssBytes: 1000, answer: mbpsOf(0.001),
		},
		Hand: []float64{8 / (0.12 * 0.1)},
		Miss: miss,
	}
}

// highSpeed counts with packets of 1,500 bytes.
func highSpeed() Source {
	const packet, rtt = 1500, 0.1
	source := Source{
		Title: "RFC 3649, HighSpeed TCP for Large Congestion Windows", Year: "2003",
		Where: "tables 1 and 2, for standard TCP, packets of 1,500 bytes and 100 ms. The first seven lines of table 2 are " +
			"numbers of RFC 9438, and table 3 is another method",
		Address: rfcs + "rfc3649.txt",
	}
	for _, line := range []struct{ mbps, window, loss float64 }{
		{1, 8.3, 0.02},
		{10, 83.3, 0.0002},
		{100, 833.3, 0.000002},
		{1000, 8333.3, 0.00000002},
		{10000, 83333.3, 0.0000000002},
	} {
		source.Rows = append(source.Rows,
			Row{
				ID: fmt.Sprintf("rfc3649-window-%g", line.mbps), Kind: Formula, Rule: Exact,
				What:      "mean window that fills " + number(line.mbps) + " Mbit/s at 100 ms",
				Inputs:    number(line.mbps) + " Mbit/s * 100 ms / (8 * 1,500 bytes)",
				Published: []float64{line.window}, Unit: "segments",
				Predict: carried{mbps: line.mbps, rttMs: []float64{rtt * 1000}, answer: productSegments(packet)},
				Hand:    []float64{line.mbps * 1e6 * rtt / 8 / packet},
			},
			Row{
				ID: fmt.Sprintf("rfc3649-loss-%g", line.mbps), Kind: Formula, Rule: Cautious,
				What:      fmt.Sprintf("throughput at a loss of %g and 100 ms", line.loss),
				Inputs:    fmt.Sprintf("1,500 bytes * 8 / (100 ms * sqrt(%g))", line.loss),
				Published: []float64{line.mbps}, Unit: "Mbit/s",
				Predict: carried{
					mbps: fast, rttMs: []float64{rtt * 1000}, lossPercent: line.loss * 100, control: link.Reno, mssBytes: packet,
					answer: mbpsOf(1),
				},
				Hand: []float64{packet * 8 / (rtt * math.Sqrt(line.loss)) / 1e6},
			},
		)
	}
	for i, segments := range []float64{37948, 120000} {
		row := windowRow("reno", link.Reno, i+9, math.Pow10(-9-i), rtt, segments)
		row.ID = fmt.Sprintf("rfc3649-1e-%d", i+9)
		source.Rows = append(source.Rows, row)
	}
	return source
}

func productSegments(bytes float64) func(link.Result) float64 {
	return func(r link.Result) float64 { return productBytes(r) / bytes }
}

var electricity = Source{
	Title: "Calculating TCO for Energy, IBM Systems Magazine", Year: "not on the page",
	Where:   "page 2, the example; it counts 8,766 hours, vsla 8,760",
	Address: "http://www.ibmsystemsmag.com/mainframe/Business-Strategy/ROI/energy_estimating/?page=2",
	Rows: []Row{{
		ID: "ibm-380w", Kind: Worked, Rule: Exact, What: "electricity of a server for a year",
		Inputs: "380 W * 8,760 h * 0.10 a kWh", Published: []float64{333}, Unit: "dollars",
		Predict: powered{hosts: 1, kw: 0.38, price: 0.1},
		Hand:    []float64{0.38 * 8760 * 0.1},
	}},
}
