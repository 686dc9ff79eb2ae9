package simulation

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// sixtyVMs returns 60 VMs like oneVM with a hundredth of its change: they need more than the mean of 60 Mbit/s.
func sixtyVMs(mbps float64) Estate {
	e := oneVM()
	e.Links[0], e.JitterPercent = steadyLink(mbps), 10
	e.Tiers[0].RPOMinutes = 30
	e.Tiers[0].VMs[0].Count, e.Tiers[0].VMs[0].DailyChangePercent = 60, 1
	return e
}

// TestPath checks that the search goes up by 1, 2, 4 from a failing origin, down from a passing one, within its
// bounds, and then bisects.
func TestPath(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		p     path
		holds func(k int) bool
		asked []int
		want  int
	}{
		"up": {
			path{fails: -1, holds: noneYet, k: 10, most: 1000},
			func(k int) bool { return k >= 15 },
			[]int{10, 11, 12, 14, 18, 16, 15},
			15,
		},
		"down": {
			path{fails: -1, holds: noneYet, k: 10, most: 1000},
			func(k int) bool { return k >= 5 },
			[]int{10, 9, 8, 6, 2, 4, 5},
			5,
		},
		"down to 0": {
			path{fails: -1, holds: noneYet, k: 3, most: 1000}, func(int) bool { return true }, []int{3, 2, 1, 0}, 0,
		},
		"above the given one": {
			path{fails: 9, holds: noneYet, k: 12, most: 1000}, func(int) bool { return true }, []int{12, 11, 10}, 10,
		},
		"below the given one": {
			path{fails: -1, holds: 14, k: 11, most: 1000}, func(int) bool { return false }, []int{11, 12, 13}, 14,
		},
		"none": {
			path{fails: -1, holds: noneYet, k: 0, most: 10}, func(int) bool { return false }, []int{0, 1, 2, 4, 8}, noneYet,
		},
	} {
		var asked []int
		_ = test.p.follow(func(k int) (bool, error) {
			asked = append(asked, k)
			return test.holds(k), nil
		})
		require.Equal(t, test.asked, asked, name)
		assert.Equal(t, test.want, test.p.holds, name)
	}
}

// TestPath_anywhere checks that the result passes, and that the previous candidate fails or is a bound.
func TestPath_anywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		holds := rapid.SliceOfN(rapid.Bool(), 64, 64).Draw(t, "holds")
		fails := rapid.IntRange(-1, 20).Draw(t, "fails")
		p := path{fails: fails, holds: noneYet, k: rapid.IntRange(fails+1, 60).Draw(t, "origin"), most: 63}
		_ = p.follow(func(k int) (bool, error) { return holds[k], nil })
		assert.False(t, p.holds != noneYet && (!holds[p.holds] || p.holds-1 > fails && holds[p.holds-1]),
			"finds %d above %d", p.holds, fails)
	})
}

// TestNeed checks that the result meets, has four digits, and is not above the given throughput if that meets, but
// above it otherwise. Without Below, a given throughput that meets is the result.
func TestNeed(t *testing.T) {
	t.Parallel()
	ask := func(given float64, below bool) (float64, bool) {
		a, err := Play(t.Context(), sixtyVMs(given), Options{Days: 8, Runs: 5})
		require.NoError(t, err)
		n := Need{
			At: sixtyVMs, Least: 60, Given: given, Most: 1e12, Holds: sixtyVMs(given).Enough(&a), Below: below,
			Options: Options{Days: 8, Runs: 5},
		}
		mbps, found, err := n.Search(t.Context())
		require.NoError(t, err)
		require.True(t, found, "nothing is enough: %v", err)
		held, err := Holds(t.Context(), sixtyVMs(mbps), n.Options, nil, Meets)
		require.NoError(t, err, "%v Mbit/s are enough, and do not meet", mbps)
		assert.True(t, held, "%v Mbit/s are enough, and do not meet", mbps)
		return mbps, n.Holds
	}
	few, holds := ask(61, true)
	require.False(t, holds, "61 Mbit/s meet: %v, and the need is %v", holds, few)
	assert.Greater(t, few, 61.0)
	need, holds := ask(few*2, true)
	require.True(t, holds, "%v Mbit/s meet: %v, and the need is %v", few*2, holds, need)
	assert.LessOrEqual(t, need, few*2)
	if need, holds := ask(few*2, false); !holds || need != few*2 {
		t.Errorf("%v Mbit/s meet: %v, and the need is %v, want the given one", few*2, holds, need)
	}
}

// TestNeed_ends checks a VM whose overhead exceeds its RPO, and a cancelled search.
func TestNeed_ends(t *testing.T) {
	t.Parallel()
	at := func(mbps float64) Estate {
		e := sixtyVMs(mbps)
		e.Tiers[0].OverheadSeconds = 3600
		return e
	}
	n := Need{At: at, Least: 60, Given: 100, Most: 1e12}
	mbps, found, err := n.Search(t.Context())
	require.False(t, found, "%v Mbit/s are enough (%v)", mbps, err)
	assert.NoError(t, err, mbps)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = n.Search(ctx)
	assert.Error(t, err, "a cancelled search has an answer")
}
