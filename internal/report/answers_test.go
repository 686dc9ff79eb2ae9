package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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
)

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
		Title:    "Growth & <cost>",
		Author:   "A. Planner",
		Date:     time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC),
		Version:  "1.2.3",
		Decision: "May gold be sold?",
		Changes: &report.Changes{
			Baseline: "main.json",
			Headline: "1 promise no longer holds.",
			Lines:    []string{"guessed: the RPO was 2h."},
		},
	}
	page := html(t, cover.Build(t.Context(), d))
	checkPage(t, page)
	// The figures are those of TestScenarios. 24.1 months of 30.4 days from 15 January 2026 is in January 2028, 15.1
	// months in April 2027. With u = 0.5306 of the link at its busiest, guessed can be configured with 60 / (1 + u) =
	// 39.2 minutes, rounded down to a step: 30. It needs 178.96 / 0.9 * 1.87 / 0.7 = 531.2 Mbit/s.
	for id, says := range map[string][]string{
		"summary": {
			"Decision: May gold be sold?", "RPO 15 min, 15 VMs, 1,500 GiB", "based on the change curve",
			"the peak is not known", "30 min531.3 Mbit/s", "at risk from January 2028",
			"at risk from April 2027",
		},
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
	assert.Contains(t, head, "Every result with a verdict holds.")
	const made = "A. Planner. 2026-01-15. From a Terraform "
	require.Contains(t, page, made)
	assert.Contains(t, page, ", by vsla 1.2.3.")
	plain := report.Cover{}.Build(t.Context(), d)
	var header struct {
		Timestamp time.Time `json:"timestamp"`
	}
	require.NoError(t, json.Unmarshal(text, &header))
	require.Equal(t, header.Timestamp.UTC().Format(time.DateOnly), plain.Date)
	assert.Equal(t, "Capacity review", plain.Title)
	assert.NotContains(t, html(t, plain), "since last time")
}

func many(t *testing.T) []byte {
	t.Helper()
	resources := make([]object, 0, 500)
	for i := range 500 {
		in := replication.Defaults()
		growth := 20.0
		in.VMCount = 15
		in.VMSizeGiB = 100
		in.DailyChangePercent = 5
		in.RPOMinutes = 15
		in.ThroughputMbps, in.GrowthPercentPerYear = 440+10*float64(i), &growth
		e, err := replication.Estimate(in)
		require.NoError(t, err)
		values := with(replication.EstimateDefinition.Values(&e), object{
			"vm_count":                15,
			"vm_size_gib":             100,
			"daily_change_percent":    5,
			"rpo_minutes":             15,
			"throughput_mbps":         in.ThroughputMbps,
			"growth_percent_per_year": 20,
			"link":                    fmt.Sprintf("wan %d", i%5),
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
	// 75 GiB in 900 s are 715.8 Mbit/s. Neither the peak nor the basis of the throughput is known, so the promise needs
	// 715.8 / 0.9 * 1.87 / 0.7 = 2,124.8 Mbit/s. The 169 results from 440 to 2,120 Mbit/s are at risk.
	assert.Equal(t, "Of 500 results with a verdict, 169 are at risk, 331 hold.", r.Headline)
	require.Len(t, r.Results.Rows, 12)
}
