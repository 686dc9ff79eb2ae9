package docstest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// TestFirstPlan checks that the verdicts are already known in the first plan, before any tag exists.
func TestFirstPlan(t *testing.T) {
	t.Parallel()
	lab, _ := tiersLab(t)
	for _, test := range []struct {
		example, output string
		keys            []string
	}{
		{"examples/demo", "verdicts", []string{"gold", "silver", "bronze"}},
		{tiersExample, "verdicts", []string{"gold", "silver"}},
	} {
		t.Run(test.example, func(t *testing.T) {
			t.Parallel()
			w, dir := acctest.Workspace(t, lab, test.example)
			write(t, dir, "provider_override.tf", impatient)
			verdicts := plannedVerdicts(t, w, test.output)
			for _, tier := range test.keys {
				assert.Equal(t, "meets", verdicts[tier])
			}
		})
	}
}

// plannedVerdicts runs a plan and returns the verdicts in an output. A verdict is empty if it is unknown.
func plannedVerdicts(t *testing.T, w *terraformcli.Workspace, output string) map[string]string {
	t.Helper()
	acctest.RunTerraform(t, w, 0, "plan", "-out=tfplan", "-input=false", "-no-color")
	cmd := w.Command(t.Context(), "show", "-json", "tfplan")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Discard
	require.NoError(t, cmd.Run())
	var plan struct {
		Changes map[string]struct {
			After any `json:"after"`
		} `json:"output_changes"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &plan))
	verdicts := map[string]string{}
	after, _ := plan.Changes[output].After.(map[string]any)
	for name, verdict := range after {
		verdicts[name], _ = verdict.(string)
	}
	return verdicts
}
