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
	path := filepath.Join(dir, "review.md")
	open := filepath.Join(dir, "open.md")
	link := filepath.Join(dir, "link.md")
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

// TestOutput_input verifies that a file is never replaced by what is made from it, under any of its names.
func TestOutput_input(t *testing.T) {
	t.Parallel()
	inventory, tiers := estateFiles(t, tiersText)
	dir := filepath.Dir(inventory)
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	plan := file("plan.json", gated)
	policy := file("policy.yaml", `promises: { "*": { max_rpo_minutes: 15 } }`)
	earlier := file("earlier.csv", estateText)
	hard := filepath.Join(dir, "hard")
	soft := filepath.Join(dir, "soft")
	folder := filepath.Join(dir, "folder")
	require.NoError(t, os.Link(inventory, hard))
	require.NoError(t, os.Symlink(policy, soft))
	require.NoError(t, os.Symlink(dir, folder))
	for _, test := range []struct{ args, want string }{
		{"review %D/vms.csv --format md -o %D/vms.csv", "--output %D/vms.csv is the same file as the input %D/vms.csv"},
		{"review %D/vms.csv --summary -o %D/hard", "--output %D/hard is the same file as the input"},
		{"review %D/vms.csv --tiers %D/tiers.yaml --format md -o %D/tiers.yaml", "the same file as --tiers"},
		{
			"review %D/vms.csv --tiers %D/tiers.yaml --baseline %D/earlier.csv --comment %D/earlier.csv",
			"--comment %D/earlier.csv is the same file as --baseline",
		},
		{"review %D/vms.csv --baseline-tiers %D/policy.yaml --waves %D/soft", "the same file as --baseline-tiers"},
		{"review %D/vms.csv --interactive -o %D/folder/vms.csv", "the same file as the input"},
		{"review %D/plan.json -o %D/new.md --waves %D/folder/new.md", "%D/folder/new.md is the same file as --output"},
		{"review %D --tiers %D/tiers.yaml --waves %D/vms.csv", "the same file as the input %D/vms.csv"},
		{"review %D/plan.json --waves -", "only one of --output and --waves can write"},
		{"gate %D/plan.json --settings %D/policy.yaml -o %D/plan.json", "the same file as the plan"},
		{"gate %D/plan.json --settings %D/policy.yaml -o %D/soft", "the same file as --settings"},
		{"gate %D/plan.json --settings x --plan-file %D/vms.csv -o %D/hard", "the same file as --plan-file"},
		{"gate - --settings x --baseline %D/plan.json -o %D/plan.json", "the same file as --baseline"},
		{"gate --init %D/plan.json -o %D/plan.json", "the same file as the plan"},
		{"compliance --config %D/policy.yaml -o %D/soft", "the same file as --config"},
	} {
		code, _, errs := run(t, gated, strings.Fields(strings.ReplaceAll(test.args, "%D", dir))...)
		assert.Equal(t, cli.ExitUsage, code, test.args)
		assert.Contains(t, errs, strings.ReplaceAll(test.want, "%D", dir), test.args)
	}
	for name, want := range map[string]string{
		inventory: estateText,
		tiers:     tiersText,
		plan:      gated,
		earlier:   estateText,
	} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, want, string(text), name)
	}
	code, _, errs := run(t, gated, "gate", "-", "--settings", policy, "-o", os.DevNull)
	assert.Equal(t, cli.ExitOK, code, errs)
}
