// Inputs of a group, for calculators whose elements contain one.

package replication

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// GroupInput returns the row of a group's input by its name, which exists.
func GroupInput(name string) calculator.Input[Group] {
	i := slices.IndexFunc(groupInputs, func(row calculator.Input[Group]) bool { return row.Name == name })
	return groupInputs[i]
}

// CheckCurve reports what is wrong with a change curve.
func CheckCurve(points map[float64]float64, at plan.Path) plan.InputErrors {
	return checkCurve(points, at)
}
