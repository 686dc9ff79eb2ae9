package promise_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// TestCompute_measured verifies that an old measurement puts a promise at risk, but hides no miss and is stated beside
// it, and that a remedy provides more throughput.
func TestCompute_measured(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mbps, days, most float64
		verdict          plan.Level
		codes            []string
		decides, remedy  bool
	}{
		"recent":                {1000, 90, 90, plan.Meets, []string{}, false, false},
		"old":                   {1000, 90.1, 90, plan.AtRisk, []string{"measurement_old"}, true, false},
		"old, where that is ok": {1000, 90.1, 91, plan.Meets, []string{}, false, false},
		"old and too slow":      {1, 365, 90, plan.Misses, []string{"measurement_old", "syncs_wait"}, false, true},
	} {
		l := promise.LinkDefaults()
		l.Measured = &promise.Measurement{ThroughputMbps: &test.mbps, AgeDays: &test.days}
		l.MaxAgeDays = test.most
		p := on(1, map[string]promise.Tier{"gold": identical(60, 1, 100, 10, 3)})
		p.Links["metro"] = l
		r := compute(t, p)
		gold := r.Promises["gold"]
		assert.Equal(t, test.verdict, gold.Verdict, name)
		assert.Equal(t, test.codes, plan.Codes(gold.Findings), name)
		assert.Equal(t, test.decides, r.Assumed[0].Decides, name)
		assert.Equal(t, test.remedy, len(gold.Remedies) > 0, name)
	}
}

// TestLink_measured verifies the rates of a measured link: the worse end is 1,000 / 1.14 = 877.19 Mbit/s.
func TestLink_measured(t *testing.T) {
	t.Parallel()
	l := promise.LinkDefaults()
	l.Measured = &promise.Measurement{ThroughputMbps: new(1000.0), AgeDays: new(1.0)}
	likely, worse := l.UsableMbps()
	assert.InDelta(t, 1000, likely, 1e-9)
	assert.InDelta(t, 877.19, worse, 0.01)
	assert.InDelta(t, 1000, l.MeanMbps(), 1e-9)
}

// TestCheck_measured verifies what a measurement must have, and what it excludes.
func TestCheck_measured(t *testing.T) {
	t.Parallel()
	one := 1.0
	for want, change := range map[string]func(*promise.Link){
		`links["metro"].measured.min_throughput_mbps is null`: func(l *promise.Link) {
			l.Measured.ThroughputMbps = nil
		},
		`links["metro"].measured.age_days is null`:        func(l *promise.Link) { l.Measured.AgeDays = nil },
		`links["metro"].throughput_basis must not be set`: func(l *promise.Link) { l.ThroughputBasis = "transfer" },
		`links["metro"] has several of throughput_mbps`:   func(l *promise.Link) { l.ThroughputMbps = &one },
		`links["metro"].max_age_days requires measured`: func(l *promise.Link) {
			l.Measured = nil
			l.ThroughputMbps = &one
			l.MaxAgeDays = 1
		},
	} {
		l := promise.LinkDefaults()
		l.Measured = &promise.Measurement{ThroughputMbps: &one, AgeDays: &one}
		change(&l)
		p := on(1, map[string]promise.Tier{"gold": identical(60, 1, 100, 10, 3)})
		p.Links["metro"] = l
		assert.ErrorContains(t, p.Check(), want)
	}
}
