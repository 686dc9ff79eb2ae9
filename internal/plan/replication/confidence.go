package replication

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/draw"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// Draws is the number of samples.
	Draws = 10000
	// confidencePercent is the share of samples that must be violation-free at ThroughputConfidentMbps.
	confidencePercent = 95
	// digits is the number of significant digits of the results. Further digits would differ between processors.
	digits = 6
)

// ConfidenceInput is the input of an estimate in which some values are ranges.
type ConfidenceInput struct {
	// Likely contains the exact inputs and the likely values of the ranges.
	Likely Input
	// Spreads contains the independent triangular distributions of uncertain inputs, by name.
	Spreads map[string]calculator.Spread
}

// ConfidenceResult summarizes 10,000 estimates. The results are rounded to six significant digits.
type ConfidenceResult struct {
	// MeetsRPOPercent and ViolationFreePercent are the shares of samples that pass the respective test.
	MeetsRPOPercent, ViolationFreePercent float64
	// The percentiles use the nearest-rank method.
	P50InitialSyncSeconds, P95InitialSyncSeconds float64
	P50OngoingSyncSeconds, P95OngoingSyncSeconds float64
	// ThroughputConfidentMbps is the lowest throughput at which 95% of the samples are violation-free; nil if there is
	// none in RangeThroughputMbps.
	ThroughputConfidentMbps *float64
	// Verdict is VerdictMeets if at least 95% of the samples are violation-free, VerdictMisses if no sample meets the RPO,
	// and VerdictAtRisk otherwise.
	Verdict string
	// Drivers contains, for each range, Spearman's rank correlation with the duration of a cycle.
	Drivers map[string]float64
	calculator.Explanation
}

// Confidence evaluates the estimate for a Latin hypercube sample: the midpoints of 10,000 equally probable parts of
// each range, permuted with a seed that depends on the input's name, so that results are reproducible. The error is a
// plan.InputErrors.
func Confidence(in ConfidenceInput) (ConfidenceResult, error) {
	all, drawn, err := in.draws()
	if err != nil {
		return ConfidenceResult{}, err
	}
	initial, ongoing, needed := make([]float64, len(all)), make([]float64, len(all)), make([]float64, len(all))
	meets, free := 0, 0
	for i := range all {
		initial[i], ongoing[i], needed[i] = all[i].initial(), all[i].ongoing(), all[i].throughputViolationFree()
		if rpo := all[i].RPOMinutes * quantity.SecondsPerMinute; ongoing[i] <= rpo/2 {
			free++
			meets++
		} else if ongoing[i] <= rpo {
			meets++
		}
	}
	share := quantity.Percent * float64(free) / float64(len(all))
	r := ConfidenceResult{
		MeetsRPOPercent:      rounded(quantity.Percent * float64(meets) / float64(len(all))),
		ViolationFreePercent: rounded(share), Drivers: drivers(drawn, ongoing),
	}
	slices.Sort(initial)
	slices.Sort(ongoing)
	slices.Sort(needed)
	r.P50InitialSyncSeconds, r.P95InitialSyncSeconds = rounded(nearestRank(initial, 50)), rounded(nearestRank(initial, 95))
	r.P50OngoingSyncSeconds, r.P95OngoingSyncSeconds = rounded(nearestRank(ongoing, 50)), rounded(nearestRank(ongoing, 95))
	if mbps := nearestRank(needed, confidencePercent); !math.IsInf(mbps, 1) {
		r.ThroughputConfidentMbps = new(confident(all, mbps))
	}
	switch {
	case meets == 0:
		r.Verdict = VerdictMisses
	case share >= confidencePercent:
		r.Verdict = VerdictMeets
	default:
		r.Verdict = VerdictAtRisk
	}
	in.explain(&r)
	return r, nil
}

