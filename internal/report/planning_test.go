package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	nethtml "golang.org/x/net/html"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
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
// s (11m 56s) at 901 Mbit/s. If the VMs grow by 30% a year, a cycle takes half of the one-hour RPO after 12 ln(1800 /
// 715.03) / ln 1.3 = 42.2 months, and all of it after 73.9 months.
func TestBuild_growth(t *testing.T) {
	t.Parallel()
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.DailyChangePercent, in.RPOMinutes, in.ThroughputMbps = 15, 100, 5, 60, 901
	growth := 30.0
	in.GrowthPercentPerYear, in.HorizonMonths = &growth, 84
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	s := one(t, "vsla_replication_estimate", with(replication.EstimateDefinition.Values(&r), object{
		"vm_count": 15, "vm_size_gib": 100, "daily_change_percent": 5, "rpo_minutes": 60, "throughput_mbps": 901,
		"growth_percent_per_year": 30, "horizon_months": 84,
	}))
	f := figure(t, s, "How long it holds")
	rows := texts(f.Data)
	for _, want := range []string{
		"0; 11m 56s; 19.86%; holds; today", "42.2; 30m; 50%; at risk; longer than half the RPO from here on",
		"73.9; 1h; 100%; does not hold; longer than the RPO from here on",
	} {
		assert.Contains(t, rows, want)
	}
	// Rows: today, every 6 months from 6 to 78, the horizon, and the two points where the verdict changes.
	require.Len(t, rows, 1+13+1+2)
	assert.Contains(t, f.Description, "It does not hold after 73.9 months.")
}

func TestBuild_changeCurve(t *testing.T) {
	t.Parallel()
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.RPOMinutes, in.ThroughputMbps = 15, 100, 15, 901
	in.ChangeCurve = map[float64]float64{15: 1.6, 240: 2.8, 1440: 7}
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	s := one(t, "vsla_replication_estimate", with(replication.EstimateDefinition.Values(&r), object{
		"vm_count": 15, "vm_size_gib": 100, "rpo_minutes": 15, "throughput_mbps": 901,
		"change_curve": object{"15": 1.6, "240": 2.8, "1440": 7},
	}))
	f := figure(t, s, "Change over time")
	want := []string{"4h; 2.8 GiB; given", "1d; 7 GiB; given", "15m; 1.6 GiB; the busiest cycle"}
	assert.Equal(t, want, texts(f.Data))
}

// TestBuild_scheduleCurves verifies the change curves of groups, including the change within one RPO. Below the first
// point, the change is proportional: if 1.6 GiB changes in 15 minutes, 0.8 GiB (819.2 MiB) changes in 7.5 minutes. A
// page with the maximum number of curves is smaller than 200 KB.
func TestBuild_scheduleCurves(t *testing.T) {
	t.Parallel()
	schedule := func(groups object) (report.Subject, string) {
		values := object{"throughput_mbps": 901.0, "groups": groups}
		in, err := replication.ScheduleDefinition.Decode(values)
		require.NoError(t, err)
		r, err := replication.Simulate(in)
		require.NoError(t, err)
		values = with(replication.ScheduleDefinition.Values(&r), values)
		review := build(t, state(t, data("vsla_replication_schedule", "x", values)))
		page := html(t, review)
		checkPage(t, page)
		return review.Sections[0].Subjects[0], page
	}
	group := func(rpo float64, change object) object {
		return with(object{"vm_count": 2.0, "vm_size_gib": 100.0, "rpo_minutes": rpo}, change)
	}
	s, _ := schedule(object{
		"even":        group(60, object{"daily_change_percent": 5.0}),
		"low":         group(7.5, object{"change_curve": object{"15": 1.6, "240": 2.8, "1440": 7.0}}),
		"at\ta point": group(240, object{"change_curve": object{"15": 1.6, "240": 2.8}}),
	})
	for title, want := range map[string][]string{
		"Change over time, low": {
			"15m; 1.6 GiB; given", "4h; 2.8 GiB; given", "1d; 7 GiB; given", "7m 30s; 819.2 MiB; one RPO",
		},
		"Change over time, at a point": {"15m; 1.6 GiB; given", "4h; 2.8 GiB; one RPO"},
	} {
		assert.Equal(t, want, texts(figure(t, s, title).Data), title)
	}
	said := figure(t, s, "Change over time, low").Description
	assert.True(t, strings.HasSuffix(said, "One RPO: 819.2 MiB per VM."),
		"description %q, want it to end with 819.2 MiB of one VM", said)
	// Figures: hours, ages, runs, and two curves.
	assert.Len(t, s.Figures, 3+2)

	many := object{"even": group(60, object{"daily_change_percent": 5.0})}
	for i := range 17 {
		many[strconv.Itoa(i)] = group(15, object{"change_curve": object{"15": 1.6}})
	}
	s, page := schedule(many)
	f := s.Figures[len(s.Figures)-1]
	require.Len(t, s.Figures, 3+16)
	assert.Equal(t, "The worst 16 of 17 groups.", f.Data.Note)
	assert.Less(t, len(page), 200_000)
}

