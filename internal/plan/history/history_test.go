package history_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/quantity"
)

const gib = 1 << 30

var start = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)

func at(minutes float64) time.Time { return start.Add(time.Duration(minutes * float64(time.Minute))) }

func log(hours float64) *history.Log { return logOf(hours * 60) }

func logOf(minutes float64) *history.Log {
	l := history.NewLog(start, at(minutes))
	l.Watch("vm", history.VM{Size: quantity.FromGiB(100), RPOMinutes: 60})
	return l
}

func add(l *history.Log, kind history.Kind, minutes ...float64) {
	for _, m := range minutes {
		l.Add("vm", history.Event{At: at(m), Kind: kind, Bytes: gib})
	}
}

func hourly(l *history.Log, from, to float64) {
	for m := from; m <= to; m += 60 {
		add(l, history.Delta, m)
	}
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	require.NotNil(t, got, what)
	assert.InDelta(t, want, *got, 1e-9*math.Max(1, math.Abs(want)), what)
}

func times(t *testing.T, r history.Result, violation, known, unknown float64) {
	t.Helper()
	assert.InDelta(t, violation, r.ViolationMinutes, 0, "violation")
	assert.InDelta(t, known, r.KnownMinutes, 0, "known")
	assert.InDelta(t, unknown, r.UnknownMinutes, 0, "unknown")
}

func TestLog_byHand(t *testing.T) {
	t.Parallel()
	l := log(24)
	hourly(l, 30, 10*60+30)
	add(l, history.Violated, 11*60+30)
	add(l, history.Delta, 11*60+55)
	add(l, history.Restored, 11*60+55)
	hourly(l, 12*60+30, 23*60+30)
	s := l.Finish()
	r := s.VMs["vm"]
	times(t, r, 25, 23*60+30, 30) // the 30 minutes before the first event are unknown
	near(t, "compliance", r.CompliancePercent, 100*(1-25.0/(23*60+30)))
	near(t, "late", r.Lateness.Median, 25)
	assert.EqualValues(t, 1, r.Violations)
	assert.Equal(t, history.Syncs{Delta: 24}, r.Syncs)
	assert.EqualValues(t, 24*gib, r.Transferred)
	// 23 GiB in 23 hours = 24 GiB a day
	near(t, "change", r.DailyChangeGiB, 24)
	near(t, "change in percent", r.DailyChangePercent, 24)
	near(t, "size", r.Delta.Median, 1)
	if math.Abs(*r.Interval.Median-60) > 60*history.RelativeError { // within one bin of the histogram
		t.Errorf("the median interval is %v", *r.Interval.Median)
	}
	require.Len(t, r.HourlyWeights, 24)
	// The late sync started on time at 11:30, so every hour has the same weight.
	for h, w := range r.HourlyWeights {
		near(t, fmt.Sprint("weight ", h), &w, 1)
	}
	require.Len(t, r.ChangeCurve, 1)
	assert.Equal(t, 1.0, r.ChangeCurve[60])
	require.Equal(t, 1, s.Total.VMCount)
	assert.Equal(t, *r.CompliancePercent, *s.Total.CompliancePercent)
}

func TestLog_gap(t *testing.T) {
	t.Parallel()
	l := log(4 * 24)
	hourly(l, 0, 24*60)
	hourly(l, 48*60, 96*60)
	r := l.Finish().VMs["vm"]
	times(t, r, 0, 3*1440, 1440)
	near(t, "compliance", r.CompliancePercent, 100)
	// The first sync after the gap is skipped because its interval is unknown.
	near(t, "change", r.DailyChangeGiB, 24)
	near(t, "longest interval", r.Interval.P95, 60)
}

func TestLog_unknown(t *testing.T) {
	t.Parallel()
	r := log(24).Finish().VMs["vm"]
	times(t, r, 0, 0, 1440)
	assert.Nil(t, r.CompliancePercent)
	assert.Nil(t, r.DailyChangeGiB)
	assert.Nil(t, r.HourlyWeights)
	assert.Nil(t, r.Delta.Median)
	assert.Nil(t, r.ChangeCurve)
	l := history.NewLog(start, at(1440))
	l.Watch("vm", history.VM{})
	hourly(l, 0, 1440)
	add(l, history.Violated, 1440)
	s := l.Finish()
	r = s.VMs["vm"]
	times(t, r, 0, 0, 1440)
	assert.Nil(t, r.CompliancePercent)
	assert.Nil(t, s.Total.CompliancePercent)
	assert.Nil(t, s.Days[0].CompliancePercent)
	assert.EqualValues(t, 1, r.Violations)
	assert.Nil(t, r.DailyChangePercent)
	near(t, "change without an RPO", r.DailyChangeGiB, 24)
	without := history.NewLog(start, at(60)).Finish().Total
	assert.Nil(t, without.CompliancePercent)
	assert.Zero(t, without.KnownMinutes)
}

