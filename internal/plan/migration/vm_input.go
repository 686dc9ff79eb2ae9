package migration

import (
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
)

// PutVM sets an input of a VM, by name, or resets it if the value is nil. It ignores a name that is no input. The error
// is a plan.InputErrors.
func PutVM(v *VM, name string, value any) error {
	i := slices.IndexFunc(vmInputs, func(row calculator.Input[VM]) bool { return row.Name == name })
	if i < 0 {
		return nil
	}
	return vmInputs[i].Put(v, &VM{}, value)
}
