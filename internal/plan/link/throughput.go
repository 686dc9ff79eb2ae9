// Package link calculates what a network path carries: the smallest of what its bandwidth, the window of its
// connections, their losses and a limit for each flow allow.
//
// Known limits to compare with, for documentation: 10 Gbit/s for one vMotion stream within an availability zone and 5
// Gbit/s across zones (VMware performance blog); 5 Gbit/s for one flow outside a placement group and 1.25 Gbit/s for
// one VPN tunnel on AWS; about 15 Gbit/s for one vMotion stream on a LAN.
package link

import (
	"errors"
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	defaultMSSBytes = 1460
	bitsPerKiB      = 8 * 1024
	bitsPerMbit     = 1e6
	msPerSecond     = 1e3
	percent         = 100.0
)

// Input describes a path. A nil pointer leaves the term that needs it out.
type Input struct {
	// BandwidthMbps is the nominal rate of the link, in 10^6 bit/s.
	BandwidthMbps float64
	// EfficiencyPercent is the usable part of it, SharePercent the part of that which is for this traffic.
	EfficiencyPercent, SharePercent float64
	// RTTMs is the round-trip time. Needed by the window and the loss term.
	RTTMs *float64
	// LossPercent is the share of packets that are lost; 0 leaves the loss term out. CongestionControl is how a connection
	// answers to losses.
	LossPercent       *float64
	CongestionControl string
	// MSSBytes is the maximum segment size.
	MSSBytes float64
	// WindowKiB is the window of one connection, in KiB (2^10 bytes).
	WindowKiB *float64
	// Streams is the number of parallel connections.
	Streams float64
	// PerFlowLimitMbps is what the network allows one flow.
	PerFlowLimitMbps *float64
}

// Defaults returns an input with the documented defaults: all of the link, one stream, a segment of 1,460 bytes.
func Defaults() Input {
	return Input{
		EfficiencyPercent: percent, SharePercent: percent, MSSBytes: defaultMSSBytes, Streams: 1,
		CongestionControl: Reno,
	}
}

// Result is what the path carries. Pointers are nil where an input is missing.
type Result struct {
	// ThroughputMbps is the smallest term.
	ThroughputMbps float64
	// PerStreamMbps is what one stream gets of it.
	PerStreamMbps float64
	// BandwidthDelayProductKiB is what is under way on a full link, bandwidth * RTT; nil without an RTT.
	BandwidthDelayProductKiB *float64
	// StreamsNeeded is how many streams of this kind fill the bandwidth (1 when a stream has no limit of its own); nil
	// when none carries anything.
	StreamsNeeded *float64
	// LimitedBy names the smallest term.
	LimitedBy string
	calculator.Explanation
}

// Throughput computes
//
//	min( bandwidth * efficiency * share,
//	     streams * window * 8 / RTT,
//	     streams * MSS * 8 * W / RTT,
//	     streams * per-flow limit )
//
// W is the mean window in segments that losses leave: 1 / sqrt(loss) for Reno, the model of Mathis et al. (1997) with
// constant 1, its cautious form; for CUBIC the larger of that and RFC 9438's (0.4 * 3.7 / 1.2)^(1/4) * (RTT /
// loss)^(3/4) with the round trip in seconds. With every packet lost the path carries nothing. The error is a
// plan.InputErrors.
func Throughput(in Input) (Result, error) {
	if err := in.check(); err != nil {
		return Result{}, err
	}
	usable := in.BandwidthMbps * (in.EfficiencyPercent / percent) * (in.SharePercent / percent)
	r := Result{ThroughputMbps: usable, LimitedBy: LimitedByBandwidth}
	stream := math.Inf(1)
	for _, term := range in.perStream() {
		stream = min(stream, term.mbps)
		if total := term.mbps * in.Streams; total < r.ThroughputMbps {
			r.ThroughputMbps, r.LimitedBy = total, term.name
		}
	}
	if stream > 0 {
		// A hair less than a whole number of streams must not ask for one more.
		needed := max(1, math.Ceil(usable/stream*(1-1e-12)))
		r.StreamsNeeded = &needed
	}
	r.PerStreamMbps = r.ThroughputMbps / in.Streams
	if in.RTTMs != nil {
		product := in.BandwidthMbps * bitsPerMbit * *in.RTTMs / msPerSecond / bitsPerKiB
		r.BandwidthDelayProductKiB = &product
	}
	r.explain(in, usable)
	return r, nil
}

