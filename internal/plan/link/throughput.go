// Package link calculates the throughput of a network path: the minimum of the limits set by bandwidth, TCP window,
// packet loss and per-flow caps.
//
// Known limits for comparison: 10 Gbit/s per vMotion stream within an availability zone and 5 Gbit/s across zones
// (VMware performance blog); 5 Gbit/s per flow outside a placement group and 1.25 Gbit/s per VPN tunnel on AWS; about
// 15 Gbit/s per vMotion stream on a LAN.
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

// Input describes a path. If a pointer is nil, the limits that depend on it do not apply.
type Input struct {
	// BandwidthMbps is the nominal rate of the link, in 10^6 bit/s.
	BandwidthMbps float64
	// EfficiencyPercent is the usable share of the bandwidth. SharePercent is the share of the usable bandwidth that is
	// available to this traffic.
	EfficiencyPercent, SharePercent float64
	// RTTMs is the round-trip time. The limits set by the TCP window and by packet loss depend on it.
	RTTMs *float64
	// LossPercent is the packet loss in percent. If it is 0, loss does not limit throughput. CongestionControl is Reno,
	// Cubic or Linux.
	LossPercent       *float64
	CongestionControl string
	// MSSBytes is the maximum segment size.
	MSSBytes float64
	// WindowKiB is the TCP window of one connection in KiB (2^10 bytes).
	WindowKiB *float64
	// Streams is the number of parallel connections.
	Streams float64
	// PerFlowLimitMbps is the bandwidth that the network allows per flow, in 10^6 bit/s.
	PerFlowLimitMbps *float64
	// ThroughputBasis is one of plan.Bases and states how BandwidthMbps was determined. If it is empty, the result has
	// no band.
	ThroughputBasis string
}

// Defaults returns the default input: the whole link, one stream, and segments of 1,460 bytes.
func Defaults() Input {
	return Input{
		EfficiencyPercent: quantity.Percent,
		SharePercent:      quantity.Percent,
		MSSBytes:          defaultMSSBytes,
		Streams:           1,
		CongestionControl: Reno,
	}
}

// Result is the throughput of the path. Pointers are nil if a required input is missing.
type Result struct {
	// ThroughputMbps is the lowest limit; nil if the loss is too high for the model.
	ThroughputMbps *float64
	// ThroughputMbps80 and ThroughputMbps90 are the throughputs that at least 4 of 5 and at least 9 of 10 measurements
	// reached. Each is nil if there are too few measurements of comparable paths.
	ThroughputMbps80, ThroughputMbps90 *float64
	// PerStreamMbps is the throughput of one stream; nil if ThroughputMbps is nil.
	PerStreamMbps *float64
	// BandwidthDelayProductKiB is the amount of data in flight on a full link, bandwidth * RTT; nil if there is no RTT.
	BandwidthDelayProductKiB *float64
	// StreamsNeeded is the number of streams that fill the bandwidth. It is 1 if a stream has no limit, and nil if
	// streams have no throughput.
	StreamsNeeded *float64
	// LimitedBy names the lowest limit.
	LimitedBy string
	calculator.Explanation
}

// hair is the tolerance for rounding errors when checking whether streams fill a link.
const hair = 1e-12

// Throughput computes
//
//	min( bandwidth * efficiency * share,
//	     streams * window * 8 / RTT,
//	     streams * MSS * 8 * W / RTT,
//	     streams * per-flow limit )
//
// W is the mean window in segments at the given loss. For Reno, W is 1 / sqrt(loss), the model of Mathis et al. (1997)
// with the conservative constant 1. For CUBIC, W is the larger of the Reno window and (0.4 * 3.7 / 1.2)^(1/4) * (RTT /
// loss)^(3/4) from RFC 9438, with the RTT in seconds. If every packet is lost, the throughput is 0. For Linux, see
// lossMbps; above a loss of 25%, its throughput is unknown. The error is a plan.InputErrors.
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

// usable returns the bandwidth available to this traffic at the given efficiency, in Mbit/s.
func (in Input) usable(efficiencyPercent float64) float64 {
	return in.BandwidthMbps * (efficiencyPercent / quantity.Percent) * (in.SharePercent / quantity.Percent)
}

// windowsShare is the largest share of the usable rate that the windows of all streams can allow before queues build
// up. Above this share, the streams fill queues and share the link unequally, and the result has no band.
// templates/guides/validation.md lists the measurements.
const windowsShare = 0.65

// windowsMbps returns the throughput that all windows together allow, or false if the window or the RTT is not given.
func (in Input) windowsMbps() (float64, bool) {
	if in.WindowKiB == nil || in.RTTMs == nil {
		return 0, false
	}
	seconds := *in.RTTMs / quantity.MsPerSecond
	return in.Streams * *in.WindowKiB * quantity.BitsPerKiB / seconds / quantity.BitsPerMbit, true
}

func (in Input) loses() bool { return in.LossPercent != nil && *in.LossPercent > 0 }

// band sets the throughputs that at least 4 of 5 and at least 9 of 10 measurements reached. stream is the limit of one
// stream in Mbit/s.
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

// perStream returns the limits of one stream, or false if the loss is too high for the model.
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

var errNeedsRTT = errors.New("requires rtt_ms, because its effect depends on the round-trip time")
