// Rows of the migration and protection of servers, as clouds and vendors calculate them.

package validation

import "fmt"

var serverGuides = []Source{huaweiServers(), alibabaServers, hyperBDR()}

func huaweiServers() Source {
	source := Source{
		Title: "Server Migration Service, how long a migration takes, Huawei", Year: "2023",
		Where: "the example, and table 1 for a use of the network of 70 %, as far as it could be read: the lines of 10 and " +
			"30 GB",
		Address: "https://support.huaweicloud.com/intl/en-us/sms_faq/sms_faq_0017.html",
	}
	for _, line := range []struct{ gb, mbps, published float64 }{
		{100, 100, 3.17},
		{10, 5, 6.35},
		{10, 10, 3.17},
		{10, 100, 0.32},
		{10, 500, 0.06},
		{10, 1000, 0.03},
		{30, 5, 19.04},
		{30, 10, 9.52},
		{30, 100, 0.95},
		{30, 500, 0.19},
		{30, 1000, 0.10},
	} {
		row := Row{
			ID: fmt.Sprintf("huawei-%ggb-%gm", line.gb, line.mbps), Kind: Worked, Rule: Printed,
			What:      fmt.Sprintf("migration of a server of %g GB at %s Mbit/s", line.gb, number(line.mbps)),
			Inputs:    fmt.Sprintf("%g * 10^9 bytes * 8 / (70 %% of %s Mbit/s)", line.gb, number(line.mbps)),
			Published: []float64{line.published}, Unit: "h", Decimals: 2,
			Predict: copied{bytes: line.gb * 1e9, mbps: line.mbps, efficiency: []float64{70}, per: hour},
			Hand:    []float64{line.gb * 8000 / (line.mbps * 0.7) / 3600},
		}
		if line.published == 19.04 {
			row.Miss = Miss{CauseSource, "The source cuts the digits of 19.048 h off; its other times are rounded."}
		}
		source.Rows = append(source.Rows, row)
	}
	return source
}

var alibabaServers = Source{
	Title: "Server Migration Center, time required for a migration, Alibaba Cloud", Year: "2021",
	Where: "the example; the hours of its parts are the seconds in another unit",
	Address: "https://github.com/AlibabaCloudDocs/smc/blob/07d655303cce5795bbb2b6a2f1fb1cd5bff0df11/" +
		"intl.en-US/Best%20Practices/" +
		"Estimate%20the%20time%20required%20for%20migration%20and%20test%20the%20data%20transfer%20speed.md",
	Rows: []Row{
		{
			ID: "alibaba-transfer", Kind: Worked, Rule: Exact, What: "transfer of 10 GB at 10 Mbit/s",
			Inputs: "10 * 1,024 MB * 8 / 10 Mbit/s", Published: []float64{8192}, Unit: "s",
			Predict: copied{bytes: 10240e6, mbps: 10, per: 1},
			Hand:    []float64{10240 * 8 / 10},
		},
		{
			ID: "alibaba-image", Kind: Worked, Rule: Exact, What: "image of these data at 30 MB/s",
			Inputs: "10 * 1,024 MB / (30 MB/s)", Published: []float64{341}, Unit: "s",
			Predict: copied{bytes: 10240e6, mbps: 240, per: 1},
			Hand:    []float64{10240. / 30},
		},
		{
			ID: "alibaba-migration", Kind: Worked, Rule: Exact, What: "migration: the transfer and the image",
			Inputs: "10 * 1,024 MB * 8 / 10 Mbit/s, and 341 s", Published: []float64{2.36}, Unit: "h",
			Predict: evacuated{vms: 1, bytes: 10240e6, mbps: []float64{10}, setup: 341, per: hour},
			Hand:    []float64{(8192. + 341) / 3600},
		},
	},
}

// hyperBDR counts with 1,024 GB in a TB and 1,024 MB in a GB.
func hyperBDR() Source {
	const changed = 0.05 * 1024 * 1024
	source := Source{
		Title: "RPO and RTO best practices, HyperBDR (OneProCloud)", Year: "2026",
		Where: "the example of network transmission: changes of 5 % of 1 TB in each RPO. The times of recovery beside it " +
			"have no rate",
		Address: "https://github.com/HyperBDR/docs/blob/5bbcad3bb0e6cab917715b8802db99d495c65050/" +
			"src/product-overview/presales/hyperbdr-rpo-rto-planning-best-practices.md",
	}
	for _, line := range []struct{ minutes, published float64 }{
		{5, 1398}, {10, 699}, {30, 233}, {60, 117}, {240, 29}, {720, 10}, {1440, 5},
	} {
		source.Rows = append(source.Rows, Row{
			ID: fmt.Sprintf("hyperbdr-%g", line.minutes), Kind: Worked, Rule: Printed,
			What:      fmt.Sprintf("rate for changes of 51.2 GB and an RPO of %s min", number(line.minutes)),
			Inputs:    fmt.Sprintf("5 %% of 1,024 * 1,024 MB * 8 / %s min", number(line.minutes)),
			Published: []float64{line.published}, Unit: "Mbit/s",
			Predict: cycle{dailyBytes: changed * 1e6, rpoMinutes: line.minutes, answer: neededFor(1)},
			Hand:    []float64{changed * 8 / (line.minutes * minute)},
		})
	}
	return source
}
