// Package energy calculates the annual electricity cost of hosts.
package energy

import (
	"fmt"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

const hoursPerYear = 8760

// Input describes the hosts and the price of electricity.
type Input struct {
	Hosts, KWPerHost, PricePerKWh float64
	// CoolingFactor is the energy used by hosts and cooling, divided by the energy used by the hosts alone.
	CoolingFactor float64
}

// Defaults returns the default input, which does not include cooling.
func Defaults() Input { return Input{CoolingFactor: 1} }

// Result is the annual energy consumption and cost.
type Result struct {
	KWhPerYear, CostPerYear float64
	calculator.Explanation
}

// Cost computes the annual consumption as hosts * kW * 8,760 h * cooling factor, and its cost. The error is a
// plan.InputErrors.
func Cost(in Input) (Result, error) {
	if err := inputs.Check(&in, nil).Err(); err != nil {
		return Result{}, err
	}
	r := Result{KWhPerYear: in.Hosts * in.KWPerHost * hoursPerYear * in.CoolingFactor}
	r.CostPerYear = r.KWhPerYear * in.PricePerKWh
	r.Summary = fmt.Sprintf("%s at %s kW each use %s kWh a year, at a cost of %s.", plan.Count(in.Hosts, "host"),
		plan.Thousands(in.KWPerHost, -1), plan.Thousands(r.KWhPerYear, 0), plan.Thousands(r.CostPerYear, 0))
	return r, nil
}
