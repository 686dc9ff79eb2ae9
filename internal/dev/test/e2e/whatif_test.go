package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/page"
)

// TestWhatIf_planned checks that the plan of a configuration written by a page has the page's results, and that a
// page of that plan has them, too.
func TestWhatIf_planned(t *testing.T) {
	t.Parallel()
	model := page.Example()
	model.Tiers["schedule"] = map[string]any{"days": 2.0} // a longer run adds nothing
	first := whatif.Open(model)
	changes := whatif.Changes{
		"link/bandwidth_mbps": 333.3, "tier/gold/rpo_minutes": 20.0, "growth/growth_percent_per_year": 12.5,
		"tier/silver/change_curve": map[string]any{"15": 0.5, "1440": 6.25}, "tier/silver/daily_change_percent": nil,
	}
	want := summaries(t, first, changes)
	text, err := first.Write(whatif.FormatHCL, changes)
	require.NoError(t, err)
	w, dir := acctest.Workspace(t, nil, "internal/report/testdata/scenarios/tiers/branch")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.tf"), []byte(text), 0o600))
	acctest.Terraform(t, w, 0, "plan", "-input=false", "-out=tfplan")
	shown, err := w.Command(t.Context(), "show", "-json", "tfplan").Output()
	require.NoError(t, err)
	d, err := document.Read(strings.NewReader(string(shown)))
	require.NoError(t, err)
	var planned []string
	for _, f := range d.Results() {
		summary, _ := f.Values["summary"].(string)
		planned = append(planned, summary)
	}
	slices.Sort(planned)
	if !slices.Equal(planned, want) {
		t.Errorf("got %q in the plan, want %q", planned, want)
	}
	text2, err := json.Marshal(page.FromDocument("plan.json", d))
	require.NoError(t, err)
	var again whatif.Model
	require.NoError(t, json.Unmarshal(text2, &again))
	if got := summaries(t, whatif.Open(&again), nil); !slices.Equal(got, want) {
		t.Errorf("got %q on the page of the plan, want %q", got, want)
	}
}

// summaries returns the sorted summaries of a page's results.
func summaries(t *testing.T, p *whatif.Page, changes whatif.Changes) []string {
	t.Helper()
	for v := p.View(changes); len(v.Jobs) > 0; v = p.View(changes) {
		results, err := p.Run(changes, v.Jobs[0])
		p.Finish(changes, v.Jobs[0], results, err)
	}
	var all []string
	for _, r := range p.View(changes).Results {
		if r.Together || r.Summary == "" {
			continue
		}
		if strings.HasPrefix(r.Summary, "Not computed") {
			t.Errorf("%s: %s", r.Title, r.Summary)
		}
		all = append(all, r.Summary)
	}
	slices.Sort(all)
	return all
}
