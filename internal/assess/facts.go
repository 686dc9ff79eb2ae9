package assess

import (
	"maps"
	"slices"

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

// texts formats the elements of a list. It returns nothing for any other value.
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
	if !ok { // the only fact of the member is its value
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
		// The level of a result shows only the verdict of the whole result, so the verdict of a member is a fact.
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

// Given returns the inputs as the result contains them, even if it is withheld because some of them are sensitive.
func (a *Assessment) Given() []Fact {
	return factsOf(slices.DeleteFunc(a.fields(), func(f calculator.Field) bool { return !f.Input }), a.Values)
}

// Inputs returns the inputs that may be shown, including those that are not set. A withheld result has none.
func (a *Assessment) Inputs() []Fact {
	return slices.DeleteFunc(slices.Clone(a.Facts()), func(f Fact) bool { return !f.Input })
}
