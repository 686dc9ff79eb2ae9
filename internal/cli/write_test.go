package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
)

// TestOutput_replaced: a file is replaced in one step. Whoever has the old one open, here by a hard link, keeps all of
// it; a symbolic link is followed, the mode stays, and no temporary file remains.
func TestOutput_replaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, open, link := filepath.Join(dir, "review.md"), filepath.Join(dir, "open.md"), filepath.Join(dir, "link.md")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, os.Link(path, open))
	require.NoError(t, os.Symlink(path, link))
	if code, _, errs := run(t, verdict("meets"), "report", "-", "-o", link); code != cli.ExitOK {
		t.Fatalf("exit code %d, want 0: %s", code, errs)
	}
	for file, want := range map[string]string{open: "old", path: "# Capacity review", link: "# Capacity review"} {
		if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), want) {
			t.Errorf("%s: got %.40q, %v, want %q", file, text, err, want)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: got %v, %v, want 0600", info.Mode(), err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 3 {
		t.Errorf("files: got %v, %v, want 3", files, err)
	}
}
