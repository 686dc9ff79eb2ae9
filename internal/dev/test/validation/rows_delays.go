// Rows of connections across injected delays and across windows that were chosen.

package validation

import "fmt"

// What the lines at the longest delay, 300 ms, mean as a window, in bytes: 105 Mbit/s of TCP, 17 Mbit/s of SCTP.
const (
	gigabitTCPWindow  = 105e6 / 8 * 0.3
	gigabitSCTPWindow = 17e6 / 8 * 0.3
)

var gigabit = Source{
	Title: "pion, sctp issue 218", Year: "2022",
	Where: "table of TCP and of SCTP over gigabit Ethernet with a conditioner; the numbers are approximate. The windows " +
		"come from the longest delay, 105 and 17 Mbit/s at 300 ms: 3.94 MB and 638 KB. These lines are therefore not rows",
	Address: "https://github.com/pion/sctp/issues/218",
	Rows: []Row{
		gigabitLineRow("TCP", gigabitTCPWindow, 2, 850),
		gigabitLineRow("TCP", gigabitTCPWindow, 20, 800),
		gigabitWindowRow("TCP", "3.94 MB", gigabitTCPWindow, 50, 600, Miss{}),
		gigabitWindowRow("TCP", "3.94 MB", gigabitTCPWindow, 100, 320, Miss{}),
		gigabitLineRow("SCTP", gigabitSCTPWindow, 2, 850),
		gigabitWindowRow("SCTP", "638 KB", gigabitSCTPWindow, 20, 200, Miss{
			CauseUnexplained,
			"The source's own numbers do not fit one window: 500 KB here, 638 KB at 300 ms.",
		}),
		gigabitWindowRow("SCTP", "638 KB", gigabitSCTPWindow, 50, 85, Miss{
			CauseUnexplained,
			"The source's own numbers do not fit one window: 531 KB here, 638 KB at 300 ms.",
		}),
		gigabitWindowRow("SCTP", "638 KB", gigabitSCTPWindow, 100, 45, Miss{}),
	},
}

const gigabitMbps = 1000

// gigabitLineRow is a delay at which the line limits, not the window.
func gigabitLineRow(protocol string, window, rtt, published float64) Row {
	return Row{
		ID: fmt.Sprintf("gigabit-%s-%gms", protocol, rtt), Kind: Measured, Rule: Between,
		What:      fmt.Sprintf("throughput of %s at %g ms", protocol, rtt),
		Inputs:    "1,000 Mbit/s, and 70 % of it; the window would carry more",
		Published: []float64{published}, Unit: "Mbit/s",
		Predict: carried{
			mbps: gigabitMbps, rttMs: []float64{rtt}, windowBytes: window, efficiency: lineRate, answer: mbpsOf(1),
		},
		Hand: []float64{gigabitMbps, gigabitMbps * 0.7},
	}
}

func gigabitWindowRow(protocol, text string, window, rtt, published float64, miss Miss) Row {
	return Row{
		ID: fmt.Sprintf("gigabit-%s-%gms", protocol, rtt), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("throughput of %s at %g ms", protocol, rtt),
		Inputs:    fmt.Sprintf("%s * 8 / %g ms; link 1,000 Mbit/s", text, rtt),
		Published: []float64{published}, Unit: "Mbit/s",
		Predict: carried{mbps: gigabitMbps, rttMs: []float64{rtt}, windowBytes: window, answer: mbpsOf(1)},
		Hand:    []float64{window * 8 / (rtt / 1000) / 1e6},
		Miss:    miss,
	}
}

// consoleMbps is what the console receives where the window does not limit, at 15 ms with 128 KiB; that line is no row.
const consoleMbps = 33.4

var console = Source{
	Title: "NUSspli, pull request 491, benchmark", Year: "2026",
	Where: "comment of 17 September: means of five passes at two round trips with three windows. The line of 15 ms and " +
		"128 KiB, 33.4 Mbit/s, is what the console receives where no window limits; it is therefore not a row",
	Address: "https://github.com/V10lator/NUSspli/pull/491",
	Rows: []Row{
		consoleRow(128, 91, 11.2, Miss{}),
		consoleRow(256, 91, 20.4, Miss{}),
		consoleRow(512, 91, 19.0, largeBuffer),
		consoleRow(256, 15, 31.9, Miss{}),
		consoleRow(512, 15, 28.0, largeBuffer),
	},
}

var largeBuffer = Miss{
	CauseInput,
	"With 512 KiB the console receives less than with 256 KiB, at both round trips: not the window limits. What does is " +
		"not published (`per_flow_limit_mbps`).",
}

func consoleRow(kib, rtt, published float64, miss Miss) Row {
	return Row{
		ID: fmt.Sprintf("console-%gk-%gms", kib, rtt), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("download with a window of %g KiB at %g ms", kib, rtt),
		Inputs:    fmt.Sprintf("%g * 1,024 bytes * 8 / %g ms; the console receives 33.4 Mbit/s", kib, rtt),
		Published: []float64{published}, Unit: "Mbit/s",
		Predict: carried{mbps: consoleMbps, rttMs: []float64{rtt}, windowBytes: kib * 1024, answer: mbpsOf(1)},
		Hand:    []float64{min(consoleMbps, kib*1024*8/(rtt/1000)/1e6)},
		Miss:    miss,
	}
}
