package history_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/quantity"
)

// drawn returns a log of three VMs, and the length of its period in minutes. A log counts whole milliseconds, and omits
// what is left of the last one.
func drawn(t *rapid.T) (l *history.Log, span float64) {
	hours := rapid.Float64Range(0, 200).Draw(t, "hours")
	l = history.NewLog(start, at(hours*60))
	ids := []string{"a", "b", "c"}
	for _, id := range ids {
		l.Watch(id, history.VM{
			Size:       quantity.Size(rapid.Float64Range(0, 1e15).Draw(t, "size")),
			RPOMinutes: float64(rapid.SampledFrom([]int{0, 5, 60, 1440}).Draw(t, "RPO")),
		})
	}
	m := rapid.Float64Range(-100, 1000).Draw(t, "first")
	for range rapid.IntRange(0, 60).Draw(t, "events") {
		l.Add(rapid.SampledFrom(ids).Draw(t, "VM"), history.Event{
			At:    at(m),
			Kind:  history.Kind(rapid.IntRange(int(history.Delta), int(history.Interrupted)).Draw(t, "kind")),
			Bytes: rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 1e18)).Draw(t, "bytes"),
		})
		m += rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-10, 300)).Draw(t, "later")
	}
	return l, time.Duration(hours * float64(time.Hour)).Truncate(time.Millisecond).Minutes()
}

// checkResult checks the times of a result that covers the given number of minutes, and the ranges of its values.
func checkResult(t *rapid.T, r history.Result, span float64) {
	t.Helper()
	assert.InDelta(t, span, r.KnownMinutes+r.UnknownMinutes, 1e-3)
	assert.GreaterOrEqual(t, r.UnknownMinutes, 0.0)
	assert.GreaterOrEqual(t, r.KnownMinutes, 0.0)
	require.GreaterOrEqual(t, r.ViolationMinutes, 0.0)
	assert.LessOrEqual(t, r.ViolationMinutes, r.KnownMinutes+1e-9)
	assert.Equal(t, r.KnownMinutes == 0, r.CompliancePercent == nil)
	if r.CompliancePercent != nil {
		assert.LessOrEqual(t, *r.CompliancePercent, 100.0)
	}
	for what, v := range map[string]*float64{
		"compliance":        r.CompliancePercent,
		"change":            r.DailyChangeGiB,
		"change in percent": r.DailyChangePercent,
		"delta":             r.Delta.P95,
		"interval":          r.Interval.Median,
		"lateness":          r.Lateness.P95,
	} {
		if v != nil {
			assert.False(t, math.IsNaN(*v), what)
			assert.False(t, math.IsInf(*v, 0), what)
			assert.GreaterOrEqual(t, *v, 0.0, what)
		}
	}
	if r.HourlyWeights != nil {
		sum := 0.0
		for _, w := range r.HourlyWeights {
			sum += w
		}
		assert.InDelta(t, 24.0, sum, 1e-6)
	}
}

func TestLog_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, span := drawn(t)
		s := l.Finish()
		var violation, known, unknown float64 // of the VMs, without that of the days
		for _, r := range s.VMs {
			checkResult(t, r, span)
			violation += r.ViolationMinutes
			known += r.KnownMinutes
			unknown += r.UnknownMinutes
		}
		checkResult(t, s.Total, 3*span)
		for _, d := range s.Days {
			violation -= d.ViolationMinutes
			known -= d.KnownMinutes
			unknown -= d.UnknownMinutes
		}
		assert.InDelta(t, 0, violation, 1e-6)
		assert.InDelta(t, 0, known, 1e-6)
		assert.InDelta(t, 0, unknown, 1e-6)
	})
}

// TestLog_curve verifies that every curve is a valid input. A log of few syncs may have none, but not every log.
func TestLog_curve(t *testing.T) {
	t.Parallel()
	curves := 0
	rapid.Check(t, func(t *rapid.T) {
		l := history.NewLog(start, at(1e5))
		l.Watch("vm", history.VM{RPOMinutes: 1440})
		m := 0.0
		for range rapid.IntRange(2, 200).Draw(t, "syncs") {
			m += rapid.Float64Range(1, 1400).Draw(t, "later")
			l.Add("vm", history.Event{At: at(m), Bytes: rapid.Float64Range(0, 1e13).Draw(t, "bytes")})
		}
		r := l.Finish().VMs["vm"]
		if r.ChangeCurve != nil {
			curves++
			assert.Empty(t, changerate.CheckCurve(r.ChangeCurve, plan.Attr("change_curve")), "%+v", r.ChangeCurve)
		}
	})
	assert.Positive(t, curves)
}

func TestLog_quantiles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(
			rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(10, 1e6), rapid.Float64Range(1e6, 1e15)), 1, 300,
		).Draw(t, "sizes")
		l := history.NewLog(start, at(1e5))
		l.Watch("vm", history.VM{RPOMinutes: 60})
		for i, size := range sizes {
			l.Add("vm", history.Event{At: at(float64(i)), Bytes: size})
		}
		s := l.Finish()
		slices.Sort(sizes)
		for of, got := range map[int]*float64{50: s.VMs["vm"].Delta.Median, 95: s.Total.Delta.P95} {
			rank := (of*len(sizes) + 99) / 100 // nearest rank: the share of the number of values, rounded up
			want := sizes[rank-1] / gib
			require.NotNil(t, got, of)
			assert.InDelta(t, want, *got, history.RelativeError*want*(1+1e-9), of)
		}
	})
}
