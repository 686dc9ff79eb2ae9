package validation_test

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/test/validation"
)

func TestDirection(t *testing.T) {
	t.Parallel()
	for _, row := range validation.Rows() {
		if row.Kind != validation.Measured || len(row.Predicted) == 0 {
			continue
		}
		slowdown := row.Slowdown(row.Predicted)
		assert.Positive(t, slowdown, row.ID)
		assert.False(t, math.IsInf(slowdown, 0), "%s: slowdown %v", row.ID, slowdown)
	}
	for _, test := range []struct{ id, unit string }{
		{"vxpertise-routed", "GiB"}, // less data on a link can be better or worse
		{"database-sent", "MiB/s"},  // a higher migration rate can be better or worse
	} {
		row := find(t, test.id)
		row.Unit = test.unit
		direction, err := row.Direction()
		assert.Error(t, err, "%s in %s: direction %d, want an error", test.id, test.unit, direction)
	}
}

func find(t *testing.T, id string) validation.Row {
	t.Helper()
	for _, row := range validation.Rows() {
		if row.ID == id {
			return row
		}
	}
	t.Fatalf("no row is named %s", id)
	return validation.Row{}
}

func TestSlowdown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule                 validation.Rule
		unit                 string
		published, predicted []float64
		want                 float64
	}{
		{validation.Within15, "s", []float64{120}, []float64{100}, 1.2},
		{validation.Within15, "min", []float64{80}, []float64{100}, 0.8},
		{validation.Within15, "times", []float64{12}, []float64{10}, 1.2},
		{validation.Within15, "Mbit/s", []float64{80}, []float64{100}, 1.25},
		{validation.Within15, "requests/s", []float64{200}, []float64{100}, 0.5},
		// Ranges are compared at their nearer ends. If they overlap, the slowdown is 1.
		{validation.Between, "s", []float64{150}, []float64{70, 100}, 1.5},
		{validation.Between, "s", []float64{35}, []float64{100, 70}, 0.5},
		{validation.Between, "s", []float64{90}, []float64{70, 100}, 1},
		{validation.Between, "Mbit/s", []float64{35}, []float64{100, 70}, 2},
		{validation.Between, "Mbit/s", []float64{200}, []float64{70, 100}, 0.5},
		{validation.Between, "Mbit/s", []float64{5, 7}, []float64{5.5}, 1},
		{validation.Between, "Mbit/s", []float64{5, 7}, []float64{14}, 2},
		{validation.Between, "s", []float64{8, 6}, []float64{3}, 2},
		// An upper bound has no lower end.
		{validation.AtMost, "s", []float64{1}, []float64{100}, 1},
		{validation.AtMost, "s", []float64{150}, []float64{100}, 1.5},
	} {
		row := find(t, "vxpertise-routed")
		row.Rule = test.rule
		row.Unit = test.unit
		row.Published = test.published
		assert.InDelta(t, test.want, row.Slowdown(test.predicted), 1e-12)
	}
}

func TestRow_slowdown(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	cells := map[string]string{
		"vxpertise-routed": " 1.02 |\n", // 450.5 / 440 = 1.0239
		"database-stop":    " 0.05 |\n", // 0.0153 / 0.289 = 0.053
		"dell-example-oc3": "  |\n",
	}
	for id, cell := range cells {
		assert.Contains(t, string(page), find(t, id).Line()+cell)
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/owner/name/pull/491":               "owner/name",
		"https://github.com/owner/name/blob/0123456/docs/a.md": "owner/name",
		"https://github.com/owner":                             "owner",
		"http://example.com/a/b/c":                             "http://example.com/a/b/c",
	} {
		assert.Equal(t, want, (validation.Source{Address: address}).Origin(), address)
	}
}
