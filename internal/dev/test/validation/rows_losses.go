// Rows of one connection that loses packets.

package validation

import (
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan/link"
)

// losses are the sources of this subject.
var losses = []Source{lossy, streamed, aspera}

var lossy = Source{
	Title: "ReBBR, reproducing BBR performance on lossy networks, Stanford", Year: "2017",
	Where: "figure8.csv, rows of CUBIC: 13 losses at a round trip of 100 ms over an emulated link",
	Address: "https://github.com/jervisfm/rebbr/blob/a3854d21597cd24fc617bf3fdcf97f6fbd28a36c/mahimahi/data/" +
		"figure8.csv",
	Rows: []Row{
		lossRow(0.001, 98.81, Miss{}),
		lossRow(0.01, 34.14, cautious),
		lossRow(0.1, 5.92, cautious),
		lossRow(1, 1.62, cautious),
		lossRow(2, 1.0, cautious),
		lossRow(5, 0.61, Miss{}),
		lossRow(10, 0.34, Miss{}),
		lossRow(15, 0.25, timeouts),
		lossRow(20, 0.2, timeouts),
		lossRow(25, 0.15, timeouts),
		lossRow(30, 0.15, timeouts),
		lossRow(40, 0.09, timeouts),
		lossRow(50, 0.02, timeouts),
	},
}

var (
	cautious = Miss{
		CauseModel,
		"vsla's answer is cautious: the mean window of the formulas is one of a receiver that acknowledges every other " +
			"segment, and of losses that never come in pairs.",
	}
	timeouts = Miss{
		CauseModel, "At such losses the sender waits for timeouts, which the formula does not have.",
	}
)

// lossyMbps is what the link was measured to carry.
const lossyMbps = 100.27

func lossRow(percent, published float64, miss Miss) Row {
	loss := percent / 100
	window := cubicSegments(loss, 0.1)
	return Row{
		ID: fmt.Sprintf("rebbr-%g", percent), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("throughput of CUBIC at 100 ms and a loss of %g %%", percent),
		Inputs:    "the window of CUBIC by RFC 9438, at least 1 / sqrt(loss) segments of 1,460 bytes; link 100.27 Mbit/s",
		Published: []float64{published}, Unit: "Mbit/s",
		Predict: carried{
			mbps: lossyMbps, rttMs: []float64{100}, lossPercent: percent, control: "cubic", answer: mbpsOf(1),
		},
		Hand: []float64{math.Min(lossyMbps, window*1460*8/0.1/1e6)},
		Miss: miss,
	}
}

var streamed = Source{
	Title: "JitterTrap, TCP flow control research", Year: "2025",
	Where: "loss-tolerance/README.md, column of CUBIC, and baseline-verification.csv, CUBIC, means of five runs of " +
		"10 s; lines at which the sender's own pace, 5 or 10 MiB/s, is not above the window over the round trip are no rows",
	Address: "https://github.com/acooks/jittertrap/tree/30f707588df3f1f7e40a0b7b685f04ef8cf01e3c/" +
		"pathological-porcupines/research/topics/tcp-flow-control",
	Rows: []Row{
		streamRow(10, 50, 0, 5708.6, Miss{}),
		streamRow(5, 100, 0, 2722.7, Miss{}),
		streamRow(10, 100, 0, 2670.7, Miss{}),
		streamRow(5, 50, 0.1, 1811, shortRuns),
		streamRow(5, 50, 0.25, 1016, shortRuns),
		streamRow(5, 50, 0.5, 595, shortRuns),
		streamRow(5, 50, 1, 396, shortRuns),
		streamRow(5, 50, 2, 247, shortRuns),
		streamRow(5, 50, 5, 119, Miss{}),
	},
}

var shortRuns = Miss{
	CauseModel,
	"vsla's answer is cautious, as above; runs of 10 s also count the start, before the first loss.",
}

// streamWindow is the receiver's buffer.
const streamWindow = 256 * 1024

// streamRow is a sender of a pace in MiB/s; the published throughput is in KiB/s.
func streamRow(pace, rtt, percent, published float64, miss Miss) Row {
	r := Row{
		ID: fmt.Sprintf("jittertrap-%g-%gms-%g", pace, rtt, percent), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("throughput at %g ms with a buffer of 256 KiB, sender %g MiB/s", rtt, pace),
		Inputs:    fmt.Sprintf("256 KiB * 8 / %g ms; the sender's pace would carry more", rtt),
		Published: []float64{published * 1024 * 8 / 1e6}, Unit: "Mbit/s",
		Predict: carried{mbps: pace * mibpsToMbps, rttMs: []float64{rtt}, windowBytes: streamWindow, answer: mbpsOf(1)},
		Hand:    []float64{streamWindow * 8 / (rtt / 1000) / 1e6},
		Miss:    miss,
	}
	if percent > 0 {
		r.What = fmt.Sprintf("throughput of CUBIC at %g ms and a loss of %g %%", rtt, percent)
		r.Inputs = "the window of CUBIC by RFC 9438, at least 1 / sqrt(loss) segments of 1,460 bytes; buffer 256 KiB"
		r.Predict = carried{
			mbps: pace * mibpsToMbps, rttMs: []float64{rtt}, windowBytes: streamWindow, lossPercent: percent,
			control: "cubic", answer: mbpsOf(1),
		}
		r.Hand = []float64{cubicSegments(percent/100, rtt/1000) * 1460 * 8 / (rtt / 1000) / 1e6}
	}
	return r
}

// cubicSegments returns the mean window of CUBIC by RFC 9438, at least that of the formula of Mathis for one
// acknowledgement per two segments, of a loss and a round trip in seconds.
func cubicSegments(loss, rtt float64) float64 {
	return math.Max(1/math.Sqrt(loss), math.Pow(0.4*3.7/1.2, 0.25)*math.Pow(rtt/loss, 0.75))
}

var aspera = Source{
	Title: "fasp versus FTP, Aspera",
	Year:  "not on the page",
	Where: "the numbers of TCP and FTP on gigabit Ethernet, in the text; the charts are pictures. The congestion " +
		"control is not published, and is taken for the standard one",
	Address: "http://asperasoft.com/technology/comparisons/fasp-ftp",
	Rows: []Row{
		asperaRow("theory", Formula, Cautious, "theoretical TCP", 10, 0.1, 50, Miss{
			CauseModel, "vsla's formula has a constant of 1, the source's number one of 1.35 with segments of 1,460 bytes.",
		}),
		asperaRow("man", Measured, Within15, "FTP", 10, 0.1, 22, Miss{
			CauseUnexplained,
			"Half of what it calculates for TCP. A window of 27 KB would explain it; it is not published.",
		}),
		asperaRow("wan", Measured, Within15, "FTP", 200, 2, 0.55, cautious),
	},
}

func asperaRow(id string, kind Kind, rule Rule, what string, rtt, percent, published float64, miss Miss) Row {
	return Row{
		ID: "aspera-" + id, Kind: kind, Rule: rule,
		What:      fmt.Sprintf("throughput of %s at %g ms and a loss of %g %%", what, rtt, percent),
		Inputs:    fmt.Sprintf("1,460 bytes * 8 / (%g ms * sqrt(%g)); link 1,000 Mbit/s", rtt, percent/100),
		Published: []float64{published}, Unit: "Mbit/s",
		Predict: carried{mbps: 1000, rttMs: []float64{rtt}, lossPercent: percent, control: link.Reno, answer: mbpsOf(1)},
		Hand:    []float64{1460 * 8 / (rtt / 1000 * math.Sqrt(percent/100)) / 1e6},
		Miss:    miss,
	}
}
