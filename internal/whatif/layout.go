// The layout: which cells the page has, and where.

package whatif

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// Layout is everything on the page that does not change.
type Layout struct {
	Program string `json:"program,omitempty"`
	Title   string `json:"title"`
	Source  string `json:"source"`
	// TiersFile: a tiers file can be written.
	TiersFile bool      `json:"tiers_file"`
	Notes     []string  `json:"notes"`
	Cells     []*Cell   `json:"cells"`
	Columns   []Column  `json:"columns"`
	Rows      []Row     `json:"rows"`
	Sections  []Section `json:"sections"`
}

// Column is an input of all tiers.
type Column struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Unit  string `json:"unit,omitempty"`
}

// Row is a tier with its cells by column, and those that are in no column.
type Row struct {
	Title string            `json:"title"`
	Scope string            `json:"scope"`
	Cells map[string]string `json:"cells"`
	More  []string          `json:"more"`
}

// Section is a group of cells, and those that are seldom edited.
type Section struct {
	Title string   `json:"title"`
	Cells []string `json:"cells"`
	More  []string `json:"more"`
}

// scope is a tier or a section.
type scope struct {
	id, title string
	tier      bool
}

// drawing builds a layout.
type drawing struct {
	*sheet
	scopes []scope
}

func (d *drawing) scope(id, title string, tier bool) string {
	if !slices.ContainsFunc(d.scopes, func(s scope) bool { return s.id == id }) {
		d.scopes = append(d.scopes, scope{id, title, tier})
	}
	return id
}

// common are inputs of tiers that are about the whole estate; one cell has them while all tiers have the same.
var common = []string{keyBasis, "growth_percent_per_year", "horizon_months"}

const (
	scopeLink   = "link"
	scopeGrowth = "growth"
)

// commonScope returns the section of a common input.
func (d *drawing) commonScope(name string) string {
	if name == keyBasis {
		return scopeLink
	}
	return d.scope(scopeGrowth, "Growth", false)
}

// estate adds the cells of tiers on a link.
func (d *drawing) estate(tree map[string]any) {
	tiers := list(tree[keyTiers])
	shared := map[string]bool{}
	for _, name := range common {
		shared[name] = same(tiers, path{keyInputs, name})
	}
	estimate, _ := registry.OfCommand(onlink.Replication)
	for i, one := range tiers {
		name, _ := object(one)[keyName].(string)
		id := d.scope("tier/"+name, name, true)
		for _, key := range []string{keyCount, keySize} {
			f, _ := estimate.Field(key)
			d.add(id, key, f, "", path{keyTiers, i, key})
		}
		for _, f := range onlink.TierFields() {
			if !shared[f.Name] {
				d.add(id, f.Name, f, "", path{keyTiers, i, keyInputs, f.Name})
			}
		}
	}
	d.estateLink(tree)
	for _, f := range onlink.TierFields() {
		if shared[f.Name] {
			var paths []path
			for i := range tiers {
				paths = append(paths, path{keyTiers, i, keyInputs, f.Name})
			}
			d.add(d.commonScope(f.Name), f.Name, f, "", paths...)
		}
	}
	d.estateRest(tree)
}

// estateRest adds the inputs of the schedule and the migration that are not taken from tiers and link.
func (d *drawing) estateRest(tree map[string]any) {
	d.rest("schedule", "Schedule of all tiers", onlink.Schedule, keySchedule,
		"groups", keyThroughput, keyEfficiency, keyLink, keyBasis, "growth_percent_per_year", "horizon_months")
	if tree[keyMigration] != nil {
		d.rest("migration", "Migration", onlink.Migration, keyMigration, keyVMs)
		for _, key := range []string{keyThroughput, "rtt_ms"} {
			if c := d.byID["migration/"+key]; c.Source == nil {
				c.main = false // the link has them
			}
		}
	}
}

func (d *drawing) estateLink(tree map[string]any) {
	d.scope(scopeLink, "Link", false)
	if tree[keyLink] != nil {
		d.rest(scopeLink, "Link", onlink.Link, keyLink)
	}
	estimate, _ := registry.OfCommand(onlink.Replication)
	for _, key := range []string{keyThroughput, keyEfficiency, keyBasis} {
		if key != keyThroughput && tree[keyLink] != nil {
			continue // the link has them
		}
		f, _ := estimate.Field(key)
		d.add(scopeLink, key, f, "", path{key})
		if tree[keyLink] != nil {
			d.byID[scopeLink+"/"+key].From = "the link"
		}
	}
}

// rest adds the inputs of a calculator below a key, but for some.
func (d *drawing) rest(id, title, command, key string, but ...string) {
	c, _ := registry.OfCommand(command)
	d.scope(id, title, false)
	for _, f := range c.Inputs() {
		if !slices.Contains(but, f.Name) {
			d.add(id, f.Name, f, "", path{key, f.Name})
		}
	}
}

// same reports whether all elements have the same value at a path.
func same(all []any, at path) bool {
	for _, one := range all {
		if !reflect.DeepEqual(get(one, at), get(all[0], at)) {
			return false
		}
	}
	return true
}

// results adds the cells of single calculations: those about the same VMs share a tier, those on one link its inputs.
func (d *drawing) results(all []*calculation) {
	for _, c := range all {
		at := c.place()
		if c.Calculator.Command == onlink.Replication {
			d.scope(c.tierScope(), c.title, true)
		}
		for _, f := range c.Calculator.Inputs() {
			here := append(slices.Clip(at), f.Name)
			switch {
			case f.Name == keyGroups && f.Kind == calculator.Objects:
				d.groups(c, f, all)
			default:
				name, to := f.Name, d.scopeOf(c, f, all)
				if c.Calculator.Command == onlink.Storage && name == "used_gib" && strings.HasPrefix(to, "tier/") {
					name = keySize
				}
				d.add(to, name, f, c.title, here)
				if i, derived := c.from[f.Name]; derived {
					d.byID[to+"/"+name].From = all[i].title
				}
			}
		}
	}
}

