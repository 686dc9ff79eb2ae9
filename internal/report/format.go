// Values of results for people.

package report

import (
	"slices"

	"terraform-provider-vsla/internal/report/wording"
)

const (
	none      = wording.None
	maxListed = wording.MaxListed
)

func format(name string, v any) string   { return wording.Value(name, v) }
func label(name string) string           { return wording.Label(name) }
func clean(s string) string              { return wording.Clean(s) }
func count(n int, noun string) string    { return wording.Count(n, noun) }
func decimal(v float64) string           { return wording.Decimal(v) }
func duration(seconds float64) string    { return wording.Duration(seconds) }
func months(v float64) string            { return wording.Months(v) }
func rpoText(minutes float64) string     { return wording.RPO(minutes) }
func listed(list []any, most int) string { return wording.Listed(list, most) }

// number, text and the like read an attribute; ok is false when it is not there or is something else.
func (in *instance) number(name string) (float64, bool) {
	v, ok := in.values[name].(float64)
	return v, ok
}

func (in *instance) text(name string) string {
	s, _ := in.values[name].(string)
	return clean(s)
}

func (in *instance) texts(name string) []string {
	list, _ := in.values[name].([]any)
	texts := make([]string, 0, len(list))
	for _, e := range list {
		texts = append(texts, format("", e))
	}
	return texts
}

func (in *instance) object(name string) map[string]any {
	m, _ := in.values[name].(map[string]any)
	return m
}

// format writes an attribute.
func (in *instance) format(name string) string { return format(name, in.values[name]) }

// facts returns attributes that have a value and are no table, in the order of the names.
func (in *instance) facts(names ...string) []Fact {
	facts := []Fact{}
	for _, name := range names {
		v, ok := in.values[name]
		if !ok || v == nil {
			continue
		}
		if _, composed := v.(map[string]any); composed ||
			slices.Contains([]string{"reasons", "explanations", "summary"}, name) {
			continue
		}
		facts = append(facts, Fact{Name: clean(name), Label: clean(label(name)), Text: format(name, v), Value: v})
	}
	return facts
}
