package interactive

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges ensure that every quotient is finite.
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
	reasonLoss = calculator.NewReason("loss_above_tolerance", "The throughput loss of %s%% exceeds the tolerance of "+
		"%s%%: move the parts together.")
	reasonRatio = calculator.NewReason("response_ratio_above_bound", "The response time grows by a factor of %s, "+
		"above the limit of %s: move the parts together.")
)

// Definition describes the latency_impact calculator.
var Definition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:         "latency_impact",
		Function:     "latency_impact",
		NoDataSource: true,
		Command:      "latency",
		Example: "--users 5 --think-seconds 0.02 --rtt-before-ms 0 --rtt-after-ms 40 " +
			"--throughput-before 65 --round-trips-per-operation 2",
		Title:   "Latency impact",
		Summary: "Impact of latency on a split application",
		Description: "Calculates the impact of latency on an application that is split from its database, with the " +
			"interactive response time law `X = N / (Z + R0 + k * RTT)`. Given `round_trips_per_operation`, it " +
			"predicts the throughput after a move. Given a measured `throughput_after`, it calculates the round " +
			"trips. Exactly one of them is required. Requires no connection and no credentials.\n\n" +
			"Example: 5 users with 0.02 s of think time reach 65 operations/s next to the database, so R0 = 5/65 - " +
			"0.02 = 56.9 ms. At 40 ms they reach 10: k = (5/10 - 5/65) / 0.04 = 10.58 round trips.",
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
	docRoundTrips = "Number of sequential round trips between the application and its database for one operation " +
		"(k). Calculated if `throughput_after` is set."
	docThroughputAfter = "Operations per second after the move. Predicted if `round_trips_per_operation` is set. A " +
		"measured value requires that `rtt_after_ms` differs from `rtt_before_ms`."
)

var inputs = calculator.Inputs[Input]{
	calculator.Required("users", RangeUsers, "Number of concurrent users or connections (N).",
		func(in *Input) *float64 { return &in.Users }).Better(calculator.Higher),
	calculator.Required("think_seconds", RangeThinkSeconds,
		"Think time between a response and the next operation (Z), in seconds.",
		func(in *Input) *float64 { return &in.ThinkSeconds }).
		Neutral("it is part of the measured cycle, to which round trips are added"),
	calculator.Required("rtt_before_ms", RangeRTTMs,
		"Round-trip time between the application and its database before the move, in milliseconds.",
		func(in *Input) *float64 { return &in.RTTBeforeMs }).Better(calculator.Higher),
	calculator.Required("rtt_after_ms", RangeRTTMs,
		"Round-trip time between the application and its database after the move, in milliseconds.",
		func(in *Input) *float64 { return &in.RTTAfterMs }).Better(calculator.Lower),
	calculator.Required("throughput_before", RangeThroughput, "Operations per second before the move.",
		func(in *Input) *float64 { return &in.ThroughputBefore }).Better(calculator.Lower),
	calculator.Absent("round_trips_per_operation", RangeRoundTrips, docRoundTrips,
		func(in *Input) **float64 { return &in.RoundTrips }).Better(calculator.Lower),
	calculator.Absent("throughput_after", RangeThroughput, docThroughputAfter,
		func(in *Input) **float64 { return &in.ThroughputAfter }).Better(calculator.Higher),
	calculator.Optional("tolerance_percent", RangeTolerancePercent,
		"Largest acceptable loss of throughput, in percent. The default assumes that users notice only larger losses.",
		func(in *Input) *float64 { return &in.TolerancePercent }).Better(calculator.Higher),
	calculator.Absent("max_response_ratio", RangeResponseRatio,
		"Largest acceptable ratio of the response time after the move to the response time before it. No limit by "+
			"default.",
		func(in *Input) **float64 { return &in.MaxResponseRatio }).Better(calculator.Higher),
}

var rows = calculator.Outputs[Result]{
	calculator.Result("service_seconds", "Response time without any round trip (R0), in seconds.",
		func(r *Result) *float64 { return &r.ServiceSeconds }),
	calculator.Result("response_before_seconds", "Response time before the move, in seconds.",
		func(r *Result) *float64 { return &r.ResponseBeforeSeconds }),
	calculator.Result("response_after_seconds", "Response time after the move, in seconds.",
		func(r *Result) *float64 { return &r.ResponseAfterSeconds }),
	calculator.Result("response_ratio",
		"`response_after_seconds` divided by `response_before_seconds`. Null if the latter is 0.",
		func(r *Result) **float64 { return &r.ResponseRatio }),
	calculator.Result("throughput_change_percent", "Change in throughput, in percent. Negative for a loss.",
		func(r *Result) *float64 { return &r.ThroughputChangePercent }),
	calculator.Result("move_together",
		"Whether the application and its database should move together. True if the loss exceeds `tolerance_percent` "+
			"or `response_ratio` exceeds `max_response_ratio`.",
		func(r *Result) *bool { return &r.MoveTogether }),
	calculator.Result("round_trips_per_operation", docRoundTrips, func(r *Result) *float64 { return &r.RoundTrips }),
	calculator.Result("throughput_after", docThroughputAfter, func(r *Result) *float64 { return &r.ThroughputAfter }),
}
