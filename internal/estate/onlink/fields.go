// The inputs that tiers may have, from the descriptions of the calculators.

package onlink

import (
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// taken are the inputs of a tier's calculators that come from its VMs or from the link.
var taken = []string{"vm_count", "vm_size_gib", "used_gib", keyThroughput, keyEfficiency, keyBasis, keyLink}

// TierFields returns the inputs that a tier may have: those of its estimate, its storage and its group of the schedule
// that are not taken from its VMs or from the link.
func TierFields() []calculator.Field {
	var all []calculator.Field
	for _, f := range slices.Concat(fieldsOf(Replication), fieldsOf(Storage), GroupFields()) {
		known := slices.ContainsFunc(all, func(other calculator.Field) bool { return other.Name == f.Name })
		if f.Input && !known && !slices.Contains(taken, f.Name) {
			all = append(all, f)
		}
	}
	return all
}

// GroupFields returns the fields of a group of the schedule.
func GroupFields() []calculator.Field {
	c, _ := registry.OfCommand(Schedule)
	groups, _ := c.Field("groups")
	return groups.Fields
}

func fieldsOf(command string) []calculator.Field {
	c, _ := registry.OfCommand(command)
	return c.Inputs()
}

// InputsOf returns the names of a calculator's inputs but for some.
func InputsOf(command string, but ...string) []string { return Names(fieldsOf(command), but...) }

// Names returns the names of the inputs among fields but for some.
func Names(fields []calculator.Field, but ...string) []string {
	var names []string
	for _, f := range fields {
		if f.Input && !slices.Contains(but, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// pick returns the inputs that have one of the names.
func pick(inputs map[string]any, names []string) map[string]any {
	picked := map[string]any{}
	for _, name := range names {
		if v := inputs[name]; v != nil {
			picked[name] = v
		}
	}
	return picked
}
