// The view: everything on the page that follows from its changes.

package whatif

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

// View is the page with changes.
type View struct {
	Level    wording.Level `json:"level"`
	Headline string        `json:"headline"`
	// Failing are the results that do not hold or are at risk.
	Failing []Failing `json:"failing"`
	// Moved are the verdicts that are others than those of the source, and Changed are the cells.
	Moved   []string          `json:"moved"`
	Changed []Changed         `json:"changed"`
	Derived map[string]any    `json:"derived"`
	Errors  map[string]string `json:"errors"`
	Results []Result          `json:"results"`
	Figures []Figure          `json:"figures"`
	Notes   []string          `json:"notes"`
	Jobs    []Job             `json:"jobs"`
	// Fragment is the end of a link to the page with these changes.
	Fragment string `json:"fragment"`
}

// Failing is a result with its level.
type Failing struct {
	Title string        `json:"title"`
	Level wording.Level `json:"level"`
	Word  string        `json:"word"`
}

// Changed is a cell with its value in the source and its own.
type Changed struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Result is a calculation with its verdict.
type Result struct {
	ID    string        `json:"id"`
	Title string        `json:"title"`
	Level wording.Level `json:"level"`
	Word  string        `json:"word"`
	// Before is the verdict of the source, where it is another.
	Before  string        `json:"before,omitempty"`
	Was     wording.Level `json:"was,omitempty"`
	Pending bool          `json:"pending,omitempty"`
	// Scope is the tier that the verdict is about, Together reports whether it is about it among all others.
	Scope    string   `json:"scope,omitempty"`
	Together bool     `json:"together,omitempty"`
	Summary  string   `json:"summary"`
	Notes    []string `json:"notes"`
	Answers  []Answer `json:"answers"`
}

// Answer is a value of a cell with which a result holds.
type Answer struct {
	Cell  string `json:"cell"`
	Value any    `json:"value"`
	Text  string `json:"text"`
}

// View computes the page with changes; slow calculations are left to jobs.
func (p *Page) View(changes Changes) *View { return p.view(changes, false) }

func (p *Page) view(changes Changes, all bool) *View {
	kept := p.keep(changes)
	calculations, notes := p.calculations(kept, all)
	judged := verdicts(calculations)
	if len(kept) == 0 {
		p.settle(judged)
	}
	v := &View{
		Failing: []Failing{}, Moved: []string{}, Changed: []Changed{}, Derived: map[string]any{}, Errors: map[string]string{},
		Results: []Result{}, Figures: figures(judged), Notes: append([]string{}, notes...), Jobs: jobs(calculations),
		Fragment: p.Fragment(kept),
	}
	v.Level, v.Headline = p.sum(judged)
	for _, id := range slices.Sorted(maps.Keys(kept)) {
		v.Changed = append(v.Changed, p.changed(id, kept[id]))
	}
	p.derive(v, kept, calculations)
	for _, one := range judged {
		r := p.result(one, judged, calculations)
		counts := one.counts() || one.group != ""
		if r.Before != "" && (counts || p.before[one.id].counts()) {
			v.Moved = append(v.Moved, r.Title+": "+r.Before+" -> "+r.Word)
		}
		if counts && (one.level == wording.Misses || one.level == wording.AtRisk) {
			v.Failing = append(v.Failing, Failing{r.Title, one.level, r.Word})
		}
		v.Results = append(v.Results, r)
	}
	for _, open := range p.model.Open {
		v.Results = append(v.Results, Result{
			ID: "open/" + open.Name, Title: open.Name, Level: wording.Unknown, Word: wording.Unknown.Word(), Summary: open.Text,
			Notes: []string{}, Answers: []Answer{},
		})
	}
	return v
}

// settle keeps the verdicts of the source that are known.
func (p *Page) settle(judged []*verdict) {
	for _, v := range judged {
		if !v.pending {
			p.before[v.id] = v
		}
	}
}

func (p *Page) changed(id string, v any) Changed {
	c := p.cells[id]
	title := ""
	for _, row := range p.layout.Rows {
		if row.Scope == c.scope {
			title = row.Title + ", "
		}
	}
	return Changed{ID: id, Label: title + c.Label, From: c.text(c.Source), To: c.text(v)}
}

// text writes a value of a cell.
func (c *Cell) text(v any) string {
	if v == nil {
		switch {
		case c.From != "":
			return "from " + c.From
		case c.Default != nil:
			return c.text(c.Default) + " (default)"
		}
		return "not given"
	}
	if m, ok := v.(map[string]any); ok {
		parts := make([]string, 0, len(m))
		for _, key := range slices.SortedFunc(maps.Keys(m), natural) {
			parts = append(parts, fmt.Sprint(key, " = ", m[key]))
		}
		return strings.Join(parts, ", ")
	}
	return wording.Value(c.Name, v)
}

// natural sorts keys that are numbers by their value.
func natural(a, b string) int {
	if n := len(a) - len(b); n != 0 {
		return n
	}
	return strings.Compare(a, b)
}

// derive adds the values of cells that are taken from results, and the problems of cells.
func (p *Page) derive(v *View, changes Changes, all []*calculation) {
	for _, c := range p.layout.Cells {
		if _, given := changes[c.ID]; c.From == "" || given || c.Source != nil {
			continue
		}
		for _, one := range all {
			if one.title == c.From {
				v.Derived[c.ID] = one.results[c.Name]
			}
		}
	}
	for _, one := range all {
		for _, e := range problems(one.problem) {
			if c := p.cellOf(one, e.Path); c != nil {
				v.Errors[c.ID] = e.Reason
			}
		}
	}
}

