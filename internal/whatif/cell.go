// Cells: the inputs that can be edited. One cell is the same input of several calculations.

package whatif

import (
	"reflect"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/wording"
)

// Cell is an input as the page shows it.
type Cell struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Label string `json:"label"`
	Unit  string `json:"unit,omitempty"`
	Doc   string `json:"doc"`
	// Kind is number, text, choice, bool or values, the latter for lists and maps.
	Kind    string   `json:"kind"`
	Min     float64  `json:"min"`
	Max     float64  `json:"max"`
	Above   bool     `json:"above,omitempty"`
	Whole   bool     `json:"whole,omitempty"`
	Bounded bool     `json:"bounded,omitempty"`
	OneOf   []string `json:"one_of,omitempty"`
	Default any      `json:"default,omitempty"`
	// Source is the value in the source, nil where it is not given.
	Source any `json:"source,omitempty"`
	// From is the title of the result that the value is taken from unless it is given.
	From string `json:"from,omitempty"`

	scope string
	main  bool
	paths []path
}

// unitNames are the units as people write them.
var unitNames = map[calculator.Unit]string{
	calculator.GiB: "GiB", calculator.KiB: "KiB", calculator.Bytes: "bytes", calculator.Mbps: "Mbit/s",
	calculator.Months: "months", calculator.Hours: "h", calculator.Minutes: "min", calculator.Seconds: "s",
	calculator.Millis: "ms", calculator.Percent: "%",
}

var kinds = map[calculator.Kind]string{
	calculator.Number: "number", calculator.NumberOrSpread: "values", calculator.Text: "text", calculator.Bool: "bool",
	calculator.Numbers: "values", calculator.Texts: "values", calculator.NumberMap: "values", calculator.TextMap: "values",
}

// shownFirst are the inputs that planners ask for, in the order of the page. All others follow, those that are given
// first.
var shownFirst = []string{
	keyCount, keySize, "used_gib", "daily_change_percent", "change_curve", "peak_factor", "rpo_minutes",
	"seeded_percent", "bandwidth_mbps", keyThroughput, "throughput_basis", keyEfficiency, "share_percent", "rtt_ms",
	"loss_percent", "growth_percent_per_year", "horizon_months", "target_compliance_percent",
}

// rare are among those, and shown where they are given.
var rare = []string{"change_curve", "used_gib", "horizon_months", "share_percent"}

// sheet collects cells.
type sheet struct {
	tree  any
	cells []*Cell
	byID  map[string]*Cell
}

func newSheet(tree any) *sheet { return &sheet{tree: tree, byID: make(map[string]*Cell)} }

// add adds an input at paths in the tree to a scope. An input of the scope with the same name and value is the same
// cell; one with another value is a second cell.
func (s *sheet) add(scope, name string, f calculator.Field, what string, paths ...path) {
	if f.Kind == calculator.Object {
		s.addMembers(scope, name, f, what, paths)
		return
	}
	kind, ok := kinds[f.Kind]
	if !ok || f.Name == keyLink {
		return
	}
	v := get(s.tree, paths[0])
	id := scope + "/" + name
	if there := s.byID[id]; there != nil {
		if reflect.DeepEqual(there.Source, v) {
			there.paths = append(there.paths, paths...)
			return
		}
		id += "/" + what
		if there := s.byID[id]; there != nil {
			there.paths = append(there.paths, paths...)
			return
		}
	} else {
		what = ""
	}
	c := cellOf(id, name, f, kind)
	c.scope, c.Source, c.paths = scope, v, paths
	c.main = v != nil || slices.Contains(shownFirst, name) && !slices.Contains(rare, name) || f.Required
	if what != "" {
		c.Label += " (" + what + ")"
		c.main = v != nil
	}
	s.cells = append(s.cells, c)
	s.byID[id] = c
}

// addMembers adds the inputs of an object.
func (s *sheet) addMembers(scope, name string, f calculator.Field, what string, paths []path) {
	for _, member := range f.Fields {
		if !member.Input {
			continue
		}
		inner := make([]path, len(paths))
		for i, p := range paths {
			inner[i] = append(slices.Clip(p), member.Name)
		}
		s.add(scope, name+"."+member.Name, member, what, inner...)
	}
}

func cellOf(id, name string, f calculator.Field, kind string) *Cell {
	_, unit := wording.UnitOf(name)
	words := strings.Split(name, ".")
	for i, word := range words {
		words[i] = wording.Label(word)
	}
	c := &Cell{
		ID: id, Name: name, Label: strings.Join(words, ": "), Unit: unitNames[unit], Doc: f.Documentation(), Kind: kind,
		Default: f.Default,
	}
	if len(f.OneOf) > 0 && f.Kind == calculator.Text {
		c.Kind, c.OneOf = "choice", f.OneOf
	}
	if r := f.Range; r != nil {
		c.Min, c.Max, c.Above, c.Whole, c.Bounded = r.Min, r.Max, r.Above, r.Whole, true
	}
	return c
}

// order sorts cells: those that are shown first, in their order, then as the descriptions have them.
func order(cells []*Cell) {
	place := func(c *Cell) int {
		if i := slices.Index(shownFirst, c.Name); i >= 0 && c.main {
			return i
		}
		if c.main {
			return len(shownFirst)
		}
		return len(shownFirst) + 1
	}
	slices.SortStableFunc(cells, func(a, b *Cell) int { return place(a) - place(b) })
}
