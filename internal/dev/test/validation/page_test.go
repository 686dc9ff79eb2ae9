package validation_test

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/test/validation"
)

var update = flag.Bool("update", false, "write the page")

const file = "../../../../templates/guides/validation.md"

func TestPage_drift(t *testing.T) {
	t.Parallel()
	page := validation.Page()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	}
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, page, string(written), "templates/guides/validation.md is out of date: run make validation")
}

func TestRow(t *testing.T) {
	t.Parallel()
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, row := range validation.Rows() {
		assert.False(t, seen[row.ID], "two rows are named %s", row.ID)
		seen[row.ID] = true
		t.Run(row.ID, func(t *testing.T) {
			t.Parallel()
			require.Len(t, row.Predicted, len(row.Hand))
			for i, want := range row.Hand {
				assert.InDelta(t, want, row.Predicted[i], 1e-6*want)
			}
			holds := row.Holds(row.Hand)
			require.Equal(t, row.Mismatch.Text == "", holds)
			assert.Equal(t, row.Mismatch.Cause == "", holds)
			assert.Equal(t, 1, strings.Count(string(written), row.Line()))
		})
	}
	assert.GreaterOrEqual(t, len(seen), 30)
}

func TestLine_printed(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"line-T-1-0.01":     "| 5.2% | 5.18 |",
		"line-OC-192-0.01":  "| 0.0% |",
		"dpm-50gb-0.5m":     "| 284 h | 284 |",
		"dpm-1gb-100m":      "| at most 1 h |",
		"zerto-batch":       "| more than 2 h | 2.22 |",
		"learn-50tb":        "| 6 to 7 days | 6.25 |",
		"azure-migrate-3tb": "| 168,000 s | 168,000 |",
	}
	for _, row := range validation.Rows() {
		cells, ok := want[row.ID]
		if !ok {
			continue
		}
		delete(want, row.ID)
		assert.Contains(t, row.Line(), cells, row.ID)
	}
	for id := range want {
		t.Errorf("no row %s", id)
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule                 validation.Rule
		published, predicted []float64
		decimals             int
		want                 bool
	}{
		{validation.Within15, []float64{100}, []float64{114.9}, 0, true},
		{validation.Within15, []float64{100}, []float64{115.1}, 0, false},
		{validation.Within15, []float64{100}, []float64{84.9}, 0, false},
		{validation.Between, []float64{100}, []float64{90, 110}, 0, true},
		{validation.Between, []float64{100}, []float64{110, 101}, 0, false},
		{validation.Between, []float64{5, 7}, []float64{5.5}, 0, true},
		{validation.Between, []float64{5, 7}, []float64{7.1}, 0, false},
		{validation.AtMost, []float64{100}, []float64{100}, 0, true},
		{validation.AtMost, []float64{100}, []float64{99.9}, 0, false},
		{validation.Exact, []float64{100}, []float64{102.9}, 0, true},
		{validation.Exact, []float64{100}, []float64{96.9}, 0, false},
		{validation.Cautious, []float64{100}, []float64{80.1}, 0, true},
		{validation.Cautious, []float64{100}, []float64{79.9}, 0, false},
		{validation.Cautious, []float64{100}, []float64{103.1}, 0, false},
		{validation.Printed, []float64{71}, []float64{71.49}, 0, true},
		{validation.Printed, []float64{71}, []float64{71.51}, 0, false},
		{validation.Printed, []float64{71}, []float64{70.49}, 0, false},
		{validation.Printed, []float64{5.2}, []float64{5.18}, 1, true},
		{validation.Printed, []float64{5.2}, []float64{5.1}, 1, false},
		{validation.Printed, []float64{0}, []float64{0.04}, 1, true},
		{validation.Printed, []float64{6, 7}, []float64{7}, 0, true},
		{validation.Printed, []float64{6, 7}, []float64{7.1}, 0, false},
		{validation.Printed, []float64{0, 1}, []float64{0.3, 1.1}, 0, false},
		{validation.Printed, []float64{2, math.Inf(1)}, []float64{2.2}, 0, true},
		{validation.Printed, []float64{2, math.Inf(1)}, []float64{1.9}, 0, false},
		{"another rule", []float64{100}, []float64{100}, 0, false},
	} {
		row := validation.Row{Rule: test.rule, Published: test.published, Decimals: test.decimals}
		assert.Equal(t, test.want, row.Holds(test.predicted))
	}
}
