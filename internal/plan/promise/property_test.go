package promise_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
)

// drawn generates an estate from a seed: 1 to 3 tiers of 1 to 4 VMs on 1 or 2 links near their capacity, some with a
// target.
func drawn(seed uint64) promise.Plan {
	r := rand.New(rand.NewPCG(seed, 1))
	between := func(low, high float64) float64 { return low * math.Pow(high/low, r.Float64()) }
	some := func(part float64) bool { return r.Float64() < part }
	p := promise.Defaults()
	p.Days, p.Runs = new(8.0), new(5.0)
	p.Links, p.Tiers = map[string]promise.Link{}, map[string]promise.Tier{}
	if some(0.5) {
		target := promise.TargetDefaults()
		target.FreeGiB = new(between(100, 20000))
		if some(0.5) {
			target.WriteMbps = new(between(5, 500))
		}
		p.Targets = map[string]promise.Target{"dr": target}
	}
	for i := range 1 + r.IntN(2) {
		l := promise.LinkDefaults()
		l.ThroughputMbps = new(between(2, 500))
		if some(0.3) {
			l.ThroughputBasis = plan.Bases[r.IntN(len(plan.Bases))]
		} else if some(0.3) {
			l.Ranges = map[string]promise.Ends{"throughput_mbps": {Low: *l.ThroughputMbps / 2, High: *l.ThroughputMbps * 2}}
		}
		if some(0.2) {
			l.HourlyMovesPercent = make([]float64, 24)
			for h := range 1 + r.IntN(5) {
				l.HourlyMovesPercent[8+h] = math.Ceil(between(1, 100))
			}
		}
		p.Links[fmt.Sprint("link-", i)] = l
	}
	for i := range 1 + r.IntN(3) {
		t := tier([]float64{15, 60, 240}[r.IntN(3)], between(0.5, 20), nil)
		t.VirtualMachines = map[string]promise.VM{}
		for v := range 1 + r.IntN(4) {
			t.VirtualMachines[fmt.Sprintf("vm-%d-%d", i, v)] = promise.VM{SizeGiB: new(between(10, 2000))}
		}
		t.Link = fmt.Sprint("link-", r.IntN(len(p.Links)))
		if len(p.Targets) > 0 {
			t.Target = "dr"
		}
		if some(0.3) {
			t.PerSyncMbps = new(between(2, 200))
		}
		if some(0.3) {
			t.DeadlineHours = new(between(1, 200))
		}
		if some(0.3) {
			t.Ranges = map[string]promise.Ends{
				"daily_change_percent": {Low: *t.DailyChangePercent / 2, High: *t.DailyChangePercent * 2},
			}
		}
		p.Tiers[fmt.Sprint("tier-", i)] = t
	}
	return p
}

func estates(t *testing.T, test func(t *testing.T, p promise.Plan)) {
	t.Helper()
	n := uint64(300)
	if testing.Short() {
		n = 20
	}
	t.Run("estates", func(t *testing.T) { // Run returns only after all parallel subtests have finished
		for seed := range n {
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				test(t, drawn(seed))
			})
		}
	})
}

func compute(t *testing.T, p promise.Plan) promise.Result {
	t.Helper()
	r, err := promise.Compute(t.Context(), p)
	require.NoError(t, err)
	return r
}

func verdictsOf(t *testing.T, p promise.Plan) promise.Result {
	t.Helper()
	r, err := promise.Verdicts(t.Context(), p)
	require.NoError(t, err)
	return r
}

