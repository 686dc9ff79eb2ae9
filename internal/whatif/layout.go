package whatif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/wording"
)

// Layout is what of a page does not change.
type Layout struct {
	Source string   `json:"source"`
	Notes  []string `json:"notes"`
	Open   []Gap    `json:"open"`
	Cells  []*Cell  `json:"cells"`
	// Columns are the inputs of the table of tiers, Rows the tiers.
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
	// Sections have the inputs of the other parts, the links first.
	Sections []Section `json:"sections"`
	// Named is true if VMs have names, TiersFile if the source has a tiers file.
	Named     bool `json:"named"`
	TiersFile bool `json:"tiers_file"`
}

// Column is an input of the table of tiers.
type Column struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Unit  string `json:"unit,omitempty"`
}

// Row is a tier: its cells by column, and all others.
type Row struct {
	Title string            `json:"title"`
	Scope string            `json:"scope"`
	Cells map[string]string `json:"cells"`
	More  []string          `json:"more"`
}

// Section is a part of a plan but a tier.
type Section struct {
	Title string   `json:"title"`
	Scope string   `json:"scope"`
	Cells []string `json:"cells"`
	More  []string `json:"more"`
}

// Layout arranges the cells.
func (p *Page) Layout() *Layout {
	l := &Layout{
		Source: sourceOf(p.model), TiersFile: p.model.TiersFile != "", Notes: append([]string{}, p.model.Notes...),
		Open: append([]Gap{}, p.model.Open...), Cells: p.cells, Columns: []Column{}, Rows: []Row{}, Sections: []Section{},
	}
	add := func(title, scope string) {
		section := Section{Title: title, Scope: scope, Cells: []string{}, More: []string{}}
		for _, c := range p.in(scope) {
			if c.main {
				section.Cells = append(section.Cells, c.ID)
			} else {
				section.More = append(section.More, c.ID)
			}
		}
		l.Sections = append(l.Sections, section)
	}
	for _, name := range scopes(p.source.plan.Links) {
		title := "Link " + wording.Clean(name)
		if len(p.source.plan.Links) == 1 {
			title = "Link"
		}
		add(title, "link/"+name)
	}
	for _, name := range scopes(p.source.plan.Targets) {
		add("Target "+wording.Clean(name), "target/"+name)
	}
	add("Growth and simulation", "plan")
	if p.source.moves != nil {
		add("Moves", "moves")
	}
	columns := p.columns()
	for _, c := range columns {
		l.Columns = append(l.Columns, Column{c.name, c.Label, c.Unit})
	}
	for _, name := range p.tiers() {
		l.Named = l.Named || len(p.source.plan.Tiers[name].VirtualMachines) > 0
		row := Row{Title: wording.Clean(name), Scope: "tier/" + name, Cells: make(map[string]string), More: []string{}}
		for _, c := range p.in(row.Scope) {
			if slices.ContainsFunc(columns, func(other *Cell) bool { return other.name == c.name }) {
				row.Cells[c.name] = c.ID
			} else {
				row.More = append(row.More, c.ID)
			}
		}
		l.Rows = append(l.Rows, row)
	}
	return l
}

func (p *Page) columns() []*Cell {
	var columns []*Cell
	for _, name := range p.tiers() {
		for _, c := range p.in("tier/" + name) {
			has := func(other *Cell) bool { return other.name == c.name }
			if slices.Contains(shownFirst, c.name) && c.main && c.Kind != "shown" && !slices.ContainsFunc(columns, has) {
				columns = append(columns, c)
			}
		}
	}
	order(columns)
	return columns
}

func (p *Page) tiers() []string {
	names := scopes(p.source.plan.Tiers)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(p.source.plan.Tiers[a].RPOMinutes, p.source.plan.Tiers[b].RPOMinutes)
	})
	return names
}

// in returns the cells of a scope in the order of the page.
func (p *Page) in(scope string) []*Cell {
	var cells []*Cell
	for _, c := range p.cells {
		if strings.TrimSuffix(c.ID, "/"+c.name) == scope {
			cells = append(cells, c)
		}
	}
	order(cells)
	return cells
}

func order(cells []*Cell) {
	place := func(c *Cell) int {
		switch i := slices.Index(shownFirst, c.name); {
		case i >= 0 && c.main:
			return i
		case c.main:
			return len(shownFirst)
		}
		return len(shownFirst) + 1
	}
	slices.SortStableFunc(cells, func(a, b *Cell) int { return cmp.Compare(place(a), place(b)) })
}

func sourceOf(m *Model) string {
	if m.File == "" {
		return m.Kind
	}
	return fmt.Sprintf("%s (%s)", m.File, m.Kind)
}
