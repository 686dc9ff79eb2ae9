// The review as Markdown, for pull requests and wikis.

package report

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
)

// WriteMarkdown writes the review as GitHub's Markdown. Names are text there as well: what could be markup is escaped.
func (r *Review) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# Capacity review\n\n**%s**\n\n", escape(r.Headline))
	fmt.Fprintf(b, "From %s.\n\n", escape(r.Source.String()))
	bullets(b, r.Notes)
	if len(r.Counts) > 0 {
		t := newTable("", "Verdict", "#Results")
		for _, c := range r.Counts {
			t.Rows = append(t.Rows, []Cell{levelCell(c.Level), {Text: strconv.Itoa(c.Number)}})
		}
		markdownTable(b, t)
	}
	for _, g := range r.groups() {
		fmt.Fprintf(b, "## %s\n\n", g.Title)
		for _, f := range g.Findings {
			fmt.Fprintf(b, "- **%s** (%s): ", escape(f.Subject.Name), escape(f.Section))
			sentences := make([]string, 0, len(f.Subject.Reasons))
			for _, reason := range f.Subject.Reasons {
				sentences = append(sentences, reason.text())
			}
			if g.Brief || len(sentences) == 0 {
				sentences = []string{f.Subject.Summary}
			}
			fmt.Fprintln(b, escape(strings.Join(sentences, " ")))
		}
		fmt.Fprintln(b)
	}
	for _, s := range r.Sections {
		s.markdown(b)
	}
	return b.Flush()
}

// text is the sentence, or the code of a reason that has none.
func (r Reason) text() string {
	if r.Sentence == "" {
		return r.Code
	}
	return r.Sentence
}

func (s *Section) markdown(b *bufio.Writer) {
	fmt.Fprintf(b, "## %s\n\n%s\n\n", escape(s.Title), escape(s.Intro))
	for _, t := range s.Tables {
		markdownTable(b, t)
	}
	for _, f := range s.Figures {
		f.markdown(b)
	}
	for i := range s.Subjects {
		s.Subjects[i].markdown(b)
	}
}

func (s *Subject) markdown(b *bufio.Writer) {
	fmt.Fprintf(b, "### %s", escape(s.Name))
	if s.Level != Neutral {
		fmt.Fprintf(b, ": %s %s", s.Level.Symbol(), s.Level.Word())
	}
	fmt.Fprintf(b, "\n\n%s\n\n", escape(s.Address))
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
		t := newTable("", "Attribute", "#Value")
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
	fmt.Fprintf(b, "<details><summary>%s</summary>\n\n%s\n\n", html.EscapeString(f.Title), escape(f.Description))
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

// escape makes a text stand for itself. HTML goes by entities, the rest by backslashes; a line stays a line.
func escape(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
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
	// What GitHub would make links of by itself stays text.
	return strings.NewReplacer("://", `\://`, "www.", `www\.`).Replace(b.String())
}
