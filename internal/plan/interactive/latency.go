// Package interactive calculates the impact of latency on an application that is separated from its database: each
// operation makes several round trips between the two sites, so users complete fewer operations.
//
// Source: the interactive response time law of queueing theory. The measured example is from a VMware performance blog
// post on hybrid migration.
package interactive

import (
	"errors"
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	defaultTolerancePercent = 20
)

// Input describes an application before and after a move. Exactly one of RoundTrips and ThroughputAfter must be set;
// the other is calculated.
type Input struct {
	// Users is the number of concurrent users or connections. ThinkSeconds is the time between a response and the next
	// operation.
	Users, ThinkSeconds float64
	// RTTBeforeMs and RTTAfterMs are the round-trip times between application and database before and after the move.
	RTTBeforeMs, RTTAfterMs float64
	// ThroughputBefore is in operations per second.
	ThroughputBefore float64
	// RoundTrips is the number of sequential round trips that one operation makes.
	RoundTrips *float64
	// ThroughputAfter is in operations per second.
	ThroughputAfter *float64
	// TolerancePercent is the maximum acceptable throughput loss.
	TolerancePercent float64
	// MaxResponseRatio is the maximum acceptable ResponseRatio; nil for no limit.
	MaxResponseRatio *float64
}

// Defaults returns the default input: a tolerance of 20%.
func Defaults() Input { return Input{TolerancePercent: defaultTolerancePercent} }

// Result describes the application after the move.
type Result struct {
	// ServiceSeconds is R0, the response time without round trips.
	ServiceSeconds float64
	// RoundTrips and ThroughputAfter are taken from the input if set there, and calculated otherwise.
	RoundTrips, ThroughputAfter                 float64
	ResponseBeforeSeconds, ResponseAfterSeconds float64
	// ResponseRatio is the response time after the move divided by the response time before it. It is nil if the latter
	// is 0.
	ResponseRatio *float64
	// ThroughputChangePercent is negative for a loss.
	ThroughputChangePercent float64
	// MoveTogether reports whether the throughput loss or the response ratio exceeds its limit.
	MoveTogether bool
	calculator.Explanation
}

// LatencyImpact computes the throughput X = N / (Z + R0 + k * RTT) for N users, think time Z and k round trips per
// operation, where R0 = N / X_before - Z - k * RTT_before. If the throughput after the move is given, it computes k =
// (N / X_after - N / X_before) / (RTT_after - RTT_before). The error is a plan.InputErrors.
func LatencyImpact(in Input) (Result, error) {
	if err := in.check(); err != nil {
		return Result{}, err
	}
	before, after := in.RTTBeforeMs/quantity.MsPerSecond, in.RTTAfterMs/quantity.MsPerSecond
	cycleBefore := in.Users / in.ThroughputBefore
	r := Result{ResponseBeforeSeconds: cycleBefore - in.ThinkSeconds}
	if in.RoundTrips != nil {
		r.RoundTrips = *in.RoundTrips
	} else {
		k, err := in.calibrate(cycleBefore, after-before)
		if err != nil {
			return Result{}, err
		}
		r.RoundTrips = k
	}
	r.ServiceSeconds = r.ResponseBeforeSeconds - r.RoundTrips*before
	// Rounding errors can make the service time slightly negative.
	if r.ServiceSeconds < 0 && r.ServiceSeconds > -1e-12*cycleBefore {
		r.ServiceSeconds = 0
	}
	if r.ServiceSeconds < 0 {
		return Result{}, plan.InputErrors{}.With(plan.Attr("throughput_before"), fmt.Errorf(
			"exceeds the maximum of %s operations/s for %s with %s s of think time and these round trips",
			plan.Thousands(in.Users/(in.ThinkSeconds+r.RoundTrips*before), 3), plan.Count(in.Users, "user"),
			plan.Thousands(in.ThinkSeconds, -1)))
	}
	cycleAfter := in.ThinkSeconds + r.ServiceSeconds + r.RoundTrips*after
	if in.ThroughputAfter != nil {
		// Use the measured cycle: if round trips dominate, the sum loses precision. Rounding errors can make the
		// measured cycle shorter than the think time.
		cycleAfter = max(in.Users / *in.ThroughputAfter, in.ThinkSeconds)
	}
	if in.Users > cycleAfter*RangeThroughput.Max*(1+1e-12) { // allow for rounding errors
		return Result{}, plan.InputErrors{}.With(plan.Attr("rtt_after_ms"),
			errors.New("must be higher: an operation would take almost no time"))
	}
	r.ThroughputAfter = in.Users / cycleAfter
	r.ResponseAfterSeconds = cycleAfter - in.ThinkSeconds
	r.ThroughputChangePercent = (r.ThroughputAfter/in.ThroughputBefore - 1) * quantity.Percent
	if r.ResponseBeforeSeconds > 0 {
		r.ResponseRatio = new(r.ResponseAfterSeconds / r.ResponseBeforeSeconds)
	}
	r.explain(in)
	return r, nil
}

