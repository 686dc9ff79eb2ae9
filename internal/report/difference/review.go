package difference

import (
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/wording"
)

const maxLines = 6

// Review returns the changes for a review, turned verdicts first. Baseline is the name of the earlier document.
func (d *Difference) Review(baseline string) *report.Changes {
	clauses, _ := d.clauses(byHeading)
	c := &report.Changes{
		Baseline: wording.Clean(baseline), Headline: d.sentence(clauses), Lines: []string{}, Tables: d.tables(),
		Difference: d,
	}
	more := 0
	for _, turned := range []bool{true, false} {
		for i := range d.Results {
			item := &d.Results[i]
			if item.Category == Unchanged || item.Sentence == "" || (item.Turn != "") != turned {
				continue
			}
			if len(c.Lines) == maxLines {
				more++
				continue
			}
			c.Lines = append(c.Lines, item.Heading+": "+item.Sentence)
		}
	}
	if more > 0 {
		c.Lines = append(c.Lines, wording.Count(more, "more change")+" below.")
	}
	return c
}

func (d *Difference) tables() []report.Table {
	sections := d.sections(byHeading)
	tables := make([]report.Table, 0, len(sections))
	for _, s := range sections {
		t := report.Table{Caption: s.Title, Columns: s.Columns}
		if s.Columns == nil {
			t.Columns = []string{"Name", "Change", "Why"}
		}
		for _, e := range s.Entries {
			name := e.Name
			if e.Item.Former != "" {
				name += " (formerly " + e.Item.Former + ")"
			}
			s.Rows = append(s.Rows, []string{name, e.Turned, e.Text})
		}
		for _, row := range s.Rows {
			cells := make([]report.Cell, len(row))
			for n, text := range row {
				cells[n].Text = text
			}
			t.Rows = append(t.Rows, cells)
		}
		tables = append(tables, t)
	}
	return tables
}
