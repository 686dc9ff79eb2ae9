package link

import (
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Constants C and beta of CUBIC (RFC 9438, section 5).
const (
	cubicC    = 0.4
	cubicBeta = 0.7
)

const maxLinuxLoss = 0.25

// lossMbps returns the throughput of one connection in Mbit/s for a loss share greater than 0 and a round-trip time in
// seconds. It returns false for Linux if the loss exceeds maxLinuxLoss.
func (in Input) lossMbps(loss, seconds float64) (float64, bool) {
	perSegment := in.MSSBytes * 8 / seconds / quantity.BitsPerMbit
	reno := 1 / math.Sqrt(loss)
	cubic := cubicSegments(loss, seconds)
	switch {
	case in.CongestionControl == Linux && loss > maxLinuxLoss:
		return 0, false
	case loss >= 1:
		return 0, true
	case in.CongestionControl == Linux:
		window := max(fastRecoverySegments(loss), cubic)
		return perSegment * window * (1 - loss) / (1 + timeouts(loss, window, seconds)), true
	case in.CongestionControl == Cubic:
		return perSegment * max(reno, cubic), true
	}
	return perSegment * reno, true
}

// cubicSegments returns the mean CUBIC window in segments: (C (3 + beta) / (4 (1 - beta)))^(1/4) * (RTT / p)^(3/4).
func cubicSegments(p, seconds float64) float64 {
	return plan.Pow(cubicC*(3+cubicBeta)/(4*(1-cubicBeta)), 0.25) * plan.Pow(seconds/p, 0.75)
}

// fastRecoverySegments returns the mean window of a connection that acknowledges every segment and recovers without
// timeouts (Padhye, Firoiu, Towsley and Kurose, Modeling TCP Throughput, 1998, with b = 1). Linux uses the larger of
// this window and the CUBIC window:
//
//	((1-p)/p + E[W]) / (E[X] + 1), E[W] = 1 + sqrt(8(1-p)/(3p) + 1), E[X] = 1/2 + sqrt(2(1-p)/(3p) + 1/4)
//
// Both sides of the fraction are multiplied by p, which keeps it finite for any loss.
func fastRecoverySegments(p float64) float64 {
	return (1 + math.Sqrt(p*(8*(1-p)/3+p))) / (1.5*p + math.Sqrt(p*(2*(1-p)/3+p/4)))
}

// minTimeout is the difference, in seconds, between the minimum retransmission timeout of Linux and the round-trip
// time.
const minTimeout = 0.2

// timeouts returns the time spent in timeouts per second of sending. A loss causes a timeout with probability q = p^W +
// W p^2, at most 1. The factor f(p) / (1-p) accounts for exponential backoff (Padhye et al.).
func timeouts(p, window, seconds float64) float64 {
	q := min(1, plan.Pow(p, window)+window*p*p)
	f := 1 + p*(1+p*(2+p*(4+p*(8+p*(16+p*32)))))
	return q * f / (1 - p) * (seconds + minTimeout) / seconds
}