func (in Input) calibrate(cycleBefore, rttChange float64) (float64, error) {
	k := (in.Users / *in.ThroughputAfter - cycleBefore) / rttChange
	switch {
	case rttChange == 0:
		return 0, plan.InputErrors{}.With(plan.Attr("rtt_after_ms"),
			errors.New("must differ from rtt_before_ms, because the round trips are calculated from two throughputs"))
	case in.Users / *in.ThroughputAfter < in.ThinkSeconds*(1-1e-12):
		return 0, plan.InputErrors{}.With(
			plan.Attr("throughput_after"),
			fmt.Errorf(
				"exceeds the maximum of %s operations/s for %s with %s s of think time",
				plan.Thousands(in.Users/in.ThinkSeconds, 3),
				plan.Count(in.Users, "user"),
				plan.Thousands(in.ThinkSeconds, -1),
			),
		)
	case k < 0:
		return 0, plan.InputErrors{}.With(plan.Attr("throughput_after"),
			errors.New("contradicts the round-trip times: a longer round trip cannot increase the throughput"))
	case k > RangeRoundTrips.Max:
		return 0, plan.InputErrors{}.With(plan.Attr("throughput_after"),
			errors.New("would require more than a million round trips per operation"))
	}
	return k, nil
}

func (in Input) check() error {
	errs := inputs.Check(&in, nil)
	switch {
	case in.RoundTrips != nil && in.ThroughputAfter != nil:
		errs = errs.With(plan.Attr("throughput_after"),
			errors.New("must not be set together with round_trips_per_operation"))
	case in.RoundTrips == nil && in.ThroughputAfter == nil:
		errs = errs.With(plan.Attr("round_trips_per_operation"),
			errors.New("is required unless throughput_after is set"))
	}
	return errs.Err()
}

func (r *Result) explain(in Input) {
	if -r.ThroughputChangePercent > in.TolerancePercent {
		r.Findings = append(r.Findings, reasonLoss.Finding(
			plan.Thousands(plan.Up.Round(-r.ThroughputChangePercent, 1), 1), plan.Thousands(in.TolerancePercent, -1)))
	}
	ratio := ""
	if r.ResponseRatio != nil {
		ratio = fmt.Sprintf(", %s times as long as before", rate(*r.ResponseRatio))
		if in.MaxResponseRatio != nil && *r.ResponseRatio > *in.MaxResponseRatio {
			r.Findings = append(r.Findings, reasonRatio.Finding(
				rate(*r.ResponseRatio), plan.Thousands(*in.MaxResponseRatio, -1)))
		}
	}
	r.MoveTogether = len(r.Findings) > 0
	r.Summary = fmt.Sprintf(
		"With %s, the throughput is %s operations/s before the move and %s after it (%s%%). An operation makes %s "+
			"round trips of %s ms instead of %s ms, and the response time is %s instead of %s%s.",
		plan.Count(in.Users, "user"),
		rate(in.ThroughputBefore),
		rate(r.ThroughputAfter),
		plan.Thousands(r.ThroughputChangePercent, 1),
		plan.Thousands(r.RoundTrips, 2),
		plan.Thousands(in.RTTAfterMs, -1),
		plan.Thousands(in.RTTBeforeMs, -1),
		quantity.Duration(r.ResponseAfterSeconds).Ceil(),
		quantity.Duration(r.ResponseBeforeSeconds).Ceil(),
		ratio,
	)
}

func rate(v float64) string {
	const significant = 3
	decimals := 0
	if v > 0 && v != math.Trunc(v) {
		decimals = max(0, significant-1-int(math.Floor(math.Log10(v))))
	}
	return plan.Thousands(v, decimals)
}
