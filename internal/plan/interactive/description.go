// The description of the impact of latency.

package interactive

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges of the inputs; they keep every quotient finite.
var (
	RangeUsers            = plan.Range{Min: 1, Max: 1e9, Whole: true, Unit: "users"}
	RangeThinkSeconds     = plan.Range{Min: 0, Max: 1e6, Unit: "seconds"}
	RangeRTTMs            = plan.Range{Min: 0, Max: 1e7, Unit: "ms"}
	RangeThroughput       = plan.Range{Min: 1e-6, Max: 1e12, Unit: "operations/s"}
	RangeRoundTrips       = plan.Range{Min: 0, Max: 1e6, Unit: "round trips"}
	RangeTolerancePercent = plan.Range{Min: 0, Max: 100, Unit: "percent"}
	RangeResponseRatio    = plan.Range{Min: 1, Max: 1e12}
)

var (
	reasonLoss = calculator.Reason{
		Code:     "loss_above_tolerance",
		Sentence: "The loss of %s%% is above the tolerance of %s%%: move the parts together.",
	}
	reasonRatio = calculator.Reason{
		Code:     "response_ratio_above_bound",
		Sentence: "An answer takes %s times as long as before, above the bound of %s: move the parts together.",
	}
)

// Definition describes vsla_latency_impact.
var Definition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:     "latency_impact",
		Function: "latency_impact",
		Command:  "latency",
		Title:    "Latency impact",
		Summary:  "What distance does to an application that is split",
		Description: "What distance does to an application that is split from its database, by the closed interactive law " +
			"`X = N / (Z + R0 + k * RTT)`: the throughput after a move from the round trips of one operation, or the " +
			"round trips from a throughput that was measured. It needs no connection and no credentials.\n\n" +
			"By hand: 5 users who think for 0.02 s do 65 operations/s next to the database, so R0 = 5/65 - 0.02 = 56.9 ms. " +
			"With 40 ms in between they do 10: k = (5/10 - 5/65) / 0.04 = 10.58 round trips.",
	},
	Default: Defaults,
	Inputs:  inputs,
	Results: rows,
	Flag:    &calculator.Flag{Name: "move_together", Good: false},
	Reasons: []calculator.Reason{reasonLoss, reasonRatio},
	Explain: func(r *Result) *calculator.Explanation { return &r.Explanation },
	Compute: LatencyImpact,
}

const (
	docRoundTrips = "Sequential round trips of one operation across the split (k). Give this to predict, or " +
		"`throughput_after` to find it."
	docThroughputAfter = "Operations per second after. Give this when it was measured, or " +
		"`round_trips_per_operation` to predict it."
)

var inputs = calculator.Inputs[Input]{
	calculator.Required("users", RangeUsers, "Users or connections that work at the same time (N).",
		func(in *Input) *float64 { return &in.Users }).WithExample(5.0).Better(calculator.Higher),
	calculator.Required("think_seconds", RangeThinkSeconds,
		"How long each waits between an answer and the next operation (Z), in seconds.",
		func(in *Input) *float64 { return &in.ThinkSeconds }).WithExample(0.02).
		Neutral("it is a part of the measured cycle, which is what round trips add to"),
	calculator.Required("rtt_before_ms", RangeRTTMs, "Round-trip time across the split before, in milliseconds.",
		func(in *Input) *float64 { return &in.RTTBeforeMs }).WithExample(0.0).Better(calculator.Higher),
	calculator.Required("rtt_after_ms", RangeRTTMs, "Round-trip time across the split after, in milliseconds.",
		func(in *Input) *float64 { return &in.RTTAfterMs }).WithExample(40.0).Better(calculator.Lower),
	calculator.Required("throughput_before", RangeThroughput, "Operations per second before.",
		func(in *Input) *float64 { return &in.ThroughputBefore }).WithExample(65.0).Better(calculator.Lower),
	calculator.Absent("round_trips_per_operation", RangeRoundTrips, docRoundTrips,
		func(in *Input) **float64 { return &in.RoundTrips }).WithExample(2.0).Better(calculator.Lower),
	calculator.Absent("throughput_after", RangeThroughput, docThroughputAfter,
		func(in *Input) **float64 { return &in.ThroughputAfter }).Better(calculator.Higher),
	calculator.Optional("tolerance_percent", RangeTolerancePercent,
		"How much throughput may be lost, in percent. The default is an assumption: users notice a fifth.",
		func(in *Input) *float64 { return &in.TolerancePercent }).Better(calculator.Higher),
	calculator.Absent("max_response_ratio", RangeResponseRatio,
		"How many times longer an answer may take than before. Without it there is no bound.",
		func(in *Input) **float64 { return &in.MaxResponseRatio }).Better(calculator.Higher),
}

var rows = calculator.Outputs[Result]{
	calculator.Result("service_seconds", "Response time without any round trip (R0), in seconds.",
		func(r *Result) *float64 { return &r.ServiceSeconds }),
	calculator.Result("response_before_seconds", "What a user waits for an answer before, in seconds.",
		func(r *Result) *float64 { return &r.ResponseBeforeSeconds }),
	calculator.Result("response_after_seconds", "What a user waits for an answer after, in seconds.",
		func(r *Result) *float64 { return &r.ResponseAfterSeconds }),
	calculator.Result("response_ratio",
		"`response_after_seconds` over `response_before_seconds`; null if there was no response time before.",
		func(r *Result) **float64 { return &r.ResponseRatio }),
	calculator.Result("throughput_change_percent", "Change of the throughput, in percent; negative for a loss.",
		func(r *Result) *float64 { return &r.ThroughputChangePercent }),
	calculator.Result("move_together",
		"Whether the loss is above `tolerance_percent`, or `response_ratio` above `max_response_ratio`, so that the parts "+
			"should move together.",
		func(r *Result) *bool { return &r.MoveTogether }),
	calculator.Result("round_trips_per_operation", docRoundTrips, func(r *Result) *float64 { return &r.RoundTrips }),
	calculator.Result("throughput_after", docThroughputAfter, func(r *Result) *float64 { return &r.ThroughputAfter }),
}
