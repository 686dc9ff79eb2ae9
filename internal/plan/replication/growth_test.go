package replication_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/replication"
)

func growing(t *testing.T, change func(*replication.Input)) replication.Result {
	t.Helper()
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.DailyChangePercent, in.RPOMinutes, in.ThroughputMbps = 15, 100, 5, 60, 901
	growth := 30.0
	in.GrowthPercentPerYear, in.HorizonMonths = &growth, 120
	change(&in)
	r, err := replication.Estimate(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEstimate_growth: 15 VMs of 100 GiB that change by 5 % a day send 75 GiB, 644,245,094,400 bit, in 715.03 s at 901
// Mbit/s. At 30 % a year half of an RPO of 60 minutes is reached after 12 ln(1800 / 715.03) / ln 1.3 = 42.2 months, the
// whole after 12 ln(3600 / 715.03) / ln 1.3 = 73.9.
func TestEstimate_growth(t *testing.T) {
	t.Parallel()
	r := growing(t, func(*replication.Input) {})
	if r.MonthsUntilAtRisk == nil || math.Abs(*r.MonthsUntilAtRisk-42.2) > 0.05 ||
		r.MonthsUntilMiss == nil || math.Abs(*r.MonthsUntilMiss-73.9) > 0.05 {
		t.Errorf("%v, %v", r.MonthsUntilAtRisk, r.MonthsUntilMiss)
	}
	// The horizon lies between them.
	r = growing(t, func(in *replication.Input) { in.HorizonMonths = 60 })
	if r.MonthsUntilAtRisk == nil || r.MonthsUntilMiss != nil {
		t.Errorf("within 60 months: %v, %v", r.MonthsUntilAtRisk, r.MonthsUntilMiss)
	}
	// 715.03 s are more than half of 15 minutes, and less than all of it.
	r = growing(t, func(in *replication.Input) { in.RPOMinutes = 15 })
	if *r.MonthsUntilAtRisk != 0 || *r.MonthsUntilMiss <= 0 {
		t.Errorf("at risk today: %v, %v", *r.MonthsUntilAtRisk, *r.MonthsUntilMiss)
	}
	for name, change := range map[string]func(*replication.Input){
		"no growth":     func(in *replication.Input) { in.GrowthPercentPerYear = nil },
		"growth of 0":   func(in *replication.Input) { *in.GrowthPercentPerYear = 0 },
		"nothing grows": func(in *replication.Input) { in.DailyChangePercent = 0 },
	} {
		if r := growing(t, change); r.MonthsUntilAtRisk != nil || r.MonthsUntilMiss != nil {
			t.Errorf("%s: %v, %v", name, r.MonthsUntilAtRisk, r.MonthsUntilMiss)
		}
	}
}

// TestEstimate_growthIsTheBoundary: an estate grown until the month that the estimate names is at its limit.
func TestEstimate_growthIsTheBoundary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := replication.Defaults()
		in.VMCount, in.VMSizeGiB = 10, rapid.Float64Range(1, 1000).Draw(t, "size")
		in.DailyChangePercent, in.RPOMinutes = rapid.Float64Range(0.1, 20).Draw(t, "change"), 60
		in.ThroughputMbps = rapid.Float64Range(100, 10000).Draw(t, "throughput")
		in.OverheadSeconds = rapid.SampledFrom([]float64{0, 60}).Draw(t, "overhead")
		growth := rapid.Float64Range(1, 200).Draw(t, "growth")
		in.GrowthPercentPerYear, in.HorizonMonths = &growth, 600
		r, err := replication.Estimate(in)
		if err != nil {
			t.Fatal(err)
		}
		if r.MonthsUntilMiss == nil || *r.MonthsUntilMiss == 0 {
			return
		}
		in.VMSizeGiB *= math.Pow(1+growth/100, *r.MonthsUntilMiss/12)
		grown, err := replication.Estimate(in)
		if err != nil || math.Abs(grown.OngoingSyncSeconds-3600) > 1e-6*3600 {
			t.Errorf("%v s after %v months, %v", grown.OngoingSyncSeconds, *r.MonthsUntilMiss, err)
		}
	})
}
