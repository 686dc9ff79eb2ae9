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
		assert.LessOrEqual(t, calls, 65)
	})
}

func TestInts_areTheBoundary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.Int64Range(1, 1e9).Draw(t, "edge")
		got, ok := plan.SmallestInt(1, 1e9, func(v int64) bool { return v >= edge })
		require.True(t, ok, "smallest is %v, %v; want %v", got, ok, edge)
		assert.Equal(t, edge, got)
		got, ok = plan.LargestInt(1, 1e9, func(v int64) bool { return v <= edge })
		require.True(t, ok)
		assert.Equal(t, edge, got)
	})
}

func TestBoundaries_atTheEnds(t *testing.T) {
	t.Parallel()
	always, never := func(float64) bool { return true }, func(float64) bool { return false }
	got, ok := plan.SmallestFloat(2, 3, always)
	require.True(t, ok, "smallest of everything is %v, %v", got, ok)
	assert.Equal(t, 2.0, got)
	if _, ok := plan.SmallestFloat(2, 3, never); ok {
		t.Error("smallest of nothing")
	}
	if got, ok := plan.LargestInt(2, 3, func(int64) bool { return true }); !ok || got != 3 {
		t.Errorf("largest of everything is %v, %v", got, ok)
	}
	if _, ok := plan.LargestInt(2, 3, func(int64) bool { return false }); ok {
		t.Error("largest of nothing")
	}
	if _, ok := plan.SmallestInt(2, 3, func(int64) bool { return false }); ok {
		t.Error("smallest of nothing")
	}
}
