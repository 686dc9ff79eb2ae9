package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/report"
)

func figure(t *testing.T, s report.Subject, title string) report.Figure {
	t.Helper()
	i := slices.IndexFunc(s.Figures, func(f report.Figure) bool { return f.Title == title })
	require.GreaterOrEqual(t, i, 0, "there is no figure %q, notes %q", title, s.Notes)
	return s.Figures[i]
}

func texts(t report.Table) []string {
	rows := make([]string, 0, len(t.Rows))
	for _, row := range t.Rows {
		cells := make([]string, 0, len(row))
		for _, c := range row {
			cells = append(cells, c.Text)
		}
		rows = append(rows, strings.Join(cells, "; "))
	}
	return rows
}

// TestBuild_growth verifies the growth chart of 15 VMs of 100 GiB with a daily change of 5%. Sending 75 GiB takes 715
// s (11m 56s) at 901 Mbit/s. At the worse end, a whole day changes within one hour, 178.96 Mbit/s, and the link
// provides 901 * 0.7 / 1.87 = 337.27 Mbit/s. Growth by 30% a year takes the share of 0.5306 to 0.9 after
// 12 ln(0.9 / 0.5306) / ln 1.3 = 24.17 months. Then, a cycle takes 715.03 * 0.9 / 0.5306 = 1,212.8 s, 33.69% of the
// RPO.
func TestBuild_growth(t *testing.T) {
	t.Parallel()
	in := replication.Defaults()
	in.VMCount = 15
	in.VMSizeGiB = 100
	in.DailyChangePercent = 5
	in.RPOMinutes = 60
	in.ThroughputMbps = 901
	growth := 30.0
	in.GrowthPercentPerYear, in.HorizonMonths = &growth, 84
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	s := one(t, "vsla_replication_estimate", with(replication.EstimateDefinition.Values(&r), object{
		"vm_count":                15,
		"vm_size_gib":             100,
		"daily_change_percent":    5,
		"rpo_minutes":             60,
		"throughput_mbps":         901,
		"growth_percent_per_year": 30,
		"horizon_months":          84,
	}))
	f := figure(t, s, "How long it holds")
	rows := texts(f.Data)
	for _, want := range []string{
		"0; 11m 56s; 19.86%; holds; today", "24.1; 20m 13s; 33.69%; at risk; at risk from here on",
	} {
		assert.Contains(t, rows, want)
	}
	// Rows: today, every 6 months from 6 to 78, the horizon, and the point where the verdict changes.
	require.Len(t, rows, 1+13+1+1)
	assert.Contains(t, f.Description, "It holds for 24.1 months.")
}

func TestBuild_changeCurve(t *testing.T) {
	t.Parallel()
	in := replication.Defaults()
	in.VMCount = 15
	in.VMSizeGiB = 100
	in.RPOMinutes = 15
	in.ThroughputMbps = 901
	in.ChangeCurve = map[float64]float64{15: 1.6, 240: 2.8, 1440: 7}
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	s := one(t, "vsla_replication_estimate", with(replication.EstimateDefinition.Values(&r), object{
		"vm_count":        15,
		"vm_size_gib":     100,
		"rpo_minutes":     15,
		"throughput_mbps": 901,
		"change_curve":    object{"15": 1.6, "240": 2.8, "1440": 7},
	}))
	f := figure(t, s, "Change over time")
	want := []string{"4h; 2.8 GiB; given", "1d; 7 GiB; given", "15m; 1.6 GiB; the busiest cycle"}
	assert.Equal(t, want, texts(f.Data))
}

func TestNothing(t *testing.T) {
	t.Parallel()
	w := inline(t, `
resource "terraform_data" "other" {
  input = 1
}
output "other" {
  value = terraform_data.other.input
}
`)
	r := build(t, planned(t, w, 0))
	assert.Equal(t, "The file contains no vsla results.", r.Headline)
	assert.Empty(t, r.Sections)
	assert.False(t, r.Fails(plan.Misses), "%+v", r)
	assert.True(t, r.Fails(plan.Unknown), "%+v", r)
	checkPage(t, html(t, r))
	assert.Equal(t, r.Headline, build(t, show(t, w)).Headline)
}