// cellOf returns the cell of an input of a calculation; nil without one.
func (p *Page) cellOf(c *calculation, at plan.Path) *Cell {
	if len(at) == 0 {
		return nil
	}
	names := namesIn(at)
	for _, cell := range p.layout.Cells {
		for _, where := range cell.paths {
			if p.leads(c, where, names) {
				return cell
			}
		}
	}
	return nil
}

// leads reports whether a path in the tree is that of an input, by the names on the way to it.
func (p *Page) leads(c *calculation, where path, names []string) bool {
	if p.model.Tiers == nil {
		return len(where) > 1 && where[0] == c.Tier && ends(where, names, 2)
	}
	command := c.Calculator.Command
	switch where[0] {
	case keyTiers:
		return p.leadsToTier(c, where, names)
	case keyThroughput, keyEfficiency:
		return command != onlink.Link && ends(where, names, 0)
	case keyLink, keySchedule, keyMigration:
		return where[0] == map[string]string{
			onlink.Link: keyLink, onlink.Schedule: keySchedule, onlink.Migration: keyMigration,
		}[command] && ends(where, names, 1)
	}
	return false
}

// leadsToTier reports whether a path in a tier is that of an input of the tier, or of its group of the schedule.
func (p *Page) leadsToTier(c *calculation, where path, names []string) bool {
	index, _ := where[1].(int)
	command := c.Calculator.Command
	if command == onlink.Schedule && len(names) > 2 && names[0] == keyGroups {
		name, _ := get(p.model.Tiers, path{keyTiers, index, keyName}).(string)
		return name == names[1] && ends(where, names[2:], tierSteps(where))
	}
	if command == onlink.Storage && names[0] == "used_gib" {
		names = []string{keySize}
	}
	return index == c.Tier && ends(where, names, tierSteps(where))
}

// tierSteps is how many steps of a path lead to a tier's inputs.
func tierSteps(where path) int {
	if len(where) > 2 && where[2] == keyInputs {
		return 3
	}
	return 2
}

// ends reports whether a path has the names behind its first steps.
func ends(where path, names []string, first int) bool {
	if len(where) < first || len(where)-first > len(names) || len(where) == first {
		return false
	}
	for i, step := range where[first:] {
		if step != names[i] {
			return false
		}
	}
	return true
}

// result describes a verdict.
func (p *Page) result(v *verdict, all []*verdict, calculations []*calculation) Result {
	r := Result{
		ID: v.id, Title: wording.Clean(v.title), Level: v.level, Word: v.level.Word(), Pending: v.pending,
		Notes: []string{}, Answers: []Answer{},
	}
	if before, ok := p.before[v.id]; ok && !v.pending && before.level != v.level {
		r.Before, r.Was = before.level.Word(), before.level
	}
	if v.pending {
		r.Word = "computing"
	}
	switch {
	case v.group != "":
		r.Together, r.Scope = true, p.scopeOfGroup(v, all)
		return r
	case v.pending:
		r.Summary = "Computing."
		return r
	case v.c.problem != nil:
		r.Summary = "Not computed: " + problemText(v.c.problem)
		return r
	}
	p.describe(&r, v, calculations)
	return r
}

// describe adds the texts of a result that was computed.
func (p *Page) describe(r *Result, v *verdict, calculations []*calculation) {
	if v.c.Calculator.Command == onlink.Replication {
		r.Scope = p.scopeOfTier(v.c)
	}
	r.Summary, _ = v.c.results["summary"].(string)
	for _, e := range list(v.c.results["explanations"]) {
		if text := strings.ReplaceAll(fmt.Sprint(e), "`", ""); text != r.Summary {
			r.Notes = append(r.Notes, text)
		}
	}
	if v.c.partial {
		r.Notes = append(r.Notes, "What would make it hold is being computed.")
	}
	if v.level == wording.Misses || v.level == wording.AtRisk {
		r.Answers = p.answers(v.c, calculations)
	}
}

func problemText(err error) string {
	if errs := problems(err); len(errs) > 0 {
		texts := make([]string, 0, len(errs))
		for _, e := range errs {
			texts = append(texts, e.Error())
		}
		return strings.Join(texts, "; ") + "."
	}
	return err.Error()
}

// scopeOfTier returns the row of an estimate.
func (p *Page) scopeOfTier(c *calculation) string {
	if p.model.Tiers != nil {
		return "tier/" + c.Name
	}
	return c.tierScope()
}

// scopeOfGroup returns the row of a schedule's group.
func (p *Page) scopeOfGroup(g *verdict, all []*verdict) string {
	if p.model.Tiers != nil {
		return "tier/" + g.group
	}
	for _, e := range all {
		if e.c != nil && e.c.isTier(g.c, g.group, object(object(g.c.Inputs[keyGroups])[g.group])) {
			return e.c.tierScope()
		}
	}
	return "tier/" + g.c.id + "/" + g.group
}

// namesIn returns the names on a path.
func namesIn(at plan.Path) []string {
	names := make([]string, 0, len(at))
	for _, step := range at {
		if step.Name != "" {
			names = append(names, step.Name)
		}
	}
	return names
}
