package difference

import (
	"slices"

	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/wording"
)

const maxReviewLines = 6

// Review returns the changes for a review, starting with changed verdicts. baseline is the name of the earlier
// document.
func (d *Difference) Review(baseline string) *report.Changes {
	c := &report.Changes{
		Baseline:   baseline,
		Headline:   d.headline(itemHeading),
		Lines:      slices.Clone(d.Notes),
		Tables:     d.tables(),
		Difference: d,
	}
	more := 0
	for _, changed := range []bool{true, false} {
		for i := range d.Results {
			item := &d.Results[i]
			if item.Category == Unchanged || item.Sentence == "" || (item.VerdictChange != "") != changed {
				continue
			}
			if len(c.Lines) == len(d.Notes)+maxReviewLines {
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
	sections := d.sections(itemHeading)
	tables := make([]report.Table, 0, len(sections))
	for _, s := range sections {
		t := report.Table{Caption: s.Title, Columns: s.Columns}
		if s.Columns == nil {
			t.Columns = []string{"Name", "Change", "Reason"}
		}
		rows := slices.Clone(s.Rows)
		for _, i := range s.Items {
			name := itemHeading(i)
			if i.FormerAddress != "" {
				name += " (formerly " + i.FormerAddress + ")"
			}
			change, reason := s.describe(i)
			rows = append(rows, []string{name, change, reason})
		}
		for _, row := range rows {
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
