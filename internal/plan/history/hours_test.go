package history_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/quantity"
)

// TestLog_hours checks that a fivefold change from 9 to 11 o'clock is found, although intervals of 50 minutes overlap
// other hours: weights of 24 / (22 + 2 * 5) = 0.75 and 3.75.
func TestLog_hours(t *testing.T) {
	t.Parallel()
	const every, days = 50.0, 10
	l := history.NewLog(start, at(days*1440))
	l.Watch("vm", history.VM{Size: quantity.FromGiB(100), RPOMinutes: every})
	changed := func(m float64) float64 { // up to a minute, in MiB
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
		// 60 MiB in each of 32 weighted hours, in 1,440 / 50 syncs a day.
		gib := 32.0 * 60 / 1024 / (1440 / every)
		require.Len(t, r.ChangeCurve, 1, every)
		assert.InDelta(t, 1.0, curveRate(r)*every/gib, 0.01, every)
	}
}

// curveRate returns the change per minute of a curve with one point.
func curveRate(r history.Result) float64 {
	for minutes, gib := range r.ChangeCurve {
		return gib / minutes
	}
	return 0
}

// TestLog_longIntervals checks that daily syncs yield even weights.
func TestLog_longIntervals(t *testing.T) {
	t.Parallel()
	l := history.NewLog(start, at(10*1440))
	l.Watch("vm", history.VM{RPOMinutes: 1440})
	for m := 300.0; m <= 10*1440; m += 1440 {
		add(l, history.Delta, m)
	}
	for h, w := range l.Finish().VMs["vm"].HourlyWeights {
		near(t, fmt.Sprint("weight ", h), &w, 1)
	}
}

// TestLog_nearlyProportional checks that points are merged if the growth is almost proportional or a point has few
// syncs.
func TestLog_nearlyProportional(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hours, every float64
		times        int
		gib          float64
		minutes      float64 // the resulting point
		change       float64
	}{
		// 48 syncs of 60 minutes and 12 of 240: 96 minutes and 91.2 / 60 GiB.
		"10 % less": {48, 240, 12, 3.6, 96, 1.52},
		// 480 syncs of 60 minutes and 4 of 240: 29,760 / 484 minutes and 484 / 484 GiB.
		"few": {480, 240, 4, 1, 61.488, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := log(test.hours)
			hourly(l, 0, test.hours*60)
			l.Watch("other", history.VM{RPOMinutes: test.every})
			for i := 0; i <= test.times; i++ {
				l.Add("other", history.Event{
					At: at(float64(i) * test.every), Kind: history.Delta, Bytes: test.gib * gib,
				})
			}
			c := l.Finish().Total.ChangeCurve
			assert.Len(t, c, 1)
			for minutes, got := range c { // the minutes are weighted
				require.InDelta(t, test.change, got, 0.01, c)
				assert.InDelta(t, test.minutes, minutes, 0.1, c)
			}
		})
	}
}
