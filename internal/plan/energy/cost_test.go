package energy_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/energy"
)

// TestCost: 20 * 0.17 * 8,760 * 1.5 = 44,676 kWh at 0.25 are 11,169; at 0.23 kW, 15,111.
func TestCost(t *testing.T) {
	t.Parallel()
	for kw, want := range map[float64]float64{0.17: 11169, 0.23: 15111} {
		r, err := energy.Cost(energy.Input{Hosts: 20, KWPerHost: kw, PricePerKWh: 0.25, CoolingFactor: 1.5})
		if err != nil || math.Abs(r.CostPerYear-want) > 1e-6 || math.Abs(r.KWhPerYear-want*4) > 1e-6 {
			t.Errorf("%v kW: %+v, %v", kw, r, err)
		}
	}
	in := energy.Defaults()
	in.Hosts, in.KWPerHost, in.PricePerKWh = 1, 1, 1
	r, err := energy.Cost(in)
	if err != nil || r.CostPerYear != 8760 ||
		r.Summary != "1 host at 1 kW each take 8,760 kWh a year, at a cost of 8,760." {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestCost_badInput(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]energy.Input{
		"hosts":          {Hosts: 1.5, CoolingFactor: 1},
		"kw_per_host":    {KWPerHost: -1, CoolingFactor: 1},
		"price_per_kwh":  {PricePerKWh: math.NaN(), CoolingFactor: 1},
		"cooling_factor": {CoolingFactor: 0.5},
	} {
		_, err := energy.Cost(in)
		var list plan.InputErrors
		if !errors.As(err, &list) || len(list) != 1 || list[0].Path.String() != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCost_monotone: more of anything never costs less.
func TestCost_monotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := energy.Input{
			Hosts:       float64(rapid.IntRange(0, 1e5).Draw(t, "hosts")),
			KWPerHost:   rapid.Float64Range(0, 1e3).Draw(t, "kw_per_host"),
			PricePerKWh: rapid.Float64Range(0, 1e3).Draw(t, "price_per_kwh"), CoolingFactor: 1,
		}
		cost := func(in energy.Input) float64 {
			r, err := energy.Cost(in)
			if err != nil {
				t.Fatal(err)
			}
			return r.CostPerYear
		}
		for _, field := range []*float64{&in.Hosts, &in.KWPerHost, &in.PricePerKWh, &in.CoolingFactor} {
			before := cost(in)
			*field *= 2
			if cost(in) < before {
				t.Errorf("%+v costs less than %v", in, before)
			}
		}
	})
}
