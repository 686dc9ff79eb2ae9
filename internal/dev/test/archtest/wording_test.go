package archtest_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// form is banned wording and its replacement.
type form struct {
	banned  *regexp.Regexp
	instead string
	// names makes the form apply to Go identifiers, too.
	names bool
	// only limits the form to files with these endings.
	only []string
}

func words(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`) }

var forms = []form{
	{banned: regexp.MustCompile(`(?i)first[ _-]?cop(?:y|ies)`), instead: "initial sync", names: true},
	{banned: words(`machines?`), instead: "VM, or computer"},
	{banned: words(`gives`), instead: "returns"},
	{banned: words(`tells`), instead: "reports, reports whether"},
	{banned: words(`speaks?`), instead: "reports, uses"},
	{banned: words(`doors?`), instead: "interface: data source, function, CLI"},
	{banned: words(`yards?`), instead: "scheduler"},
	{banned: words(`movers?`), instead: "migration"},
	{banned: words(`rooms?`), instead: "slot, space"},
	{banned: words(`on hold|(?:is|are|was|were|been) held`), instead: "paused, blocked"},
	{banned: words(`stand-?ins?`), instead: "simulated vSphere Replication appliance"},
	{banned: words(`(?:is|are) none`), instead: "got %q"},
	{banned: regexp.MustCompile(`%[qsv] is no\b`), instead: "must be X, got %q"},
	{banned: words(`there is nothing of`), instead: "The file contains no ..."},
	{banned: words(`refuses this`), instead: "permission denied"},
	{banned: words(`changed the others`), instead: "applied the rest"},
	{banned: words(`state holds`), instead: "state records"},
	{banned: words(`goes on|go on|went on`), instead: "continues"},
	{banned: words(`needs vCenter now`), instead: "needs vCenter during plan"},
	{banned: words(`makes? a new`), instead: "Changing this forces a new resource."},
	{banned: words(`what was begun`), instead: "the task"},
	{banned: words(`data over wire data`), instead: "ratio of original size to size on the wire"},
	{banned: words(`behind (?:\w+|\w+'s) back`), instead: "outside Terraform"},
	{
		banned: regexp.MustCompile(`[a-z]{2}\(s\)`), instead: "a real plural", // in Rego it is a call
		only: []string{".go", ".md", ".tmpl", ".tf", ".hcl", ".yaml", ".html"},
	},
	{
		banned: regexp.MustCompile(`\b\d+\.\d{5,}\b`), instead: "three significant digits",
		only: []string{".md", ".md.tmpl"},
	},
}

// suspect matches every line that a form matches; it is faster than trying all forms.
var suspect = func() *regexp.Regexp {
	all := make([]string, 0, len(forms))
	for _, f := range forms {
		all = append(all, f.banned.String())
	}
	return regexp.MustCompile(strings.Join(all, "|"))
}()

// allowed is wording that contains a banned form and is right.
var allowed = regexp.MustCompile(`(?i)virtual[ -]machines?|(?:this|same|another|your|own) machine|` +
	`machine (?:that runs|with|has)|machine-readable|is no longer|state machine|the machine trusts|there (?:is|are) none|of a machine`)

// longest is the longest line, in characters.
const longest = 120

// TestWording keeps banned forms out of comments, strings, documents, templates and examples.
func TestWording(t *testing.T) {
	t.Parallel()
	checked := 0
	eachFile(t, func(name, text string) {
		checked++
		for n, line := range linesOf(t, name, text) {
			if !suspect.MatchString(line.text) && !suspect.MatchString(line.names) {
				continue
			}
			for _, f := range forms {
				if found := f.in(name, line); found != "" {
					t.Errorf("%s:%d: %q: write %q", name, n+1, found, f.instead)
				}
			}
		}
	})
	if checked < 5 {
		t.Errorf("checked %d files, want at least 5", checked)
	}
}

// TestLines checks that no line is too long.
func TestLines(t *testing.T) {
	t.Parallel()
	eachFile(t, func(name, text string) {
		if !slices.Contains([]string{".go", ".md", ".tmpl", ".tf", ".hcl"}, path.Ext(name)) {
			return
		}
		quoted := false // output of a program, in Markdown
		for n, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "```") {
				quoted = line == "```text"
			}
			if quoted {
				continue
			}
			link := strings.Contains(line, "](") || strings.Contains(line, "https://")
			if got := utf8.RuneCountInString(line); got > longest && !link && !isRow(name, line) {
				t.Errorf("%s:%d: %d characters, want at most %d", name, n+1, got, longest)
			}
		}
	})
}

