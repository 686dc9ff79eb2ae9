// Rows of replicas that are built over a network.

package validation

// replicas are the sources of this subject.
var replicas = []Source{longhorn, longhornFast}

var longhorn = Source{
	Title: "Longhorn, issue 2053",
	Year:  "2020",
	Where: "description: one volume over gigabit Ethernet, and scp between the " +
		"same nodes",
	Address: "https://github.com/longhorn/longhorn/issues/2053",
	Rows: []Row{
		rebuildRow("longhorn-1g", "a replica of 15 GB", 15e9, 1000, 6*60, verified),
		rebuildRow("longhorn-1g-scp", "15 GB with scp", 15e9, 1000, 2*60+45, Miss{}),
	},
}

var longhornFast = Source{
	Title: "Longhorn, issue 1948", Year: "2021", Where: "comment of 4 March 2021: one volume over 10 Gbit/s",
	Address: "https://github.com/longhorn/longhorn/issues/1948",
	Rows: []Row{
		rebuildRow("longhorn-10g", "a replica of 38.8 GiB", 38.8*gib, 10000, 648, verified),
	},
}

var verified = Miss{
	CauseInput,
	"Longhorn compares checksums while it copies; how fast it does is not published (`checksum_mbps`).",
}

func rebuildRow(id, what string, bytes, mbps, seconds float64, miss Miss) Row {
	return Row{
		ID: id, Kind: Measured, Rule: Between, What: "copy of " + what,
		Inputs:    number(mbps) + " Mbit/s, and 70 % of it",
		Published: []float64{seconds}, Unit: "s",
		Predict: copied{bytes: bytes, mbps: mbps, efficiency: lineRate, per: 1},
		Hand:    []float64{bytes * 8 / (mbps * 1e6), bytes * 8 / (mbps * 0.7e6)},
		Miss:    miss,
	}
}
