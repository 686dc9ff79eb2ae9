package assess

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestKinds: every data source in the documentation has a description with its arguments.
func TestKinds(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/data-sources/*.md")
	if err != nil || len(pages) < 25 {
		t.Fatalf("pages: got %d, %v, want 25 or more", len(pages), err)
	}
	argument := regexp.MustCompile("(?m)^- `(\\w+)`")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := "vsla_" + strings.TrimSuffix(filepath.Base(page), ".md")
		_, schema, _ := strings.Cut(string(text), "## Schema")
		arguments, _, _ := strings.Cut(schema, "### Read-Only")
		var want []string
		for _, found := range argument.FindAllStringSubmatch(arguments, -1) {
			want = append(want, found[1])
		}
		slices.Sort(want)
		if got := slices.Sorted(slices.Values(KindOf(name).Arguments)); !slices.Equal(got, want) {
			t.Errorf("arguments of %s: got %q, want %q", name, got, want)
		}
	}
}
