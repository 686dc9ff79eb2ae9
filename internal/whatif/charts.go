package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

// Chart is a chart in a wide and a narrow version.
type Chart struct {
	Title  string `json:"title"`
	Wide   string `json:"wide"`
	Narrow string `json:"narrow"`
	// Inputs contains the inputs from which the bars result.
	Inputs []InputLink `json:"inputs,omitempty"`
}

// InputLink leads to a cell.
type InputLink struct {
	Text string `json:"text"`
	ID   string `json:"id"`
}

const (
	// maxBars is the maximum number of tiers in a chart. If there are more tiers, the chart shows the worst.
	// maxLinkCharts is the maximum number of links that have a chart.
	maxBars, maxLinkCharts = 16, 4
	// halfWidth is the width of a chart that is placed next to another one.
	halfWidth = 500
	// maxAgePercent is the upper end of the age axis, as a percentage of the RPO.
	maxAgePercent = 300
)

func (p *Page) charts(s *state, r promise.Result, assessed []*assess.Assessment) []Chart {
	all := []Chart{}
	add := func(c chart.Chart, title, description string) {
		draw := func(width float64, suffix string) string {
			d := c.Draw(width)
			return d.SVG(fmt.Sprintf("chart%d-%s", len(all), suffix), title, description)
		}
		all = append(all, Chart{Title: title, Wide: draw(halfWidth, "wide"), Narrow: draw(chart.Narrow, "narrow")})
	}
	links := 0
	for _, a := range assessed {
		l, ok := assess.As[*assess.Link](a)
		if !ok || links == maxLinkCharts {
			continue
		}
		links++
		if hours := l.HourlyUsePercent; len(hours) > 0 && slices.Max(hours) > 0 {
			add(
				chart.HourlyUse(hours),
				"A day on "+a.Title,
				"24 columns, one for each hour of an average day: link use.",
			)
		}
		if steps := l.NeedSteps(); len(steps) > 0 {
			add(chart.Waterfall(l.ThroughputMbps, steps), "What makes up the need of "+a.Title,
				"A bar for each step from the mean change rate to the throughput needed.")
			all[len(all)-1].Inputs = p.inputLinks(a.Key, l, steps)
		}
	}
	if bars := ageChart(s, r); len(bars.Rows) > 0 {
		add(bars, "Oldest recovery point",
			"A bar for each tier: the maximum age of the newest recovery point of a VM as a share of the RPO.")
	}
	return all
}

// inputLinks returns the cells from which the steps to the need of a link result. Cells of tiers are those of the tier
// that changes most.
func (p *Page) inputLinks(link string, l *assess.Link, steps []assess.NeedStep) []InputLink {
	change := func(tier string) float64 { return *cmp.Or(l.Plan.Result.Promises[tier].BusiestChangeMbps, new(0.0)) }
	tier := slices.MaxFunc(l.Promises, func(a, b string) int { return cmp.Compare(change(a), change(b)) })
	var links []InputLink
	for _, step := range steps {
		for _, scope := range []string{"tier/" + tier + "/", "link/" + link + "/", "link/" + link + "/network."} {
			if c := p.byID[scope+step.Input]; c != nil {
				links = append(links, InputLink{step.Label + ": " + p.nameOf(c), c.ID})
				break
			}
		}
	}
	return links
}