// draws returns the inputs of the samples and, for each range, the ranks of its values. If there are no ranges, it
// returns a single input.
func (in ConfidenceInput) draws() (all []Input, drawn map[string][]float64, err error) {
	errs := confidenceInputs.Check(&in, nil)
	errs = append(errs, checkCurve(in.Likely.ChangeCurve, plan.Attr("change_curve"))...)
	if err := errs.Err(); err != nil {
		return nil, nil, err
	}
	if len(in.Spreads) == 0 {
		return []Input{in.Likely}, nil, nil
	}
	all, drawn = make([]Input, Draws), make(map[string][]float64)
	for i := range all {
		all[i] = in.Likely
	}
	for _, row := range inputs {
		s, ok := in.Spreads[row.Name]
		if !ok {
			continue
		}
		values := make([]float64, Draws)
		for i := range values {
			values[i] = s.At((float64(i) + 0.5) / Draws)
			if row.Range.Whole {
				values[i] = math.Round(values[i])
			}
		}
		// The same seed applies the same permutation to ranks and values.
		rank := ranksOfSorted(values)
		draw.Shuffle(draw.New(row.Name), rank)
		draw.Shuffle(draw.New(row.Name), values)
		for i, v := range values {
			row.Set(&all[i], v)
		}
		drawn[row.Name] = rank
	}
	return all, drawn, nil
}

// throughputViolationFree returns the lowest ThroughputMbps at which a cycle takes at most half the RPO: the data of
// the cycle divided by the time that remains after the overhead. It is infinite if no throughput is sufficient.
func (in Input) throughputViolationFree() float64 {
	bits, left := in.changedGiB()*quantity.BitsPerGiB, in.RPOMinutes*quantity.SecondsPerMinute/2-in.OverheadSeconds
	if left >= 0 && bits == 0 {
		return RangeThroughputMbps.Min
	}
	perMbps := in.linkRate() / in.ThroughputMbps
	in.ThroughputMbps = RangeThroughputMbps.Max
	if most, _ := in.rate(); left <= 0 || bits/left > most {
		return math.Inf(1)
	}
	return max(RangeThroughputMbps.Min, bits/left/perMbps)
}

func nearestRank(sorted []float64, p float64) float64 {
	return sorted[max(1, int(math.Ceil(p/quantity.Percent*float64(len(sorted)))))-1]
}

// confident searches upwards from mbps for the lowest throughput, to six significant digits, at which 95% of the
// samples are violation-free. It overwrites ThroughputMbps in the samples.
func confident(all []Input, mbps float64) float64 {
	step := plan.Pow(10, math.Floor(math.Log10(mbps))-digits+1)
	for next := math.Floor(mbps / step); ; next++ {
		candidate, free := rounded(next*step), 0
		for i := range all {
			all[i].ThroughputMbps = candidate
			if all[i].violationFree() {
				free++
			}
		}
		if candidate >= RangeThroughputMbps.Max || free*quantity.Percent >= confidencePercent*len(all) {
			return candidate
		}
	}
}

func rounded(v float64) float64 {
	// A formatted number can always be parsed.
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return r
}

func drivers(drawn map[string][]float64, ongoing []float64) map[string]float64 {
	found := make(map[string]float64, len(drawn))
	cycle := ranks(ongoing)
	for name, rank := range drawn {
		found[name] = rounded(correlation(rank, cycle))
	}
	return found
}

func ranks(values []float64) []float64 {
	type place struct {
		v float64
		i int
	}
	order := make([]place, len(values))
	for i, v := range values {
		order[i] = place{v, i}
	}
	slices.SortFunc(order, func(a, b place) int { return cmp.Compare(a.v, b.v) })
	sorted, r := make([]float64, len(values)), make([]float64, len(values))
	for i, p := range order {
		sorted[i] = p.v
	}
	for i, rank := range ranksOfSorted(sorted) {
		r[order[i].i] = rank
	}
	return r
}

