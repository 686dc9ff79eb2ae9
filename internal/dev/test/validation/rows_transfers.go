// Rows of transfer times, as clouds, networks and vendors calculate them.

package validation

import (
	"fmt"
	"math"
)

var transferTimes = []Source{
	snowball(), terabyte, scorecard(),
	{
		Title: "How much bandwidth do I need for replication?, Zerto", Year: "not on the page",
		Where:   "the calculation, and the batch. It says that the batch takes over two hours: a bound",
		Address: "https://www.zerto.com/blog/disaster-recovery/faq-how-much-bandwidth-do-i-need-for-replication/",
		Rows: []Row{
			{
				ID: "zerto-day", Kind: Worked, Rule: Exact, What: "bandwidth for changes of 1 TB a day",
				Inputs: "10^12 bytes * 8 / 86,400 s", Published: []float64{92.6}, Unit: "Mbit/s",
				Predict: cycle{dailyBytes: 1e12, rpoMinutes: 1440, answer: neededFor(1)},
				Hand:    []float64{8e6 / 86400.},
			},
			{
				ID: "zerto-batch", Kind: Worked, Rule: Printed, What: "that day's changes in one batch over 1 Gbit/s",
				Inputs: "10^12 bytes * 8 / 1,000 Mbit/s", Published: []float64{2, math.Inf(1)}, Unit: "h",
				Predict: copied{bytes: 1e12, mbps: 1000, per: hour},
				Hand:    []float64{8e12 / 1e9 / 3600},
			},
		},
	},
	{
		Title: "Quickly estimate replication time for Azure Migrate virtual machines, Microsoft", Year: "2022",
		Where: "the example; it is printed in seconds, minutes and hours",
		Address: "https://techcommunity.microsoft.com/t5/core-infrastructure-and-security/" +
			"quickly-estimate-replication-time-for-azure-migrate-virtual/ba-p/3131759",
		Rows: []Row{{
			ID: "azure-migrate-3tb", Kind: Worked, Rule: Exact, What: "initial replication of a VM of 3 TB over 100 Mbit/s",
			Inputs:    "3 * 10^12 bytes, 70 % of it after compression, * 8 / 100 Mbit/s",
			Published: []float64{168000}, Unit: "s",
			Predict: copied{bytes: 3e12 * 0.7, mbps: 100, per: 1},
			Hand:    []float64{24000000 * 0.7 / 100},
		}},
	},
	learn,
}

func snowball() Source {
	source := Source{
		Title: "Performance for AWS Snowball, Amazon", Year: "not on the page",
		Where:   "the table of transfer rates and times to fill a device",
		Address: "https://docs.aws.amazon.com/snowball/latest/ug/performance.html",
	}
	type took struct{ published, per float64 }
	for _, row := range []struct {
		rate  float64
		times [2]took
		holds [2]bool
	}{
		{800, [2]took{{14, hour}, {1, day}}, [2]bool{}},
		{450, [2]took{{1.09, day}, {1.8, day}}, [2]bool{true, true}},
		{400, [2]took{{1.16, day}, {2.03, day}}, [2]bool{false, true}},
		{300, [2]took{{1.54, day}, {2.7, day}}, [2]bool{false, true}},
		{277, [2]took{{1.67, day}, {2.92, day}}, [2]bool{}},
		{200, [2]took{{2.31, day}, {4, day}}, [2]bool{}},
		{100, [2]took{{4.63, day}, {8.10, day}}, [2]bool{false, true}},
		{60, [2]took{{8, day}, {13, day}}, [2]bool{true, false}},
		{30, [2]took{{15, day}, {27, day}}, [2]bool{false, true}},
		{10, [2]took{{46, day}, {81, day}}, [2]bool{false, true}},
	} {
		for i, tb := range []float64{42, 72} {
			took, miss := row.times[i], Miss{}
			if !row.holds[i] {
				miss = Miss{
					CauseSource,
					fmt.Sprintf(
						"Most times in this column are those of %g TB, not of %g TB: 100 MB/s * %g days.",
						tb-2,
						tb,
						[]float64{4.63, 8.1}[i],
					),
				}
			}
			source.Rows = append(source.Rows, Row{
				ID: fmt.Sprintf("snowball-%gtb-%g", tb, row.rate), Kind: Worked, Rule: Exact,
				What:      fmt.Sprintf("transfer of %g TB at %g MB/s", tb, row.rate),
				Inputs:    fmt.Sprintf("%g * 10^12 bytes / (%g * 10^6 bytes/s)", tb, row.rate),
				Published: []float64{took.published}, Unit: timeUnit(took.per),
				Predict: copied{bytes: tb * 1e12, mbps: row.rate * 8, per: took.per},
				Hand:    []float64{tb * 1e6 / row.rate / took.per},
				Miss:    miss,
			})
		}
	}
	return source
}

var terabyte = Source{
	Title: "Network requirements and expectations, ESnet", Year: "not on the page", Where: "times to transfer 1 TB",
	Address: "http://fasterdata.es.net/fasterdata-home/requirements-and-expectations/",
	Rows: []Row{
		terabyteRow(10, 300, hour, Miss{}),
		terabyteRow(100, 30, hour, Miss{}),
		terabyteRow(1000, 3, hour, Miss{}),
		terabyteRow(10000, 20, minute, Miss{
			CauseSource, "At a tenth of the rate the source prints 3 h, a tenth of which are 18 min: it rounds to 20.",
		}),
	},
}