// TestCompute_remedies checks that applying a remedy, or the throughput that a link needs, results in the verdict
// "meets", and that the result does not depend on map order.
//
//nolint:tparallel // estates returns only after all its subtests have finished
func TestCompute_remedies(t *testing.T) {
	t.Parallel()
	estates(t, func(t *testing.T, p promise.Plan) {
		t.Helper()
		r := compute(t, p)
		assert.Equal(t, compute(t, p), r)
		for name, one := range r.Promises {
			for _, remedy := range one.Remedies {
				assert.Equal(t, promise.VerdictMeets, verdictsOf(t, p.WithRemedy(name, remedy)).Promises[name].Verdict,
					"%v, %v", name, remedy.Sentence)
			}
			assert.False(t, (one.Verdict == promise.VerdictMeets) && len(one.Remedies) > 0,
				"%s meets and has remedies %+v", name, one.Remedies)
		}
		for name, link := range r.Links {
			if link.ThroughputNeededMbps == nil {
				continue
			}
			typed := p.WithRemedy("", promise.Remedy{Kind: promise.RemedyThroughput, At: name, Value: link.ThroughputNeededMbps})
			of := verdictsOf(t, typed)
			for _, tier := range link.Promises {
				assert.Equal(t, promise.VerdictMeets, of.Promises[tier].Verdict,
					"%v, %v, %v", name, *link.ThroughputNeededMbps, tier)
			}
		}
	})
}

// TestVerdicts_directions checks that doubling the throughput, or halving the change, rarely worsens a verdict.
// Simulations are not monotone, because shorter syncs start later and may coincide.
//
//nolint:tparallel // estates returns only after all its subtests have finished
func TestVerdicts_directions(t *testing.T) {
	t.Parallel()
	order := []string{promise.VerdictMeets, promise.VerdictAtRisk, promise.VerdictUnknown, promise.VerdictMisses}
	var compared, worse atomic.Int64
	estates(t, func(t *testing.T, p promise.Plan) {
		t.Helper()
		faster, calmer := p, p
		for name, l := range p.Links {
			faster = faster.WithRemedy("", promise.Remedy{
				Kind: promise.RemedyThroughput, At: name, Value: new(2 * *l.ThroughputMbps),
			})
		}
		calmer.Tiers = map[string]promise.Tier{}
		for name, one := range p.Tiers {
			one.DailyChangePercent = new(*one.DailyChangePercent / 2)
			if e, ok := one.Ranges["daily_change_percent"]; ok {
				one.Ranges = map[string]promise.Ends{"daily_change_percent": {Low: e.Low / 2, High: e.High / 2}}
			}
			calmer.Tiers[name] = one
		}
		before := verdictsOf(t, p)
		for what, better := range map[string]promise.Plan{"faster links": faster, "less change": calmer} {
			after := verdictsOf(t, better)
			for name := range p.Tiers {
				was, is := before.Promises[name], after.Promises[name]
				compared.Add(1)
				if slices.Index(order, is.Verdict) > slices.Index(order, was.Verdict) {
					worse.Add(1)
					t.Logf("%s turn %s from %s to %s", what, name, was.Summary, is.Summary)
				}
			}
		}
	})
	got, of := worse.Load(), compared.Load()
	assert.LessOrEqual(t, got*200, of)
}

func TestVerdicts_split(t *testing.T) {
	t.Parallel()
	whole := on(100, map[string]promise.Tier{
		"gold": tier(60, 5, map[string]float64{"a": 10, "b": 20, "c": 30, "d": 40}),
	})
	split := on(100, map[string]promise.Tier{
		"gold": tier(60, 5, map[string]float64{"a": 10, "b": 20}), "tin": tier(60, 5, map[string]float64{"c": 30, "d": 40}),
	})
	for _, p := range []*promise.Plan{&whole, &split} {
		p.JitterPercent = 0
		p.Targets = map[string]promise.Target{"dr": promise.TargetDefaults()}
		for name, one := range p.Tiers {
			one.Target = "dr"
			p.Tiers[name] = one
		}
	}
	one, two := verdictsOf(t, whole), verdictsOf(t, split)
	gold, rest, all := two.Promises["gold"], two.Promises["tin"], one.Promises["gold"]
	got, want := gold.ChangeMbps+rest.ChangeMbps, all.ChangeMbps
	assert.InDelta(t, want, got, 1e-9*want)
	if got, want := two.Targets["dr"].NeededGiB, one.Targets["dr"].NeededGiB; math.Abs(got-want) > 1e-9*want {
		t.Errorf("got %v GiB of two tiers, want %v", got, want)
	}
	if got, want := max(*gold.InitialSyncMinutes, *rest.InitialSyncMinutes), *all.InitialSyncMinutes; got != want {
		t.Errorf("got in sync after %v minutes, want %v", got, want)
	}
}

