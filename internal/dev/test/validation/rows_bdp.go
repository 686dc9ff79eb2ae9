// Rows of what a link holds, and of windows that are worked examples.

package validation

var products = []Source{
	{
		Title: "Optimizing SnapMirror performance, rajeev.name", Year: "2008", Where: "the example",
		Address: "http://rajeev.name/2008/03/18/optimizing-snapmirror-performance/",
		Rows: []Row{{
			ID: "snapmirror-10m", Kind: Worked, Rule: Exact, What: "window that fills 10 Mbit/s at 100 ms",
			Inputs: "10 Mbit/s * 100 ms / 8", Published: []float64{125000}, Unit: "bytes",
			Predict: carried{mbps: 10, rttMs: []float64{100}, answer: productBytes},
			Hand:    []float64{10e6 * 0.1 / 8},
		}},
	},
	{
		Title: "SnapMirror Bandwidth over 10GbE, rajeev.name", Year: "2008", Where: "the example",
		Address: "http://rajeev.name/2008/09/29/snapmirror-bandwidth-over-10gbe/",
		Rows: []Row{{
			ID: "snapmirror-8m", Kind: Worked, Rule: Exact, What: "throughput of a window of 8,388,608 bytes at 0.060 ms",
			Inputs: "8,388,608 bytes / 0.060 ms", Published: []float64{139.81}, Unit: "GB/s",
			Predict: carried{mbps: fast, rttMs: []float64{0.06}, windowBytes: 8388608, answer: mbpsOf(8000)},
			Hand:    []float64{8388608 / 0.00006 / 1e9},
		}},
	},
	{
		Title: "Change TCP Windows Size for NetApp SnapMirror, flexpodsolutions.nl", Year: "not on the page",
		Where:   "the example",
		Address: "http://flexpodsolutions.nl/change-tcp-windows-size-for-netapp-snapmirror/",
		Rows: []Row{{
			ID: "snapmirror-400m", Kind: Worked, Rule: Exact, What: "window that fills 400 Mbit/s at 80 ms",
			Inputs: "400 Mbit/s * 80 ms / 8", Published: []float64{4e6}, Unit: "bytes",
			Predict: carried{mbps: 400, rttMs: []float64{80}, answer: productBytes},
			Hand:    []float64{400e6 * 0.08 / 8},
		}},
	},
	{
		Title: "iPXE, issue 862", Year: "2023", Where: "comment of the code that is quoted",
		Address: "https://github.com/ipxe/ipxe/issues/862",
		Rows: []Row{{
			ID: "ipxe-wan", Kind: Worked, Rule: Exact, What: "window that fills 2 MB/s at 100 ms",
			Inputs: "16 Mbit/s * 100 ms / 8", Published: []float64{200e3}, Unit: "bytes",
			Predict: carried{mbps: 16, rttMs: []float64{100}, answer: productBytes},
			Hand:    []float64{2e6 * 0.1},
		}},
	},
	{
		Title: "Threema Web, issue 486", Year: "2018", Where: "the example",
		Address: "https://github.com/threema-ch/threema-web/issues/486",
		Rows: []Row{
			{
				ID: "threema-128k", Kind: Worked, Rule: Exact, What: "throughput of a window of 128 KiB at 160 ms",
				Inputs:    "131,072 bytes * 8 / 160 ms; the source's Mbit is 2^20 bit, its 6.25 are 6.5536 * 10^6 bit/s",
				Published: []float64{6.25 * 1.048576}, Unit: "Mbit/s",
				Predict: carried{mbps: fast, rttMs: []float64{160}, windowBytes: 131072, answer: mbpsOf(1)},
				Hand:    []float64{131072 * 8 / 0.16 / 1e6},
			},
			{
				ID: "threema-3m", Kind: Worked, Rule: Exact, What: "throughput of a window of 3 MiB at 160 ms",
				Inputs:    "3,145,728 bytes * 8 / 160 ms; the source's 150 are 157.3 * 10^6 bit/s",
				Published: []float64{150 * 1.048576}, Unit: "Mbit/s",
				Predict: carried{mbps: fast, rttMs: []float64{160}, windowBytes: 3145728, answer: mbpsOf(1)},
				Hand:    []float64{3145728 * 8 / 0.16 / 1e6},
			},
		},
	},
	{
		Title: "Office Online test tools, issue 243, Microsoft", Year: "2016", Where: "the example",
		Address: "https://github.com/microsoft/Office-Online-Test-Tools-and-Documentation/issues/243",
		Rows: []Row{
			{
				ID: "office-64k", Kind: Worked, Rule: Exact, What: "throughput of a window of 64 KB at 200 ms",
				Inputs:    "65,536 bytes * 8 / 200 ms; the source's Mbit is 2^20 bit, its 2.5 are 2.62144 * 10^6 bit/s",
				Published: []float64{2.5 * 1.048576}, Unit: "Mbit/s",
				Predict: carried{mbps: fast, rttMs: []float64{200}, windowBytes: 65536, answer: mbpsOf(1)},
				Hand:    []float64{65536 * 8 / 0.2 / 1e6},
			},
			{
				ID: "office-15mb", Kind: Worked, Rule: Exact, What: "time for a file of 15 MB at that rate",
				Inputs: "15 * 2^20 bytes * 8 / 2.62144 Mbit/s", Published: []float64{48}, Unit: "s",
				Predict: copied{bytes: 15 * mib, mbps: 2.62144, per: 1},
				Hand:    []float64{15 * 1048576 * 8 / 2621440.},
			},
		},
	},
}
