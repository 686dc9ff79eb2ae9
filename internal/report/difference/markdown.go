package difference

import (
	"fmt"
	"html"
	"strings"

	"terraform-provider-vsla/internal/report/markdown"
	"terraform-provider-vsla/internal/wording"
)

// block is a section of a comment. head and foot are printed before and after its lines.
type block struct {
	head, foot string
	lines      []line
	// printed is the number of lines printed; printedFull is the number of those printed in full.
	printed, printedFull int
}

// line contains the full and the short form of a line. A line without a short form is printed in full or not at all.
type line struct{ full, short string }

const (
	// cutNoteSize and footNoteSize are the numbers of bytes reserved for the notes on a shortened section and on a
	// shortened comment.
	cutNoteSize, footNoteSize = 120, 240
	// maxText and maxSentence are the maximum lengths of names and sentences in characters.
	maxText, maxSentence = 160, 700
)

// Markdown returns a pull request comment that is shorter than limit bytes and starts with the headline. If the comment
// does not fit, the least important lines are omitted and counted.
func (d *Difference) Markdown(limit int) string {
	var b strings.Builder
	headline := d.headline(func(i *Item) string { return code(itemName(i)) })
	fmt.Fprintf(&b, "## %s%s\n\n%s\n\n", d.symbol(), headline, markdown.Escape(d.countsText()))
	for _, note := range d.Notes {
		fmt.Fprintf(&b, "> %s\n\n", markdown.Escape(note))
	}
	if note := d.writeBlocks(&b, limit-1); note != "" {
		b.WriteString(note + " The JSON review is complete.\n")
	}
	return b.String()
}

// Sections returns what changed as Markdown of less than limit bytes, for a comment whose headline is that of the gate.
func (d *Difference) Sections(limit int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", markdown.Escape(d.countsText()))
	before := b.Len()
	if note := d.writeBlocks(&b, limit); note != "" {
		b.WriteString(note + "\n")
	}
	if b.Len() == before {
		return ""
	}
	return b.String()
}

// writeBlocks writes the sections up to a total of limit bytes. It returns a note if they are shortened.
func (d *Difference) writeBlocks(b *strings.Builder, limit int) (note string) {
	var blocks []*block
	for _, s := range d.sections(itemName) {
		blocks = append(blocks, s.block())
	}
	dropped, shortened := fit(blocks, limit-b.Len()-footNoteSize)
	for _, block := range blocks {
		block.write(b)
	}
	if dropped+shortened == 0 {
		return ""
	}
	return fmt.Sprintf("Shortened to fit in a comment: %s omitted, %s without details.", wording.Count(dropped, "line"),
		wording.Count(shortened, "line"))
}

// fit determines how many lines of each block are printed, and how many of them are printed in full. It first prints
// short forms, starting with the most important block, and then replaces them with full forms as long as there is
// space. It returns the numbers of omitted and shortened lines.
func fit(blocks []*block, space int) (dropped, shortened int) {
	for _, b := range blocks {
		space -= len(b.head) + len(b.foot) + cutNoteSize
	}
	for _, b := range blocks {
		for _, l := range b.lines {
			if len(l.short) > space {
				break
			}
			space -= len(l.short)
			b.printed++
		}
	}
	for _, b := range blocks {
		for _, l := range b.lines[:b.printed] {
			if len(l.full)-len(l.short) > space {
				break
			}
			space -= len(l.full) - len(l.short)
			b.printedFull++
		}
	}
	for _, b := range blocks {
		for n, l := range b.lines {
			switch {
			case n < b.printedFull:
			case n < b.printed && l.short != "":
				shortened++
			default:
				dropped++
			}
		}
	}
	return dropped, shortened
}

func (b *block) write(w *strings.Builder) {
	omitted := 0
	w.WriteString(b.head)
	for n, l := range b.lines {
		switch {
		case n < b.printedFull:
			w.WriteString(l.full)
		case n < b.printed && l.short != "":
			w.WriteString(l.short)
		default:
			omitted++
		}
	}
	if omitted > 0 {
		fmt.Fprintf(w, "\n%s omitted.\n", wording.Count(omitted, "line"))
	}
	w.WriteString(b.foot)
}

func (s *section) block() *block {
	b := &block{head: "### " + s.Title + "\n\n", foot: "\n"}
	if s.Collapsed {
		title := fmt.Sprintf("%s (%d)", s.Title, len(s.Items)+len(s.Rows))
		b.head = "<details><summary>" + html.EscapeString(title) + "</summary>\n\n"
		b.foot = "\n</details>\n\n"
	}
	for _, i := range s.Items {
		l := line{full: s.line(i, true), short: s.line(i, false)}
		if s.Collapsed {
			l.short = ""
		}
		b.lines = append(b.lines, l)
	}
	if len(s.Columns) == 0 {
		return b
	}
	rule := strings.Repeat(" --- |", len(s.Columns))
	b.head += "| " + strings.Join(s.Columns, " | ") + " |\n|" + rule + "\n"
	for _, row := range s.Rows {
		cells := make([]string, len(row))
		for n, text := range row {
			cells[n] = markdown.Escape(text)
			if n == 0 && s.Columns[0] != "" {
				cells[n] = strings.ReplaceAll(code(text), "|", `\|`)
			}
		}
		l := line{full: "| " + strings.Join(cells, " | ") + " |\n"}
		if !s.Collapsed {
			l.short = l.full
		}
		b.lines = append(b.lines, l)
	}
	return b
}

// line formats an item as a list item with its name and verdict. If full is set, it adds the reason.
func (s *section) line(i *Item, full bool) string {
	change, reason := s.describe(i)
	text := "- **" + code(i.Name) + "** (" + markdown.Escape(wording.Lower(i.Title)) + ")"
	if change != "" {
		text += ": " + markdown.Escape(change)
	}
	if full && reason != "" {
		text += ". " + strings.TrimSuffix(markdown.Escape(truncate(reason, maxSentence)), ".") + "."
	}
	if i.FormerAddress != "" && full {
		text += " Formerly " + code(i.FormerAddress) + "."
	}
	return text + "\n"
}

func code(s string) string { return markdown.Code(truncate(s, maxText)) }

func truncate(s string, limit int) string {
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return s
}