func TestPlan_watched(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	var runs atomic.Int64
	var partial []promise.Result
	r := compute(t, p.WithCallbacks(promise.Callbacks{
		Runs:    func(int, int) { runs.Add(1) },
		Partial: func(r promise.Result) { partial = append(partial, r) },
	}))
	assert.GreaterOrEqual(t, runs.Load(), r.Runs)
	require.Len(t, partial, 2)
	assert.Equal(t, r.Verdict, partial[0].Verdict)
	assert.Nil(t, partial[0].Links["metro"].ThroughputNeededMbps)
	assert.Equal(t, r.Links["metro"].ThroughputNeededMbps, partial[1].Links["metro"].ThroughputNeededMbps)
}

// TestNeeds checks that Needs returns the same needs as Compute, but does not compute growth. The change of 10 GiB * 1%
// * 2^33 / 86,400 s = 0.01 Mbit/s grows elevenfold each year and exceeds 1 Mbit/s within two years.
func TestNeeds(t *testing.T) {
	t.Parallel()
	p := on(1, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	p.GrowthPercentPerYear = new(1000.0)
	whole := compute(t, p)
	require.NotNil(t, whole.Promises["gold"].MonthsUntilMiss)
	r, err := promise.Needs(t.Context(), p)
	require.NoError(t, err)
	require.NotNil(t, r.Links["metro"].ThroughputNeededMbps)
	assert.Equal(t, whole.Links["metro"].ThroughputNeededMbps, r.Links["metro"].ThroughputNeededMbps)
	assert.Nil(t, r.Promises["gold"].MonthsUntilMiss)
	delete(p.Links, "metro")
	_, err = promise.Needs(t.Context(), p)
	require.ErrorContains(t, err, "links")
}

// TestMoves_on checks that a migration with a share of 40% gets 100 * 70% * 40% = 28 Mbit/s on a link with an
// efficiency of 70%, and 50 * 40% = 20 Mbit/s if it has its own throughput.
func TestMoves_on(t *testing.T) {
	t.Parallel()
	p := on(100, map[string]promise.Tier{"gold": tier(60, 1, map[string]float64{"db": 10})})
	metro := p.Links["metro"]
	assert.InDelta(t, 100, metro.MeanMbps(), 1e-9)
	assert.Zero(t, promise.Link{}.MeanMbps())
	metro.EfficiencyPercent = 70
	hourly := metro
	hourly.ThroughputMbps, hourly.HourlyThroughputMbps = nil, slices.Repeat([]float64{100}, 24)
	p.Links["metro"], p.Links["hourly"] = metro, hourly
	own := migration.PlanInput{ThroughputMbps: new(50.0)}
	day := migration.PlanInput{HourlyThroughputMbps: slices.Repeat([]float64{50}, 24)}
	for name, test := range map[string]struct {
		moves  promise.Moves
		mbps   float64
		hourly bool
	}{
		"link":        {promise.Moves{Link: "metro", SharePercent: 40}, 28, false},
		"hourly link": {promise.Moves{Link: "hourly", SharePercent: 40}, 28, true},
		"own":         {promise.Moves{Input: own, SharePercent: 40}, 20, false},
		"own, hourly": {promise.Moves{Input: day, SharePercent: 40}, 20, true},
	} {
		got := test.moves.InputOn(p)
		if !test.hourly {
			assert.InDelta(t, test.mbps, *got.ThroughputMbps, 1e-9, name)
			assert.Nil(t, got.HourlyThroughputMbps, name)
			continue
		}
		assert.InDeltaSlice(t, slices.Repeat([]float64{test.mbps}, 24), got.HourlyThroughputMbps, 1e-9, name)
	}
}

// TestMoves_Calculator checks what puts kept promises of a migration at risk. The VMs have 2 * 2,008 = 4,016 GiB, or
// 34,497 Gbit. They are moved in 4.8 h at 2,000 Mbit/s, in 31.9 h at 300 Mbit/s, and in 12.8 h at 749 Mbit/s, which is
// the worse end of a nominal rate: 2,000 * 70% / 1.87. At 100% per day, 167 of 2,000 GiB change in the 2 hours between
// two syncs. Sending them takes 716 s. At 1% per day, it takes 7 s.
func TestMoves_Calculator(t *testing.T) {
	t.Parallel()
	unsized := promise.VM{}
	type moved = map[string]migration.VM
	for name, test := range map[string]struct {
		change func(l *promise.Link, gold *promise.Tier, in *migration.PlanInput)
		reason string
	}{
		"as given": {func(*promise.Link, *promise.Tier, *migration.PlanInput) {}, ""},
		"range": {func(l *promise.Link, _ *promise.Tier, _ *migration.PlanInput) {
			l.Ranges = map[string]promise.Ends{"throughput_mbps": {Low: 300, High: 3000}}
		}, "not_at_worse_end"},
		"basis": {func(l *promise.Link, _ *promise.Tier, in *migration.PlanInput) {
			l.ThroughputBasis, in.DeadlineHours = "nominal", new(7.0)
		}, "band_misses"},
		"basis, late enough": {func(l *promise.Link, _ *promise.Tier, _ *migration.PlanInput) { l.ThroughputBasis = "nominal" }, ""},
		"outage":             {func(l *promise.Link, _ *promise.Tier, _ *migration.PlanInput) { l.OutageMinutes = new(60.0) }, "outage_not_counted"},
		"unknown size": {func(_ *promise.Link, gold *promise.Tier, _ *migration.PlanInput) {
			gold.VirtualMachines["c"] = unsized
		}, "size_unknown"},
		"unknown size in a tier that stays": {func(_ *promise.Link, gold *promise.Tier, in *migration.PlanInput) {
			gold.VirtualMachines["c"] = unsized
			delete(in.VMs, "a")
		}, ""},
		"unknown memory": {func(_ *promise.Link, _ *promise.Tier, in *migration.PlanInput) {
			in.VMs["b"] = migration.VM{Method: migration.MethodVMotion, DiskGiB: 2000}
		}, "memory_unknown"},
		"change": {func(_ *promise.Link, gold *promise.Tier, in *migration.PlanInput) {
			gold.Ranges = map[string]promise.Ends{"daily_change_percent": {Low: 1, High: 100}}
			in.VMs = moved{"a": {Method: migration.MethodReplication, DiskGiB: 2000, DailyChangePercent: new(1.0)}}
			delete(gold.VirtualMachines, "b")
			in.MaxDowntimeMinutes = new(10.0)
		}, "not_at_worse_end"},
	} {
		p := on(2000, map[string]promise.Tier{"gold": tier(240, 1, map[string]float64{"a": 2000, "b": 2000})})
		l, gold := p.Links["metro"], p.Tiers["gold"]
		in := migration.PlanDefaults()
		in.DeadlineHours, in.SetupSeconds, in.ThroughputMbps = new(24.0), new(0.0), new(2000.0)
		one := migration.VM{Method: migration.MethodVMotion, MemoryGiB: 8, DiskGiB: 2000}
		in.VMs = moved{"a": one, "b": one}
		test.change(&l, &gold, &in)
		p.Links["metro"], p.Tiers["gold"] = l, gold
		defaults := migration.PlanDefaults()
		r, err := promise.Moves{Link: "metro", SharePercent: 100}.Calculator(p).
			Evaluate(migration.PlanDefinition.Inputs.Encode(&in, &defaults))
		require.NoError(t, err, name)
		if test.reason == "" {
			assert.Equal(t, migration.VerdictMeets, r["verdict"], name)
			continue
		}
		assert.Equal(t, migration.VerdictAtRisk, r["verdict"], name)
		assert.Contains(t, r["reasons"], test.reason, name)
	}
}