// TestLog_silence checks that up to 60 * 1.1 + 1 = 67 minutes without events count as known, both between events and at
// the end of the log.
func TestLog_silence(t *testing.T) {
	t.Parallel()
	for last, unknown := range map[float64]float64{67: 0, 68: 68} {
		l := logOf(last)
		add(l, history.Delta, 0)
		times(t, l.Finish().VMs["vm"], 0, last-unknown, unknown)
		l = log(4)
		add(l, history.Delta, 0, last)
		hourly(l, last+60, 240)
		add(l, history.Delta, 240)
		times(t, l.Finish().VMs["vm"], 0, 240-unknown, unknown)
	}
}

func TestLog_lostMarkers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		events                     func(*history.Log)
		violation, known, unknown  float64
		violations                 int64
		hours                      float64
		withoutLateness, compliant bool
	}{
		"restored before anything": {
			func(l *history.Log) {
				add(l, history.Restored, 30)
				hourly(l, 30, 240)
			}, 0, 210, 30, 1, 4, true, true,
		},
		"the beginning is missing": {
			func(l *history.Log) {
				hourly(l, 0, 60)
				add(l, history.Restored, 100)
				hourly(l, 100, 240)
			},
			0, 200, 40, 1, 4, true, true,
		},
		"the end is missing, then a violation": {
			// The first violation lasted until the sync at minute 90. From then until the start of the second violation
			// at minute 200, the state is unknown.
			func(l *history.Log) {
				add(l, history.Delta, 0)
				add(l, history.Violated, 60)
				add(l, history.Delta, 90)
				l.Add("vm", history.Event{At: at(201), Kind: history.Violated, Minutes: 1})
				add(l, history.Delta, 230)
				add(l, history.Restored, 230)
			}, 30 + 30, 240 - 110, 110, 2, 4, false, false,
		},
		"the beginning is missing, and its minutes are known": {
			// Both events imply that the violation started at minute 160. There is no sync between minutes 0 and 160.
			func(l *history.Log) {
				add(l, history.Delta, 0)
				l.Add("vm", history.Event{At: at(190), Kind: history.Violated, Minutes: 30})
				l.Add("vm", history.Event{At: at(210), Kind: history.Violated, Minutes: 50})
				add(l, history.Restored, 230)
				add(l, history.Delta, 230)
			}, 70, 240 - 160, 160, 1, 4, false, false,
		},
		"the end is missing, and syncs continue": {
			// Of the syncs at minutes 90, 150, 210 and 270, the last three are within the RPO, so the violation is
			// considered over.
			func(l *history.Log) {
				add(l, history.Delta, 0)
				add(l, history.Violated, 60)
				hourly(l, 90, 360)
			},
			30, 360 - 180, 180, 1, 6, true, false,
		},
		"it lasts": {
			func(l *history.Log) {
				add(l, history.Delta, 0)
				add(l, history.Violated, 60)
			},
			180,
			240,
			0,
			1,
			4,
			true,
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := log(test.hours)
			test.events(l)
			r := l.Finish().VMs["vm"]
			times(t, r, test.violation, test.known, test.unknown)
			assert.Equal(t, test.violations, r.Violations)
			assert.Equal(t, test.withoutLateness, r.Lateness.Median == nil)
			assert.Equal(t, test.compliant, *r.CompliancePercent == 100)
		})
	}
}

