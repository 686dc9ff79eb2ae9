// The review as Markdown, for pull requests and wikis.

package report

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// WriteMarkdown writes the review as GitHub's Markdown. Names are text there as well: what could be markup is escaped.
func (r *Review) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n\n**%s**\n\n", escape(r.Title), escape(r.Headline))
	for _, text := range []string{r.Author, r.Date} {
		if text != "" {
			fmt.Fprintf(b, "%s. ", escape(text))
		}
	}
	fmt.Fprintf(b, "From %s", escape(r.Source.String()))
	if r.Version != "" {
		fmt.Fprintf(b, ", by vsla %s", escape(r.Version))
	}
	fmt.Fprint(b, ".\n\n")
	bullets(b, r.Notes)
	if len(r.Counts) > 0 {
		t := newTable("", "Verdict", "#Results")
		for _, c := range r.Counts {
			t.Rows = append(t.Rows, []Cell{levelCell(c.Level), {Text: strconv.Itoa(c.Number)}})
		}
		markdownTable(b, t)
	}
	if len(r.Sections) > 0 {
		r.markdown(b)
	} else if r.Changes != nil {
		r.Changes.markdown(b)
	}
	for _, s := range r.Sections {
		s.markdown(b, r.Source.Kind != kindInventory)
	}
	if len(r.Sections) > 0 {
		r.assumed(b)
	}
	return b.Flush()
}

// markdown writes the answers of the first pages.
func (r *Review) markdown(b *bufio.Writer) {
	fmt.Fprint(b, "## What has to be decided?\n\n")
	for _, d := range r.Decisions {
		if d.Name == "" {
			fmt.Fprintf(b, "- %s\n", escape(d.Text))
			continue
		}
		fmt.Fprintf(b, "- %s %s: **%s**. %s\n", d.Level.Symbol(), d.Level.Word(), escape(d.Name), escape(d.Text))
	}
	fmt.Fprint(b, "\n## What is promised, and does it hold?\n\n")
	if len(r.Promises.Rows) > 0 {
		markdownTable(b, r.Promises)
	} else {
		fmt.Fprint(b, "Nothing in the file is a promise: no result carries a verdict.\n\n")
	}
	fmt.Fprint(b, "## Until when?\n\n")
	bullets(b, r.Until)
	r.Changes.markdown(b)
	if w := r.Link; w != nil {
		fmt.Fprint(b, "## The whole link\n\n")
		for _, f := range w.Figures {
			f.markdown(b)
		}
		for _, t := range w.Tables {
			markdownTable(b, t)
		}
		bullets(b, w.Notes)
	}
}

// assumed writes the inputs of the results, with their sources.
func (r *Review) assumed(b *bufio.Writer) {
	fmt.Fprint(b, "## What was assumed?\n\n")
	for _, t := range r.Assumptions {
		markdownTable(b, t)
	}
	if len(r.Assumptions) == 0 {
		fmt.Fprint(b, "The results have no inputs in the file.\n\n")
	}
}

func (c *Changes) markdown(b *bufio.Writer) {
	fmt.Fprint(b, "## What changed since last time?\n\n")
	if c == nil {
		fmt.Fprint(b, "No earlier plan or state was given to compare with.\n\n")
		return
	}
	fmt.Fprintf(b, "Compared with %s: %s\n\n", escape(c.Baseline), escape(c.Headline))
	bullets(b, c.Lines)
	for _, t := range c.Tables {
		markdownTable(b, t)
	}
}

// text is the sentence, or the code of a reason that has none.
func (r Reason) text() string {
	if r.Sentence == "" {
		return r.Code
	}
	return r.Sentence
}

func (s *Section) markdown(b *bufio.Writer, terraform bool) {
	fmt.Fprintf(b, "## %s\n\n%s\n\n", escape(s.Title), escape(s.Intro))
	if s.Note != "" {
		fmt.Fprintf(b, "%s\n\n", escape(s.Note))
	}
	for _, t := range s.Tables {
		markdownTable(b, t)
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
	fmt.Fprintf(b, "### %s", escape(s.Name))
	if s.Level != Neutral {
		fmt.Fprintf(b, ": %s %s", s.Level.Symbol(), s.Level.Word())
	}
	fmt.Fprint(b, "\n\n")
	if terraform {
		fmt.Fprintf(b, "%s\n\n", escape(s.Address))
	}
	if s.Summary != "" {
		fmt.Fprintf(b, "%s\n\n", escape(s.Summary))
	}
	reasons := make([]string, 0, len(s.Reasons))
	for _, reason := range s.Reasons {
		reasons = append(reasons, strings.TrimSpace(reason.Sentence+" ("+reason.Code+")"))
	}
	bullets(b, reasons)
	bullets(b, s.Notes)
	if len(s.Facts) > 0 {
		t := newTable("", "What", "#Value")
		for _, f := range s.Facts {
			t.add(f.Label, f.Text)
		}
		markdownTable(b, t)
	}
	for _, t := range s.Tables {
		markdownTable(b, t)
	}
	for _, f := range s.Figures {
		f.markdown(b)
	}
}

// markdown returns a figure's data: a chart has no place in Markdown.
func (f *Figure) markdown(b *bufio.Writer) {
	fmt.Fprintf(b, "<details><summary>%s</summary>\n\n%s\n\n", html.EscapeString(inert(f.Title)), escape(f.Description))
	data := f.Data
	data.Caption = ""
	markdownTable(b, data)
	fmt.Fprint(b, "</details>\n\n")
}

func bullets(b *bufio.Writer, texts []string) {
	for _, text := range texts {
		fmt.Fprintf(b, "- %s\n", escape(text))
	}
	if len(texts) > 0 {
		fmt.Fprintln(b)
	}
}

func markdownTable(b *bufio.Writer, t Table) {
	if t.Caption != "" {
		fmt.Fprintf(b, "**%s**\n\n", escape(t.Caption))
	}
	rule := make([]string, 0, len(t.Columns))
	head := make([]string, 0, len(t.Columns))
	for i, c := range t.Columns {
		head = append(head, escape(c))
		if t.Numeric[i] {
			rule = append(rule, "---:")
		} else {
			rule = append(rule, "---")
		}
	}
	fmt.Fprintf(b, "| %s |\n| %s |\n", strings.Join(head, " | "), strings.Join(rule, " | "))
	for _, row := range t.Rows {
		cells := make([]string, 0, len(row))
		for _, c := range row {
			text := escape(c.Text)
			if c.Level != "" {
				text = c.Level.Symbol() + " " + text
			}
			cells = append(cells, text)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Fprintln(b)
	if t.Note != "" {
		fmt.Fprintf(b, "%s\n\n", escape(t.Note))
	}
}

// reference matches text that a forge turns into a link or a mention although Markdown has no meaning for it.
var reference = regexp.MustCompile(`([@#!$%&~^])([\pL\pN_"])`)

// inert makes mentions, addresses and references to issues have no effect.
func inert(s string) string { return reference.ReplaceAllString(s, "$1\u200b$2") }

// escape makes a text stand for itself. HTML goes by entities, the rest by backslashes; a line stays a line.
func escape(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(inert(s)), " ") {
		switch r {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '\\', '`', '*', '_', '[', ']', '|', '~', '#', '!', '@':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	// What forges make links of by themselves stays text.
	return www.ReplaceAllString(strings.ReplaceAll(b.String(), "://", `\://`), `$1\.`)
}

var www = regexp.MustCompile(`(?i)(www)\.`)
