package replication

import (
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
)

// ConfidenceDefinition describes vsla_replication_confidence.
var ConfidenceDefinition = calculator.Definition[ConfidenceInput, ConfidenceResult]{
	Names: calculator.Names{
		Name:     "replication_confidence",
		Function: "replication_confidence",
		Command:  "confidence",
		Title:    "Replication confidence",
		Summary:  "How sure it is that an RPO holds, when inputs are ranges",
		Description: "The estimate of `vsla_replication_estimate` when its inputs are not known exactly: each may be a " +
			"number or a range, `{ low, likely, high }`. The result is how likely each test holds, the median and the 95th " +
			"percentile of initial sync and cycle, the throughput for 95 % confidence, and which input matters how much. It " +
			"needs no connection and no credentials.\n\n" +
			"Ranges are triangular and independent of each other. 10,000 estimates are computed from a Latin hypercube: the " +
			"middles of 10,000 parts of equal probability of each range, permuted by Fisher-Yates (i from 9,999 down, j the " +
			"next number modulo i + 1) with the numbers of SplitMix64, seeded by the FNV-1a-64 hash of the input's name. So " +
			"the same input has the same result on every computer; results have six significant digits. Percentiles are by " +
			"nearest rank. The RPO is a promise and the change curve a measurement, so they are no ranges. Numbers of VMs " +
			"are rounded. With plain numbers only, the result is that of the estimate.\n\n" +
			"By hand: 15 VMs of 102,400 MB that change by 5 % a day, with an RPO of 30 minutes, are violation free from " +
			"682.667 Mbit/s on. A throughput of 400 to 901, likely 700 Mbit/s, is below that with a probability of " +
			"(682.667 - 400)^2 / ((901 - 400) * (700 - 400)) = 53.16 %, so the RPO is violation-free in 46.84 % of samples.",
	},
	Default: func() ConfidenceInput { return ConfidenceInput{Likely: Defaults()} },
	Inputs:  confidenceInputs,
	Results: calculator.Outputs[ConfidenceResult]{
		calculator.Result("probability_meets_rpo_percent",
			"Part of the draws in which the published test holds: a cycle takes at most the RPO, in percent.",
			func(r *ConfidenceResult) *float64 { return &r.MeetsRPOPercent }).Better(calculator.Higher),
		calculator.Result("probability_violation_free_percent",
			"Part of the draws in which vSphere Replication's scheduling rule holds: a cycle takes at most half the RPO, in "+
				"percent.",
			func(r *ConfidenceResult) *float64 { return &r.ViolationFreePercent }).Better(calculator.Higher),
		calculator.Result("p50_initial_sync_seconds", "Median time of the initial sync of all VMs, in seconds.",
			func(r *ConfidenceResult) *float64 { return &r.P50InitialSyncSeconds }),
		calculator.Result("p95_initial_sync_seconds", "Its 95th percentile, in seconds.",
			func(r *ConfidenceResult) *float64 { return &r.P95InitialSyncSeconds }),
		calculator.Result("p50_ongoing_sync_seconds", "Median time to send the changes of the busiest cycle, in seconds.",
			func(r *ConfidenceResult) *float64 { return &r.P50OngoingSyncSeconds }),
		calculator.Result("p95_ongoing_sync_seconds", "Its 95th percentile, in seconds.",
			func(r *ConfidenceResult) *float64 { return &r.P95OngoingSyncSeconds }),
		calculator.Result("throughput_95_percent_confidence_mbps",
			"Smallest `throughput_mbps`, before efficiency, that is violation free in 95 % of the draws of the other inputs; "+
				"null if none is. Six significant digits, checked against the samples.",
			func(r *ConfidenceResult) **float64 { return &r.ThroughputConfidentMbps }).Better(calculator.Lower),
		calculator.VerdictRow(confidenceVerdicts, func(r *ConfidenceResult) *string { return &r.Verdict }),
		calculator.Result("drivers",
			"What the cycle depends on: Spearman's rank correlation of each range with the time of a cycle, from -1 to 1, by "+
				"input.",
			func(r *ConfidenceResult) *map[string]float64 { return &r.Drivers }),
	},
	Verdicts: confidenceVerdicts,
	Reasons:  []calculator.Reason{reasonSeedCheckNotCounted, reasonExtrapolated, reasonLowRPO, reasonSchedulerUnknown},
	Explain:  func(r *ConfidenceResult) *calculator.Explanation { return &r.Explanation },
	Compute:  Confidence,
}

var confidenceVerdicts = []calculator.Verdict{
	{Code: VerdictMeets, Level: calculator.Holds, Doc: "when 95 % of the samples are violation free"},
	{Code: VerdictAtRisk, Level: calculator.AtRisk, Doc: "otherwise"},
	{Code: VerdictMisses, Level: calculator.Misses, Doc: "when the RPO is met in no sample"},
}

// confidenceInputs are the inputs of an estimate that affect a confidence; numbers may be ranges, except for the
// promise.
var confidenceInputs = func() calculator.Inputs[ConfidenceInput] {
	likely := func(in *ConfidenceInput) *Input { return &in.Likely }
	rows := make(calculator.Inputs[ConfidenceInput], 0, len(inputs))
	for _, row := range inputs {
		if slices.Contains(onlyOfEstimate, row.Name) {
			continue
		}
		if row.Kind != calculator.Number || row.Name == "rpo_minutes" {
			rows = append(rows, calculator.Of(row, likely))
			continue
		}
		spread := calculator.SpreadOf(row, likely,
			func(in *ConfidenceInput) *map[string]calculator.Spread { return &in.Spreads })
		if row.Name == "throughput_mbps" {
			spread = spread.WithExample(map[string]any{"low": 400.0, "likely": 700.0, "high": 901.0})
		}
		rows = append(rows, spread)
	}
	return rows
}()

var onlyOfEstimate = []string{"growth_percent_per_year", "horizon_months", "deadline_hours", "throughput_basis"}
