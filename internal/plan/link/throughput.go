// Package link calculates the throughput of a network path: the minimum of the limits set by bandwidth, TCP window,
// packet loss and per-flow caps.
//
// Known limits for comparison: 10 Gbit/s per vMotion stream within an availability zone and 5 Gbit/s across zones
// (VMware performance blog); 5 Gbit/s per flow outside a placement group and 1.25 Gbit/s per VPN tunnel on AWS; about
// 15 Gbit/s per vMotion stream on a LAN.
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
	// ThroughputBasis is one of plan.Bases and states how BandwidthMbps was determined. If it is empty, the result has no
	// band.
	ThroughputBasis string
}

// Defaults returns the default input: the whole link, one stream, and segments of 1,460 bytes.
func Defaults() Input {
	return Input{
		EfficiencyPercent: quantity.Percent, SharePercent: quantity.Percent, MSSBytes: defaultMSSBytes, Streams: 1,
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
	// StreamsNeeded is the number of streams that fill the bandwidth. It is 1 if a stream has no limit, and nil if streams
	// have no throughput.
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
// docs/validation.md lists the measurements.
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

func (r *Result) explain(in Input, usable float64) {
	r.Findings = append(in.warnings(usable), r.limit(in, usable)...)
	full := quantity.FromMbps(usable).Floor()
	switch {
	case r.ThroughputMbps == nil:
		r.Summary = fmt.Sprintf("The throughput at a loss of %s%% is unknown; %s of the link is usable.",
			plan.Thousands(*in.LossPercent, -1), full)
	case r.LimitedBy == LimitedByBandwidth:
		r.Summary = fmt.Sprintf("The throughput is %s, the whole usable bandwidth.", full)
	default:
		r.Summary = r.Findings[len(r.Findings)-1].Sentence
		if r.StreamsNeeded != nil {
			r.Summary += " " + plan.Count(*r.StreamsNeeded, "stream") + " would fill the usable bandwidth."
		}
	}
	if r.ThroughputMbps80 != nil {
		r.Summary += fmt.Sprintf(" In 4 of 5 measurements, the throughput was at least %s",
			quantity.FromMbps(*r.ThroughputMbps80).Floor())
		if r.ThroughputMbps90 != nil {
			r.Summary += fmt.Sprintf(", and in 9 of 10 at least %s", quantity.FromMbps(*r.ThroughputMbps90).Floor())
		}
		r.Summary += "."
	}
}

func (r *Result) limit(in Input, usable float64) []plan.Finding {
	full, streams := quantity.FromMbps(usable).Floor(), plan.Count(in.Streams, "stream")
	if r.ThroughputMbps == nil {
		return []plan.Finding{reasonLossTooLarge.Finding(plan.Thousands(*in.LossPercent, -1))}
	}
	rate := quantity.FromMbps(*r.ThroughputMbps).Floor()
	switch r.LimitedBy {
	case LimitedByWindow:
		return []plan.Finding{reasonWindow.Finding(rate, full, plan.Thousands(*in.WindowKiB, -1),
			plan.Thousands(*in.RTTMs, -1), streams)}
	case LimitedByLoss:
		return []plan.Finding{reasonLoss.Finding(rate, full, plan.Thousands(*in.LossPercent, -1),
			plan.Thousands(*in.RTTMs, -1), streams)}
	case LimitedByPerFlow:
		return []plan.Finding{reasonPerFlow.Finding(rate, full, quantity.FromMbps(*in.PerFlowLimitMbps), streams)}
	}
	return nil
}

// unequalRate is the lowest share of the usable rate that streams reach together if they share the link unequally.
const unequalRate = 0.7

func (in Input) warnings(usable float64) []plan.Finding {
	var found []plan.Finding
	if in.RTTMs != nil && in.WindowKiB == nil && in.LossPercent == nil {
		found = append(found, reasonWindowUnknown.Finding(plan.Thousands(*in.RTTMs, -1)))
	}
	if windows, ok := in.windowsMbps(); ok && in.Streams > 1 && windows > windowsShare*usable {
		found = append(found, reasonUnequal.Finding(plan.Count(in.Streams, "stream"), quantity.FromMbps(windows),
			quantity.FromMbps(usable), quantity.FromMbps(unequalRate*usable).Floor(), quantity.FromMbps(usable)))
	}
	return found
}
