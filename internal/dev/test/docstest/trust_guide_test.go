package docstest_test

import (
	"fmt"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/test/validation"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/calibration"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
)

// trust is the guide "How far to trust an estimate".
type trust struct {
	*testing.T

	text string
}

// TestTrustGuide computes every number of the guide, and finds it there.
func TestTrustGuide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates", "guides", "trust.md")
	g := trust{t, strings.Join(strings.Fields(string(guide)), " ")}
	g.measuredLink()
	g.nominalLink()
	g.curve()
	g.elasticities()
	g.validation()
	g.measurements()
}

func (g trust) says(what string) {
	g.Helper()
	if !strings.Contains(g.text, what) {
		g.Errorf("the guide does not say %q", what)
	}
}

func (g trust) estimate(in replication.Input) replication.Result {
	g.Helper()
	r, err := replication.Estimate(in)
	if err != nil {
		g.Fatal(err)
	}
	return r
}

// span is an input, its value in the estate, and the ends of its range.
type span struct {
	name              string
	low, likely, high float64
	set               func(in *replication.Input, v float64)
}

var (
	size       = func(in *replication.Input, v float64) { in.VMSizeGiB = v }
	change     = func(in *replication.Input, v float64) { in.DailyChangePercent = v }
	throughput = func(in *replication.Input, v float64) { in.ThroughputMbps = v }
	efficiency = func(in *replication.Input, v float64) { in.EfficiencyPercent = v }
	compressed = func(in *replication.Input, v float64) { in.CompressionRatio = v }
	overhead   = func(in *replication.Input, v float64) { in.OverheadSeconds = v }
	peak       = func(in *replication.Input, v float64) { in.PeakFactor = &v }
)

// table computes the lines of a table: one input moves through its range, and the driver when all do.
func (g trust) table(in replication.Input, spans []span) replication.ConfidenceResult {
	g.Helper()
	likely, ranges := in, make(map[string]calculator.Spread, len(spans))
	for _, s := range spans {
		s.set(&likely, s.likely)
		ranges[s.name] = calculator.Spread{Low: s.low, Likely: s.likely, High: s.high}
	}
	if got, want := g.estimate(likely).OngoingSyncSeconds, g.estimate(in).OngoingSyncSeconds; got != want {
		g.Errorf("a cycle with the likely values takes %g s, the estate's %g s", got, want)
	}
	r, err := replication.Confidence(replication.ConfidenceInput{Likely: in, Spreads: ranges})
	if err != nil {
		g.Fatal(err)
	}
	for _, s := range spans {
		low, high := in, in
		s.set(&low, s.low)
		s.set(&high, s.high)
		a, b := g.estimate(low), g.estimate(high)
		least, most := min(a.OngoingSyncSeconds, b.OngoingSyncSeconds), max(a.OngoingSyncSeconds, b.OngoingSyncSeconds)
		g.says(fmt.Sprintf("| `%s` | %s to %s | %s to %s s | %s, %s | %.2f | %s |", s.name,
			plan.Thousands(s.low, -1), plan.Thousands(s.high, -1),
			plan.Thousands(a.OngoingSyncSeconds, 0), plan.Thousands(b.OngoingSyncSeconds, 0), a.Verdict, b.Verdict, most/least,
			strings.Replace(fmt.Sprintf("%.2f", r.Drivers[s.name]), "-0.00", "0.00", 1)))
	}
	return r
}

func measuredLink() replication.Input {
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.DailyChangePercent = 15, 102400e6/(1<<30), 5
	in.ThroughputMbps, in.RPOMinutes = 700, 30
	return in
}

func (g trust) measuredLink() {
	in := measuredLink()
	r := g.estimate(in)
	g.says(fmt.Sprintf("(%.1f GiB), 5 %% change a day", in.VMSizeGiB))
	g.says(
		fmt.Sprintf(
			"The cycle takes %.0f s, within the %d s of half the RPO: `%s`",
			r.OngoingSyncSeconds,
			30*60/2,
			r.Verdict,
		),
	)
	g.says(fmt.Sprintf("The initial sync takes %s s (%s)",
		plan.Thousands(r.InitialSyncSeconds, 0), quantity.Duration(r.InitialSyncSeconds)))
	all := g.table(in, []span{
		{"daily_change_percent", 3, 5, 8, change},
		{"throughput_mbps", 400, 700, 901, throughput},
		{"vm_size_gib", 80, in.VMSizeGiB, 120, size},
		{"overhead_seconds", 0, 0, 60, overhead},
	})
	g.says(fmt.Sprintf("violation-free in %.1f %% of samples", all.ViolationFreePercent))
	g.says(fmt.Sprintf("95 %% of the cycles take up to %s s, and 95 %% confidence needs %s Mbit/s",
		plan.Thousands(all.P95OngoingSyncSeconds, 0), plan.Thousands(*all.ThroughputConfidentMbps, 0)))
}

