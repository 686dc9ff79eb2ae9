package docstest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
)

// TestGuides_versions: programs that a guide or a pipeline installs have the version that the tests build.
func TestGuides_versions(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "templates", "guides", "*.md"))
	require.NoError(t, err)
	job := filepath.Join(root, "examples", "pipeline", "github-actions.yml")
	files = append(files, filepath.Join(root, "README.md"), job)
	install := regexp.MustCompile(`go install (github\.com/[\w./-]+)@(\S+)`)
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range install.FindAllStringSubmatch(string(text), -1) {
			seen++
			module := filepath.Join(root, "internal", "dev", "tools", filepath.Base(found[1]), "go.mod")
			pinned, err := os.ReadFile(module)
			want := found[1] + " " + found[2]
			require.NoError(t, err, "%v, %v, %v", filepath.Base(file), found[0], module)
			assert.Contains(t, string(pinned), want, "%v, %v, %v", filepath.Base(file), found[0], module)
		}
	}
	assert.NotEqual(t, 0, seen, "got no program that a guide installs, want conftest")
}
