// Rows of migrations over a WAN, as vendors calculate them.

package validation

import (
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan/link"
)

var wanGuides = []Source{wandisco(), ipsec(), windowsAdapters}

const year = 365 * day

func wandisco() Source {
	source := Source{
		Title: "Bandwidth considerations, WANdisco", Year: "2020",
		Where: "the table: round trip 20 ms, loss 0.00001 %, times to the nearest half of the unit",
		Address: "https://github.com/mmclhugo1/wandisco-documentation/blob/6c3bbda15e2f3ea3707055f61ade821a5139c14f/" +
			"docs/docs/network/bandwidth_considerations.md",
	}
	lines := []float64{10, 100, 500, 1000, 10000}
	type took struct{ published, per float64 }
	for _, row := range []struct {
		tb    float64
		times []took
	}{
		{0.1, []took{{23.5, hour}, {2.5, hour}, {28, minute}, {14, minute}, {7, minute}}},
		{1, []took{{10, day}, {23.5, hour}, {5, hour}, {2.5, hour}, {1.5, hour}}},
		{10, []took{{97.5, day}, {9.5, day}, {2, day}, {23.5, hour}, {12, hour}}},
		{100, []took{{975, day}, {97.5, day}, {19.5, day}, {9.5, day}, {5, day}}},
		{500, []took{{13.5, year}, {487.5, day}, {97.5, day}, {49, day}, {25, day}}},
		{1000, []took{{27, year}, {975, day}, {195, day}, {97.5, day}, {50, day}}},
	} {
		for i, took := range row.times {
			source.Rows = append(source.Rows, wandiscoRow(row.tb, lines[i], took.published, took.per))
		}
	}
	return source
}

func wandiscoRow(tb, mbps, published, per float64) Row {
	const rtt, loss = 0.02, 1e-7
	lossy := 1460 * 8 / (rtt * math.Sqrt(loss)) / 1e6
	took := func(efficiency float64) float64 { return tb * 8e6 / min(mbps*efficiency, lossy) / per }
	row := Row{
		ID: fmt.Sprintf("wandisco-%gtb-%gm", tb, mbps), Kind: Worked, Rule: Between,
		What:      fmt.Sprintf("transfer of %s GB over %s Mbit/s", number(tb*1000), number(mbps)),
		Inputs:    "the lesser of the line, and 70 % of it, and 1,460 bytes * 8 / (20 ms * sqrt(10^-7))",
		Published: []float64{published - 0.25, published + 0.25}, Unit: timeUnit(per),
		Predict: carried{
			mbps: mbps, rttMs: []float64{rtt * 1000}, lossPercent: loss * 100, control: link.Reno, efficiency: lineRate,
			answer: func(r link.Result) float64 { return tb * 8e6 / r.ThroughputMbps / per },
		},
		Hand: []float64{took(1), took(0.7)},
	}
	if tb == 1 && mbps == 10000 {
		row.Miss = Miss{
			CauseSource,
			"Ten times as much takes 12 h in the next line, so this is 1.2 h, which the source rounds up.",
		}
	}
	return row
}

// ipsec is a table whose giga is 1,024 mega, of bytes and of bits.
func ipsec() Source {
	const seconds, mbytes = 33554, 1024 * 1024
	source := Source{
		Title: "Hybrid cloud network considerations for SAP on Power Virtual Server, IBM", Year: "2025",
		Where: "the example and the table: an overhead of 100 %, and a giga of 1,024 mega",
		Address: "https://github.com/ibm-cloud-docs/sap/blob/5eab2affc96e58b67f18777291108b3c37eb1f28/" +
			"howto/powervs/powervs-migration-hybrid-cloud-networking.md",
	}
	for _, line := range []struct{ mbps, published float64 }{
		{10 * 1024, 27. * minute},
		{5 * 1024, 54 * minute},
		{2 * 1024, 2*hour + 16*minute},
		{1024, 4*hour + 33*minute},
		{500, seconds},
		{250, 18*hour + 38*minute},
		{150, 31*hour + 38*minute},
	} {
		source.Rows = append(source.Rows, Row{
			ID: fmt.Sprintf("ipsec-%g", line.mbps), Kind: Worked, Rule: Exact,
			What:      "full synchronization of 1,024 GB over IPsec at " + number(line.mbps) + " Mbit/s",
			Inputs:    "1,024 * 1,024 MB * 8 / (50 % of " + number(line.mbps) + " Mbit/s)",
			Published: []float64{line.published}, Unit: "s",
			Predict: copied{bytes: mbytes * 1e6, mbps: line.mbps, efficiency: []float64{50}, per: 1},
			Hand:    []float64{mbytes * 8 * 2 / line.mbps},
		})
	}
	source.Rows = append(source.Rows, Row{
		ID: "ipsec-8h", Kind: Worked, Rule: Printed, What: "rate for that synchronization in 8 hours",
		Inputs: "200 % of 1,024 * 1,024 MB * 8 / 8 h", Published: []float64{500, math.Inf(1)}, Unit: "Mbit/s",
		Predict: cycle{dailyBytes: 2 * mbytes * 1e6, rpoMinutes: 480, answer: neededFor(1)},
		Hand:    []float64{2 * mbytes * 8 / 28800.},
	})
	return source
}

var windowsAdapters = Source{
	Title: "Performance tuning network adapters, Microsoft", Year: "not in the document",
	Where: "TCP parameters, the example of the window",
	Address: "https://github.com/MicrosoftDocs/windowsserverdocs/blob/030ee582624693fd548ddca79c48fe512caef15a/" +
		"WindowsServerDocs/networking/technologies/network-subsystem/net-sub-performance-tuning-nics.md",
	Rows: []Row{{
		ID: "windows-64k-10ms", Kind: Worked, Rule: Exact, What: "throughput of a window of 65,535 bytes at 10 ms",
		Inputs: "65,535 bytes * 8 / 10 ms", Published: []float64{51}, Unit: "Mbit/s",
		Predict: carried{mbps: 10000, rttMs: []float64{10}, windowBytes: 65535, answer: mbpsOf(1)},
		Hand:    []float64{65535 * 8 / 0.01 / 1e6},
	}},
}
