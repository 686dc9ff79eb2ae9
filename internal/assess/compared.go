package assess

import (
	"slices"
	"time"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
)

// Compared returns the facts of a result that a comparison considers: its facts and, for a promise, the inputs of the
// whole plan and how long the promise holds.
func (a *Assessment) Compared() []Fact {
	facts := partFacts(slices.Clone(a.Facts()))
	if _, ok := As[*Promise](a); !ok || a.Withheld() {
		return facts
	}
	for _, f := range promise.Definition.Calculator().Inputs() {
		if f.Kind != calculator.Objects {
			facts = append(facts, factOf(f, a.Values[f.Name]))
		}
	}
	if o := a.Texts.Outlook; o != nil {
		facts.addText("holds_until", "Holds until", o.Text(time.Time{}))
	}
	return facts
}

// VMInputs returns the inputs of a VM of a promise.
func (a *Assessment) VMInputs(name string) []Fact {
	tiers, _ := promise.Definition.Calculator().Field("tiers")
	i := slices.IndexFunc(tiers.Fields, func(f calculator.Field) bool { return f.Name == "virtual_machines" })
	all, _ := a.Values["tiers"].(map[string]any)
	tier, _ := all[a.Key].(map[string]any)
	vms, _ := tier["virtual_machines"].(map[string]any)
	values, _ := vms[name].(map[string]any)
	inputs := slices.DeleteFunc(slices.Clone(tiers.Fields[i].Fields), func(f calculator.Field) bool { return !f.Input })
	return factsOf(inputs, values)
}
