package assess

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKinds: every data source in the documentation has a description with its arguments.
func TestKinds(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/data-sources/*.md")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(pages), 25)
	argument := regexp.MustCompile("(?m)^- `(\\w+)`")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		name := "vsla_" + strings.TrimSuffix(filepath.Base(page), ".md")
		_, schema, _ := strings.Cut(string(text), "## Schema")
		arguments, _, _ := strings.Cut(schema, "### Read-Only")
		var want []string
		for _, found := range argument.FindAllStringSubmatch(arguments, -1) {
			want = append(want, found[1])
		}
		slices.Sort(want)
		assert.Equal(t, want, slices.Sorted(slices.Values(KindOf(name).Arguments)), name)
	}
}
