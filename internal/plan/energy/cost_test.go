package energy_test

import (
	"testing"

	"terraform-provider-vsla/internal/plan/energy"
)

func TestCost_summary(t *testing.T) {
	t.Parallel()
	in := energy.Defaults()
	in.Hosts = 1
	in.KWPerHost = 1
	in.PricePerKWh = 1
	r, err := energy.Cost(in)
	if err != nil || r.CostPerYear != 8760 ||
		r.Summary != "1 host at 1 kW each use 8,760 kWh a year, at a cost of 8,760." {
		t.Errorf("got %+v, %v, want a cost of 8,760 a year", r, err)
	}
}
