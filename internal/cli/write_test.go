package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
)

func TestOutput_replaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, open, link := filepath.Join(dir, "review.md"), filepath.Join(dir, "open.md"), filepath.Join(dir, "link.md")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, os.Link(path, open))
	require.NoError(t, os.Symlink(path, link))
	code, _, errs := run(t, verdict("meets"), "review", "-", "-o", link)
	require.Equal(t, cli.ExitOK, code, errs)
	for file, want := range map[string]string{open: "old", path: "# Capacity review", link: "# Capacity review"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err, file)
		assert.True(t, strings.HasPrefix(string(text), want), "%s: got %.40q, %v, want %q", file, text, err, want)
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 3)
}
