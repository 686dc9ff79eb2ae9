package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

const (
	// maxValues is the maximum number of values listed individually for an input.
	maxValues = 4
	maxNamed  = 4
)

type inputValue struct {
	text, source string
	number       *float64
	names        []string
}

func (b *builder) addAssumptions() {
	var kinds []*assess.Kind
	for _, assessments := range b.bySection() {
		if t := b.inputTable(assessments); len(t.Rows) > 0 {
			b.Assumptions = append(b.Assumptions, t)
		}
		for _, a := range assessments {
			if !slices.Contains(kinds, a.Kind) {
				kinds = append(kinds, a.Kind)
			}
		}
	}
	t := newTable("Calculation rules", "Rule", "Source")
	for _, k := range kinds {
		for _, r := range k.Rules {
			if !slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[0].Text == r.Text }) {
				t.add(r.Text, r.Source)
			}
		}
	}
	if len(t.Rows) > 0 {
		b.Assumptions = append(b.Assumptions, t)
	}
}

// inputTable returns a table with a row for each input in a section. The last row lists the defaults that apply to all
// results.
func (b *builder) inputTable(all []*assess.Assessment) Table {
	t := newTable(all[0].Kind.Section+": inputs", "Input", "Value", "Source")
	visible := slices.DeleteFunc(slices.Clone(all), (*assess.Assessment).Withheld)
	var names, labels, defaults []string
	values := make(map[string][]inputValue)
	for _, a := range visible {
		for _, f := range a.Inputs() {
			if !slices.Contains(names, f.Name) {
				names, labels = append(names, f.Name), append(labels, f.Label)
			}
			source := b.document.Origin(a, &f)
			text, number := inputText(a, &f)
			if text == "" || source == document.FromComputed {
				continue
			}
			values[f.Name] = mergeValue(values[f.Name], inputValue{text: text, source: source, number: number}, a.Title)
		}
	}
	for i, name := range names {
		switch used := values[name]; {
		case len(used) == 0:
		case len(used) == 1 && used[0].source == document.FromDefaults && len(used[0].names) == len(visible):
			defaults = append(defaults, labels[i]+" "+used[0].text)
		default:
			t.add(labels[i], formatValues(used, len(visible)), sources(used))
		}
	}
	if len(defaults) > 0 {
		t.add("Not set", strings.Join(defaults, ", "), document.FromDefaults)
	}
	return t
}

func mergeValue(values []inputValue, v inputValue, title string) []inputValue {
	i := slices.IndexFunc(
		values,
		func(other inputValue) bool { return other.text == v.text && other.source == v.source },
	)
	if i < 0 {
		i = len(values)
		values = append(values, v)
	}
	values[i].names = append(values[i].names, title)
	return values
}

// inputText formats the value of an input, or its default. It returns an empty string if the input has neither.
func inputText(a *assess.Assessment, f *assess.Fact) (text string, number *float64) {
	if !f.HasValue() {
		if slices.Contains(a.Unknown, f.Name) {
			return "not known before apply", nil
		}
		if f.Default == nil {
			return "", nil
		}
		f.Value = cmp.Or(a.AssumedValue(f.Name), f.Default)
	}
	switch v := f.Value.(type) {
	case float64:
		return f.Text(), &v
	case nil:
		return membersText(f), nil
	}
	if text = f.Text(); text == wording.None {
		return "", nil
	}
	return text, nil
}

// membersText formats a list or a map. If the entries are objects, or if there are more than wording.MaxListed map
// entries, it returns only the number of entries. It formats each member of an object.
func membersText(f *assess.Fact) string {
	if f.Texts != nil {
		if len(f.Texts) == 0 {
			return ""
		}
		return quantity.List(f.Texts, maxNamed)
	}
	if f.Kind == calculator.Object {
		return f.ObjectText()
	}
	parts := make([]string, 0, len(f.Members))
	for _, m := range f.Members {
		if len(m.Facts) != 1 || m.Facts[0].Members != nil || len(f.Members) > wording.MaxListed {
			return plan.Thousands(float64(len(f.Members)), 0)
		}
		text := m.Key + ": " + m.Facts[0].Text()
		if minutes, err := strconv.ParseFloat(m.Key, 64); err == nil && f.Keys != nil { // point of a change curve
			text = m.Facts[0].Text() + " " + f.Range.Unit + " in " + wording.Duration(minutes*60)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func formatValues(values []inputValue, total int) string {
	if len(values) == 1 && len(values[0].names) == total {
		return values[0].text
	}
	if len(values) <= maxValues {
		texts := make([]string, 0, len(values))
		for _, v := range values {
			texts = append(texts, v.text+" ("+resultNames(v.names)+")")
		}
		return strings.Join(texts, ", ")
	}
	low, high := values[0], values[0]
	for _, v := range values {
		if v.number == nil || low.number == nil {
			return plan.Thousands(float64(len(values)), 0) + " values"
		}
		if *v.number < *low.number {
			low = v
		}
		if *v.number > *high.number {
			high = v
		}
	}
	return low.text + " to " + high.text
}

func sources(values []inputValue) string {
	var all []string
	for _, v := range values {
		if !slices.Contains(all, v.source) {
			all = append(all, v.source)
		}
	}
	return quantity.List(all, maxNamed)
}

func resultNames(names []string) string {
	if len(names) > maxNamed {
		return wording.Count(len(names), "result")
	}
	return strings.Join(names, ", ")
}
