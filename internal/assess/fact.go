package assess

import (
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/wording"
)

// Facts returns the inputs followed by the results. It omits attributes that are shown elsewhere, such as the summary.
// It returns nothing for a withheld result, and only the inputs of a deferred result.
func (a *Assessment) Facts() []Fact {
	if a.Withheld() {
		return nil
	}
	if a.facts == nil {
		a.facts = a.newFacts()
	}
	return a.facts
}

func (a *Assessment) newFacts() []Fact {
	if a.Deferred != "" {
		return a.Given()
	}
	facts := factsOf(a.fields(), a.Values)
	if slices.ContainsFunc(a.Reasons, func(r Reason) bool { return r.Code == "dirty_rate_unknown" }) {
		boundDowntime(facts)
	}
	return facts
}

// boundDowntime marks the downtime of a migration as a lower bound.
func boundDowntime(facts []Fact) {
	i := slices.IndexFunc(facts, func(f Fact) bool { return f.Name == "worst_downtime_seconds" && f.HasValue() })
	if i >= 0 {
		facts[i].Override = "at least " + facts[i].Text()
	}
}

// shownElsewhere lists the attributes of a result that are shown as its level and its texts.
var shownElsewhere = []string{"summary", "reasons", "explanations", "verdict"}

func factsOf(fields []calculator.Field, values map[string]any) []Fact {
	facts := make([]Fact, 0, len(fields))
	for _, f := range fields {
		facts = append(facts, factOf(f, values[f.Name]))
	}
	return facts
}

func factOf(f calculator.Field, v any) Fact {
	fact := Fact{Field: f, Label: wording.Label(f.Name)}
	switch v := v.(type) {
	case map[string]any:
		fact.Members = []Member{}
		if f.Kind == calculator.Object && len(f.Fields) > 0 {
			fact.Members = append(fact.Members, Member{Facts: factsOf(f.Fields, v)})
			return fact
		}
		for _, key := range slices.SortedFunc(maps.Keys(v), wording.Natural) {
			fact.Members = append(fact.Members, Member{key, memberOf(f, v[key])})
		}
	case []any:
		if len(v) == 0 || !isObject(v[0]) {
			fact.Texts = texts(v)
			return fact
		}
		fact.Listed = true
		for i, e := range v {
			fact.Members = append(fact.Members, Member{wording.Decimal(float64(i + 1)), memberOf(f, e)})
		}
	default:
		fact.Value = v
	}
	return fact
}

func texts(v any) []string {
	list, _ := v.([]any)
	all := make([]string, 0, len(list))
	for _, e := range list {
		all = append(all, wording.Value("", e))
	}
	return all
}

func memberOf(f calculator.Field, v any) []Fact {
	values, ok := v.(map[string]any)
	if !ok {
		f.Fields = nil
		return []Fact{factOf(f, v)}
	}
	fields := f.Fields
	if len(fields) == 0 {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			fields = append(fields, calculator.Field{Name: name, Input: f.Input, Result: f.Result})
		}
	}
	return factsOf(slices.DeleteFunc(slices.Clone(fields), func(m calculator.Field) bool {
		// The level is that of the whole result, so that the verdict of a member is not shown elsewhere.
		return slices.Contains(shownElsewhere, m.Name) && m.Name != "verdict"
	}), values)
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// fields returns the attributes of a result. An attribute that the calculator does not describe has only a name.
func (a *Assessment) fields() []calculator.Field {
	fields := []calculator.Field{}
	if c := a.Kind.Calculator; c != nil {
		fields = append(fields, c.Inputs()...)
		for _, f := range c.Results() {
			if !f.Input {
				fields = append(fields, f)
			}
		}
	} else {
		for _, name := range a.Kind.Arguments {
			fields = append(fields, calculator.Field{Name: name, Input: true})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		if !slices.ContainsFunc(fields, func(f calculator.Field) bool { return f.Name == name }) {
			fields = append(fields, calculator.Field{Name: name, Result: true})
		}
	}
	return slices.DeleteFunc(fields, func(f calculator.Field) bool { return slices.Contains(shownElsewhere, f.Name) })
}

// Text formats the value with its unit.
func (f *Fact) Text() string {
	switch {
	case f.Override != "":
		return f.Override
	case f.Members != nil:
		return wording.Count(len(f.Members), "entry")
	case f.Texts != nil:
		list := make([]any, len(f.Texts))
		for i, text := range f.Texts {
			list[i] = text
		}
		return wording.Listed(list, wording.MaxListed)
	}
	return wording.Value(f.Name, f.Value)
}

// ObjectText formats the members of an object that have a value.
func (f *Fact) ObjectText() string {
	var parts []string
	for _, m := range f.Members {
		for _, one := range m.Facts {
			if one.HasValue() {
				parts = append(parts, wording.Lower(one.Label)+" "+one.Text())
			}
		}
	}
	return strings.Join(parts, ", ")
}

// HasValue reports whether the fact has a value.
func (f *Fact) HasValue() bool { return f.Value != nil || f.Texts != nil || f.Members != nil }

// Given returns the inputs of a result, even if they are sensitive.
func (a *Assessment) Given() []Fact {
	return factsOf(slices.DeleteFunc(a.fields(), func(f calculator.Field) bool { return !f.Input }), a.Values)
}

// Inputs returns the inputs of a result, including those that are not set.
func (a *Assessment) Inputs() []Fact {
	return slices.DeleteFunc(slices.Clone(a.Facts()), func(f Fact) bool { return !f.Input })
}

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