func TestBuild_runs(t *testing.T) {
	t.Parallel()
	totals := func(p5, mean, p95 float64) object {
		return object{"p5_compliance_percent": p5, "mean_compliance_percent": mean, "p95_compliance_percent": p95}
	}
	schedule := func(runs float64) report.Subject {
		return one(t, "vsla_replication_schedule", with(totals(97.5, 98.75, 99.5), object{
			"verdict": "misses", "runs_simulated": runs, "target_compliance_percent": 99,
			"groups": object{"gold": totals(95, 97.5, 99), "silver": totals(100, 100, 100)},
		}))
	}
	f := figure(t, schedule(20), "Compliance over 20 runs")
	want := []string{"all groups; 97.5%; 98.75%; 99.5%", "gold; 95%; 97.5%; 99%", "silver; 100%; 100%; 100%"}
	assert.Equal(t, want, texts(f.Data))
	bars, ok := f.Chart.(chart.Bars)
	// The lowest bar starts at 95%. The scale is extended by a tenth of the 5 points between 95% and 100%, so it starts
	// at 94.5%.
	assert.True(t, ok && bars.Scale.Min == 94.5 && bars.Rows[1].From == 95 && *bars.Rows[1].Middle == 97.5 &&
		bars.Rows[1].To == 99, "%+v", f.Chart)
	assert.Len(t, schedule(1).Figures, 1)
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
	assert.True(t, r.Headline == "The file contains no vsla results." && len(r.Sections) == 0 &&
		!r.Fails(wording.Misses) && r.Fails(wording.Unknown), "%+v", r)
	checkPage(t, html(t, r))
	assert.Equal(t, r.Headline, build(t, show(t, w)).Headline)
}

