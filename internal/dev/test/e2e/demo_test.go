package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
)

func TestDemo(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "run", "./internal/dev/cmd/demo")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%+v", out)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	_, quoted, _ := strings.Cut(string(readme), "The demo tags")
	quote := regexp.MustCompile("(?s)```text\n(.*?)```").FindStringSubmatch(quoted)
	require.NotNil(t, quote)
	assert.Contains(t, string(out), quote[1], "the demo does not print this quote of the README")
	rest := string(out)
	for _, want := range []string{
		"Plan: 7 to add",
		`"meets"`, // the verdicts are known before the apply
		"Apply complete! Resources: 7 added",
		"640 VMs were tagged with 3 attach requests.",
		"No changes.",
		// The initial syncs of 15 VMs are predicted to take 15m 40s. After half that time, only small VMs are in sync.
		// After the full time, all VMs are in sync.
		"Apply complete! Resources: 15 added",
		`predicted_initial_sync = "15m 40s"`,
		`"INITIAL_FULL_SYNC" = 15`,
		"~ INITIAL_FULL_SYNC = 15 -> ",
		" -> 100",
		"+ OK                = 15",
		" syncs and 0 violations of the RPO",
		"No changes.",
		"promises what this link cannot keep",
		"Destroy complete! Resources: 15 destroyed.",
		"Destroy complete! Resources: 7 destroyed.",
		"0 tags, categories and associations, 0 sessions",
		"0 replications, 0 replica disks, 0 sessions",
	} {
		_, after, ok := strings.Cut(rest, want)
		require.True(t, ok, "%q is missing, or out of order, in:\n%s", want, out)
		rest = after
	}
}
