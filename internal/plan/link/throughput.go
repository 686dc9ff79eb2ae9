// Package link calculates what a network path carries: the smallest of what its bandwidth, the window of its
// connections, their losses and a limit for each flow allow.
//
// Known limits to compare with, for documentation: 10 Gbit/s for one vMotion stream within an availability zone and 5
// Gbit/s across zones (VMware performance blog); 5 Gbit/s for one flow outside a placement group and 1.25 Gbit/s for
// one VPN tunnel on AWS; about 15 Gbit/s for one vMotion stream on a LAN.
package link

import (
	"errors"
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	defaultMSSBytes = 1460
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
	// PerFlowLimitMbps is the network's limit for one flow.
	PerFlowLimitMbps *float64
	// ThroughputBasis is how BandwidthMbps is known; empty for no band.
	ThroughputBasis string
}

// Defaults returns an input with the documented defaults: all of the link, one stream, a segment of 1,460 bytes.
func Defaults() Input {
	return Input{
		EfficiencyPercent: quantity.Percent, SharePercent: quantity.Percent, MSSBytes: defaultMSSBytes, Streams: 1,
		CongestionControl: Reno,
	}
}

// Result is the throughput of the path. Pointers are nil where an input is missing.
type Result struct {
	// ThroughputMbps is the smallest term; nil when the loss is too large for an answer.
	ThroughputMbps *float64
	// ThroughputMbps80 and ThroughputMbps90 are what the path carries at least in 4 of 5 and in 9 of 10 measurements; nil
	// where too little was measured.
	ThroughputMbps80, ThroughputMbps90 *float64
	// PerStreamMbps is what one stream gets of ThroughputMbps; nil with it.
	PerStreamMbps *float64
	// BandwidthDelayProductKiB is the data in flight on a full link, bandwidth * RTT; nil without an RTT.
	BandwidthDelayProductKiB *float64
	// StreamsNeeded is how many streams of this kind fill the bandwidth (1 when a stream has no limit); nil
	// when none carries anything.
	StreamsNeeded *float64
	// LimitedBy names the smallest term.
	LimitedBy string
	calculator.Explanation
}

// hair is the relative rounding error within which streams fill a link.
const hair = 1e-12

// Throughput computes
//
//	min( bandwidth * efficiency * share,
//	     streams * window * 8 / RTT,
//	     streams * MSS * 8 * W / RTT,
//	     streams * per-flow limit )
//
// W is the mean window in segments that losses leave: 1 / sqrt(loss) for Reno, the model of Mathis et al. (1997) with
// constant 1, its cautious form; for CUBIC the larger of that and RFC 9438's (0.4 * 3.7 / 1.2)^(1/4) * (RTT /
// loss)^(3/4) with the round trip in seconds; with every packet lost the path carries nothing. For Linux see lossMbps:
// above a loss of 25 % there is no answer. The error is a plan.InputErrors.
func Throughput(in Input) (Result, error) {
	if err := in.check(); err != nil {
		return Result{}, err
	}
	usable := in.usable(in.EfficiencyPercent)
	r := Result{LimitedBy: LimitedByBandwidth}
	if in.RTTMs != nil {
		product := in.BandwidthMbps * quantity.BitsPerMbit * *in.RTTMs / quantity.MsPerSecond / quantity.BitsPerKiB
		r.BandwidthDelayProductKiB = &product
	}
	terms, answered := in.perStream()
	if !answered {
		r.LimitedBy = LimitedByLoss
		r.explain(in, usable)
		return r, nil
	}
	total, stream := usable, math.Inf(1)
	for _, term := range terms {
		stream = min(stream, term.mbps)
		if carried := term.mbps * in.Streams; carried < total*(1-hair) {
			total, r.LimitedBy = carried, term.name
		}
	}
	if stream > 0 {
		r.StreamsNeeded = new(max(1, math.Ceil(usable/stream*(1-hair))))
	}
	r.ThroughputMbps, r.PerStreamMbps = &total, new(total/in.Streams)
	r.band(in, stream)
	r.explain(in, usable)
	return r, nil
}

// usable is the part of the link that an efficiency leaves for this traffic, in Mbit/s.
func (in Input) usable(efficiencyPercent float64) float64 {
	return in.BandwidthMbps * (efficiencyPercent / quantity.Percent) * (in.SharePercent / quantity.Percent)
}

// windowsShare is the part of a usable rate up to which streams share it equally, and a measured rate of whole
// transfers has a band. Above it the windows of all streams fill queues; docs/validation.md has the measurements.
const windowsShare = 0.65

// windowsMbps is the throughput that the windows of all streams allow together; false without a window.
func (in Input) windowsMbps() (float64, bool) {
	if in.WindowKiB == nil || in.RTTMs == nil {
		return 0, false
	}
	seconds := *in.RTTMs / quantity.MsPerSecond
	return in.Streams * *in.WindowKiB * quantity.BitsPerKiB / seconds / quantity.BitsPerMbit, true
}

// loses reports whether packets are lost.
func (in Input) loses() bool { return in.LossPercent != nil && *in.LossPercent > 0 }

// band fills in what the path carries in most measurements; stream is what limits each stream, in Mbit/s.
func (r *Result) band(in Input, stream float64) {
	efficiency := in.EfficiencyPercent
	if in.ThroughputBasis == plan.BasisNominal {
		efficiency = min(efficiency, plan.NominalEfficiencyPercent)
	}
	usable := in.usable(efficiency)
	if windows, ok := in.windowsMbps(); in.loses() || ok && windows > windowsShare*usable {
		return
	}
	carried := min(usable, stream*in.Streams)
	fourOfFive, nineOfTen := plan.BandFactors(in.ThroughputBasis)
	if fourOfFive > 0 {
		r.ThroughputMbps80 = new(carried / fourOfFive)
	}
	if nineOfTen > 0 {
		r.ThroughputMbps90 = new(carried / nineOfTen)
	}
}

type term struct {
	name string
	mbps float64
}

// perStream returns what each limit leaves to one stream, and false if the loss is too large for an answer.
func (in Input) perStream() ([]term, bool) {
	var terms []term
	if windows, ok := in.windowsMbps(); ok {
		terms = append(terms, term{LimitedByWindow, windows / in.Streams})
	}
	if in.loses() && in.RTTMs != nil {
		mbps, ok := in.lossMbps(*in.LossPercent/quantity.Percent, *in.RTTMs/quantity.MsPerSecond)
		if !ok {
			return nil, false
		}
		terms = append(terms, term{LimitedByLoss, mbps})
	}
	if in.PerFlowLimitMbps != nil {
		terms = append(terms, term{LimitedByPerFlow, *in.PerFlowLimitMbps})
	}
	return terms, true
}

// check rejects values out of range, and a loss or a window that has no effect.
func (in Input) check() error {
	errs := inputs.Check(&in, nil)
	if in.RTTMs == nil && in.loses() {
		errs = errs.With(plan.Attr("loss_percent"), errNeedsRTT)
	}
	if in.RTTMs == nil && in.WindowKiB != nil {
		errs = errs.With(plan.Attr("window_kib"), errNeedsRTT)
	}
	return errs.Err()
}

var errNeedsRTT = errors.New("needs rtt_ms: what it costs depends on the round trip")