// TestLog_repeatedViolations checks that repeated events of one violation count once, whether or not they include a
// duration. The violation lasts 6 of 24 hours, or 25%.
func TestLog_repeatedViolations(t *testing.T) {
	t.Parallel()
	const begin, end = 600.0, 960.0
	for name, test := range map[string]struct {
		first, every float64 // minutes from the start to the first event, and between events
		counted      bool
	}{
		"once":                            {0, end, false},
		"once, a minute late":             {1, end, true},
		"hourly":                          {0, 60, true},
		"hourly, without minutes":         {0, 60, false},
		"every quarter":                   {1, 15, true},
		"every quarter, without minutes":  {0, 15, false},
		"every minute":                    {1, 1, true},
		"hourly, and the first came late": {59, 60, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := log(24)
			hourly(l, 0, begin-60)
			for m := test.first; begin+m < end; m += test.every {
				e := history.Event{At: at(begin + m), Kind: history.Violated}
				if test.counted {
					e.Minutes = m
				}
				l.Add("vm", e)
			}
			add(l, history.Delta, end)
			add(l, history.Restored, end)
			hourly(l, end+60, 1440)
			r := l.Finish().VMs["vm"]
			times(t, r, 360, 1440, 0)
			near(t, "compliance", r.CompliancePercent, 75)
			near(t, "lateness", r.Lateness.Median, 360)
			assert.EqualValues(t, 1, r.Violations)
		})
	}
}

func TestLog_interrupted(t *testing.T) {
	t.Parallel()
	l := log(6)
	add(l, history.UnquiescedDelta, 0, 60, 120)
	add(l, history.Interrupted, 180, 240, 300)
	add(l, history.Delta, 360)
	r := l.Finish().VMs["vm"]
	times(t, r, 0, 120, 240)
	require.EqualValues(t, 3, r.Interruptions)
	assert.Equal(t, history.Syncs{Delta: 1, UnquiescedDelta: 3}, r.Syncs)
}

func TestLog_full(t *testing.T) {
	t.Parallel()
	l := log(6)
	add(l, history.FullSync, 60)
	add(l, history.Delta, 70, 130)
	add(l, history.AppQuiescedDelta, 190)
	add(l, history.FSQuiescedDelta, 250)
	r := l.Finish().VMs["vm"]
	require.Equal(t, history.Syncs{Delta: 2, AppQuiescedDelta: 1, FSQuiescedDelta: 1, Full: 1}, r.Syncs)
	assert.EqualValues(t, 5*gib, r.Transferred)
	near(t, "change", r.DailyChangeGiB, 24) // 3 GiB in 3 hours = 24 GiB a day
}

func TestLog_total(t *testing.T) {
	t.Parallel()
	l := log(48)
	l.Watch("other", history.VM{Size: quantity.FromGiB(300), RPOMinutes: 240})
	l.Watch("silent", history.VM{RPOMinutes: 15})
	hourly(l, 0, 2880)
	for m := 0.0; m <= 2880; m += 240 {
		l.Add("other", history.Event{At: at(m), Kind: history.Delta, Bytes: 2 * gib})
	}
	l.Add("unwatched", history.Event{At: at(1), Kind: history.Delta, Bytes: gib})
	l.Add("other", history.Event{At: at(2881), Kind: history.Delta, Bytes: gib})
	l.Add("other", history.Event{At: at(-1), Kind: history.Delta, Bytes: gib})
	s := l.Finish()
	times(t, s.Total, 0, 2*2880, 2880)
	near(t, "change", s.Total.DailyChangeGiB, 24+12)
	near(t, "change in percent", s.Total.DailyChangePercent, 9)
	near(t, "compliance", s.Total.CompliancePercent, 100)
	assert.EqualValues(t, (49+26)*gib, s.Total.Transferred)
	assert.Len(t, s.VMs, 3)
	assert.Equal(t, 3, s.Total.VMCount)
	require.Len(t, s.Days, 2)
	assert.True(t, s.Days[1].Start.Equal(start.Add(24*time.Hour)),
		"got %+v, want 2 days, the second with 2,880 known minutes and 1,440 unknown", s.Days)
	assert.InDelta(t, 2880, s.Days[1].KnownMinutes, 0)
	assert.InDelta(t, 1440, s.Days[1].UnknownMinutes, 0)
	// One VM changes 1 GiB in 60 minutes, and the other changes 2 GiB in 240 minutes.
	c := s.Total.ChangeCurve
	require.Len(t, c, 2, "change curve %v, want 60", c)
	assert.InDelta(t, 1, c[60], 0, "change curve %v, want 60", c)
	assert.InDelta(t, 2, c[240], 0, "change curve %v, want 60", c)
}