func nominalLink() replication.Input {
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.DailyChangePercent, in.PeakFactor = 400, 120, 3, new(4.0)
	in.ThroughputMbps, in.EfficiencyPercent, in.OverheadSeconds, in.RPOMinutes = 1000, 70, 10, 60
	return in
}

func (g trust) nominalLink() {
	in := nominalLink()
	r := g.estimate(in)
	g.says(fmt.Sprintf("The cycle takes %s s: `%s`", plan.Thousands(r.OngoingSyncSeconds, 0), r.Verdict))
	caught := *r.InitialSyncCaughtUpSeconds
	g.says(fmt.Sprintf("takes %s s (%s); with what changes meanwhile it takes %s s (%s), %.0f %% longer",
		plan.Thousands(r.InitialSyncSeconds, 0), quantity.Duration(r.InitialSyncSeconds),
		plan.Thousands(caught, 0), quantity.Duration(caught), (caught/r.InitialSyncSeconds-1)*100))
	all := g.table(in, []span{
		{"peak_factor", 2, 4, 8, peak},
		{"daily_change_percent", 2, 3, 5, change},
		{"efficiency_percent", 60, 70, 93, efficiency},
		{"compression_ratio", 1, 1, 1.5, compressed},
		{"vm_size_gib", 108, 120, 132, size},
		{"overhead_seconds", 0, 10, 60, overhead},
	})
	g.says(fmt.Sprintf("the RPO is met in %.1f %% of samples and violation-free in %.2f %%",
		all.MeetsRPOPercent, all.ViolationFreePercent))
	g.says(fmt.Sprintf("95 %% confidence needs %s Mbit/s", plan.Thousands(*all.ThroughputConfidentMbps, 0)))
}

func (g trust) curve() {
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.ThroughputMbps, in.RPOMinutes = 20, 100, 100, 15
	in.DailyChangePercent, in.PeakFactor = 7, new(1.0)
	linear := g.estimate(in)
	g.says(fmt.Sprintf("a cycle carries %.2f GiB and takes %.0f s: `%s`",
		linear.ChangedGiBPerCycle, linear.OngoingSyncSeconds, linear.Verdict))
	in.DailyChangePercent, in.PeakFactor = 0, nil
	in.ChangeCurve = map[float64]float64{15: 1.6, 240: 2.8, 1440: 7}
	for _, rpo := range []float64{240, 60, 30, 15} {
		in.RPOMinutes = rpo
		r := g.estimate(in)
		g.says(fmt.Sprintf("| %.0f | %.1f | %s s | %s |",
			rpo, r.ChangedGiBPerCycle, plan.Thousands(r.OngoingSyncSeconds, 0), r.Verdict))
	}
	r := g.estimate(in)
	factor := r.OngoingSyncSeconds / linear.OngoingSyncSeconds
	g.says(fmt.Sprintf("The cycle is %.0f times as long as the linear answer", factor))
	g.says(fmt.Sprintf("is worth a factor of %.0f:", factor))
	g.says(
		fmt.Sprintf("The link would need %.0f Mbit/s for 15 minutes without violations", *r.ThroughputViolationFreeMbps),
	)
}

