// Rows of one connection that loses packets.

package validation

import (
	"fmt"
	"math"
)

// losses are the sources of this subject.
var losses = []Source{lossy}

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
	window := math.Max(1/math.Sqrt(loss), math.Pow(0.4*3.7/1.2, 0.25)*math.Pow(0.1/loss, 0.75))
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