func ageChart(s *state, r promise.Result) chart.Bars {
	bars := chart.Bars{Guides: []chart.Guide{{Value: 100, Label: "RPO", Tone: chart.Bad}}}
	most, axis := 110.0, "age as a share of the RPO"
	for _, name := range sortedNames(r.Promises) {
		one, rpo := r.Promises[name], s.plan.Tiers[name].RPOMinutes
		if one.OldestRecoveryPointMinutes == nil {
			continue
		}
		share := *one.OldestRecoveryPointMinutes / rpo * 100
		text := assess.AgeText(*one.OldestRecoveryPointMinutes)
		if share > maxAgePercent {
			text, axis = text+" »", "age as a share of the RPO (» off the scale)"
		}
		most = max(most, min(share, maxAgePercent))
		bars.Rows = append(bars.Rows, chart.Row{
			Label: name,
			To:    min(share, math.MaxFloat32),
			Text:  text,
			Tone:  chart.ToneOf(one.Verdict),
		})
	}
	slices.SortStableFunc(bars.Rows, func(a, b chart.Row) int { return cmp.Compare(b.To, a.To) })
	bars.Rows = bars.Rows[:min(len(bars.Rows), maxBars)]
	bars.Scale = chart.Scale{Max: most, Format: func(v float64) string { return wording.Decimal(v) + "%" }, Label: axis}
	return bars
}

// Figure is a figure in the strip at the top of the page.
type Figure struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Text  string `json:"text"`
	// Subject is the tier or the link that the figure refers to.
	Subject string `json:"of,omitempty"`
	// Value is nil if there is no number, for example if no throughput is sufficient or the promises hold beyond the
	// horizon.
	Value         *float64 `json:"value"`
	LowerIsBetter bool     `json:"less"`
	// Pending marks a figure that is computed after the verdicts.
	Pending bool `json:"pending,omitempty"`
}

func linkFigures(r promise.Result) (need, busiest Figure) {
	need = Figure{ID: "need", Label: "Throughput needed", LowerIsBetter: true, Text: wording.None, Pending: true}
	busiest = Figure{ID: "busiest", Label: "Busiest hour of the link", LowerIsBetter: true, Text: wording.None}
	reserve := 0.0
	for _, name := range sortedNames(r.Links) {
		one := r.Links[name]
		if len(one.Promises) == 0 {
			continue
		}
		of := ""
		if len(r.Links) > 1 {
			of = name
		}
		if v := one.BusiestHourPercent; busiest.Value == nil || v > *busiest.Value {
			busiest.Value = &v
			busiest.Subject = of
			busiest.Text = roundUpPercent(v)
		}
		switch {
		case one.NeededLimitedBy != nil:
			need.Value = nil
			need.Subject = of
			need.Text = assess.NeedText(one)
			need.Pending = false
			reserve = -1e9
		case one.ThroughputNeededMbps != nil && (need.Text == wording.None || *one.HeadroomPercent < reserve):
			need.Value = one.ThroughputNeededMbps
			need.Subject = of
			need.Text = assess.NeedText(one)
			need.Pending, reserve = false, *one.HeadroomPercent
		}
	}
	return need, busiest
}

func growthFigure(s *state, r promise.Result) Figure {
	f := Figure{ID: "until", Label: "Holds for", Text: "no growth rate", Pending: s.plan.GrowthPercentPerYear != nil}
	if !f.Pending {
		return f
	}
	f.Text = "more than " + wording.Months(s.plan.HorizonMonths)
	for _, name := range sortedNames(r.Promises) {
		if v := r.Promises[name].MonthsUntilAtRisk; v != nil && (f.Value == nil || float64(*v) < *f.Value) {
			f.Value, f.Subject = new(float64(*v)), name
			switch f.Text = wording.Months(float64(*v - 1)); *v {
			case 0:
				f.Text = "not today"
			case 1:
				f.Text = "less than 1 month"
			}
		}
	}
	return f
}

func percent(v *float64) string {
	if v == nil {
		return wording.None
	}
	return plan.Thousands(plan.Down.Round(*v, 2), -1) + "%"
}

func roundUpPercent(v float64) string { return plan.Thousands(plan.Up.Round(v, 1), -1) + "%" }

