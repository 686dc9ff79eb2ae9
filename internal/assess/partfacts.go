package assess

import (
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
)

// inputsOf returns the inputs of a tier, a link or a target. VMs are omitted because there can be many of them.
func (a *Assessment) inputsOf(field, name string) []Fact {
	c := a.Kind.Calculator
	if c == nil {
		return nil
	}
	f, _ := c.Field(field)
	elements, _ := a.Values[field].(map[string]any)
	values, _ := elements[name].(map[string]any)
	return factsOf(slices.DeleteFunc(slices.Clone(f.Fields), func(m calculator.Field) bool {
		return !m.Input || m.Name == "virtual_machines"
	}), values)
}

func (a *Assessment) jitterFacts() []Fact {
	c := a.Kind.Calculator
	if c == nil {
		return nil
	}
	f, _ := c.Field("jitter_percent")
	fact := factOf(f, a.Values[f.Name])
	fact.Label = "Maximum start shift, share of RPO"
	return []Fact{fact}
}

// partFacts collects the facts of a tier, a link or a target: its inputs, followed by its results.
type partFacts []Fact

// addResult adds a result, unless it has no value.
func (p *partFacts) addResult(name string, v any) {
	if v != nil {
		*p = append(*p, factOf(calculator.Field{Name: name, Result: true}, v))
	}
}

// addText adds a result that is shown as a text with a label of its own.
func (p *partFacts) addText(name, label, words string) {
	*p = append(*p, Fact{
		Field:    calculator.Field{Name: name, Result: true},
		Label:    label,
		Value:    words,
		Override: words,
	})
}

// optional returns the number, or nil without a type, which addResult omits.
func optional[T int64 | float64](v *T) any {
	if v == nil {
		return nil
	}
	return float64(*v)
}