func terabyteRow(mbps, published, per float64, miss Miss) Row {
	return Row{
		ID: fmt.Sprintf("esnet-1tb-%gm", mbps), Kind: Worked, Rule: Between,
		What:      "transfer of 1 TB over a network of " + number(mbps) + " Mbit/s",
		Inputs:    "10^12 bytes * 8 / " + number(mbps) + " Mbit/s, and 70 % of it",
		Published: []float64{published}, Unit: timeUnit(per),
		Predict: copied{bytes: 1e12, mbps: mbps, efficiency: lineRate, per: per},
		Hand:    []float64{8e12 / (mbps * 1e6) / per, 8e12 / (mbps * 0.7e6) / per},
		Miss:    miss,
	}
}

func scorecard() Source {
	source := Source{
		Title: "Data transfer scorecard, ESnet", Year: "2026",
		Where: "chart of 1 TB an hour, network transfer rate, and the text of the next chart; the rates of storage are the " +
			"same in bytes. The other charts are beyond what could be read",
		Address: "https://fasterdata.es.net/DTN/data-transfer-scorecard",
	}
	for _, row := range []struct {
		gb, published float64
		unit          string
		mbit          float64
		miss          Miss
	}{
		{333.3, 740.7, "Mbit/s", 1, Miss{}},
		{1000, 2.2, "Gbit/s", 1000, Miss{}},
		{4000, 8.9, "Gbit/s", 1000, Miss{}},
		{10000, 22.2, "Gbit/s", 1000, Miss{}},
		{40000, 88.9, "Gbit/s", 1000, Miss{}},
		{100000, 222.2, "Gbit/s", 1000, Miss{}},
		{6000, 13.2, "Gbit/s", 1000, Miss{
			CauseSource, "The source multiplies the rounded 2.2 Gbit/s of 1 TB an hour by six.",
		}},
	} {
		source.Rows = append(source.Rows, Row{
			ID: fmt.Sprintf("scorecard-%ggb", row.gb), Kind: Worked, Rule: Printed,
			What:      "rate that moves " + number(row.gb) + " GB in an hour",
			Inputs:    number(row.gb) + " * 10^9 bytes * 8 / 3,600 s",
			Published: []float64{row.published}, Unit: row.unit, Decimals: 1,
			Predict: cycle{dailyBytes: row.gb * 1e9, rpoMinutes: 60, answer: neededFor(row.mbit)},
			Hand:    []float64{row.gb * 8000 / 3600 / row.mbit},
			Miss:    row.miss,
		})
	}
	return source
}

// tbPerDay is 1 TB a day in Mbit/s.
const tbPerDay = 8e6 / 86400

var learn = Source{
	Title: "Azure storage migration: plan network and bandwidth requirements, Microsoft",
	Year:  "not on the page",
	Where: "the reference values and the worked example; its time of the last synchronization has no input",
	Address: "https://learn.microsoft.com/en-us/training/modules/azure-storage-migration/" +
		"6-plan-network-bandwidth-requirements",
	Rows: []Row{
		learnRow("learn-1g", "sustained 1 Gbit/s", 1000, full, 10),
		learnRow("learn-10g", "sustained 10 Gbit/s", 10000, full, 100),
		learnRow("learn-80", "1 Gbit/s at 80 % efficiency", 1000, 80, 8),
		{
			ID: "learn-50tb", Kind: Worked, Rule: Printed, What: "copy of 50 TB at that rate",
			Inputs: "50 TB / 8 TB a day", Published: []float64{6, 7}, Unit: "days",
			Predict: copied{bytes: 50e12, mbps: 8 * tbPerDay, per: day},
			Hand:    []float64{50. / 8},
		},
		{
			ID: "learn-500gb", Kind: Worked, Rule: Exact, What: "copy of a day's changes of 500 GB at that rate",
			Inputs: "0.5 TB / 8 TB a day", Published: []float64{1.5}, Unit: "h",
			Predict: copied{bytes: 0.5e12, mbps: 8 * tbPerDay, per: hour},
			Hand:    []float64{0.5 / 8 * 24},
		},
	},
}

func learnRow(id, what string, mbps, efficiency, tb float64) Row {
	return Row{
		ID: id, Kind: Worked, Rule: Exact, What: "data in a day over " + what,
		Inputs:    fmt.Sprintf("%s Mbit/s * %g %% * 86,400 s / 8", number(mbps), efficiency),
		Published: []float64{tb}, Unit: "TB",
		Predict: carried{mbps: mbps, efficiency: []float64{efficiency}, answer: mbpsOf(tbPerDay)},
		Hand:    []float64{mbps * 1e6 * efficiency / 100 / 8 * 86400 / 1e12},
		Miss:    Miss{CauseSource, "The source rounds 8 % off: 1 Gbit/s carries 10.8 TB a day, 800 Mbit/s 8.64 TB."},
	}
}
