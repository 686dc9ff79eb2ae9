package assess

import (
	"slices"
	"sync"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// TypeMigration is the data source that plans migrations.
const TypeMigration = "vsla_migration_plan"

// Kind describes a data source, or a part of vsla_sla_plan.
type Kind struct {
	// Type is the data source type.
	Type string
	// Title is the title of a single result.
	Title string
	// ID is the ID of the section that contains the results.
	ID string
	// Section is the title of that section.
	Section string
	// Intro is the introduction of that section.
	Intro string
	// Calculator describes the inputs and results; nil for a data source that returns measurements.
	Calculator *calculator.Calculator
	// Arguments lists the inputs in documentation order.
	Arguments []string
	// Source is the phrase for this data source when it is the origin of another result's inputs, for example "the
	// inventory file". If it is empty, only the address is shown.
	Source string
	Rules  []Rule

	read func(map[string]any) (any, error)
}

// Kinds returns all data sources in the order in which a review shows them.
var Kinds = sync.OnceValue(func() []*Kind {
	all := []*Kind{complianceKind(), historyKind()}
	for _, c := range registry.Calculators() {
		if !c.NoDataSource {
			all = append(all, calculatorKind(c))
		}
	}
	for _, k := range untypedKinds {
		all = append(all, newUntypedKind(k))
	}
	return all
})

// KindOf returns the kind of a data source. For an unknown data source, it returns a kind whose results are shown
// attribute by attribute.
func KindOf(name string) *Kind {
	all := Kinds()
	if i := slices.IndexFunc(all, func(k *Kind) bool { return k.Type == name }); i >= 0 {
		return all[i]
	}
	return newUntypedKind(Kind{Type: name})
}

func calculatorKind(c *calculator.Calculator) *Kind {
	k := &Kind{
		Type:       c.DataSource(),
		Title:      c.Title,
		ID:         c.Command,
		Section:    c.Title + "s",
		Intro:      c.Summary + ".",
		Calculator: c,
		Source:     sources[c.Command],
		Rules:      rules[c.Command],
		read:       c.Read,
	}
	for _, f := range c.Inputs() {
		k.Arguments = append(k.Arguments, f.Name)
	}
	return k
}

var sources = map[string]string{"link": "the link calculation", "calibration": "a measured sync"}
