package whatif

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/wording"
)

// Cell is an input as the page shows it.
type Cell struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Unit  string `json:"unit,omitempty"`
	Doc   string `json:"doc"`
	// Kind is number, choice, choices, bool, text, or shown for one that cannot be edited.
	Kind    string   `json:"kind"`
	Min     float64  `json:"min"`
	Max     float64  `json:"max"`
	Whole   bool     `json:"whole,omitempty"`
	OneOf   []string `json:"one_of,omitempty"`
	Default any      `json:"default,omitempty"`
	// Source is the value in the source, nil where it is not given.
	Source any `json:"source,omitempty"`

	name string
	main bool
	get  func(s *state) any
	put  func(s *state, v any) error
}

// part is a part of a plan whose fields are cells: a tier, a link. edit calls a function on a copy of it and keeps the
// copy. ranges are those of its inputs; nil without any.
type part[I any] struct {
	scope    string
	prefix   string
	rows     calculator.Inputs[I]
	defaults I
	edit     func(s *state, change func(*I))
	ranges   func(*I) *map[string]calculator.Ends
}

var unitNames = map[calculator.Unit]string{
	calculator.GiB: "GiB", calculator.Mbps: "Mbit/s", calculator.Months: "months", calculator.Hours: "h",
	calculator.Minutes: "min", calculator.Seconds: "s", calculator.Millis: "ms", calculator.Percent: "%",
	calculator.KiB: "KiB", calculator.Bytes: "bytes",
}

var shownFirst = []string{
	"vm_count", "vm_size_gib", keyDaily, "peak_factor", "rpo_minutes", "link", "target", "throughput_mbps",
	"throughput_basis", "efficiency_percent", "free_gib", "write_mbps", "growth_percent_per_year", "window_hours",
	"window_weekdays", "max_windows",
}

const keyDaily = "daily_change_percent"

// cells returns the cells of a part but for some rows.
func (p part[I]) cells(source *state, but ...string) []*Cell {
	var all []*Cell
	for _, row := range p.rows {
		kind := kindOf(row.Field)
		if kind == "" || slices.Contains(but, row.Name) {
			continue
		}
		c := newCell(p.scope+"/"+p.prefix+row.Name, row.Field, kind)
		c.get = func(s *state) any {
			var v any
			p.edit(&state{s.plan, s.moves}, func(in *I) { v = row.Given(in) })
			return v
		}
		c.put = func(s *state, v any) error {
			var err error
			p.edit(s, func(in *I) {
				was, _ := row.Given(in).(float64)
				if err = row.Put(in, &p.defaults, v); err == nil && p.ranges != nil {
					scaleRange(p.ranges(in), row.Field, was, row.Given(in))
				}
			})
			return err
		}
		if kind != "choices" && kind != "shown" {
			c.Default = row.Given(&p.defaults)
		}
		if c.Source = c.get(source); c.Kind == "shown" {
			if c.Source == nil {
				continue
			}
			c.Source = shownOnly(c.Source)
		}
		c.main = slices.Contains(shownFirst, row.Name) || c.Source != nil && !reflect.DeepEqual(c.Source, c.Default)
		all = append(all, c)
	}
	return all
}

func scaleRange(ranges *map[string]calculator.Ends, f calculator.Field, was float64, is any) {
	ends, ok := (*ranges)[f.Name]
	if !ok {
		return
	}
	*ranges = maps.Clone(*ranges)
	v, given := is.(float64)
	if !given || was <= 0 {
		delete(*ranges, f.Name)
		return
	}
	(*ranges)[f.Name] = calculator.Ends{
		Low:  min(v, max(f.Range.Min, ends.Low*v/was)),
		High: max(v, min(f.Range.Max, ends.High*v/was)),
	}
}

func kindOf(f calculator.Field) string {
	switch f.Kind {
	case calculator.Number:
		return "number"
	case calculator.Bool:
		return "bool"
	case calculator.Text:
		if len(f.OneOf) > 0 || f.KeyOf != "" {
			return "choice"
		}
		return "text"
	case calculator.Texts:
		return "choices"
	case calculator.Numbers, calculator.NumberMap:
		return "shown"
	default:
		return ""
	}
}

func shownOnly(v any) string {
	var numbers []float64
	if m, ok := v.(map[string]any); ok {
		v = slices.Collect(maps.Values(m))
	}
	list, _ := v.([]any)
	for _, e := range list {
		n, _ := e.(float64)
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return wording.None
	}
	return strconv.Itoa(len(numbers)) + " values, " + wording.Decimal(slices.Min(numbers)) + " to " +
		wording.Decimal(slices.Max(numbers))
}

func newCell(id string, f calculator.Field, kind string) *Cell {
	name := id[strings.LastIndexByte(id, '/')+1:]
	_, unit := wording.UnitOf(name)
	words := strings.Split(name, ".")
	for i, word := range words {
		words[i] = wording.Label(word)
	}
	c := &Cell{
		ID: id, name: name, Label: strings.Join(words, ": "), Unit: unitNames[unit], Doc: wording.Plain(f.Documentation()),
		Kind: kind, OneOf: f.OneOf,
	}
	if r := f.Range; r != nil {
		c.Min, c.Max, c.Whole = r.Min, r.Max, r.Whole
	}
	return c
}

func number(id string, r plan.Range, doc string, get func(*state) float64, put func(*state, float64)) *Cell {
	f := calculator.Field{Name: id, Doc: doc, Kind: calculator.Number, Range: &r, Input: true}
	c := newCell(id, f, "number")
	c.main, c.get = true, func(s *state) any { return get(s) }
	c.put = func(s *state, v any) error {
		n, ok := v.(float64)
		if !ok {
			return plan.InputErrors{}.With(plan.Attr(c.name), errNumber)
		}
		if err := r.Check(n); err != nil {
			return plan.InputErrors{}.With(plan.Attr(c.name), err)
		}
		put(s, n)
		return nil
	}
	return c
}

func (c *Cell) text(v any) string {
	switch v := v.(type) {
	case nil:
		return "not given"
	case float64:
		name := c.name[strings.LastIndexByte(c.name, '.')+1:]
		return wording.Value(name, v)
	case []any:
		return wording.Listed(v, len(v))
	}
	return wording.Value("", v)
}
