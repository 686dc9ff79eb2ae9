package report

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report/markdown"
	"terraform-provider-vsla/internal/wording"
)

// WriteMarkdown writes the review as GitHub Markdown. Markup in names is escaped.
func (r *Review) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n\n**%s**\n\n", markdown.Escape(r.Title), markdown.Escape(r.Headline))
	for _, text := range []string{r.Author, r.Date} {
		if text != "" {
			fmt.Fprintf(b, "%s. ", markdown.Escape(text))
		}
	}
	fmt.Fprintf(b, "From %s", markdown.Escape(r.Source.String()))
	if r.Version != "" {
		fmt.Fprintf(b, ", by vsla %s", markdown.Escape(r.Version))
	}
	fmt.Fprint(b, ".\n\n")
	if len(r.Sections) == 0 {
		if r.Managed != nil {
			r.Managed.markdown(b)
		}
		r.Changes.markdown(b)
		markdown.Bullets(b, r.Notes)
		return b.Flush()
	}
	r.answers(b)
	for _, s := range r.Sections {
		s.markdown(b, r.Source.Kind != document.Inventory)
	}
	fmt.Fprint(b, "## What was assumed?\n\n")
	for _, t := range r.Assumptions {
		t.markdown(b)
	}
	if len(r.Assumptions) == 0 {
		fmt.Fprint(b, "The file contains no inputs of the results.\n\n")
	}
	return b.Flush()
}

func (r *Review) answers(b *bufio.Writer) {
	if r.Decision != "" {
		fmt.Fprintf(b, "Decision: %s\n\n", markdown.Escape(r.Decision))
	}
	markdown.Bullets(b, r.Loads)
	r.Promises.markdown(b)
	r.Results.markdown(b)
	if len(r.Promises.Rows)+len(r.Results.Rows) == 0 {
		fmt.Fprint(b, "The file contains no promises. No result has a verdict.\n\n")
	}
	markdown.Bullets(b, r.Basis)
	markdown.Bullets(b, r.Notes)
	r.Changes.markdown(b)
}

func (c *Changes) markdown(b *bufio.Writer) {
	if c == nil {
		return
	}
	fmt.Fprint(b, "## What changed since last time?\n\n")
	fmt.Fprintf(b, "Compared with %s: %s\n\n", markdown.Escape(c.Baseline), markdown.Escape(c.Headline))
	markdown.Bullets(b, c.Lines)
	for _, t := range c.Tables {
		t.markdown(b)
	}
}

func (s *Section) markdown(b *bufio.Writer, terraform bool) {
	fmt.Fprintf(b, "## %s\n\n%s\n\n", markdown.Escape(s.Title), markdown.Escape(s.Intro))
	if s.Note != "" {
		fmt.Fprintf(b, "%s\n\n", markdown.Escape(s.Note))
	}
	for _, t := range s.Tables {
		t.markdown(b)
	}
	for _, f := range s.Figures {
		f.markdown(b)
	}
	for i := range s.Subjects {
		if s.Subjects[i].Detailed {
			s.Subjects[i].markdown(b, terraform)
		}
	}
}

func (s *Subject) markdown(b *bufio.Writer, terraform bool) {
	fmt.Fprintf(b, "### %s", markdown.Escape(s.Name))
	if s.Level != plan.Neutral {
		fmt.Fprintf(b, ": %s %s", wording.LevelSymbol(s.Level), wording.LevelWord(s.Level))
	}
	fmt.Fprint(b, "\n\n")
	if terraform {
		fmt.Fprintf(b, "%s\n\n", markdown.Escape(s.Address))
	}
	if s.Promise != "" {
		fmt.Fprintf(b, "%s\n\n", markdown.Escape(wording.Capital(s.Promise)))
	}
	if s.Summary != "" {
		fmt.Fprintf(b, "%s\n\n", markdown.Escape(s.Summary))
	}
	if len(s.Remedies) > 0 {
		fmt.Fprint(b, "Remedies:\n\n")
		markdown.Bullets(b, s.Remedies)
	}
	reasons := make([]string, 0, len(s.Reasons))
	for _, reason := range s.Reasons {
		reasons = append(reasons, strings.TrimSpace(reason.Sentence+" ("+reason.Code+")"))
	}
	markdown.Bullets(b, reasons)
	markdown.Bullets(b, s.Notes)
	if len(s.Facts) > 0 {
		t := newTable("", "Attribute", "#Value")
		for _, f := range s.Facts {
			t.add(f.Label, f.Text)
		}
		t.markdown(b)
	}
	for _, t := range s.Tables {
		t.markdown(b)
	}
	for _, f := range s.Figures {
		f.markdown(b)
	}
}

// markdown writes the data table of a figure, because Markdown cannot contain the chart.
func (f *Figure) markdown(b *bufio.Writer) {
	fmt.Fprintf(b, "<details><summary>%s</summary>\n\n%s\n\n", html.EscapeString(markdown.Inert(f.Title)),
		markdown.Escape(f.Description))
	data := f.Data
	data.Caption = ""
	data.markdown(b)
	fmt.Fprint(b, "</details>\n\n")
}

func (t *Table) markdown(b *bufio.Writer) {
	if len(t.Rows) == 0 {
		return
	}
	if t.Caption != "" {
		fmt.Fprintf(b, "**%s**\n\n", markdown.Escape(t.Caption))
	}
	head := make([]string, 0, len(t.Columns))
	for _, c := range t.Columns {
		head = append(head, markdown.Escape(c))
	}
	rows := make([][]string, 0, len(t.Rows))
	for _, row := range t.Rows {
		cells := make([]string, 0, len(row))
		for _, c := range row {
			text := markdown.Escape(c.Text)
			if c.Level != "" {
				text = wording.LevelSymbol(c.Level) + " " + text
			}
			cells = append(cells, text)
		}
		rows = append(rows, cells)
	}
	markdown.Table(b, head, t.Numeric, rows)
	if t.Note != "" {
		fmt.Fprintf(b, "%s\n\n", markdown.Escape(t.Note))
	}
}
