package calculator_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/plan/calculator"
)

// TestSpread_At checks quantiles by hand. The mode of 400, 700, 901 is at 300 / 501 of the probability, the middle of
// its left side, 550, at a quarter of that, and the middle of the right side, 800.5, a quarter of the rest below the
// upper bound.
func TestSpread_At(t *testing.T) {
	t.Parallel()
	s := calculator.Spread{Low: 400, Likely: 700, High: 901}
	for u, want := range map[float64]float64{
		0: 400, 300.0 / 501: 700, 1: 901, 75.0 / 501: 550, 1 - 201.0/501/4: 800.5,
	} {
		assert.InDelta(t, want, s.At(u), 1e-9, u)
	}
	for _, test := range []struct {
		s       calculator.Spread
		u, want float64
	}{
		{calculator.Spread{Low: 5, Likely: 5, High: 5}, 0.3, 5},
		{calculator.Spread{Low: 0, Likely: 0, High: 10}, 0.75, 5},
		{calculator.Spread{Low: 0, Likely: 10, High: 10}, 0.25, 5},
	} {
		assert.Equal(t, test.want, test.s.At(test.u))
	}
}
