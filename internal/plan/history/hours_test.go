package history_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
)

// TestLog_hours checks that a fivefold change rate from 9:00 to 11:00 is detected although the 50-minute intervals
// overlap other hours. The expected weights are 24 / (22 + 2 * 5) = 0.75 and 5 * 0.75 = 3.75.
func TestLog_hours(t *testing.T) {
	t.Parallel()
	const every, days = 50.0, 10
	l := history.NewLog(start, at(days*1440))
	l.Watch("vm", history.VM{Size: quantity.FromGiB(100), RPOMinutes: every})
	changed := func(m float64) float64 { // MiB changed up to minute m
		day := math.Floor(m / 1440)
		return m + 4*(120*day+min(120, max(0, m-day*1440-540)))
	}
	for m := 0.0; m <= days*1440; m += every {
		l.Add("vm", history.Event{At: at(m), Bytes: (changed(m) - changed(m-every)) * (1 << 20)})
	}
	s := l.Finish()
	for _, r := range []history.Result{s.VMs["vm"], s.Total} {
		for h, got := range r.HourlyWeights {
			want := 0.75
			if h == 9 || h == 10 {
				want = 3.75
			}
			assert.InDelta(t, want, got, 0.01, h)
		}
		// Each day, 60 MiB of data changes in each of 22 hours, and 5 * 60 MiB in each of the other two. This makes 32 * 60
		// MiB, sent in 1,440 / 50 intervals.
		gib := 32.0 * 60 / 1024 / (1440 / every)
		require.Len(t, r.ChangeCurve, 1, every)
		assert.InDelta(t, 1.0, curveRate(r)*every/gib, 0.01, every)
	}
}

func curveRate(r history.Result) float64 {
	for minutes, gib := range r.ChangeCurve {
		return gib / minutes
	}
	return 0
}

func TestLog_nearlyProportional(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hours, every float64
		times        int
		gib          float64
		minutes      float64
		change       float64
	}{
		// The mean interval is (48*60 + 12*240) / 60 = 96 minutes, and the mean change is (48*1 + 12*3.6) / 60 = 1.52 GiB.
		"10 % less": {48, 240, 12, 3.6, 96, 1.52},
		// The mean interval is (480*60 + 4*240) / 484 = 61.488 minutes, and the mean change is (480*1 + 4*1) / 484 = 1 GiB.
		"few": {480, 240, 4, 1, 61.488, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := log(test.hours)
			hourly(l, 0, test.hours*60)
			l.Watch("other", history.VM{RPOMinutes: test.every})
			for i := 0; i <= test.times; i++ {
				l.Add("other", history.Event{At: at(float64(i) * test.every), Kind: history.Delta, Bytes: test.gib * gib})
			}
			c := l.Finish().Total.ChangeCurve
			assert.Len(t, c, 1)
			for minutes, got := range c { // minutes are weighted by hour
				require.InDelta(t, test.change, got, 0.01, c)
				assert.InDelta(t, test.minutes, minutes, 0.1, c)
			}
		})
	}
}

func drawn(t *rapid.T) (*history.Log, float64) {
	hours := rapid.Float64Range(0, 200).Draw(t, "hours")
	l := history.NewLog(start, at(hours*60))
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
			At: at(m), Kind: history.Kind(rapid.IntRange(int(history.Delta), int(history.Restored)).Draw(t, "kind")),
			Bytes: rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 1e18)).Draw(t, "bytes"),
		})
		m += rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-10, 300)).Draw(t, "later")
	}
	return l, time.Duration(hours * float64(time.Hour)).Truncate(time.Millisecond).Minutes()
}

func TestLog_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, span := drawn(t)
		s := l.Finish()
		var violation, known, unknown float64
		check := func(r history.Result, span float64) {
			assert.True(t, math.Abs(r.KnownMinutes+r.UnknownMinutes-span) <= 1e-3 && r.UnknownMinutes >= 0 &&
				r.KnownMinutes >= 0, "%v known and %v unknown minutes of %v", r.KnownMinutes, r.UnknownMinutes, span)
			require.GreaterOrEqual(t, r.ViolationMinutes, 0.0)
			assert.LessOrEqual(t, r.ViolationMinutes, r.KnownMinutes+1e-9)
			assert.Equal(t, r.KnownMinutes == 0, r.CompliancePercent == nil)
			for what, v := range map[string]*float64{
				"compliance": r.CompliancePercent, "change": r.DailyChangeGiB, "change in percent": r.DailyChangePercent,
				"delta": r.Delta.P95, "interval": r.Interval.Median, "lateness": r.Lateness.P95,
			} {
				if v != nil && (!(*v >= 0) || math.IsInf(*v, 0) || what == "compliance" && *v > 100) {
					t.Errorf("%s is %v", what, *v)
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
		for _, r := range s.VMs {
			check(r, span)
			violation, known, unknown = violation+r.ViolationMinutes, known+r.KnownMinutes, unknown+r.UnknownMinutes
		}
		check(s.Total, 3*span)
		for _, d := range s.Days {
			violation, known, unknown = violation-d.ViolationMinutes, known-d.KnownMinutes, unknown-d.UnknownMinutes
		}
		assert.True(t, math.Abs(violation) <= 1e-6 && math.Abs(known) <= 1e-6 && math.Abs(unknown) <= 1e-6,
			"days miss %v, %v and %v minutes", violation, known, unknown)
	})
}

func TestLog_curve(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := history.NewLog(start, at(1e5))
		l.Watch("vm", history.VM{RPOMinutes: 1440})
		m := 0.0
		for range rapid.IntRange(2, 200).Draw(t, "syncs") {
			m += rapid.Float64Range(1, 1400).Draw(t, "later")
			l.Add("vm", history.Event{At: at(m), Bytes: rapid.Float64Range(0, 1e13).Draw(t, "bytes")})
		}
		r := l.Finish().VMs["vm"]
		if r.ChangeCurve == nil {
			return
		}
		in := replication.ScheduleDefaults()
		in.ThroughputMbps = new(1e6)
		in.Groups = map[string]replication.Group{"g": {
			VMCount: 1, VMSizeGiB: 1e6, RPOMinutes: 1440, CompressionRatio: 1,
			ChangeCurve: r.ChangeCurve, HourlyWeights: r.HourlyWeights,
		}}
		_, err := replication.Simulate(in)
		assert.NoError(t, err, r.ChangeCurve)
	})
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
			want := sizes[(of*len(sizes)+99)/100-1] / gib
			assert.InDelta(t, want, *got, history.RelativeError*want*(1+1e-9), of)
		}
	})
}
