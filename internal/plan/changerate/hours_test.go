package changerate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	hour     = 3600
	midnight = 1704067200
)

// every returns a VM with one sample per interval, starting at midnight. Negative values are gaps.
func every(seconds int64, values []int64) changerate.VM {
	m := changerate.VM{
		Size:   quantity.FromGiB(100),
		Series: changerate.Series{Instances: map[string][]int64{"scsi0:0": values}},
	}
	for i := range values {
		m.Series.Times = append(m.Series.Times, midnight+int64(i+1)*seconds)
	}
	return m
}

// days returns one value per interval for the given number of hours. The argument of value is the number of full hours
// that have passed when the interval begins.
func days(seconds int64, hours int, value func(h int) int64) []int64 {
	var values []int64
	for at := int64(0); at < int64(hours)*hour; at += seconds {
		values = append(values, value(int(at/hour)))
	}
	return values
}

func weights(t *testing.T, h changerate.Hours) [changerate.HoursPerDay]float64 {
	t.Helper()
	require.NotNil(t, h.Weights)
	require.Empty(t, h.Reason)
	return *h.Weights
}

// TestHours_byHand checks a VM that writes 10 KBps before noon and 30 KBps after noon. The mean is 20 KBps, so the
// weights are 0.5 and 1.5.
func TestHours_byHand(t *testing.T) {
	t.Parallel()
	noon := func(h int) int64 {
		if h%24 < 12 {
			return 10
		}
		return 30
	}
	for _, seconds := range []int64{300, 1800, 7200} {
		e := estate(t, seconds, 1)
		r := add(t, e, every(seconds, days(seconds, 24, noon)))
		for h, got := range weights(t, r.Hours) {
			near(t, "weight", got, map[bool]float64{true: 0.5, false: 1.5}[h < 12])
		}
		total := e.Total().Hours
		require.Equal(t, *r.Hours.Weights, *total.Weights)
		assert.Equal(t, 1, total.VMs)
	}
}

// TestHours_meansOfDays checks that hours that occur on several days are averaged. In 36 hours, each of the first
// twelve hours of the day occurs twice, once with 10 KBps and once with 50 KBps. Their mean is 30 KBps, the same as in
// the other twelve hours, so all weights are 1. If the rates were added up instead, these hours would have twice the
// weight of the others.
func TestHours_meansOfDays(t *testing.T) {
	t.Parallel()
	r := add(t, estate(t, 300, 1), every(300, days(300, 36, func(h int) int64 {
		switch {
		case h < 12:
			return 10
		case h < 24:
			return 30
		}
		return 50
	})))
	for _, got := range weights(t, r.Hours) {
		near(t, "weight", got, 1)
	}
}

// TestHours_across checks 30-minute samples that end at 15 and 45 minutes past the hour. The rate is 90 KBps from 02:15
// to 03:15 and 10 KBps otherwise. The mean is (15*10 + 45*90) / 60 = 70 KBps in hour 2, (15*90 + 45*10) / 60 = 30 KBps
// in hour 3, and 10 KBps in the other 22 hours. The overall mean is (70 + 30 + 22 * 10) / 24 = 320 / 24 KBps.
func TestHours_across(t *testing.T) {
	t.Parallel()
	m := every(1800, days(1800, 24, func(int) int64 { return 10 }))
	for i := range m.Series.Times {
		m.Series.Times[i] += 900
	}
	m.Series.Instances["scsi0:0"][4], m.Series.Instances["scsi0:0"][5] = 90, 90
	got := weights(t, add(t, estate(t, 1800, 1), m).Hours)
	for h, want := range map[int]float64{0: 10, 1: 10, 2: 70, 3: 30, 4: 10, 23: 10} {
		near(t, "weight", got[h], want*24/320)
	}
}

func TestHours_before1970(t *testing.T) {
	t.Parallel()
	m := every(300, days(300, 24, func(h int) int64 {
		if h == 23 {
			return 25
		}
		return 1
	}))
	for i := range m.Series.Times {
		m.Series.Times[i] -= midnight + 24*hour
	}
	near(t, "weight", weights(t, add(t, estate(t, 300, 1), m).Hours)[23], 25*24/48.0)
}

