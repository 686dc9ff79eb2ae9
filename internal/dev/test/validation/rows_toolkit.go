// Rows of an earlier release of the toolkit that moves VMs from vSphere.

package validation

// toolkitBytes are 50 disks of 50 GB.
const toolkitBytes = 50 * gib

var toolkit = Source{
	Title: "Migration Toolkit for Virtualization, performance recommendations for vSphere 6.5 and 6.7, Red Hat",
	Year:  "2021", Where: "performance examples; the size of the disks from the migration example",
	Address: forklift + "f19952c4bae5b5ea35cbb6e004b3b9a9f68578c1/documentation/performance/" +
		"performance-recommendations.md",
	Rows: []Row{
		toolkitRow("toolkit-65-3", "three hosts, vSphere 6.5", 1051, 40+34./60),
		toolkitRow("toolkit-65-5", "five hosts, vSphere 6.5", 1282, 33+16./60),
		toolkitRow("toolkit-67-1", "one host, vSphere 6.7", 1135, 41+43./60),
		toolkitRow("toolkit-67-2", "two hosts, vSphere 6.7", 1578, 30+24./60),
	},
}

func toolkitRow(id, what string, mbPerSecond, minutes float64) Row {
	return Row{
		ID: id, Kind: Measured, Rule: Within15, What: "cold migration of 50 VMs, " + what,
		Inputs:    "50 disks of 50 * 2^30 bytes at " + number(mbPerSecond) + " MB/s, as measured",
		Published: []float64{minutes}, Unit: "min",
		Predict: copied{vms: 50, bytes: toolkitBytes, mbps: mbPerSecond * 8, per: minute},
		Hand:    []float64{50 * 50 * 1073741824 / (mbPerSecond * 1e6) / 60},
	}
}
