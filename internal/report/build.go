// The review: subjects by kind, the worst first, and what to say above them.

package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/report/wording"
)

// Build makes the review.
func (c Cover) Build(d *Document) *Review {
	date := c.date(d)
	r := &Review{
		FormatVersion: "1.0",
		Title:         cmp.Or(clean(c.Title), defaultTitle),
		Author:        clean(c.Author),
		Version:       c.Version,
		Verdict:       Neutral,
		Source:        d.Source(),
		Counts:        []Count{},
		Notes:         []string{},
		Changes:       c.Changes,
		Sections:      []Section{},
		Assumptions:   []Table{},
	}
	if !date.IsZero() {
		r.Date = date.Format(time.DateOnly)
	}
	all := d.instances()
	detail(all)
	ids := reserved()
	for _, in := range all {
		in.date = date
	}
	var subjects []known
	for _, g := range titled(all) {
		section := g.kind.section(g.all, ids)
		of := make([]known, len(g.all))
		for i, in := range g.all {
			of[i] = known{in, &section.Subjects[i]}
		}
		if t := d.assumptions(g.kind.title, of); len(t.Rows) > 0 {
			r.Assumptions = append(r.Assumptions, t)
		}
		r.Sections = append(r.Sections, section)
		subjects = append(subjects, of...)
	}
	if s, ok := d.groupSection(all); ok {
		r.Sections = append(r.Sections, s)
	}
	if t := rulesTable(subjects); len(t.Rows) > 0 {
		r.Assumptions = append(r.Assumptions, t)
	}
	r.Link = wholeLink(subjects)
	r.addPeriod(subjects)
	lines := slices.Clone(d.open)
	if r.Link != nil {
		lines = append(slices.Clone(r.Link.lines), lines...)
	}
	r.sum(lines)
	r.summarize(subjects, lines, c, date)
	if c.Changes != nil {
		for i := range c.Changes.Tables {
			c.Changes.Tables[i].keep(maxGeneric, "change")
		}
	}
	r.Notes = append(d.notes(all), d.added...)
	return r
}

// results is all results of a kind.
type results struct {
	kind kind
	all  []*instance
}

// titled returns the results by section, in the order of the page, and names them.
func titled(all []*instance) []results {
	sections := make(map[string][]*instance)
	for _, in := range all {
		id := kindOf(in.kind).id
		sections[id] = append(sections[id], in)
	}
	var groups []results
	for _, k := range kinds() {
		if mine := sections[k.id]; len(mine) > 0 {
			setTitles(mine)
			groups = append(groups, results{k, mine})
			delete(sections, k.id)
		}
	}
	return groups
}

// Source returns the source of the document.
func (d *Document) Source() Source {
	switch {
	case d.inventory != "":
		return Source{Kind: kindInventory, File: clean(d.inventory)}
	case d.plan == nil:
		return Source{Kind: "state", TerraformVersion: clean(d.state.TerraformVersion)}
	}
	return Source{
		Kind:             "plan",
		TerraformVersion: clean(d.plan.TerraformVersion),
		Errored:          d.extra.Errored,
		Destroys:         d.destroys(),
	}
}

// sum counts the levels and sums up the review in a sentence.
func (r *Review) sum(lines []Decision) {
	numbers := make(map[Level]int)
	all := 0
	add := func(level Level) {
		numbers[level]++
		all++
		if level.Rank() < r.Verdict.Rank() {
			r.Verdict = level
		}
	}
	for _, section := range r.Sections {
		for _, s := range section.Subjects {
			if !s.Alone {
				add(s.Level)
			}
		}
	}
	for _, line := range lines {
		add(line.Level)
	}
	for _, level := range wording.Levels {
		if numbers[level] > 0 {
			r.Counts = append(r.Counts, Count{level, numbers[level]})
		}
	}
	switch {
	case all == 0 && len(r.Sections) == 0:
		r.Headline = "The file contains no vsla results."
	case all == numbers[Neutral]:
		r.Headline = "No result in the file carries a verdict."
	default:
		r.Headline = wording.Headline(numbers)
	}
}

// destroys reports whether a plan leaves nothing: only deletions, and no data source that is read. A plan that deletes
// because the configuration has changed has a reason.
func (d *Document) destroys() bool {
	for _, c := range d.extra.ResourceChanges {
		if c.Reason != "" {
			return false
		}
	}
	deletes := false
	for _, c := range d.plan.ResourceChanges {
		if c == nil || c.Change == nil || c.Mode == tfjson.DataResourceMode && c.Change.Actions.NoOp() {
			continue
		}
		if !c.Change.Actions.Delete() {
			return false
		}
		deletes = true
	}
	return deletes
}

func (d *Document) notes(all []*instance) []string {
	notes := []string{}
	if d.extra.Errored {
		notes = append(notes, "The plan ended with an error: it cannot be applied, and results may be missing.")
	}
	for _, name := range d.deep {
		notes = append(notes, fmt.Sprintf("%s is nested more than %d levels deep; results below that are not read.",
			clean(name), maxDepth))
	}
	if d.plan == nil || len(all) == 0 {
		return notes
	}
	if d.destroys() {
		notes = append(notes, "This plan destroys what there is; the results are those that were read before it.")
	}
	withheld := slices.ContainsFunc(all, func(in *instance) bool { return len(in.sensitive) > 0 })
	for _, c := range d.plan.Checks {
		for _, i := range c.Instances {
			for _, p := range i.Problems {
				message := clean(p.Message)
				if withheld {
					message = "it failed; its message is withheld, because it may quote what is marked as sensitive."
				}
				notes = append(notes, "Check of "+clean(i.Address.ToDisplay)+": "+message)
			}
		}
	}
	return notes
}
