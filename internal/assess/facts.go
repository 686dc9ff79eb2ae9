package assess

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/wording"
)

// Fact is an attribute of a result.
type Fact struct {
	calculator.Field

	// Label is the name in words, without its unit.
	Label string
	// Value is a number, a text, true or false; nil for a value that is not there, and for one with members.
	Value any
	// Texts are the elements of a list of single values.
	Texts []string
	// Members are the elements of a map by key, or of a list of objects by number if Listed.
	Members []Member
	Listed  bool
	// Words replace the text that follows from name and value; empty without one.
	Words string
}

// Member is an element of a map or a list.
type Member struct {
	Key   string
	Facts []Fact
}

// Text writes the value with its unit.
func (f *Fact) Text() string {
	switch {
	case f.Words != "":
		return f.Words
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

// Given reports whether the fact has a value.
func (f *Fact) Given() bool { return f.Value != nil || f.Texts != nil || f.Members != nil }

var told = []string{"summary", "reasons", "explanations", "verdict"}

// Facts returns inputs, then results, without those that words repeat. Withheld results have none, deferred ones their
// known inputs.
func (a *Assessment) Facts() []Fact {
	if a.Withheld() {
		return nil
	}
	if a.facts == nil {
		fields := a.fields()
		if a.Deferred != "" {
			fields = slices.DeleteFunc(fields, func(f calculator.Field) bool { return !f.Input })
		}
		a.facts = factsOf(fields, a.Values)
	}
	return a.facts
}

// Inputs returns the inputs of a result, given or not.
func (a *Assessment) Inputs() []Fact {
	if a.Function {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Facts()), func(f Fact) bool { return !f.Input })
}

// fields describe the attributes; those of a data source without description by their names.
func (a *Assessment) fields() []calculator.Field {
	fields := []calculator.Field{}
	if c := a.Kind.Calculator; c != nil {
		fields = append(fields, c.Inputs()...)
		fields = append(fields, slices.DeleteFunc(c.Results(), func(f calculator.Field) bool { return f.Input })...)
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
	return slices.DeleteFunc(fields, func(f calculator.Field) bool { return slices.Contains(told, f.Name) })
}

// FactsOf returns values as facts that are inputs, by their names.
func FactsOf(values map[string]any) []Fact {
	fields := make([]calculator.Field, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fields = append(fields, calculator.Field{Name: name, Input: true})
	}
	cleaned, _ := clean(values).(map[string]any)
	return factsOf(fields, cleaned)
}

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
		if len(v) == 0 || !composed(v[0]) {
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

func composed(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// memberOf returns the facts of an element; a single value has one, with the name of the whole.
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
		return slices.Contains(told, m.Name) && m.Name != "verdict"
	}), values)
}
