// The description of the energy cost.

package energy

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges of the inputs; they keep every product finite.
var (
	RangeHosts   = plan.Range{Min: 0, Max: 1e6, Whole: true, Unit: "hosts"}
	RangeKW      = plan.Range{Min: 0, Max: 1e6, Unit: "kW"}
	RangePrice   = plan.Range{Min: 0, Max: 1e9}
	RangeCooling = plan.Range{Min: 1, Max: 100}
)

// Definition describes the function energy_cost.
var Definition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:         "energy_cost",
		Function:     "energy_cost",
		NoDataSource: true,
		Command:      "energy",
		Title:        "Energy cost",
		Summary:      "What hosts cost in electricity in a year",
		Description: "What hosts that run all year cost in electricity: `hosts * kw_per_host * 8760 * price_per_kwh * " +
			"cooling_factor`.\n\n" +
			"By hand: 20 hosts of 0.17 kW at 0.25 for a kilowatt-hour and a cooling factor of 1.5 are 44,676 kWh and cost " +
			"11,169 a year.",
	},
	Default: Defaults,
	Inputs:  inputs,
	Results: calculator.Outputs[Result]{
		calculator.Result("kwh_per_year", "Electricity of a year (8,760 hours), cooling included, in kWh.",
			func(r *Result) *float64 { return &r.KWhPerYear }).Better(calculator.Lower),
		calculator.Result("cost_per_year", "Its cost, in the currency of `price_per_kwh`.",
			func(r *Result) *float64 { return &r.CostPerYear }).Better(calculator.Lower),
	},
	Explain: func(r *Result) *calculator.Explanation { return &r.Explanation },
	Compute: Cost,
}

var inputs = calculator.Inputs[Input]{
	calculator.Required("hosts", RangeHosts, "Number of hosts.",
		func(in *Input) *float64 { return &in.Hosts }).WithExample(20.0).Better(calculator.Lower),
	calculator.Required("kw_per_host", RangeKW, "What a host takes on average, in kW.",
		func(in *Input) *float64 { return &in.KWPerHost }).WithExample(0.17).Better(calculator.Lower),
	calculator.Required("price_per_kwh", RangePrice, "Price of a kilowatt-hour, in any currency.",
		func(in *Input) *float64 { return &in.PricePerKWh }).WithExample(0.25).Better(calculator.Lower),
	calculator.Optional("cooling_factor", RangeCooling,
		"Energy of hosts and cooling over the energy of the hosts; 1.5 where cooling takes half as much as the hosts.",
		func(in *Input) *float64 { return &in.CoolingFactor }).Better(calculator.Lower),
}
