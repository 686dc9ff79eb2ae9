// Rows of sizing guides: replication over a line, as vendors of storage calculate it.

package validation

import "fmt"

var sizingGuides = []Source{
	dpm(), virtualLibrary(), lineCapacity(),
	{
		Title: "SAN Design Reference Guide, HP StorageWorks: Continuous Access SVSP", Year: "not on the page that was read",
		Where:   "page 274, the note. It says up to two weeks: a bound",
		Address: "http://www.manualowl.com/m/Hewlett-Packard/StorageWorks-4000%2F6000%2F8000/Manual/81983?page=274",
		Rows: []Row{{
			ID: "svsp-1tb", Kind: Worked, Rule: Printed, What: "initial copy of 1 TB over 10 Mbit/s",
			Inputs:    "10^12 bytes * 8 / 10 Mbit/s, and 70 % of it",
			Published: []float64{0, 14}, Unit: "days",
			Predict: copied{bytes: 1e12, mbps: 10, efficiency: lineRate, per: day},
			Hand:    []float64{8e12 / 10e6 / 86400, 8e12 / 7e6 / 86400},
		}},
	},
	{
		Title: "AMS 2000 Family TrueCopy Extended Distance User Guide, Hitachi", Year: "not on the page that was read",
		Where:   "page 2-6, the example. Its safety factor is no calculation of vsla",
		Address: "https://www.manualslib.com/manual/1252533/Hitachi-Ams-2000.html?page=34",
		Rows: []Row{{
			ID: "truecopy-cycle", Kind: Worked, Rule: Exact, What: "changes in a cycle of an hour at 3 MB/s",
			Inputs:    "3 MB/s * 3,600 s",
			Published: []float64{10800}, Unit: "MB",
			Predict: cycle{dailyBytes: 3e6 * day, rpoMinutes: 60, spread: true, answer: changedIn(1e6)},
			Hand:    []float64{3 * 3600},
		}},
	},
	{
		Title: "Storage Mirroring software user manual, HP", Year: "not on the page that was read",
		Where:   "page 128, the note on bandwidth limits",
		Address: "https://www.manualsdir.com/manuals/397017/hp-storage-mirroring-software.html?page=128",
		Rows: []Row{
			mirroringRow("storage-mirroring-t1", "10 % of a T1, 1.544 Mbit/s", 1.544, 10),
			mirroringRow("storage-mirroring-256k", "60 % of 256 kbit/s", 0.256, 60),
		},
	},
}

func mirroringRow(id, what string, mbps, share float64) Row {
	return Row{
		ID: id, Kind: Worked, Rule: Exact, What: "what replication may use: " + what,
		Inputs:    fmt.Sprintf("%g Mbit/s * %g %% / 8", mbps, share),
		Published: []float64{19300}, Unit: "bytes/s",
		Predict: carried{mbps: mbps, share: share, answer: mbpsOf(8e-6)},
		Hand:    []float64{mbps * 1e6 * share / 100 / 8},
	}
}

// below is a bound: the source prints that it takes less.
func below(v float64) []float64 { return []float64{0, v} }

// dpm's GB are 1,024 MB and its 512 kbit/s are half a Mbit/s, by its largest number.
func dpm() Source {
	source := Source{
		Title:   "Data Protection Manager, time to transmit data over a network, Microsoft (Dell PowerVault DP600)",
		Year:    "not on the page that was read",
		Where:   "page 95: the table. It prints hours, few of them with a digit more, and bounds",
		Address: "https://azmanual.top/manuals/619777/dell-powervault-dp600.html?page=95",
	}
	roundsUp := Miss{CauseSource, "The source rounds this time up, and most others to the nearest hour."}
	for _, row := range []struct {
		gb, mbps  float64
		published []float64
		decimals  int
		per       float64
		miss      Miss
	}{
		{1, 1000, below(1), 0, minute, Miss{}},
		{1, 100, below(1), 0, hour, Miss{}},
		{1, 32, below(1), 0, hour, Miss{}},
		{1, 8, below(1), 0, hour, Miss{}},
		{1, 2, []float64{1.5}, 1, hour, roundsUp},
		{1, 0.5, []float64{6}, 0, hour, Miss{}},
		{50, 1000, below(10), 0, minute, Miss{}},
		{50, 100, []float64{1.5}, 1, hour, roundsUp},
		{50, 32, []float64{5}, 0, hour, roundsUp},
		{50, 8, []float64{18}, 0, hour, Miss{}},
		{50, 2, []float64{71}, 0, hour, Miss{}},
		{50, 0.5, []float64{284}, 0, hour, Miss{}},
		{200, 1000, below(36), 0, minute, Miss{}},
		{200, 100, []float64{6}, 0, hour, Miss{}},
		{200, 32, []float64{18}, 0, hour, Miss{}},
		{200, 8, []float64{71}, 0, hour, Miss{}},
		{200, 2, []float64{284}, 0, hour, Miss{}},
		{200, 0.5, []float64{1137}, 0, hour, Miss{
			CauseSource, "The source rounds this time down, and most others to the nearest hour.",
		}},
		{500, 1000, below(1.5), 0, hour, Miss{}},
		{500, 100, []float64{15}, 0, hour, roundsUp},
		{500, 32, []float64{45}, 0, hour, roundsUp},
		{500, 8, []float64{178}, 0, hour, Miss{}},
		{500, 2, []float64{711}, 0, hour, Miss{}},
		{500, 0.5, []float64{2844}, 0, hour, Miss{}},
	} {
		source.Rows = append(source.Rows, Row{
			ID: fmt.Sprintf("dpm-%ggb-%gm", row.gb, row.mbps), Kind: Worked, Rule: Printed,
			What:      fmt.Sprintf("initial replica of %g GB over %s Mbit/s", row.gb, number(row.mbps)),
			Inputs:    fmt.Sprintf("%g * 1,024 MB * 8 / (%s Mbit/s * 80 %%)", row.gb, number(row.mbps)),
			Published: row.published, Unit: timeUnit(row.per), Decimals: row.decimals,
			Predict: copied{bytes: row.gb * 1024e6, mbps: row.mbps, efficiency: []float64{80}, per: row.per},
			Hand:    []float64{row.gb * 1024 / (0.8 * row.mbps / 8) / row.per},
			Miss:    row.miss,
		})
	}
	return source
}

