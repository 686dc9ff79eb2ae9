package setting_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/setting"
	"terraform-provider-vsla/internal/plan/simulation"
)

// estate returns tiers on links of 100 Mbit/s.
func estate(tiers ...simulation.Tier) simulation.Estate {
	var l simulation.Link
	for h := range l.HourlyRates {
		l.HourlyRates[h] = 100e6
	}
	e := simulation.Estate{JitterPercent: 10}
	for _, t := range tiers {
		for len(e.Links) <= t.Link {
			e.Links = append(e.Links, l)
		}
		e.Tiers = append(e.Tiers, t)
	}
	return e
}

// tier returns one VM that changes evenly by the given share of 100 Mbit/s.
func tier(name string, promised, share float64) simulation.Tier {
	return simulation.Tier{
		Name:             name,
		PromisedMinutes:  promised,
		CompressionRatio: 1,
		VMs:              []simulation.VM{{SizeGiB: 8.64e12 / quantity.BitsPerGiB, DailyChangePercent: 100 * share}},
	}
}

func question(likely, worse simulation.Estate) setting.Question {
	q := setting.Question{Likely: likely, Worse: worse}
	for _, t := range likely.Tiers {
		q.Tiers = append(q.Tiers, setting.Tier{LeastMinutes: 5, MostMinutes: t.PromisedMinutes})
	}
	return q
}

func TestSteps(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ minutes, down, up float64 }{
		{0.5, 1, 1},
		{1, 1, 1},
		{8.05, 8, 10},
		{14.9999999999, 15, 15},
		{200, 180, 240},
		{2000, 1440, 1440},
	} {
		assert.InDelta(t, test.down, setting.Down(test.minutes), 0, "%+v", test.minutes)
		assert.InDelta(t, test.up, setting.Up(test.minutes), 0, "%+v", test.minutes)
	}
}

// TestChoose checks the settings of one tier, where u is the share of the link that it uses: the longest step up to P /
// (1 + u), if u is at most 0.9.
func TestChoose(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		likely, worse float64
		want          float64
		holdsWorse    bool
		holdsLikely   bool
	}{
		"both ends: 60 / 1.5 = 40": {0.1, 0.5, 40, true, true},
		"60 / 1.9 = 31.6":          {0.9, 0.9, 30, true, true},
		"likely: 60 / 1.1 = 54.5":  {0.1, 0.95, 45, false, true},
		"none":                     {0.95, 0.95, 30, false, false},
	} {
		q := question(estate(tier("a", 60, test.likely)), estate(tier("a", 60, test.worse)))
		got, err := q.Choose(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []float64{test.want}, got.Minutes, name)
		assert.Equal(t, test.holdsWorse, got.HoldsWorse, name)
		assert.Equal(t, test.holdsLikely, got.HoldsLikely, name)
	}
}

// TestChoose_least checks that the shortest setting suffices if no sync takes longer than half of it: 5 minutes are
// promised, and a sync of 5 minutes of change takes 0.5 minutes, but 3 minutes at a share of 0.6.
func TestChoose_least(t *testing.T) {
	t.Parallel()
	for share, holds := range map[float64]bool{0.1: true, 0.5: true, 0.6: false} {
		e := estate(tier("a", 5, share))
		got, err := question(e, e).Choose(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []float64{5}, got.Minutes, "%+v", share)
		assert.Equal(t, holds, got.HoldsWorse, "%+v", share)
	}
}

// TestChoose_given checks that a given setting is kept, although it is late, and does not prevent the other tier from
// being chosen.
func TestChoose_given(t *testing.T) {
	t.Parallel()
	e := estate(tier("a", 60, 0.2), tier("b", 60, 0.2))
	q := question(e, e)
	q.Tiers[0].GivenMinutes = new(60.0)
	got, err := q.Choose(t.Context())
	require.NoError(t, err)
	assert.InDelta(t, 60, got.Minutes[0], 0)
	assert.True(t, got.HoldsWorse)
	late, err := simulation.FirstLate(t.Context(), false,
		[]simulation.Requirement{simulation.NoLateSync, simulation.Anything}, e.WithSettings(got.Minutes))
	require.NoError(t, err)
	assert.Equal(t, 0, late)
}

// TestChoose_longest checks that the longest setting on the link is shortened if a late tier has its shortest. A sync
// of tier a has to wait for half of a sync of tier b, so that a promise of 7 minutes with 5 minutes configured holds
// only while syncs of b are short. Every setting is the longest with which no sync is late.
func TestChoose_longest(t *testing.T) {
	t.Parallel()
	e := estate(tier("a", 7, 0.1), tier("b", 1440, 0.4))
	q := question(e, e)
	got, err := q.Choose(t.Context())
	require.NoError(t, err)
	require.True(t, got.HoldsWorse)
	required := []simulation.Requirement{simulation.NoLateOrLongSync, simulation.NoLateSync}
	late, err := simulation.FirstLate(t.Context(), false, required, e.WithSettings(got.Minutes))
	require.NoError(t, err)
	assert.Equal(t, simulation.None, late)
	exists, holds, err := q.Exists(t.Context())
	require.NoError(t, err)
	assert.True(t, holds)
	assert.Len(t, exists, 2)
}
