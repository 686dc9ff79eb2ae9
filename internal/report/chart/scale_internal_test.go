package chart

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestScale_ticks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scale Scale
		n     int
		want  []float64
	}{
		"linear":  {Scale{Max: 110}, 6, []float64{0, 20, 40, 60, 80, 100}},
		"small":   {Scale{Max: 0.07}, 4, []float64{0, 0.02, 0.04, 0.06}},
		"an hour": {Scale{Kind: Time, Max: 3600}, 4, []float64{0, 900, 1800, 2700, 3600}},
		"three days": {
			Scale{Kind: Time, Max: 3 * 86400},
			4,
			[]float64{0, 86400, 2 * 86400, 3 * 86400},
		},
		"decades": {
			Scale{Kind: Log, Min: 0.01, Max: 1000},
			6,
			[]float64{0.01, 0.1, 1, 10, 100, 1000},
		},
		"one decade": {Scale{Kind: Log, Min: 90, Max: 1100}, 6, []float64{100, 200, 500, 1000}},
		"wide":       {Scale{Kind: Log, Min: 1, Max: 1e8}, 3, []float64{1, 1e3, 1e6}},
		"whole":      {Scale{Min: 1, Max: 3, Whole: true}, 9, []float64{1, 2, 3}},
		"nothing":    {Scale{}, 5, []float64{0}},
	} {
		got := test.scale.ticks(test.n)
		require.Len(t, got, len(test.want), "%s: %v, want %v", name, got, test.want)
		for i, v := range got {
			assert.InDelta(t, test.want[i], v, 1e-9*math.Max(1, test.want[i]), "%v, %v", name, got)
		}
	}
}

func TestScale_ticksFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := Scale{
			Kind: rapid.SampledFrom([]Kind{Linear, Time, Log}).Draw(t, "kind"),
			Min:  rapid.Float64Range(1e-9, 1e9).Draw(t, "min"),
		}
		s.Max = s.Min * rapid.Float64Range(1.01, 1e9).Draw(t, "ratio")
		n := rapid.IntRange(2, 12).Draw(t, "n")
		ticks := s.ticks(n)
		if len(ticks) > n+1 {
			assert.LessOrEqual(t, len(ticks), 6)
		}
		for i, v := range ticks {
			slack := 1e-6 * (s.Max - s.Min)
			assert.GreaterOrEqual(t, v, s.Min-slack)
			assert.LessOrEqual(t, v, s.Max+slack)
			assert.False(t, math.Signbit(v), "%v is out of its place in %v", v, ticks)
			if i > 0 {
				assert.Greater(t, v, ticks[i-1])
			}
		}
	})
}

func TestScale_at(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scale   Scale
		v, want float64
	}{
		{Scale{Max: 10}, 5, 0.5},
		{Scale{Max: 10}, 50, 1},
		{Scale{Min: 2, Max: 10}, 1, 0},
		{Scale{Kind: Log, Min: 1, Max: 100}, 10, 0.5},
		{Scale{Kind: Log, Min: 1, Max: 100}, 0, 0},
		{Scale{}, 3, 0},
	} {
		assert.InDelta(t, test.want, test.scale.position(test.v), 1e-12)
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "gold", shorten("gold", 100))
	assert.Empty(t, shorten("gold", 0))
	long := "production oracle cluster, tier gold"
	for room := 20.0; room < 250; room += 10 {
		got := shorten(long, room)
		assert.LessOrEqual(t, textWidth(got), room)
		letters := []rune(got)
		if len(letters) > 2 {
			assert.Equal(t, 'p', letters[0])
			if got != long {
				assert.Equal(t, 'd', letters[len(letters)-1])
			}
		}
	}
}
