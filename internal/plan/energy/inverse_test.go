package energy_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/energy"
)

// TestCost_inverse: the price of a kilowatt-hour is what a year costs over what it takes.
func TestCost_inverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := energy.Defaults()
		in.Hosts = float64(rapid.IntRange(1, 1e5).Draw(t, "hosts"))
		in.KWPerHost = rapid.Float64Range(0.01, 100).Draw(t, "kw_per_host")
		in.PricePerKWh = rapid.Float64Range(0.001, 10).Draw(t, "price_per_kwh")
		in.CoolingFactor = rapid.Float64Range(1, 3).Draw(t, "cooling_factor")
		r, err := energy.Cost(in)
		if err != nil {
			t.Fatal(err)
		}
		if price := r.CostPerYear / r.KWhPerYear; math.Abs(price-in.PricePerKWh) > 1e-12*in.PricePerKWh {
			t.Errorf("%v for a kilowatt-hour, want %v", price, in.PricePerKWh)
		}
	})
}
