package report_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/browser"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/wording"
)

func estimated(t *testing.T, mbps float64) object {
	t.Helper()
	in := replication.Defaults()
	in.VMCount, in.VMSizeGiB, in.DailyChangePercent, in.RPOMinutes, in.ThroughputMbps = 15, 100, 5, 15, mbps
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	return with(replication.EstimateDefinition.Values(&r), object{
		"vm_count": 15, "vm_size_gib": 100, "daily_change_percent": 5, "rpo_minutes": 15, "throughput_mbps": mbps,
		"peak_factor": nil,
	})
}

func with(results map[string]any, inputs object) object {
	maps.Copy(results, inputs)
	return results
}

func TestBuild_disagreement(t *testing.T) {
	t.Parallel()
	good := one(t, "vsla_replication_estimate", estimated(t, 901))
	require.Len(t, good.Figures, 1)
	assert.Empty(t, good.Notes)
	for name, change := range map[string]func(object){
		"another result":   func(v object) { v["ongoing_sync_seconds"] = 700.0 },
		"no result":        func(v object) { delete(v, "initial_sync_seconds") },
		"out of its range": func(v object) { v["rpo_minutes"] = 0 },
		"another type":     func(v object) { v["vm_count"] = "many" },
	} {
		values := estimated(t, 901)
		change(values)
		s := one(t, "vsla_replication_estimate", values)
		assert.True(t, len(s.Figures) == 0 && len(s.Notes) == 1 && strings.Contains(s.Notes[0], "could not be confirmed"),
			"%s: %d figures, notes %q", name, len(s.Figures), s.Notes)
	}
	for kind, values := range map[string]object{
		"vsla_replication_schedule": {
			"verdict":         "meets",
			"throughput_mbps": 100, "groups": object{"a": object{"vm_count": 1, "vm_size_gib": 1, "daily_change_percent": 1, "rpo_minutes": 15}}, "violation_minutes": 5,
		},
		"vsla_vmotion_estimate": {"verdict": "meets", "memory_gib": 8, "throughput_mbps": 1000, "duration_seconds": 5},
	} {
		s := one(t, kind, values)
		require.Len(t, s.Notes, 1, kind)
		assert.Contains(t, s.Notes[0], "could not be confirmed", kind)
	}
}

// TestBuild_vmotionNeverEnds verifies that a vMotion that never ends has no chart of its rounds. The VM writes to its
// disks faster than they can be sent.
func TestBuild_vmotionNeverEnds(t *testing.T) {
	t.Parallel()
	in := migration.VMotionDefaults()
	in.MemoryGiB, in.DiskGiB, in.DiskWriteMbps, in.ThroughputMbps = 8, 100, 500, 400
	r, err := migration.VMotion(in)
	require.NoError(t, err)
	s := one(t, "vsla_vmotion_estimate", with(migration.VMotionDefinition.Values(&r), object{
		"memory_gib": 8, "disk_gib": 100, "disk_write_mbps": 500, "throughput_mbps": 400,
		"reasons": []any{"disk_writes_exceed_throughput"}, "explanations": []any{"The copy never ends."},
	}))
	require.Equal(t, wording.Misses, s.Level)
	assert.LessOrEqual(t, len(s.Figures)+len(s.Notes), 0)
}