// Layout contains the parts of a page that do not change.
type Layout struct {
	Source string   `json:"source"`
	Notes  []string `json:"notes"`
	Open   []Gap    `json:"open"`
	Cells  []*Cell  `json:"cells"`
	// Columns contains the inputs in the table of tiers. Rows contains the tiers.
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
	// Empty contains the names of the tiers without VMs, which are not in the plan.
	Empty []string `json:"empty"`
	// Sections contains the inputs of the other parts, starting with the links.
	Sections []Section `json:"sections"`
	// Named reports whether VMs have names. TiersFile reports whether the source has a tiers file.
	Named     bool `json:"named"`
	TiersFile bool `json:"tiers_file"`
}

// Column is a column in the table of tiers.
type Column struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Unit  string `json:"unit,omitempty"`
}

// Row is a tier in the table. Cells maps column names to cell IDs. More lists the IDs of the tier's other cells.
type Row struct {
	Title string            `json:"title"`
	Scope string            `json:"scope"`
	Cells map[string]string `json:"cells"`
	More  []string          `json:"more"`
}

// Section is a part of the plan other than a tier.
type Section struct {
	Title string   `json:"title"`
	Scope string   `json:"scope"`
	Cells []string `json:"cells"`
	More  []string `json:"more"`
}

// Layout arranges the cells on the page.
func (p *Page) Layout() *Layout {
	l := &Layout{
		Source:    sourceOf(p.model),
		TiersFile: p.model.TiersFile != "",
		Notes:     append([]string{}, p.model.Notes...),
		Open:      append([]Gap{}, p.model.Open...),
		Cells:     p.cells,
		Columns:   []Column{},
		Rows:      []Row{},
		Sections:  []Section{},
		Empty:     append([]string{}, p.model.Empty...),
	}
	add := func(title, scope string) {
		section := Section{Title: title, Scope: scope, Cells: []string{}, More: []string{}}
		for _, c := range p.cellsIn(scope) {
			if c.primary {
				section.Cells = append(section.Cells, c.ID)
			} else {
				section.More = append(section.More, c.ID)
			}
		}
		l.Sections = append(l.Sections, section)
	}
	for _, name := range sortedNames(p.source.plan.Links) {
		title := "Link " + name
		if len(p.source.plan.Links) == 1 {
			title = "Link"
		}
		add(title, "link/"+name)
	}
	for _, name := range sortedNames(p.source.plan.Targets) {
		add("Target "+name, "target/"+name)
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
		row := Row{Title: name, Scope: "tier/" + name, Cells: make(map[string]string), More: []string{}}
		for _, c := range p.cellsIn(row.Scope) {
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
		for _, c := range p.cellsIn("tier/" + name) {
			has := func(other *Cell) bool { return other.name == c.name }
			if slices.Contains(primaryInputs, c.name) && c.primary && c.Kind != "shown" &&
				!slices.ContainsFunc(columns, has) {
				columns = append(columns, c)
			}
		}
	}
	sortCells(columns)
	return columns
}

func (p *Page) tiers() []string {
	names := sortedNames(p.source.plan.Tiers)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(p.source.plan.Tiers[a].RPOMinutes, p.source.plan.Tiers[b].RPOMinutes)
	})
	return names
}

func (p *Page) cellsIn(scope string) []*Cell {
	var cells []*Cell
	for _, c := range p.cells {
		if strings.TrimSuffix(c.ID, "/"+c.name) == scope {
			cells = append(cells, c)
		}
	}
	sortCells(cells)
	return cells
}

func sortCells(cells []*Cell) {
	place := func(c *Cell) int {
		switch i := slices.Index(primaryInputs, c.name); {
		case i >= 0 && c.primary:
			return i
		case c.primary:
			return len(primaryInputs)
		}
		return len(primaryInputs) + 1
	}
	slices.SortStableFunc(cells, func(a, b *Cell) int { return cmp.Compare(place(a), place(b)) })
}

func sourceOf(m *Model) string {
	if m.File == "" {
		return m.Kind
	}
	return fmt.Sprintf("%s (%s)", m.File, m.Kind)
}
