package plan_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
)

func TestPow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ x, y, want float64 }{
		{2, 10, 1024},
		{1.3, 1, 1.3},
		{10, -2, 0.01},
		{0, 0, 1},
		{0, 0.5, 0},
		{1, 1e300, 1},
		{0.5, 1e30, 0},
		{2, 2000, math.Inf(1)},
		{9, 0.5, 3},
	} {
		assert.Equal(t, test.want, plan.Pow(test.x, test.y))
	}
	assert.Equal(t, 0.0, plan.Log(1))
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1e-9, 1e9).Draw(t, "x")
		y := rapid.Float64Range(-20, 20).Draw(t, "y")
		near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-13*math.Max(math.Abs(want), 1e-300) }
		got, want := plan.Pow(x, y), math.Pow(x, y)
		require.True(t, near(got, want), "%v to the power of %v: got %v, want %v", x, y, got, want)
		if got, want := plan.Log(x), math.Log(x); math.Abs(got-want) > 1e-15*math.Max(1, math.Abs(want)) {
			t.Fatalf("the logarithm of %v: got %v, want %v", x, got, want)
		}
	})
}
