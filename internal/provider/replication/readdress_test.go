package replication_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestCLI_unrefreshed replaces a replication that no refresh shows. The plan must not fail, because the apply succeeds.
func TestCLI_unrefreshed(t *testing.T) {
	t.Parallel()
	const early = "lifecycle {\n  create_before_destroy = true\n}"
	for name, test := range map[string]struct {
		extra string
		flags []string
		taint bool
		// configured is the number of replications that the two applies configure.
		configured int
	}{
		"tainted":         {"", []string{"-refresh=false"}, true, 1},
		"tainted, adopts": {"adopt_existing = true", []string{"-refresh=false"}, true, 1},
		"replaced":        {"", []string{"-refresh=false", "-replace=vsla_replication.database"}, false, 2},
		"adopted early": {
			"adopt_existing = true\n" + early,
			[]string{"-replace=vsla_replication.database"},
			false,
			1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 40, gateway.Switches{})
			w, dir := workspace(t, s)
			rewrite(t, dir, "point_in_time ", test.extra+"\npoint_in_time ")
			apply := []string{"apply", "-auto-approve", "-input=false", "-no-color"}
			acctest.RunTerraform(t, w, 0, apply...)
			if test.taint {
				acctest.RunTerraform(t, w, 0, "taint", "vsla_replication.database")
			}
			acctest.RunTerraform(t, w, 0, append(apply, test.flags...)...)
			assert.Equal(t, test.configured, s.Traffic().Count("configureReplication"))
			acctest.RunTerraform(t, w, 0, "plan", "-detailed-exitcode", "-input=false")
			acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
		})
	}
}

// TestCLI_otherAddress verifies that a plan that moves a replication to another address proposes a moved block.
func TestCLI_otherAddress(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"refreshed": nil, "not refreshed": {"-refresh=false"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 40, gateway.Switches{})
			w, dir := workspace(t, s)
			acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
			rewrite(t, dir, `"vsla_replication" "database"`, `"vsla_replication" "renamed"`)
			plan := append([]string{"plan", "-input=false", "-no-color"}, flags...)
			said := acctest.RunTerraform(t, w, 0, plan...)
			assert.Equal(t, 1, strings.Count(said, "Is Removed and Created Again"), said)
			assert.Contains(t, said, "from = vsla_replication.OLD")
			acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
		})
	}
}

func rewrite(t *testing.T, dir, from, to string) {
	t.Helper()
	file := filepath.Join(dir, "resource.tf")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), from)
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), from, to)), 0o600))
}
