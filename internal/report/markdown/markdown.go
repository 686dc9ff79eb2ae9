// Package markdown writes untrusted text as Markdown for GitHub and GitLab. It escapes the text so that markup in it
// has no effect.
package markdown

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Table writes a table. Cells must already be escaped. Numeric columns are right-aligned.
func Table(w io.Writer, columns []string, numeric map[int]bool, rows [][]string) {
	var b bytes.Buffer
	rule := make([]string, len(columns))
	for i := range columns {
		rule[i] = "---"
		if numeric[i] {
			rule[i] = "---:"
		}
	}
	for _, row := range append([][]string{columns, rule}, rows...) {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteByte('\n')
	_, _ = b.WriteTo(w) // w records the error
}

// Bullets escapes strings and writes them as a bulleted list.
func Bullets(w io.Writer, texts []string) {
	for _, text := range texts {
		fmt.Fprintf(w, "- %s\n", Escape(text))
	}
	if len(texts) > 0 {
		fmt.Fprintln(w)
	}
}

// Code formats a name as inline code, in which mentions and links have no effect.
func Code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

var reference = regexp.MustCompile(`([@#!$%&~^])([\pL\pN_"])`)

// Inert disables mentions, email addresses and issue references by inserting zero-width spaces.
func Inert(s string) string { return reference.ReplaceAllString(s, "$1\u200b$2") }

// Escape escapes Markdown and HTML, and converts s to a single line. It uses entities for HTML and backslashes for
// Markdown.
func Escape(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(Inert(s)), " ") {
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
	// Prevent automatic links.
	return www.ReplaceAllString(strings.ReplaceAll(b.String(), "://", `\://`), `$1\.`)
}

var www = regexp.MustCompile(`(?i)(www)\.`)