// place is the path of a result's inputs.
func (c *calculation) place() path { return path{c.Tier, keyInputs} }

func (c *calculation) tierScope() string { return "tier/" + c.id }

// scopeOf returns the scope of an input.
func (d *drawing) scopeOf(c *calculation, f calculator.Field, all []*calculation) string {
	label := c.label()
	switch command := c.Calculator.Command; {
	case label != "" && (command == onlink.Replication || command == onlink.Schedule) &&
		(f.Name == keyThroughput || f.Name == keyEfficiency || slices.Contains(common, f.Name)):
		title := "Link"
		if label != scopeLink {
			title += " " + label
		}
		return d.scope("link/"+label, title, false)
	case command == onlink.Replication:
		return d.scope(c.tierScope(), c.title, true)
	case command == onlink.Storage:
		if e := c.estimate(all); e != nil {
			return d.scope(e.tierScope(), e.title, true)
		}
	}
	return d.scope(c.id, c.title, false)
}

// estimate returns the estimate of the VMs whose replicas are stored; nil without one.
func (c *calculation) estimate(all []*calculation) *calculation {
	for _, e := range all {
		if e.Calculator.Command == onlink.Replication && e.key == c.key && e.Inputs[keyCount] == c.Inputs[keyCount] &&
			e.Inputs[keySize] == c.Inputs["used_gib"] {
			return e
		}
	}
	return nil
}

// groups adds the groups of a schedule, each to its tier.
func (d *drawing) groups(c *calculation, field calculator.Field, all []*calculation) {
	for _, name := range slices.Sorted(maps.Keys(object(c.Inputs[keyGroups]))) {
		group := object(object(c.Inputs[keyGroups])[name])
		id, title := c.id+"/"+name, name
		if i := slices.IndexFunc(all, func(e *calculation) bool { return e.isTier(c, name, group) }); i >= 0 {
			id, title = all[i].id, all[i].title
		}
		to := d.scope("tier/"+id, title, true)
		for _, f := range field.Fields {
			if f.Input {
				d.add(to, f.Name, f, "in the schedule", append(c.place(), keyGroups, name, f.Name))
			}
		}
	}
}

// isTier reports whether an estimate is about the VMs of a schedule's group.
func (c *calculation) isTier(schedule *calculation, name string, group map[string]any) bool {
	return c.Calculator.Command == onlink.Replication && c.key == name && c.label() != "" &&
		c.label() == schedule.label() && sameVMs(group, c.Inputs)
}

// sameVMs reports whether a group has the VMs and the RPO of an estimate.
func sameVMs(group, estimate map[string]any) bool {
	return group[keyCount] == estimate[keyCount] && group[keySize] == estimate[keySize] &&
		group["rpo_minutes"] == estimate["rpo_minutes"]
}

// layout arranges the cells by scope.
func (d *drawing) layout(m *Model) *Layout {
	l := &Layout{
		Program: m.Program, Title: m.Title, Source: sourceOf(m), TiersFile: m.TiersFile != nil,
		Notes: append([]string{}, m.Notes...), Cells: d.cells, Columns: []Column{}, Rows: []Row{}, Sections: []Section{},
	}
	byScope := map[string][]*Cell{}
	for _, c := range d.cells {
		byScope[c.scope] = append(byScope[c.scope], c)
	}
	columns := d.columns(byScope)
	for _, c := range columns {
		l.Columns = append(l.Columns, Column{c.Name, c.Label, c.Unit})
	}
	for _, s := range d.scopes {
		if s.tier {
			l.Rows = append(l.Rows, rowOf(s, byScope[s.id], columns))
			continue
		}
		section := Section{Title: s.title, Cells: []string{}, More: []string{}}
		for _, c := range byScope[s.id] {
			if c.main || c.From != "" {
				section.Cells = append(section.Cells, c.ID)
			} else {
				section.More = append(section.More, c.ID)
			}
		}
		if len(byScope[s.id]) > 0 {
			l.Sections = append(l.Sections, section)
		}
	}
	return l
}

// columns returns a cell of each column of the tiers, and sorts the cells of each scope.
func (d *drawing) columns(byScope map[string][]*Cell) []*Cell {
	var columns []*Cell
	for _, s := range d.scopes {
		order(byScope[s.id])
		if !s.tier {
			continue
		}
		for _, c := range byScope[s.id] {
			has := func(other *Cell) bool { return other.Name == c.Name }
			if c.main && c.ID == s.id+"/"+c.Name && !strings.Contains(c.Name, ".") && !slices.ContainsFunc(columns, has) {
				columns = append(columns, c)
			}
		}
	}
	order(columns)
	return columns
}

func rowOf(s scope, cells, columns []*Cell) Row {
	row := Row{Title: s.title, Scope: s.id, Cells: map[string]string{}, More: []string{}}
	for _, c := range cells {
		if c.ID == s.id+"/"+c.Name && slices.ContainsFunc(columns, func(o *Cell) bool { return o.Name == c.Name }) {
			row.Cells[c.Name] = c.ID
		} else {
			row.More = append(row.More, c.ID)
		}
	}
	return row
}

func sourceOf(m *Model) string {
	if m.File == "" {
		return m.Kind
	}
	return fmt.Sprintf("%s (%s)", m.File, m.Kind)
}
