package replication

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// GroupInput returns the input of a group with the given name, which must exist.
func GroupInput(name string) calculator.Input[Group] {
	i := slices.IndexFunc(groupInputs, func(row calculator.Input[Group]) bool { return row.Name == name })
	return groupInputs[i]
}

// CheckCurve returns the errors of a change curve.
func CheckCurve(points map[float64]float64, at plan.Path) plan.InputErrors {
	return checkCurve(points, at)
}