type term struct {
	name string
	mbps float64
}

// perStream returns what each limit leaves to one stream.
func (in Input) perStream() []term {
	var terms []term
	if in.WindowKiB != nil && in.RTTMs != nil {
		terms = append(terms, term{LimitedByWindow, *in.WindowKiB * bitsPerKiB / (*in.RTTMs / msPerSecond) / bitsPerMbit})
	}
	if in.LossPercent != nil && *in.LossPercent > 0 && in.RTTMs != nil {
		rate := in.MSSBytes * 8 * in.segments() / (*in.RTTMs / msPerSecond)
		terms = append(terms, term{LimitedByLoss, rate / bitsPerMbit})
	}
	if in.PerFlowLimitMbps != nil {
		terms = append(terms, term{LimitedByPerFlow, *in.PerFlowLimitMbps})
	}
	return terms
}

// The constants of CUBIC, RFC 9438 section 5: C and beta.
const (
	cubicC    = 0.4
	cubicBeta = 0.7
)

// segments is the mean window that losses leave, in segments.
func (in Input) segments() float64 {
	loss := *in.LossPercent / percent
	if loss >= 1 {
		return 0
	}
	reno := 1 / math.Sqrt(loss)
	if in.CongestionControl != Cubic {
		return reno
	}
	seconds := *in.RTTMs / msPerSecond
	return max(reno, math.Pow(cubicC*(3+cubicBeta)/(4*(1-cubicBeta)), 0.25)*math.Pow(seconds/loss, 0.75))
}

// check refuses, beside what is out of range, a loss or a window that has no effect.
func (in Input) check() error {
	errs := inputs.Check(&in, nil)
	if in.RTTMs == nil && in.LossPercent != nil && *in.LossPercent > 0 {
		errs = errs.With(plan.Attr("loss_percent"), errNeedsRTT)
	}
	if in.RTTMs == nil && in.WindowKiB != nil {
		errs = errs.With(plan.Attr("window_kib"), errNeedsRTT)
	}
	return errs.Err()
}

var errNeedsRTT = errors.New("needs rtt_ms: what it costs depends on the round trip")

func (r *Result) explain(in Input, usable float64) {
	rate, full := quantity.FromMbps(r.ThroughputMbps), quantity.FromMbps(usable)
	streams := plan.Count(in.Streams, "stream")
	switch r.LimitedBy {
	case LimitedByWindow:
		r.Findings = append(r.Findings, reasonWindow.Finding(rate, full,
			plan.Thousands(*in.WindowKiB, -1), plan.Thousands(*in.RTTMs, -1), streams))
	case LimitedByLoss:
		r.Findings = append(r.Findings, reasonLoss.Finding(rate, full,
			plan.Thousands(*in.LossPercent, -1), plan.Thousands(*in.RTTMs, -1), streams))
	case LimitedByPerFlow:
		r.Findings = append(r.Findings, reasonPerFlow.Finding(rate, full,
			quantity.FromMbps(*in.PerFlowLimitMbps), streams))
	default:
		r.Summary = fmt.Sprintf("The link carries %s, all that is usable of it.", rate)
		return
	}
	r.Summary = r.Findings[0].Sentence
	if r.StreamsNeeded != nil {
		r.Summary += " " + plan.Count(*r.StreamsNeeded, "stream") + " would fill it."
	}
}