// TestHours_missing checks that samples must cover at least half of each hour of the day: five five-minute samples are
// too few, but six are enough.
func TestHours_missing(t *testing.T) {
	t.Parallel()
	ten := func(int) int64 { return 10 }
	with := func(gaps func(i int) bool) changerate.VM {
		values := days(300, 24, ten)
		for i := range values {
			if gaps(i) {
				values[i] = -1
			}
		}
		return every(300, values)
	}
	for name, test := range map[string]struct {
		interval int64
		vm       changerate.VM
		reason   string
	}{
		"hour 13 missing": {
			300, with(func(i int) bool { return i/12 == 13 }),
			"Samples cover less than half of these hours (UTC): 13.",
		},
		"seven samples of hour 13 missing": {
			300, with(func(i int) bool { return i/12 == 13 && i%12 < 7 }),
			"Samples cover less than half of these hours (UTC): 13.",
		},
		"six samples of hour 13 missing": {300, with(func(i int) bool { return i/12 == 13 && i%12 < 6 }), ""},
		"several hours missing": {
			300, with(func(i int) bool { return i/12 < 3 || i/12 == 7 || i/12 > 21 }),
			"Samples cover less than half of these hours (UTC): 0 to 2, 7, 22 to 23.",
		},
		"half a day": {
			300,
			every(300, days(300, 12, ten)),
			"Samples cover less than half of these hours (UTC): 12 to 23.",
		},
		"days": {
			86400, every(86400, []int64{10, 20}),
			"Samples of 86400 seconds are too long for an hourly profile: use an interval of at most 7200 seconds.",
		},
		"nothing written": {300, every(300, days(300, 24, func(int) int64 { return 0 })), "The VM wrote nothing."},
		"no samples":      {300, every(300, []int64{-1}), "The VM has no samples."},
	} {
		r := add(t, estate(t, test.interval, 1), test.vm)
		require.Equal(t, test.reason, r.Hours.Reason, name)
		assert.Equal(t, test.reason != "", r.Hours.Weights == nil, name)
	}
}

// TestHours_total checks the total of two VMs, one that writes 10 KBps all day and one that writes 20 KBps before noon
// and 40 KBps after noon. Together they write 30 KBps before noon and 50 KBps after noon. The mean is 40 KBps, so the
// weights are 0.75 and 1.25. A VM without samples in hour 5 is excluded; an idle VM counts as measured.
func TestHours_total(t *testing.T) {
	t.Parallel()
	e := estate(t, 300, 1)
	add(t, e, every(300, days(300, 24, func(int) int64 { return 10 })))
	add(t, e, every(300, days(300, 24, func(h int) int64 { return 20 * int64(1+h/12) })))
	add(t, e, every(300, days(300, 24, func(h int) int64 {
		if h == 5 {
			return -1
		}
		return 1000
	})))
	add(t, e, every(300, days(300, 24, func(int) int64 { return 0 })))
	total := e.Total().Hours
	for h, got := range weights(t, total) {
		near(t, "weight", got, map[bool]float64{true: 0.75, false: 1.25}[h < 12])
	}
	assert.Equal(t, 3, total.VMs)
}

func TestHours_totalOfNothing(t *testing.T) {
	t.Parallel()
	for reason, values := range map[string][]int64{
		"No VM has samples for every hour of the day.": {10, 10},
		"The VMs wrote nothing.":                       days(1800, 24, func(int) int64 { return 0 }),
	} {
		e := estate(t, 1800, 1)
		add(t, e, every(1800, values))
		total := e.Total().Hours
		require.Nil(t, total.Weights)
		assert.Equal(t, reason, total.Reason)
	}
	e := estate(t, 86400, 1)
	add(t, e, every(86400, []int64{10}))
	total := e.Total().Hours
	require.Nil(t, total.Weights)
	assert.Contains(t, total.Reason, "86400 seconds")
}

func TestHours_schedule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e, err := changerate.NewEstate(changerate.Input{IntervalSeconds: 1800, CoalescingFactor: 1})
		require.NoError(t, err)
		check := func(h changerate.Hours) {
			if h.Weights == nil {
				assert.NotEmpty(t, h.Reason, "no weights and no reason")
				return
			}
			sum := 0.0
			for _, w := range h.Weights {
				sum += w
				require.NoError(t, promise.RangeHourlyWeight.Check(w))
				assert.LessOrEqual(t, w, float64(changerate.HoursPerDay))
			}
			assert.InDelta(t, changerate.HoursPerDay, sum, 1e-9)
		}
		value := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 3), rapid.Int64Range(-1, changerate.MaxKBps+1))
		for range rapid.IntRange(1, 3).Draw(t, "VMs") {
			r, err := e.Add(every(1800, rapid.SliceOfN(value, 40, 100).Draw(t, "values")))
			require.NoError(t, err)
			check(r.Hours)
		}
		check(e.Total().Hours)
	})
}
