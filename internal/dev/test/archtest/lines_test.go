package archtest_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// longest is the longest line, in characters.
const longest = 120

func TestLines(t *testing.T) {
	t.Parallel()
	checked := 0
	eachFile(t, func(name, text string) {
		checked++
		quoted := false // output of a program, in Markdown
		for n, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "```") {
				quoted = line == "```text"
			}
			if quoted {
				continue
			}
			link := strings.Contains(line, "](") || strings.Contains(line, "https://")
			got := utf8.RuneCountInString(line)
			assert.False(t, got > longest && !link && !isRow(name, line),
				"%s:%d: %d characters, want at most %d", name, n+1, got, longest)
		}
	})
	assert.GreaterOrEqual(t, checked, 5)
}

// row matches a table row in Terraform's language.
var row = regexp.MustCompile(`^[\w"][\w", -]* *= \{.*\}$`)

// isRow reports whether a line may be long: a table row in Markdown, Go or Terraform, or a quoted XML document.
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

// eachFile visits the files that are not generated.
func eachFile(t *testing.T, visit func(name, text string)) {
	t.Helper()
	const root = "../../../.."
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
		written := slices.Contains([]string{".go", ".md", ".tmpl", ".tf", ".hcl"}, path.Ext(name))
		if !entry.Type().IsRegular() || isGenerated(name) || !written {
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
	require.NoError(t, err)
}

// isGenerated reports whether a file, or a folder ending in a slash, is generated or quoted.
func isGenerated(name string) bool {
	if strings.HasPrefix(name, "docs/") {
		return name != "docs/" && !strings.HasPrefix(name, "docs/adr/")
	}
	return slices.Contains([]string{"CHANGELOG.md", "LICENSE"}, name)
}
