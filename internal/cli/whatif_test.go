package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/whatif"
)

const fromAFile = "../../examples/from-a-file/"

// TestWhatIf_tiersFile checks that a tiers file that a page wrote has the results of the page.
func TestWhatIf_tiersFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(fromAFile + "tiers.yaml")
	require.NoError(t, err)
	// A range has a confidence, which is drawn around the likely value until another one is given.
	text = bytes.Replace(text, []byte("daily_change_percent: 3"),
		[]byte("daily_change_percent: { low: 2, likely: 3, high: 5 }"), 1)
	tiers, computed := reviewedTiers(t, text)
	p := whatif.Open(&whatif.Model{
		Kind: "inventory", Tiers: whatif.FromEstate(computed.Estate), TiersFile: tiers.Values(),
	})
	for name, changes := range map[string]whatif.Changes{
		"none": nil,
		"some": {
			"tier/gold/rpo_minutes": 46.0, "tier/silver/peak_factor": 4.0, "link/bandwidth_mbps": 512.5,
			"growth/growth_percent_per_year": nil, "tier/gold/point_in_time.days": 2.0, "migration/window_hours": 14.0,
			"tier/bronze/daily_change_percent": nil, "tier/bronze/change_curve": map[string]any{"15": 0.1, "1440": 0.5},
		},
		"no range":   {"tier/silver/daily_change_percent": 4.0},
		"throughput": {"link/throughput_mbps": 900.0, "schedule/target_compliance_percent": 99.9},
	} {
		text, err := p.Write(whatif.FormatTiers, changes)
		require.NoError(t, err)
		_, again := reviewedTiers(t, []byte(text))
		var want, got []string
		if _, err := again.Estate.Compute(func(c onlink.Calculation) (map[string]any, error) {
			results, err := c.Calculator.Evaluate(c.Inputs)
			summary, _ := results["summary"].(string)
			want = append(want, summary)
			return results, err
		}); err != nil {
			t.Fatal(err)
		}
		for v := p.View(changes); len(v.Jobs) > 0; v = p.View(changes) {
			results, err := p.Run(changes, v.Jobs[0])
			p.Finish(changes, v.Jobs[0], results, err)
		}
		for _, r := range p.View(changes).Results {
			if !r.Together {
				got = append(got, r.Summary)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q; %s", name, got, want, text)
		}
	}
}

// reviewedTiers reads the example's inventory with tiers.
func reviewedTiers(t *testing.T, text []byte) (*estate.Tiers, *estate.Review) {
	t.Helper()
	tiers, err := estate.ReadTiers("tiers.yaml", bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	file, err := os.Open(fromAFile + "RVTools_tabvInfo.csv")
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // it was read only
	found, err := inventoryfile.Read(file, inventoryfile.Options{Format: inventoryfile.Auto, Keep: tiers.Columns()})
	require.NoError(t, err)
	r, err := estate.NewReview("a.csv", found, tiers)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return tiers, r
}

// TestWhatIf_errors checks the exit codes. A test is built without the page.
func TestWhatIf_errors(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "what-if.html")
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"what-if", "-o", out}, 1, "built without the page: build it with `go run ./internal/dev/cmd/install`"},
		{[]string{"what-if", "a.json", "b.json"}, 2, "one file at most, got 2"},
		{[]string{"what-if", "a.json", "--inventory", "b.csv"}, 2, "the page has one source"},
	} {
		code, _, errs := run(t, "", test.args...)
		if code != test.code || !strings.Contains(errs, test.want) {
			t.Errorf("%v: got %d, %s, want %d, %s", test.args, code, errs, test.code, test.want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("got a page, want none")
	}
}
