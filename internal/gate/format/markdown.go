package format

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/gate/judge"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report/markdown"
	"terraform-provider-vsla/internal/wording"
)

const (
	// maxCommentBytes is the maximum length of a comment on GitHub and GitLab.
	maxCommentBytes = 65536
	// maxPerCause bounds the findings of a cause that are listed.
	maxPerCause = 10
)

// WriteMarkdown writes a comment for a pull request.
func (r Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	symbol := wording.LevelSymbol(r.Level) + " "
	if !r.Passes {
		symbol = wording.LevelSymbol(plan.Misses) + " "
	}
	fmt.Fprintf(&b, "## %s%s\n\n", symbol, markdown.Escape(r.Headline))
	for _, c := range r.causes() {
		fmt.Fprintf(&b, "**%s** (`%s`). %s %s\n\n", markdown.Escape(c.Title), c.Code, c.Remedy,
			markdown.Escape(r.who(c)))
		for i, d := range c.denials {
			if i == maxPerCause {
				fmt.Fprintf(&b, "- and %s\n", wording.Count(len(c.denials)-i, "more finding"))
				break
			}
			fmt.Fprintf(&b, "- %s %s\n", markdown.Code(d.Subject), markdown.Escape(d.Message+where(d.Finding)))
		}
		b.WriteString("\n")
	}
	r.writePromises(&b)
	if len(r.Waived) > 0 {
		b.WriteString("**Waived**\n\n")
		for _, g := range r.Waived {
			fmt.Fprintf(&b, "- %s %s\n", markdown.Code(g.Subject), markdown.Escape(fmt.Sprintf(
				"%s (%s, until %s, by %s: %s)", g.Message, g.Waiver, g.Expires, g.By, g.Reason)))
		}
		b.WriteString("\n")
	}
	if len(r.Notes) > 0 {
		b.WriteString("**Notes**\n\n")
		markdown.Bullets(&b, r.Notes)
	}
	if r.difference != nil {
		b.WriteString(r.difference.Sections(maxCommentBytes - b.Len()))
	}
	_, err := io.WriteString(w, shorten(b.String()))
	return err
}

func (r Report) writePromises(b *strings.Builder) {
	var rows [][]string
	for _, a := range r.Promises {
		configure := ""
		if a.Configured > 0 {
			configure = wording.RPO(a.Configured)
		}
		promised, vms := wording.RPO(a.RPOMinutes), strconv.Itoa(a.VMs)
		if a.Message == withheld {
			promised, vms = "withheld", ""
		}
		rows = append(rows, []string{
			markdown.Escape(a.Subject),
			markdown.Escape(verdictOf(a)),
			promised,
			configure,
			vms,
			markdown.Escape(a.Message),
		})
	}
	if len(rows) > 0 {
		markdown.Table(
			b,
			[]string{"Tier", "Verdict", "Promised", "Configured", "VMs", "Why"},
			map[int]bool{4: true},
			rows,
		)
	}
}

func verdictOf(a judge.Assessment) string {
	if a.Level == plan.Neutral {
		return "empty"
	}
	return wording.LevelWord(a.Level)
}

// shorten cuts a comment at a line so that it fits.
func shorten(text string) string {
	const note = "\n\nShortened to fit in a comment. `vsla gate --format json` prints everything.\n"
	if len(text) < maxCommentBytes {
		return text
	}
	text = text[:maxCommentBytes-len(note)-1]
	return text[:strings.LastIndexByte(text, '\n')+1] + note
}
