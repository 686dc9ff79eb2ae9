// Rows of live migrations at the same time across a round trip.

package validation

import (
	"fmt"
	"slices"
)

// emulatedWindow is what the time of the line of one VM at 180 ms, 79.92 s for 1,122 MiB, means as a window in bytes.
const emulatedWindow = 1121.73 * mib / 79.92 * 0.18

var emulatedWAN = Source{
	Title: "miglog, logs of live migrations with QEMU 1.6, david78k",
	Year:  "2014",
	Where: "idle/cluster/precopy/speed125/vcpu2/umem1024: 1 to 8 idle VMs at the same time over 125 MB/s with an " +
		"emulated delay, run 1, at 180 ms run 2; what was sent, and the time of the last VM. The line of one VM at " +
		"180 ms, 79.9 s, supplies the window, 2.53 MiB; it is therefore not a row",
	Address: "https://github.com/david78k/miglog/tree/c0dd45ef54acd1c7f494f37423ed482feef7fc92",
	Rows: slices.Concat(
		emulatedRows(0.4, nil, []sent{
			{1119, 10.154},
			{2249, 20.307},
			{3367, 29.719},
			{4481, 40.316},
			{5601, 49.411},
			{6735, 59.628},
			{7840, 68.651},
			{8969, 79.117},
		}),
		emulatedRows(10, []int{2}, []sent{
			{1121, 11.965},
			{2242, 27.492},
			{3366, 37.252},
			{4485, 43.164},
			{5609, 55.834},
			{6742, 66.939},
			{7856, 80.612},
			{8984, 88.723},
		}),
		emulatedRows(20, []int{4}, []sent{
			{1117, 12.684},
			{2242, 22.713},
			{3354, 38.351},
			{4477, 55.081},
			{5608, 61.778},
			{6726, 68.521},
			{7840, 82.808},
			{8983, 87.758},
		}),
		emulatedRows(40, []int{2, 3, 4}, []sent{
			{1119, 19.076},
			{2246, 29.286},
			{3363, 41.973},
			{4485, 56.675},
			{5607, 58.227},
			{6743, 76.093},
			{7852, 78.572},
			{8981, 97.632},
		}),
		emulatedRows(60, []int{4}, []sent{
			{1122, 30.11},
			{2245, 29.68},
			{3361, 37.768},
			{4488, 65.607},
			{5618, 62.149},
			{6751, 80.123},
			{7853, 82.621},
			{8998, 99.615},
		}),
		emulatedRows(80, []int{4, 5, 8}, []sent{
			{1118, 36.63},
			{2241, 40.287},
			{3364, 39.358},
			{4483, 61.191},
			{5599, 74.715},
			{6735, 73.713},
			{7838, 84.492},
			{8973, 113.138},
		}),
		emulatedRows(100, []int{4, 5, 6, 7, 8}, []sent{
			{1130, 45.487},
			{2245, 45.686},
			{3365, 45.859},
			{4489, 68.221},
			{5620, 81.156},
			{6736, 85.478},
			{7858, 94.413},
			{8992, 120.939},
		}),
		emulatedRows(120, []int{4, 5, 6, 7, 8}, []sent{
			{1124, 54.565},
			{2244, 57.076},
			{3366, 54.609},
			{4498, 68.31},
			{5614, 85.99},
			{6746, 97.301},
			{7861, 109.917},
			{9005, 126.814},
		}),
		emulatedRows(180, []int{6, 7, 8}, []sent{
			{2247, 80.237},
			{3370, 80.415},
			{4492, 82.935},
			{5616, 88.539},
			{6735, 136.725},
			{7910, 157.117},
			{8996, 157.028},
		}),
	),
}

// sent is what VMs sent together, in MiB, and when the last one ended.
type sent struct{ mib, seconds float64 }

var unequal = Miss{
	CauseInput,
	"The VMs share the line unequally, and the last one ends late; what their connections lose is not published " +
		"(`loss_percent`).",
}

// emulatedRows are runs at one round trip, the last of them with 8 VMs and each with one more than the one before;
// those of some numbers of VMs miss.
func emulatedRows(rtt float64, misses []int, runs []sent) []Row {
	rows := make([]Row, 0, len(runs))
	for i, run := range runs {
		vms := i + 1 + 8 - len(runs)
		row := Row{
			ID: fmt.Sprintf("miglog-%gms-%d", rtt, vms), Kind: Measured, Rule: Within15,
			What:      fmt.Sprintf("live migrations at the same time at %g ms, VMs: %d", rtt, vms),
			Inputs:    fmt.Sprintf("%s MiB sent; %d * 2.53 MiB * 8 / %g ms", number(run.mib), vms, rtt),
			Published: []float64{run.seconds}, Unit: "s",
		}
		bits, windows := run.mib*mib*8, float64(vms)*emulatedWindow*8/(rtt/1000)/1e6
		ask := crossed{
			vms: vms, bytes: run.mib * mib / float64(vms), mbps: gigabitMbps, rttMs: rtt, windowBytes: emulatedWindow,
		}
		row.Hand = []float64{bits / (windows * 1e6)}
		if windows >= gigabitMbps {
			row.Rule, ask.efficiency = Between, lineRate
			row.Inputs = number(run.mib) + " MiB sent; 1,000 Mbit/s, and 70 % of it"
			row.Hand = []float64{bits / (gigabitMbps * 1e6), bits / (gigabitMbps * 0.7e6)}
		}
		row.Predict = ask
		if slices.Contains(misses, vms) {
			row.Miss = unequal
		}
		rows = append(rows, row)
	}
	return rows
}

var concurrentVMotion = Source{
	Title: "vCenter Concurrent Operations, 2spmohanty", Year: "2019",
	Where: "README.md, Observation: vMotion of 16 VMs (framework/data/New_Vmotion.txt, images/8_Concur.png) between " +
		"ESXi hosts, 8 to 9 GB in use of 12 GB each",
	Address: "https://github.com/2spmohanty/Performance/tree/5a86a56f40bad1e12654fe1bb737affb4e0edd26",
	Rows: []Row{
		concurrentRow(1, 4*60+12),
		concurrentRow(2, 3*60+57),
		concurrentRow(4, 3*60+25),
		concurrentRow(8, 5*60+2),
	},
}

func concurrentRow(atATime, seconds float64) Row {
	return Row{
		ID: fmt.Sprintf("concurrent-vmotion-%g", atATime), Kind: Measured, Rule: Between,
		What:      fmt.Sprintf("vMotion of 16 VMs, %g at a time", atATime),
		Inputs:    "16 * 8 GiB at 10,000 Mbit/s, and 16 * 9 GiB at 70 % of it",
		Published: []float64{seconds}, Unit: "s",
		Predict: between{
			evacuated{vms: 16, bytes: 8 * gib, mbps: []float64{10000}, per: 1},
			evacuated{vms: 16, bytes: 9 * gib, mbps: []float64{7000}, per: 1},
		},
		Hand: []float64{16 * 8 * 1073741824 * 8 / 10e9, 16 * 9 * 1073741824 * 8 / 7e9},
		Miss: Miss{
			CauseInput,
			"What a vMotion costs besides its memory, and how fast the guests write, are not published (`setup_seconds`, " +
				"`memory_dirty_mbps`).",
		},
	}
}