func answer(t *testing.T, page, id string) string {
	t.Helper()
	root, err := nethtml.Parse(strings.NewReader(page))
	require.NoError(t, err)
	for _, e := range elements(root) {
		if e.attributes["id"] != id {
			continue
		}
		n := e.Node
		if n.Data == "section" {
			return e.text()
		}
		if n.Data == "span" {
			n = n.Parent
		}
		var b strings.Builder
		for n = n.NextSibling; n != nil && n.Data != "h2" && n.Data != "h3"; n = n.NextSibling {
			b.WriteString(element{Node: n}.text() + "\n")
		}
		return b.String()
	}
	t.Fatalf("there is no element %q", id)
	return ""
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	text := planned(t, workspace(t, "planning"), 0)
	d, err := document.Read(bytes.NewReader(text))
	require.NoError(t, err)
	cover := report.Cover{
		Title: "Growth & <cost>", Author: "A. Planner", Date: time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC),
		Version: "1.2.3", Decision: "May gold be sold?",
		Changes: &report.Changes{
			Baseline: "main.json", Headline: "1 promise no longer holds.", Lines: []string{"guessed: the RPO was 2h."},
		},
	}
	page := html(t, cover.Build(d))
	checkPage(t, page)
	// The figures are those of TestScenarios. 42.2 months of 30.4 days from 15 January 2026 is in July 2029. A cycle takes
	// 228.8 s (25.4% of the 15-minute RPO) or 715 s (19.9% of the one-hour RPO).
	for id, says := range map[string][]string{
		"decide":   {"May gold be sold?", "does not hold: together. Provide "},
		"promised": {"measured", "RPO 15 min, 15 VMs, 1,500 GiB", "the RPOs of 2 groups for 95% of the time"},
		"holds": {
			"does not hold", "holds", "based on the change curve", "worst case: a day's change in one cycle", "in 20 runs",
		},
		"until":   {"at risk after 42.2 months (July 2029), and misses its RPO after 73.9 months"},
		"changed": {"Compared with main.json: 1 promise no longer holds.", "guessed: the RPO was 2h."},
		"assumed": {
			"901 Mbit/s", "set in the configuration", "1.6 GiB in 15m, 2.8 GiB in 4h, 7 GiB in 1d", "local.curve",
			"30% (guessed), 25% (measured)", "Efficiency 100%", "How the Recovery Point Objective Affects",
		},
	} {
		got := answer(t, page, id)
		for _, say := range says {
			assert.Contains(t, got, say, id)
		}
	}
	head := answer(t, page, "summary")
	require.Contains(t, page, "<h1>Growth &amp; &lt;cost&gt;</h1>")
	assert.Contains(t, head, "does not hold")
	const made = "A. Planner. 2026-01-15. From a Terraform "
	require.Contains(t, page, made)
	assert.Contains(t, page, ", by vsla 1.2.3.")
	plain := report.Cover{}.Build(d)
	var header struct {
		Timestamp time.Time `json:"timestamp"`
	}
	require.NoError(t, json.Unmarshal(text, &header))
	require.Equal(t, header.Timestamp.UTC().Format(time.DateOnly), plain.Date)
	assert.Equal(t, "Capacity review", plain.Title)
	assert.Contains(t, answer(t, html(t, plain), "changed"), "No baseline is set.")
}

func many(t *testing.T) []byte {
	t.Helper()
	resources := make([]object, 0, 500)
	for i := range 500 {
		in := replication.Defaults()
		growth := 20.0
		in.VMCount, in.VMSizeGiB, in.DailyChangePercent, in.RPOMinutes = 15, 100, 5, 15
		in.ThroughputMbps, in.GrowthPercentPerYear = 440+10*float64(i), &growth
		e, err := replication.Estimate(in)
		require.NoError(t, err)
		values := with(replication.EstimateDefinition.Values(&e), object{
			"vm_count": 15, "vm_size_gib": 100, "daily_change_percent": 5, "rpo_minutes": 15,
			"throughput_mbps": in.ThroughputMbps, "growth_percent_per_year": 20, "link": fmt.Sprintf("wan %d", i%5),
		})
		values["summary"], values["reasons"] = e.Summary, plan.Codes(e.Findings)
		values["explanations"] = plan.Sentences(e.Findings)
		resources = append(resources, data("vsla_replication_estimate", fmt.Sprintf(`tier["site-%03d"]`, i), values))
	}
	return state(t, resources...)
}

func TestBuild_size(t *testing.T) {
	t.Parallel()
	r := build(t, many(t))
	page := html(t, r)
	checkPage(t, page)
	assert.Less(t, len(page), 200_000)
	for i := range 500 {
		assert.Contains(t, page, fmt.Sprintf("tier site-%03d", i))
	}
	// 75 GiB takes 900 s at 715.8 Mbit/s, so the 28 results with up to 710 Mbit/s miss the RPO.
	want := "Of 500 results with a verdict, 28 do not hold, "
	assert.True(t, strings.HasPrefix(r.Headline, want), "%q, want %q", r.Headline, want)
	require.Equal(t, 12, len(r.Results.Rows))
	assert.Len(t, r.Decisions, 5+1)
}

func TestCount(t *testing.T) {
	t.Parallel()
	w := inline(t, `
data "vsla_link_throughput" "path" {
  count          = 11
  bandwidth_mbps = 1000 + count.index
}
`)
	r := build(t, planned(t, w, 0))
	require.Len(t, r.Sections, 1)
	require.Len(t, r.Sections[0].Subjects, 11)
	for i, s := range r.Sections[0].Subjects {
		assert.Equal(t, fmt.Sprintf("path %d", i), s.Name)
	}
	require.Equal(t, "No result in the file has a verdict.", r.Headline)
	assert.False(t, r.Fails(wording.Unknown), "headline %q, want no verdict and no failure", r.Headline)
}