// elasticities computes what a percent of each input does to a cycle without overhead.
func (g trust) elasticities() {
	in := nominalLink()
	in.OverheadSeconds = 0
	before := g.estimate(in).OngoingSyncSeconds
	for _, set := range []func(*replication.Input){
		func(in *replication.Input) { in.VMCount *= 1.01 },
		func(in *replication.Input) { in.VMSizeGiB *= 1.01 },
		func(in *replication.Input) { in.DailyChangePercent *= 1.01 },
		func(in *replication.Input) { in.PeakFactor = new(*in.PeakFactor * 1.01) },
	} {
		more := in
		set(&more)
		if got := g.estimate(more).OngoingSyncSeconds/before - 1; fmt.Sprintf("%.4f", got) != "0.0100" {
			g.Errorf("a percent more makes the cycle %.4f longer, want 0.01", got)
		}
	}
	for _, set := range []func(*replication.Input){
		func(in *replication.Input) { in.ThroughputMbps *= 1.01 },
		func(in *replication.Input) { in.EfficiencyPercent *= 1.01 },
		func(in *replication.Input) { in.CompressionRatio *= 1.01 },
	} {
		more := in
		set(&more)
		g.says(fmt.Sprintf("makes it %.2f %% shorter", (1-g.estimate(more).OngoingSyncSeconds/before)*100))
	}
}

// validation counts the rows of the page on validation.
func (g trust) validation() {
	titles, hold, rows, err := validation.Tally()
	if err != nil {
		g.Fatal(err)
	}
	causes, total, misses := map[validation.Cause]int{}, 0, 0
	for _, r := range validation.Rows() {
		total++
		if r.Miss.Cause != "" {
			causes[r.Miss.Cause]++
			misses++
		}
	}
	const replication, vmotion, others, line, outcome, worked, formulas = 0, 1, 2, 3, 4, 5, 6
	h, n := func(i int) int { return hold[titles[i]] }, func(i int) int { return rows[titles[i]] }
	if h(replication) != 1 || n(replication) != 1 {
		g.Errorf("%d of %d measurements of vSphere Replication hold, want 1 of 1", h(replication), n(replication))
	}
	g.says(fmt.Sprintf("compares %d published numbers", total))
	g.says(fmt.Sprintf("and %d of %d of vMotion", h(vmotion), n(vmotion)))
	g.says(fmt.Sprintf("Of %d measurements of other systems with the same method %d are", n(others), h(others)))
	g.says(fmt.Sprintf("of %d whose input comes from another line of the same table or from the same run %d;",
		n(line)+n(outcome), h(line)+h(outcome)))
	g.says(fmt.Sprintf("of %d worked examples %d, and of %d values of formulas %d.", n(worked), h(worked), n(formulas),
		h(formulas)))
	g.says(fmt.Sprintf("%d of %d misses come from an input", causes[validation.CauseInput], misses))
	g.says(fmt.Sprintf("%d are the rounding and the misprints of a source, %d are not explained. %d are vsla's model",
		causes[validation.CauseSource], causes[validation.CauseUnexplained], causes[validation.CauseModel]))
	for _, basis := range []string{plan.BasisTransfer, plan.BasisNominal} {
		fourOfFive, nineOfTen := plan.BandFactors(basis)
		g.says(fmt.Sprintf("x %.2f |", fourOfFive))
		if nineOfTen > 0 {
			g.says(fmt.Sprintf("x %.2f |", nineOfTen))
		}
	}
}

// measurements computes the examples of what to measure.
func (g trust) measurements() {
	in := calibration.Defaults()
	in.SizeBytes, in.Seconds, in.RPOMinutes = new(float64(2<<30)), new(300.0), 15
	r, err := calibration.Calibrate(in)
	if err != nil {
		g.Fatal(err)
	}
	g.says(fmt.Sprintf("last_sync_size_bytes = %d", 2<<30))
	g.says(
		fmt.Sprintf("ran at %.1f Mbit/s and means %.0f GiB a day", *r.EffectiveThroughputMbps, *r.EffectiveDailyChangeGiB),
	)
	perGiB := (300 - 90) / (2 - 0.5)
	g.says(fmt.Sprintf("are %.0f s for each further GiB, %.1f Mbit/s, and %.0f s of overhead",
		perGiB, 8*(1<<30)/perGiB/1e6, 90-0.5*perGiB))
	target := measuredLink()
	target.TargetWriteMbps = new(896.0)
	target.ThroughputMbps = 10000
	e := g.estimate(target)
	flows := 15 * target.VMSizeGiB * 8 * (1 << 30) / e.InitialSyncSeconds / 1e6
	g.says(fmt.Sprintf("writes at %.0f Mbit/s takes replicas at %.0f", *target.TargetWriteMbps, flows))
}
