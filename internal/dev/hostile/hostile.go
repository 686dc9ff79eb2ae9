// Package hostile provides VM, tag and result names that are dangerous if shown unescaped: markup, mentions, links,
// commands and templates.
package hostile

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed names.txt
var names string

// Names returns all names.
func Names() []string { return strings.Split(strings.TrimSpace(names), "\n") }

// effects matches active Markdown: mentions, links, images, URLs, HTML tags and slash commands.
var effects = regexp.MustCompile(`(?i)(?:^|[^\\\w])@\w|[^\\]\]\(|!\[|<(?:script|img|svg|a |!--|https?:|mailto:)|` +
	`\bhttps?://|\bwww\.evil|(?m:^/(?:close|assign))`)

// Effect returns the first active element of a Markdown text outside code spans, or "" if there is none.
func Effect(markdown string) string { return effects.FindString(outside(markdown)) }

func outside(text string) string {
	var b strings.Builder
	for text != "" {
		before, rest, found := strings.Cut(text, "`")
		b.WriteString(before)
		if !found {
			break
		}
		fence := 1 + len(rest) - len(strings.TrimLeft(rest, "`"))
		rest = strings.TrimLeft(rest, "`")
		text = rest
		for from := 0; ; {
			at := strings.Index(rest[from:], "`")
			if at < 0 {
				break
			}
			at += from
			run := len(rest[at:]) - len(strings.TrimLeft(rest[at:], "`"))
			if from = at + run; run == fence {
				text = rest[from:]
				break
			}
		}
	}
	return b.String()
}