// timeUnit names a number of seconds.
func timeUnit(per float64) string {
	return map[float64]string{1: "s", minute: "min", hour: "h", day: "days", year: "years"}[per]
}

// virtualLibrary is a table of lines by name; the rates that the source prints are theirs, rounded.
func virtualLibrary() Source {
	source := Source{
		Title: "StorageWorks VLS and D2D Solutions Guide, HP", Year: "2010", Where: "page 26, table 5",
		Address: "https://www.manualowl.com/m/Hewlett-Packard/StorageWorks-6000/Manual/81854?page=26",
	}
	type took struct{ published, per float64 }
	for _, line := range []struct {
		name  string
		mbps  float64
		times [5]took
	}{
		{"T1", 1.544, [5]took{{4.5, day}, {45.4, day}, {29, hour}, {35, hour}, {49, hour}}},
		{"T3", 44.736, [5]took{{3.8, hour}, {1.6, day}, {59, minute}, {73, minute}, {102, minute}}},
		{"OC12", 622.08, [5]took{{16, minute}, {2.7, hour}, {4.3, minute}, {5.3, minute}, {7.3, minute}}},
	} {
		for i, gb := range []float64{50, 500, 13.1, 16.3, 22.5} {
			took := line.times[i]
			source.Rows = append(source.Rows, Row{
				ID: fmt.Sprintf("vls-%s-%ggb", line.name, gb), Kind: Worked, Rule: Exact,
				What:      fmt.Sprintf("replication of %g GB over %s", gb, line.name),
				Inputs:    fmt.Sprintf("%g * 10^9 bytes * 8 / (%g Mbit/s * 66 %%)", gb, line.mbps),
				Published: []float64{took.published}, Unit: timeUnit(took.per),
				Predict: copied{bytes: gb * 1e9, mbps: line.mbps, efficiency: []float64{66}, per: took.per},
				Hand:    []float64{gb * 8e9 / (line.mbps * 0.66e6) / took.per},
			})
		}
	}
	return source
}

// lineCapacity prints writes in Mb/s, which by its percentages are MB/s, and calls OC-48 once OC-18.
func lineCapacity() Source {
	source := Source{
		Title: "FC4600 hardware installation for synchronous mirroring, NetApp", Year: "not on the page that was read",
		Where:   "page 215, table 3, with the lines of table 2. The conversion of these into MB/s is no row",
		Address: "https://www.easymanua.ls/netapp/fc4600/manual?p=225",
	}
	lines := []struct {
		name string
		mbps float64
	}{
		{"T-1", 1.544}, {"T-3", 43.232}, {"OC-3", 155.6352}, {"OC-12", 622.5408}, {"OC-48", 2490.1632}, {"OC-192", 9960.6528},
	}
	for _, writes := range []struct {
		mbps   float64
		shares [6]float64
	}{
		{0.01, [6]float64{5.2, 0.2, 0.1, 0, 0, 0}},
		{0.1, [6]float64{51.8, 1.9, 0.5, 0.1, 0, 0}},
		{1, [6]float64{518.1, 18.5, 5.1, 1.3, 0.3, 0.1}},
		{10, [6]float64{5181.3, 185.3, 51.4, 12.9, 3.2, 0.8}},
	} {
		for i, line := range lines {
			miss := Miss{}
			if writes.mbps == 10 && line.name == "T-3" {
				miss = Miss{CauseSource, "The row above prints 18.5 % for a tenth of these writes: a misprint of 185.0 %."}
			}
			source.Rows = append(source.Rows, Row{
				ID: fmt.Sprintf("line-%s-%g", line.name, writes.mbps), Kind: Worked, Rule: Printed,
				What:      fmt.Sprintf("use of %s by writes of %g MB/s", line.name, writes.mbps),
				Inputs:    fmt.Sprintf("%g MB/s * 8 / %s Mbit/s", writes.mbps, number(line.mbps)),
				Published: []float64{writes.shares[i]}, Unit: "%", Decimals: 1,
				Predict: cycle{dailyBytes: writes.mbps * 1e6 * day, rpoMinutes: 60, mbps: line.mbps, answer: linkUse},
				Hand:    []float64{writes.mbps * 8 / line.mbps * 100},
				Miss:    miss,
			})
		}
	}
	return source
}
