// Package link calculates what a network path carries: the smallest of what its bandwidth, the window of its
// connections, their losses and a limit for each flow allow.
//
// Known limits to compare with, for documentation: 10 Gbit/s for one vMotion stream within an availability zone and 5
// Gbit/s across zones (VMware performance blog); 5 Gbit/s for one flow outside a placement group and 1.25 Gbit/s for
// one VPN tunnel on AWS; about 15 Gbit/s for one vMotion stream on a LAN.
package link

import (
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// The ranges of the inputs; they keep every product finite.
var (
	RangeBandwidthMbps     = plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}
	RangeEfficiencyPercent = plan.Range{Min: 1e-6, Max: 100, Unit: "percent"}
	RangeSharePercent      = plan.Range{Min: 1e-6, Max: 100, Unit: "percent"}
	RangeRTTMs             = plan.Range{Min: 1e-6, Max: 1e7, Unit: "ms"}
	RangeLossPercent       = plan.Range{Min: 0, Max: 100, Unit: "percent"}
	RangeMSSBytes          = plan.Range{Min: 1, Max: 65535, Whole: true, Unit: "bytes"}
	RangeWindowKiB         = plan.Range{Min: 1e-6, Max: 1e9, Unit: "KiB"}
	RangeStreams           = plan.Range{Min: 1, Max: 1e6, Whole: true, Unit: "streams"}
	RangePerFlowLimitMbps  = plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}
)

// What limits a link.
const (
	LimitedByBandwidth = "bandwidth"
	LimitedByWindow    = "window"
	LimitedByLoss      = "loss"
	LimitedByPerFlow   = "per_flow_limit"
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
	// LossPercent is the share of packets that are lost; 0 leaves the loss term out.
	LossPercent *float64
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
	return Input{EfficiencyPercent: percent, SharePercent: percent, MSSBytes: defaultMSSBytes, Streams: 1}
}

// Result is what the path carries. Pointers are nil where an input is missing.
type Result struct {
	// ThroughputMbps is the smallest term.
	ThroughputMbps float64
	// PerStreamMbps is what one stream gets of it.
	PerStreamMbps float64
	// BandwidthDelayProductKiB is what is under way on a full link, bandwidth * RTT; nil without an RTT.
	BandwidthDelayProductKiB *float64
	// StreamsNeeded is how many streams of this kind fill the bandwidth (1 when a stream has no limit of its own).
	StreamsNeeded float64
	// LimitedBy names the smallest term.
	LimitedBy string
	// Findings explain the result; Summary says it in a sentence.
	Findings []plan.Finding
	Summary  string
}

// Throughput computes
//
//	min( bandwidth * efficiency * share,
//	     streams * window * 8 / RTT,
//	     streams * MSS * 8 / (RTT * sqrt(loss)),
//	     streams * per-flow limit )
//
// The loss term is the model of Mathis et al. (1997) with constant 1, its cautious form. The error is a
// plan.InputErrors.
func Throughput(in Input) (Result, error) {
	if err := in.check(); err != nil {
		return Result{}, err
	}
	usable := in.BandwidthMbps * (in.EfficiencyPercent / percent) * (in.SharePercent / percent)
	r := Result{ThroughputMbps: usable, LimitedBy: LimitedByBandwidth, StreamsNeeded: 1}
	stream := math.Inf(1)
	for _, term := range in.perStream() {
		stream = min(stream, term.mbps)
		if total := term.mbps * in.Streams; total < r.ThroughputMbps {
			r.ThroughputMbps, r.LimitedBy = total, term.name
		}
	}
	if !math.IsInf(stream, 1) {
		// A hair less than a whole number of streams must not ask for one more.
		r.StreamsNeeded = max(1, math.Ceil(usable/stream*(1-1e-12)))
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
		rate := in.MSSBytes * 8 / (*in.RTTMs / msPerSecond * math.Sqrt(*in.LossPercent/percent))
		terms = append(terms, term{LimitedByLoss, rate / bitsPerMbit})
	}
	if in.PerFlowLimitMbps != nil {
		terms = append(terms, term{LimitedByPerFlow, *in.PerFlowLimitMbps})
	}
	return terms
}

func (in Input) check() error {
	var errs plan.InputErrors
	errs = errs.With(plan.Attr("bandwidth_mbps"), RangeBandwidthMbps.Check(in.BandwidthMbps))
	errs = errs.With(plan.Attr("efficiency_percent"), RangeEfficiencyPercent.Check(in.EfficiencyPercent))
	errs = errs.With(plan.Attr("share_percent"), RangeSharePercent.Check(in.SharePercent))
	errs = errs.With(plan.Attr("mss_bytes"), RangeMSSBytes.Check(in.MSSBytes))
	errs = errs.With(plan.Attr("streams"), RangeStreams.Check(in.Streams))
	for _, optional := range []struct {
		name  string
		value *float64
		r     plan.Range
	}{
		{"rtt_ms", in.RTTMs, RangeRTTMs},
		{"loss_percent", in.LossPercent, RangeLossPercent},
		{"window_kib", in.WindowKiB, RangeWindowKiB},
		{"per_flow_limit_mbps", in.PerFlowLimitMbps, RangePerFlowLimitMbps},
	} {
		if optional.value != nil {
			errs = errs.With(plan.Attr(optional.name), optional.r.Check(*optional.value))
		}
	}
	return errs.Err()
}

func (r *Result) explain(in Input, usable float64) {
	rate := quantity.FromMbps(r.ThroughputMbps)
	full := quantity.FromMbps(usable)
	streams := plan.Thousands(in.Streams, 0)
	var why string
	switch r.LimitedBy {
	case LimitedByWindow:
		why = fmt.Sprintf(
			"a window of %s KiB is sent once in a round trip of %s ms, by %s stream(s)",
			plan.Thousands(*in.WindowKiB, -1),
			plan.Thousands(*in.RTTMs, -1),
			streams,
		)
	case LimitedByLoss:
		why = fmt.Sprintf(
			"%s%% of the packets are lost at a round trip of %s ms, with %s stream(s)",
			plan.Thousands(*in.LossPercent, -1),
			plan.Thousands(*in.RTTMs, -1),
			streams,
		)
	case LimitedByPerFlow:
		why = fmt.Sprintf(
			"one flow may take %s, and there are %s stream(s)",
			quantity.FromMbps(*in.PerFlowLimitMbps),
			streams,
		)
	default:
		r.Summary = fmt.Sprintf("The link carries %s, all that is usable of it.", rate)
		return
	}
	r.Findings = append(
		r.Findings,
		plan.Finding{
			Code:     "limited_by_" + r.LimitedBy,
			Sentence: fmt.Sprintf("The link carries %s of a usable %s, because %s.", rate, full, why),
		},
	)
	r.Summary = fmt.Sprintf("%s %s stream(s) would fill it.", r.Findings[0].Sentence, plan.Thousands(r.StreamsNeeded, 0))
}