func TestBuild_anyFigures(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		decade := func(name string, low, high float64) float64 {
			return math.Pow(10, rapid.Float64Range(low, high).Draw(r, name))
		}
		in := replication.Defaults()
		in.VMCount, in.VMSizeGiB = math.Floor(decade("VMs", 0, 6)), decade("size", -3, 6)
		in.ThroughputMbps = decade("throughput", -2, 6)
		in.DailyChangePercent = rapid.Float64Range(0, 1000).Draw(r, "change")
		in.RPOMinutes = rapid.Float64Range(1, 1440).Draw(r, "RPO")
		in.OverheadSeconds = rapid.SampledFrom([]float64{0, 10, 1e5}).Draw(r, "overhead")
		e, err := replication.Estimate(in)
		require.NoError(r, err)
		move := migration.VMotionDefaults()
		move.MemoryGiB, move.ThroughputMbps = decade("memory", -3, 5), decade("move throughput", 0, 6)
		move.MemoryDirtyMbps = rapid.SampledFrom([]float64{0, 1, 999, 1e5}).Draw(r, "dirty")
		move.DiskGiB = rapid.SampledFrom([]float64{0, 5000}).Draw(r, "disk")
		move.DiskWriteMbps, move.SetupSeconds = rapid.SampledFrom([]float64{0, 100}).Draw(r, "writes"), 5
		v, err := migration.VMotion(move)
		require.NoError(r, err)
		review := build(t, state(t,
			data("vsla_replication_estimate", "x", with(replication.EstimateDefinition.Values(&e), object{
				"vm_count": in.VMCount, "vm_size_gib": in.VMSizeGiB, "throughput_mbps": in.ThroughputMbps,
				"daily_change_percent": in.DailyChangePercent, "rpo_minutes": in.RPOMinutes, "overhead_seconds": in.OverheadSeconds,
			})),
			data("vsla_vmotion_estimate", "x", with(migration.VMotionDefinition.Values(&v), object{
				"memory_gib": move.MemoryGiB, "throughput_mbps": move.ThroughputMbps, "memory_dirty_mbps": move.MemoryDirtyMbps,
				"disk_gib": move.DiskGiB, "disk_write_mbps": move.DiskWriteMbps, "setup_seconds": move.SetupSeconds,
			})),
		))
		figures := 1
		if v.DurationSeconds != nil {
			figures += 2
		}
		drawn(t, review, figures)
		page := html(t, review)
		require.NotContains(t, page, "NaN", "a number is not finite")
		assert.NotContains(t, page, "Inf", "a number is not finite")
	})
}

// planValues returns the values of vsla_sla_plan for 19 VMs of 100 GiB and one VM of 8 TiB, with a daily change of 10%
// that is spread evenly over the day. The large VM changes by 819.2 GiB per day, which requires 81.4 Mbit/s. Because a
// sync is limited to 60 Mbit/s, the VM falls behind on any link.
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

func TestBuild_promises(t *testing.T) {
	t.Parallel()
	text := state(t, data("vsla_sla_plan", "estate", planValues(t)))
	r := build(t, text)
	const headline = "0 of 1 promise holds. Gold does not hold: 1 of 20 VMs is late; to fix this, exclude files-01."
	assert.True(t, r.Headline == headline && r.Verdict == wording.Misses && len(r.Counts) == 1 && r.Counts[0].Number == 1,
		"got %q, %s, %+v, want %q", r.Headline, r.Verdict, r.Counts, headline)
	ids := []string{r.Sections[0].ID, r.Sections[1].ID}
	require.Equal(t, []string{"promises", "links"}, ids)
	require.Len(t, r.Sections, 2)
	gold := r.Sections[0].Subjects[0]
	assert.True(t, gold.Name == "gold" && gold.Promise == "RPO 15 min, 20 VMs" && len(gold.Tables[0].Rows) == 1 &&
		gold.Tables[0].Rows[0][0].Text == "files-01" && slices.Equal(gold.Remedies, []string{"Exclude files-01"}),
		"got %+v, want gold late by files-01", gold)
	link := texts(r.Sections[1].Tables[0])[0]
	want := "metro; 1,000 Mbit/s; no throughput is sufficient: the rate of one sync is the limit; –; "
	assert.True(t, strings.HasPrefix(link, want), "got link %q, want %q", link, want)
	const variation = "Maximum start shift, share of RPO 10%"
	assert.Contains(t, strings.Join(texts(r.Assumptions[0]), "; "), variation)
	page := html(t, r)
	checkPage(t, page)
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

// TestBuild_measured verifies that a promise's row contains the promise, the prediction, and the measurement of the
// tier with the same name. The measured percentage is rounded down.
func TestBuild_measured(t *testing.T) {
	t.Parallel()
	r := build(t, state(t, data("vsla_sla_plan", "estate", planValues(t)), data("vsla_sla_compliance", "estate", object{
		"compliant": false, "virtual_machines": object{}, "periods": object{
			"gold":   object{"vm_count": 20.0, "compliance_percent": 97.4567, "verdict": "not_promised"},
			"silver": object{"vm_count": 3.0, "compliance_percent": 100.0, "verdict": "not_promised"},
		},
	})))
	row := texts(r.Promises)[0]
	n := len(r.Promises.Columns)
	assert.True(t, r.Promises.Columns[n-1] == "Measured" && strings.HasPrefix(row, "gold; RPO 15 min, 20 VMs; ") &&
		strings.HasSuffix(row, "; 97.456%"), "got %q, want gold promised and measured", row)
}

// TestBuild_movePromises verifies that each promise of a migration has a row with its verdict. Ten VMs of 100 GiB are
// copied one at a time at 1 Gbit/s. Each copy takes 859 s, and all of them take 8,590 s, which is more than two hours.
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
	want := []string{"All moved within 2h; does not hold", "Each VM down for at most 15m; holds"}
	assert.Equal(t, want, texts(moves.Tables[0]))
}

