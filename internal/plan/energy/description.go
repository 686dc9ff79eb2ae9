package energy

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges ensure that every product is finite.
var (
	RangeHosts   = plan.Range{Min: 0, Max: 1e6, Whole: true, Unit: "hosts"}
	RangeKW      = plan.Range{Min: 0, Max: 1e6, Unit: "kW"}
	RangePrice   = plan.Range{Min: 0, Max: 1e9}
	RangeCooling = plan.Range{Min: 1, Max: 100}
)

// Definition describes the energy_cost calculator.
var Definition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:         "energy_cost",
		Function:     "energy_cost",
		NoDataSource: true,
		Command:      "energy",
		Example:      "--hosts 20 --kw-per-host 0.17 --price-per-kwh 0.25",
		Title:        "Energy cost",
		Summary:      "Electricity cost of hosts per year",
		Description: "Calculates the electricity cost of hosts that run all year: `hosts * kw_per_host * 8760 * " +
			"price_per_kwh * cooling_factor`.\n\n" +
			"Example: 20 hosts of 0.17 kW, with a price of 0.25 per kilowatt-hour and a cooling factor of 1.5, use " +
			"44,676 kWh and cost 11,169 per year.",
	},
	Default: Defaults,
	Inputs:  inputs,
	Results: calculator.Outputs[Result]{
		calculator.Result("kwh_per_year", "Electricity per year (8,760 hours) including cooling, in kWh.",
			func(r *Result) *float64 { return &r.KWhPerYear }).Better(calculator.Lower),
		calculator.Result("cost_per_year", "Cost per year, in the currency of `price_per_kwh`.",
			func(r *Result) *float64 { return &r.CostPerYear }).Better(calculator.Lower),
	},
	Explain: func(r *Result) *calculator.Explanation { return &r.Explanation },
	Compute: Cost,
}

var inputs = calculator.Inputs[Input]{
	calculator.Required("hosts", RangeHosts, "Number of hosts.",
		func(in *Input) *float64 { return &in.Hosts }).Better(calculator.Lower),
	calculator.Required("kw_per_host", RangeKW, "Average power of a host, in kW.",
		func(in *Input) *float64 { return &in.KWPerHost }).Better(calculator.Lower),
	calculator.Required("price_per_kwh", RangePrice, "Price per kilowatt-hour, in any currency.",
		func(in *Input) *float64 { return &in.PricePerKWh }).Better(calculator.Lower),
	calculator.Optional("cooling_factor", RangeCooling,
		"Energy of hosts and cooling divided by the energy of the hosts. For example, 1.5 if cooling needs half as "+
			"much as the hosts.",
		func(in *Input) *float64 { return &in.CoolingFactor }).Better(calculator.Lower),
}
