package report_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/wording"
)

// planValues are the values of vsla_sla_plan: 19 VMs of 100 GiB and one of 8 TiB that change by 10 % a day, evenly. The
// large one changes 819.2 GiB * 8.59 Gbit / 86,400 s = 81.4 Mbit/s and gets 60 for its sync, so that it falls behind,
// whatever the link has.
func planValues(t *testing.T) object {
	t.Helper()
	vms := object{"files-01": object{"size_gib": 8192.0}}
	for i := range 19 {
		vms["db-"+string(rune('a'+i))] = object{"size_gib": 100.0}
	}
	values := object{
		"links": object{"metro": object{"throughput_mbps": 1000.0, "throughput_basis": "transfer"}},
		"tiers": object{"gold": object{
			"virtual_machines": vms, "rpo_minutes": 15.0, "daily_change_percent": 10.0, "peak_factor": 1.0,
			"per_sync_mbps": 60.0,
		}},
	}
	results, err := promise.Definition.Calculator().Evaluate(values)
	require.NoError(t, err)
	return with(values, results)
}

// TestBuild_promises checks that a plan is reviewed by its promises and links: headline, count, card, the late VM by
// its name, the remedy, and the one need of the link; and that every form has the same verdict.
func TestBuild_promises(t *testing.T) {
	t.Parallel()
	text := state(t, data("vsla_sla_plan", "estate", planValues(t)))
	r := build(t, text)
	const headline = "0 of 1 promise holds. Gold does not: 1 of 20 VMs is late; leave out files-01 and it holds."
	assert.True(t, r.Headline == headline && r.Verdict == wording.Misses && len(r.Counts) == 1 && r.Counts[0].Number == 1,
		"got %q, %s, %+v, want %q", r.Headline, r.Verdict, r.Counts, headline)
	ids := []string{r.Sections[0].ID, r.Sections[1].ID}
	require.Equal(t, []string{"promises", "links"}, ids)
	require.Len(t, r.Sections, 2)
	gold := r.Sections[0].Subjects[0]
	if gold.Name != "gold" || gold.Promise != "RPO 15 min, 20 VMs" || len(gold.Tables[0].Rows) != 1 ||
		gold.Tables[0].Rows[0][0].Text != "files-01" || !slices.Equal(gold.Remedies, []string{"Leave out files-01"}) {
		t.Errorf("got %+v, want gold late by files-01", gold)
	}
	link := texts(r.Sections[1].Tables[0])[0]
	want := "metro; 1,000 Mbit/s; no throughput helps: the rate of one sync limits it; –; "
	assert.True(t, strings.HasPrefix(link,
		want), "got link %q, want %q", link, want)
	const variation = "Variation of starts, of the RPO 10%"
	assert.Contains(t, strings.Join(texts(r.Assumptions[0]), "; "), variation)
	page := html(t, r)
	sound(t, page)
	require.NotContains(t, page, "`", "got a page with backticks or without the promises in its title")
	assert.Contains(t, page, "<title>Capacity review: 0 of 1 promise holds.",
		"got a page with backticks or without the promises in its title")
	var b bytes.Buffer
	require.NoError(t, r.WriteMarkdown(&b))
	assert.Contains(t, b.String(), "| gold | RPO 15 min, 20 VMs | ✕ does not hold | 1 |")
	b.Reset()
	var decoded struct {
		Verdict  string `json:"verdict"`
		Sections []struct {
			Subjects []struct {
				Level string `json:"level"`
			} `json:"subjects"`
		} `json:"sections"`
	}
	require.NoError(t, r.WriteJSON(&b))
	err := json.Unmarshal(b.Bytes(), &decoded)
	assert.True(t, err == nil && decoded.Verdict == "misses" && decoded.Sections[0].Subjects[0].Level == "misses",
		"got %+v, %v, want misses", decoded, err)
	assert.True(t, r.Fails(wording.Misses), "got a review that does not fail, want a miss")
}

// TestBuild_measured checks that the row of a promise has what is promised, predicted and measured side by side, by the
// name of the tier, the measured share rounded down.
func TestBuild_measured(t *testing.T) {
	t.Parallel()
	r := build(t, state(t, data("vsla_sla_plan", "estate", planValues(t)), data("vsla_sla_compliance", "estate", object{
		"compliant": false, "virtual_machines": object{}, "periods": object{
			"gold":   object{"vm_count": 20.0, "compliance_percent": 97.4567, "verdict": "not_promised"},
			"silver": object{"vm_count": 3.0, "compliance_percent": 100.0, "verdict": "not_promised"},
		},
	})))
	row := texts(r.Promises)[0]
	if n := len(r.Promises.Columns); r.Promises.Columns[n-1] != "Measured" ||
		!strings.HasPrefix(row, "gold; RPO 15 min, 20 VMs; ") || !strings.HasSuffix(row, "; 97.456%") {
		t.Errorf("got %q, want gold promised and measured", row)
	}
}

// TestBuild_movePromises checks that each promise of a migration has a row with its verdict: ten VMs of 100 GiB that
// are copied one by one at 1 Gbit/s take 859 s each, 8,590 s in all, more than two hours.
func TestBuild_movePromises(t *testing.T) {
	t.Parallel()
	vms := object{}
	for i := range 10 {
		vms["vm-"+string(rune('a'+i))] = object{"memory_gib": 0.0, "disk_gib": 100.0, "method": "cold"}
	}
	values := object{
		"virtual_machines": vms, "throughput_mbps": 1000.0, "setup_seconds": 0.0, "max_concurrent": 1.0,
		"deadline_hours": 2.0, "max_downtime_minutes": 15.0,
	}
	results, err := migration.PlanDefinition.Calculator().Evaluate(values)
	require.NoError(t, err)
	moves := build(t, state(t, data("vsla_migration_plan", "all", with(results, values)))).Sections[0].Subjects[0]
	want := []string{"All moved within 2h; does not hold", "Each off for at most 15m; holds"}
	assert.Equal(t, want, texts(moves.Tables[0]))
}
