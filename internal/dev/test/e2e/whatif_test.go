package e2e_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/page"
)

// TestWhatIf_planned checks that a plan of the configuration that a page writes has the page's answers, and that the
// page of that plan has them again.
func TestWhatIf_planned(t *testing.T) {
	t.Parallel()
	model := page.Example()
	model.Plan["days"], model.Plan["runs"] = 4.0, 1.0 // a longer run adds nothing to the comparison
	first, err := whatif.Open(model)
	require.NoError(t, err)
	changes := whatif.Changes{
		"link/metro/throughput_mbps": 333.3, "tier/gold/rpo_minutes": 20.0, "plan/growth_percent_per_year": nil,
		"without": []any{"db-001"}, "tier/silver/vm_count": 61.0,
	}
	want, err := first.Compute(t.Context(), changes, whatif.Watch{})
	require.NoError(t, err)
	text, err := first.Write(whatif.FormatHCL, changes)
	require.NoError(t, err)
	w, dir := acctest.Workspace(t, nil, "internal/report/testdata/scenarios/tiers/branch")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.tf"), []byte(text), 0o600))
	acctest.Terraform(t, w, 0, "plan", "-input=false", "-out=tfplan")
	shown, err := w.Command(t.Context(), "show", "-json", "tfplan").Output()
	require.NoError(t, err)
	d, err := document.Read(strings.NewReader(string(shown)))
	require.NoError(t, err)
	again, result := page.FromDocument("plan.json", d)
	require.NotNil(t, result, "got no plan")
	second, err := whatif.Open(again)
	require.NoError(t, err)
	planned, err := second.View(t.Context(), *result)
	assert.True(t, err == nil && reflect.DeepEqual(planned.Answer, want.Answer) && planned.Headline == want.Headline,
		"got %+v, %v in the plan, want %+v", planned.Answer, err, want.Answer)
	computed, err := second.Compute(t.Context(), nil, whatif.Watch{})
	require.NoError(t, err)
	assert.Equal(t, want.Answer, computed.Answer)
}