// row is a row of a table in Terraform's language.
var row = regexp.MustCompile(`^[\w"][\w", -]* *= \{.*\}$`)

// isRow reports whether a line is a row of a table, in Markdown, Go or Terraform, or a quoted XML document.
func isRow(name, line string) bool {
	text := strings.TrimSpace(line)
	switch {
	case strings.HasSuffix(name, "_test.go"):
		return strings.ContainsRune("{\"`<", rune(text[0]))
	case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, ".md.tmpl"):
		return text[0] == '|'
	case strings.HasSuffix(name, ".tf"), strings.HasSuffix(name, ".hcl"):
		return row.MatchString(text)
	default:
		return strings.HasSuffix(name, ".html.tmpl") // white space is content
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"a.go", "package a\n\n// A gives b.\nvar gives = 1\n", "gives"},
		{"a.go", "package a\n\nvar gives = 1\n", ""},
		{"a.go", "package a\n\nvar firstCopy = 1\n", "firstCopy"},
		{"a.go", "package a\n\nvar a = \"the first copy\"\n", "first copy"},
		{"a.go", "package a\n\nvar a = `x\nthe machine`\n", "machine"},
		{"a.md", "a virtual machine on this machine\n", ""},
		{"a.md", "2 second(s)\n", "nd(s)"},
		{"a.md", "takes 6.475012476671304 ms\n", "6.475012476671304"},
		{"a.go", "package a\n\nvar a = \"6.475012476671304\"\n", ""},
	} {
		got := ""
		for _, line := range linesOf(t, test.name, test.text) {
			for _, f := range forms {
				if found := f.in(test.name, line); found != "" {
					got = found
				}
			}
		}
		if got != test.want {
			t.Errorf("%q: found %q, want %q", test.text, got, test.want)
		}
	}
}

// source is a line: its comments and strings, and for Go its identifiers.
type source struct{ text, names string }

// in returns the banned wording of a line, empty if there is none.
func (f form) in(name string, line source) string {
	ends := func(ending string) bool { return strings.HasSuffix(name, ending) }
	if f.only != nil && !slices.ContainsFunc(f.only, ends) {
		return ""
	}
	if found := f.banned.FindString(line.text); found != "" || !f.names {
		return found
	}
	return f.banned.FindString(line.names)
}

// linesOf returns the lines of a file; of Go, only what stands in comments, strings and identifiers.
func linesOf(t *testing.T, name, text string) []source {
	t.Helper()
	lines := make([]source, strings.Count(text, "\n")+1)
	if !strings.HasSuffix(name, ".go") {
		for i, line := range strings.Split(text, "\n") {
			lines[i].text = allowed.ReplaceAllString(line, "")
		}
		return lines
	}
	files := token.NewFileSet()
	file := files.AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(at token.Position, msg string) { t.Errorf("%s: %s", at, msg) }, scanner.ScanComments)
	for {
		at, kind, literal := s.Scan()
		switch kind { //nolint:exhaustive // the other tokens have no words
		case token.EOF:
			return lines
		case token.COMMENT, token.STRING:
			for i, part := range strings.Split(literal, "\n") {
				lines[file.Line(at)-1+i].text += " " + allowed.ReplaceAllString(part, "")
			}
		case token.IDENT:
			lines[file.Line(at)-1].names += " " + literal
		}
	}
}

// eachFile visits the files that people write.
func eachFile(t *testing.T, visit func(name, text string)) {
	t.Helper()
	const root = "../../../.."
	endings := []string{".go", ".md", ".tmpl", ".tf", ".hcl", ".yaml", ".yml", ".rego", ".html", ".js", ""}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			if slices.Contains([]string{".git", "build", "dist", ".terraform"}, name) || isGenerated(name+"/") {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || isGenerated(name) || !slices.Contains(endings, path.Ext(name)) {
			return nil
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if text := string(content); !strings.HasPrefix(text, "// Code generated") {
			visit(name, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isGenerated reports whether a file, or a folder that ends in a slash, is generated, quoted or the test itself.
func isGenerated(name string) bool {
	if strings.HasPrefix(name, "docs/") {
		return name != "docs/" && !strings.HasPrefix(name, "docs/adr/")
	}
	return slices.Contains([]string{"CHANGELOG.md", "LICENSE", "internal/dev/test/archtest/wording_test.go"}, name)
}
