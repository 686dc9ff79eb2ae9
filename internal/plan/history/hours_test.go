package history_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/quantity"
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
			assert.InDelta(t, want, got, 0.01, "%+v", h)
		}
		// Each day, 60 MiB of data changes in each of 22 hours, and 5 * 60 MiB in each of the other two. This makes 32
		// * 60 MiB, sent in 1,440 / 50 intervals.
		gib := 32.0 * 60 / 1024 / (1440 / every)
		require.Len(t, r.ChangeCurve, 1, "%+v", every)
		assert.InDelta(t, 1.0, curveRate(r)*every/gib, 0.01, "%+v", every)
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
		// The mean interval is (48*60 + 12*240) / 60 = 96 minutes, and the mean change is (48*1 + 12*3.6) / 60 = 1.52
		// GiB.
		"10 % less": {48, 240, 12, 3.6, 96, 1.52},
		// The mean interval is (480*60 + 4*240) / 484 = 61.488 minutes, and the mean change is (480*1 + 4*1) / 484 = 1
		// GiB.
		"few": {480, 240, 4, 1, 61.488, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := log(test.hours)
			hourly(l, 0, test.hours*60)
			l.Watch("other", history.VM{RPOMinutes: test.every})
			for i := 0; i <= test.times; i++ {
				l.Add("other",
					history.Event{At: at(float64(i) * test.every), Kind: history.Delta, Bytes: test.gib * gib})
			}
			c := l.Finish().Total.ChangeCurve
			assert.Len(t, c, 1)
			for minutes, got := range c { // minutes are weighted by hour
				require.InDelta(t, test.change, got, 0.01, "%+v", c)
				assert.InDelta(t, test.minutes, minutes, 0.1, "%+v", c)
			}
		})
	}
}