func inspect(t *testing.T, page string) {
	t.Helper()
	t.Run("browser", func(t *testing.T) {
		t.Parallel()
		browser.RequireAxe(t)
		for _, problem := range findDefects(t, page) {
			t.Error(problem)
		}
	})
}

func findDefects(t *testing.T, page string) []string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(name, []byte(page), 0o600))
	p := browser.New(t)
	p.Open("file://" + name)
	p.Wait(`document.readyState === "complete" && document.body.children.length > 0`)
	var all []string
	for _, width := range []int{320, 390, 600, 768, 1024, 1280, 1920} {
		p.View(width, "light")
		all = append(all, p.Layout()...)
	}
	for _, request := range p.Requests() {
		if request != "file://"+name {
			all = append(all, "it asked for "+request)
		}
	}
	all = append(all, p.Console()...)
	return append(all, p.Axe()...)
}

func TestInspect_finds(t *testing.T) {
	t.Parallel()
	browser.RequireAxe(t)
	page := `<!DOCTYPE html><html><body><div style="width:500px">wide</div><img src="/picture">
<script>nothing.there()</script><p style="color:#ddd;background:#fff">pale</p>
<svg viewBox="0 0 100 100" width="100" height="100"><text x="5" y="50">first</text><text x="8" y="52">second</text><text x="90" y="20" font-size="5">leaving</text></svg></body></html>`
	problems := strings.Join(findDefects(t, page), "\n")
	for _, want := range []string{
		"px too wide", "second overlaps first", "leaving leaves its drawing", "it asked for file:///picture",
		"nothing is not defined", "html-has-lang", "color-contrast",
	} {
		assert.Contains(t, problems, want)
	}
}

// inventoryText contains VMs in two tiers, VMs without a tier, and rows that are not VMs. The link in tiersText is fast
// enough for only one of the two promises.
const (
	inventoryText = "VM,Powerstate,Template,In Use MiB,Cluster,VM ID,Tier\n" +
		"db-1,poweredOn,False,409600,C0,vm-1,gold\ndb-2,poweredOn,False,819200,C0,vm-2,gold\n" +
		"web-1,poweredOn,False,102400,C1,vm-3,silver\nold-1,poweredOff,False,51200,C1,vm-4,\n" +
		"template-1,poweredOff,True,10240,C1,vm-5,\nweb-1,poweredOn,False,102400,C1,vm-3,silver\n"
	tiersText = `throughput_mbps: 100
growth_percent_per_year: 30
defaults: {daily_change_percent: 5}
tiers:
  - {name: gold, match: {column: {tier: gold}}, rpo_minutes: 5, daily_change_percent: 40}
  - {name: silver, match: {column: {tier: silver}}, rpo_minutes: 240}
`
)

func written(t *testing.T, stdin []byte, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	program := cli.Program{In: bytes.NewReader(stdin), Out: &out, Err: &errs}
	require.EqualValues(t, cli.ExitOK, program.Run(t.Context(), args), "%v, %v", args, errs.String())
	return out.String()
}

func file(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

func TestInspect_pages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		page, says string
	}{
		"an inventory file": {
			written(t, nil, "review", "--format", "html", "--inventory", file(t, "vms.csv", []byte(inventoryText)), "--tiers",
				file(t, "tiers.yaml", []byte(tiersText))),
			">template<",
		},
		"500 results": {html(t, build(t, many(t))), "tier site-499"},
		"a difference": {
			written(t, many(t), "report", "-", "--format", "html", "--baseline",
				file(t, "baseline.json", state(t, data("vsla_replication_estimate", `tier["site-000"]`, estimated(t, 901))))),
			"site-000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Contains(t, test.page, test.says)
			checkPage(t, test.page)
			inspect(t, test.page)
		})
	}
}