// ranksOfSorted returns the rank of each value. Equal values share their mean rank.
func ranksOfSorted(sorted []float64) []float64 {
	r := make([]float64, len(sorted))
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		for i := from; i < to; i++ {
			r[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return r
}

// correlation returns Pearson's correlation of two lists of ranks, or 0 if either list is constant.
func correlation(a, b []float64) float64 {
	mean := float64(len(a)-1) / 2
	var ab, aa, bb float64
	for i := range a {
		x, y := a[i]-mean, b[i]-mean
		ab, aa, bb = ab+float64(x*y), aa+float64(x*x), bb+float64(y*y)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return max(-1, min(1, ab/math.Sqrt(aa*bb)))
}

// Cycle contains percentiles, in seconds, of the cycle duration at a throughput.
type Cycle struct{ ThroughputMbps, P5, P50, P95 float64 }

// Cycles returns the percentiles of the cycle duration at each throughput, computed from samples of the other inputs.
// The error is a plan.InputErrors.
func Cycles(in ConfidenceInput, throughputs []float64) ([]Cycle, error) {
	all, _, err := in.draws()
	if err != nil {
		return nil, err
	}
	cycles, seconds := make([]Cycle, len(throughputs)), make([]float64, len(all))
	for i, mbps := range throughputs {
		for j := range all {
			all[j].ThroughputMbps = mbps
			seconds[j] = all[j].ongoing()
		}
		slices.Sort(seconds)
		cycles[i] = Cycle{mbps, nearestRank(seconds, 5), nearestRank(seconds, 50), nearestRank(seconds, 95)}
	}
	return cycles, nil
}

// ByEffect returns the names of the drivers, starting with the strongest.
func (r *ConfidenceResult) ByEffect() []string {
	names := make([]string, 0, len(r.Drivers))
	for name := range r.Drivers {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(math.Abs(r.Drivers[b]), math.Abs(r.Drivers[a])), cmp.Compare(a, b))
	})
	return names
}

func (in ConfidenceInput) explain(r *ConfidenceResult) {
	r.Findings = in.Likely.assumptions()
	r.Summary = fmt.Sprintf(
		"The RPO of %s is violation-free in %s%% of the samples and met in %s%%. Sending the changes of one cycle takes up "+
			"to %s in half of the samples, and up to %s in 95%%.",
		minutesText(in.Likely.RPOMinutes),
		plan.Thousands(r.ViolationFreePercent, -1),
		plan.Thousands(r.MeetsRPOPercent, -1),
		quantity.Duration(r.P50OngoingSyncSeconds).Ceil(),
		quantity.Duration(r.P95OngoingSyncSeconds).Ceil(),
	)
	if r.ThroughputConfidentMbps != nil {
		r.Summary += fmt.Sprintf(" With %s, the RPO is violation-free in 95%%.",
			quantity.CeilMbps(*r.ThroughputConfidentMbps))
	} else {
		r.Summary += " No throughput makes the RPO violation-free in 95%."
	}
	if names := r.ByEffect(); len(names) > 0 && r.Drivers[names[0]] != 0 {
		r.Summary += fmt.Sprintf(" The most important input is %s.", names[0])
	}
}

// ConfidenceDefinition describes the replication_confidence calculator.
var ConfidenceDefinition = calculator.Definition[ConfidenceInput, ConfidenceResult]{
	Names: calculator.Names{
		Name:     "replication_confidence",
		Function: "replication_confidence",
		Command:  "confidence",
		Example:  "--vm-count 10 --vm-size-gib 100 --daily-change-percent 5 --throughput-mbps 400,700,901 --rpo-minutes 60",
		Title:    "Replication confidence",
		Summary:  "Probability that an RPO can be met with uncertain inputs",
		Description: "Estimates whether an RPO can be met if the inputs of `vsla_replication_estimate` are uncertain. " +
			"Every numeric input except the RPO can be a number or a range, `{ low, likely, high }`. The results are the " +
			"probability that the RPO is met, the median and 95th percentile of the duration of the initial sync and of a " +
			"cycle, the throughput for 95% confidence, and the influence of each range. Requires no connection and no " +
			"credentials.\n\n" +
			"Each range is a triangular distribution, and the ranges are independent. 10,000 samples are drawn as a Latin " +
			"hypercube. Each range is divided into 10,000 parts of equal probability, and the middles of the parts are " +
			"shuffled with the Fisher-Yates algorithm (i from 9,999 down, j is the next random number modulo i + 1). The " +
			"random numbers are generated by SplitMix64, seeded with the FNV-1a-64 hash of the name of the input. The " +
			"same inputs therefore have the same results on every computer. Results have six significant digits. " +
			"Percentiles use the nearest-rank method. Sampled numbers of VMs are rounded to whole numbers. Without " +
			"ranges, a single estimate is computed.\n\n" +
			"Example: 15 VMs of 102,400 MB change by 5% per day, in a single cycle, and have an RPO of 30 minutes. They " +
			"have no violations at 682.667 Mbit/s or more. If the throughput is between 400 and 901 Mbit/s, most likely " +
			"700 Mbit/s, the probability of a lower value is (682.667 - 400)^2 / ((901 - 400) * (700 - 400)) = 53.16%. " +
			"The RPO is therefore violation-free in 46.84% of the samples.",
	},
	Default: func() ConfidenceInput { return ConfidenceInput{Likely: Defaults()} },
	Inputs:  confidenceInputs,
	Results: calculator.Outputs[ConfidenceResult]{
		calculator.Result("probability_meets_rpo_percent",
			"Share of samples in which the sync of a cycle takes at most the RPO (published test), in percent.",
			func(r *ConfidenceResult) *float64 { return &r.MeetsRPOPercent }).Better(calculator.Higher),
		calculator.Result("probability_violation_free_percent",
			"Share of samples in which the sync of a cycle takes at most half the RPO (scheduling rule of vSphere "+
				"Replication), in percent.",
			func(r *ConfidenceResult) *float64 { return &r.ViolationFreePercent }).Better(calculator.Higher),
		calculator.Result("p50_initial_sync_seconds", "Median duration of the initial sync of all VMs, in seconds.",
			func(r *ConfidenceResult) *float64 { return &r.P50InitialSyncSeconds }),
		calculator.Result("p95_initial_sync_seconds",
			"95th percentile of the duration of the initial sync of all VMs, in seconds.",
			func(r *ConfidenceResult) *float64 { return &r.P95InitialSyncSeconds }),
		calculator.Result("p50_ongoing_sync_seconds", "Median duration of the busiest cycle, in seconds.",
			func(r *ConfidenceResult) *float64 { return &r.P50OngoingSyncSeconds }),
		calculator.Result("p95_ongoing_sync_seconds",
			"95th percentile of the duration of the busiest cycle, in seconds.",
			func(r *ConfidenceResult) *float64 { return &r.P95OngoingSyncSeconds }),
		calculator.Result("throughput_95_percent_confidence_mbps",
			"Smallest `throughput_mbps` at which 95% of the samples of the other inputs have no violations, before "+
				"`efficiency_percent` is applied. Null if there is none.",
			func(r *ConfidenceResult) **float64 { return &r.ThroughputConfidentMbps }).Better(calculator.Lower),
		calculator.VerdictRow(confidenceVerdicts, func(r *ConfidenceResult) *string { return &r.Verdict }),
		calculator.Result("drivers",
			"Influence of each range on the duration of the busiest cycle, by name of the input. Spearman's rank "+
				"correlation coefficient, from -1 to 1.",
			func(r *ConfidenceResult) *map[string]float64 { return &r.Drivers }),
	},
	Verdicts: confidenceVerdicts,
	Reasons:  []calculator.Reason{reasonSeedCheckNotCounted, reasonExtrapolated, reasonLowRPO, reasonSchedulerUnknown},
	Explain:  func(r *ConfidenceResult) *calculator.Explanation { return &r.Explanation },
	Compute:  Confidence,
}

var confidenceVerdicts = []calculator.Verdict{
	{Code: VerdictMeets, Level: calculator.Holds, Doc: "if at least 95% of the samples have no violations"},
	{Code: VerdictAtRisk, Level: calculator.AtRisk, Doc: "otherwise"},
	{Code: VerdictMisses, Level: calculator.Misses, Doc: "if no sample meets the RPO"},
}

// confidenceInputs contains the inputs of an estimate that affect the confidence. All numbers except the RPO can be
// ranges.
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
