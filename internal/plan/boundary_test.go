package plan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
)

func TestSmallestFloat_isTheBoundary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.Float64Range(0, 1e12).Draw(t, "edge")
		calls := 0
		got, ok := plan.SmallestFloat(0, 1e12, func(v float64) bool {
			calls++
			return v >= edge
		})
		require.True(t, ok, "got %v, %v; want %v", got, ok, edge)
		assert.Equal(t, edge, got)
		// One call tests the upper bound, and each of the others halves the range of at most 2^64 bit patterns.
		assert.LessOrEqual(t, calls, 1+64)
	})
}

func TestSmallestInt_isTheBoundary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.Int64Range(1, 1e9).Draw(t, "edge")
		got, ok := plan.SmallestInt(1, 1e9, func(v int64) bool { return v >= edge })
		require.True(t, ok)
		assert.Equal(t, edge, got)
	})
}

func TestLargestInt_isTheBoundary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.Int64Range(1, 1e9).Draw(t, "edge")
		got, ok := plan.LargestInt(1, 1e9, func(v int64) bool { return v <= edge })
		require.True(t, ok)
		assert.Equal(t, edge, got)
	})
}

func TestBoundaries_everything(t *testing.T) {
	t.Parallel()
	smallest, ok := plan.SmallestFloat(2, 3, func(float64) bool { return true })
	require.True(t, ok)
	assert.Equal(t, 2.0, smallest)
	largest, ok := plan.LargestInt(2, 3, func(int64) bool { return true })
	require.True(t, ok)
	assert.EqualValues(t, 3, largest)
}

func TestBoundaries_nothing(t *testing.T) {
	t.Parallel()
	_, ok := plan.SmallestFloat(2, 3, func(float64) bool { return false })
	assert.False(t, ok, "SmallestFloat")
	never := func(int64) bool { return false }
	_, ok = plan.LargestInt(2, 3, never)
	assert.False(t, ok, "LargestInt")
	_, ok = plan.SmallestInt(2, 3, never)
	assert.False(t, ok, "SmallestInt")
}
