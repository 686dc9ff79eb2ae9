// Package markdown writes texts of others as GitHub's and GitLab's Markdown: they stand for themselves there.
package markdown

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Table writes a table. Its cells are Markdown; numeric columns are aligned at the right.
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
	_, _ = b.WriteTo(w) // the caller's writer keeps its error
}

// Bullets writes a list of texts.
func Bullets(w io.Writer, texts []string) {
	for _, text := range texts {
		fmt.Fprintf(w, "- %s\n", Escape(text))
	}
	if len(texts) > 0 {
		fmt.Fprintln(w)
	}
}

// Code puts a name between backticks, in which mentions and links have no effect.
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

// Inert makes mentions, addresses and references to issues have no effect.
func Inert(s string) string { return reference.ReplaceAllString(s, "$1\u200b$2") }

// Escape makes a text stand for itself. HTML goes by entities, the rest by backslashes; a line stays a line.
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
	// What forges make links of by themselves stays text.
	return www.ReplaceAllString(strings.ReplaceAll(b.String(), "://", `\://`), `$1\.`)
}

var www = regexp.MustCompile(`(?i)(www)\.`)
