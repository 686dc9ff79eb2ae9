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

	"terraform-provider-vsla/internal/dev/browser"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/report"
)

// wholeDay is the peak factor with which the change of a whole day falls into 15 minutes: 1440 / 15.
const wholeDay = 96.0

// estimated returns an estimate with 75 GiB (644,245,094,400 bits) that change within an RPO of 15 minutes: 715.8
// Mbit/s. The promise holds with at most 0.9 of a link. With likely inputs, it needs 795.4 Mbit/s, and with the margin
// of 1.14 of a measured transfer, 906.7 Mbit/s.
func estimated(t *testing.T, mbps float64) object {
	t.Helper()
	in := replication.Defaults()
	in.VMCount = 15
	in.VMSizeGiB = 100
	in.DailyChangePercent = 5
	in.RPOMinutes = 15
	in.ThroughputMbps = mbps
	in.PeakFactor, in.ThroughputBasis = new(wholeDay), plan.BasisTransfer
	r, err := replication.Estimate(in)
	require.NoError(t, err)
	return with(replication.EstimateDefinition.Values(&r), object{
		"vm_count":             15,
		"vm_size_gib":          100,
		"daily_change_percent": 5,
		"rpo_minutes":          15,
		"throughput_mbps":      mbps,
		"peak_factor":          wholeDay,
		"throughput_basis":     plan.BasisTransfer,
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
		assert.Empty(t, s.Figures, name)
		require.Len(t, s.Notes, 1, name)
		assert.Contains(t, s.Notes[0], "could not be confirmed", name)
	}
	s := one(t, "vsla_vmotion_estimate", object{
		"verdict":          "meets",
		"memory_gib":       8,
		"throughput_mbps":  1000,
		"duration_seconds": 5,
	})
	require.Len(t, s.Notes, 1)
	assert.Contains(t, s.Notes[0], "could not be confirmed")
}

// TestBuild_vmotionNeverEnds verifies that a vMotion that never ends has no chart of its rounds. The VM writes to its
// disks faster than they can be sent.
func TestBuild_vmotionNeverEnds(t *testing.T) {
	t.Parallel()
	in := migration.VMotionDefaults()
	in.MemoryGiB = 8
	in.DiskGiB = 100
	in.DiskWriteMbps = 500
	in.ThroughputMbps = 400
	r, err := migration.VMotion(in)
	require.NoError(t, err)
	s := one(t, "vsla_vmotion_estimate", with(migration.VMotionDefinition.Values(&r), object{
		"memory_gib":      8,
		"disk_gib":        100,
		"disk_write_mbps": 500,
		"throughput_mbps": 400,
		"reasons":         []any{"disk_writes_exceed_throughput"},
		"explanations":    []any{"The copy never ends."},
	}))
	require.Equal(t, plan.Misses, s.Level)
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
		move.MemoryGiB = decade("memory", -3, 5)
		move.ThroughputMbps = decade("move throughput", 0, 6)
		move.MemoryDirtyMbps = new(rapid.SampledFrom([]float64{0, 1, 999, 1e5}).Draw(r, "dirty"))
		move.DiskGiB = rapid.SampledFrom([]float64{0, 5000}).Draw(r, "disk")
		move.DiskWriteMbps = rapid.SampledFrom([]float64{0, 100}).Draw(r, "writes")
		move.SetupSeconds = 5
		v, err := migration.VMotion(move)
		require.NoError(r, err)
		review := build(t, state(t,
			data("vsla_replication_estimate", "x", with(replication.EstimateDefinition.Values(&e), object{
				"vm_count":             in.VMCount,
				"vm_size_gib":          in.VMSizeGiB,
				"throughput_mbps":      in.ThroughputMbps,
				"daily_change_percent": in.DailyChangePercent,
				"rpo_minutes":          in.RPOMinutes,
				"overhead_seconds":     in.OverheadSeconds,
			})),
			data("vsla_vmotion_estimate", "x", with(migration.VMotionDefinition.Values(&v), object{
				"memory_gib":        move.MemoryGiB,
				"throughput_mbps":   move.ThroughputMbps,
				"memory_dirty_mbps": *move.MemoryDirtyMbps,
				"disk_gib":          move.DiskGiB,
				"disk_write_mbps":   move.DiskWriteMbps,
				"setup_seconds":     move.SetupSeconds,
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
			"virtual_machines":     vms,
			"rpo_minutes":          15.0,
			"daily_change_percent": 10.0,
			"peak_factor":          1.0,
			"per_sync_mbps":        60.0,
		}},
	}
	results, err := promise.Definition.Calculator().Evaluate(values)
	require.NoError(t, err)
	return with(values, results)
}

// TestBuild_linkFigures verifies what makes up the need of a link of 20 Mbit/s, and the shares at other throughputs.
// 10 * 100 GiB * 20% * 2^33 / 86,400 s = 19.88 Mbit/s change, at the worse end of a transfer 22.67, and 22.67 / 0.9 =
// 25.19 are needed. Rows: 8 parts of the need, the given throughput, and 3 between the last one at which VMs are late
// and the next.
func TestBuild_linkFigures(t *testing.T) {
	t.Parallel()
	values := object{
		"links": object{"metro": object{"throughput_mbps": 20.0, "throughput_basis": "transfer"}},
		"tiers": object{"gold": object{
			"vm_count":             10.0,
			"vm_size_gib":          100.0,
			"rpo_minutes":          60.0,
			"daily_change_percent": 20.0,
			"peak_factor":          1.0,
			"point_in_time":        object{"instances_per_day": 2.0, "days": 1.0},
		}},
	}
	results, err := promise.Definition.Calculator().Evaluate(values)
	require.NoError(t, err)
	r := build(t, state(t, data("vsla_sla_plan", "estate", with(values, results))))
	assert.Contains(t, strings.Join(texts(r.Assumptions[0]), "; "), "Point in time; instances per day 2, days 1; ")
	metro := r.Sections[1].Subjects[0]
	assert.Equal(t, []string{
		"Mean change; 19.9 Mbit/s", "Worse end of the link; 22.7 Mbit/s", "A tenth left; 25.2 Mbit/s",
		"Needed; 25.2 Mbit/s",
	}, texts(figure(t, metro, "What makes up the need of metro").Data))
	shares := texts(figure(t, metro, "Share of time late on metro").Data)
	require.Len(t, shares, 12)
	assert.Contains(t, shares, "25.2 Mbit/s; 100%; gold")
}

// TestBuild_neverLate verifies that a link has no curve of the share of time late if no VM is late at any throughput
// around the need. 0.2 Mbit/s change on a link of 20 Mbit/s, three times as much in a likely peak, but 96 times as much
// at the worse end.
func TestBuild_neverLate(t *testing.T) {
	t.Parallel()
	values := object{
		"links": object{"metro": object{"throughput_mbps": 20.0, "throughput_basis": "transfer"}},
		"tiers": object{"gold": object{
			"vm_count":             1.0,
			"vm_size_gib":          10.0,
			"rpo_minutes":          15.0,
			"daily_change_percent": 20.0,
		}},
	}
	results, err := promise.Definition.Calculator().Evaluate(values)
	require.NoError(t, err)
	r := build(t, state(t, data("vsla_sla_plan", "estate", with(values, results))))
	for _, f := range r.Sections[1].Subjects[0].Figures {
		assert.NotContains(t, f.Title, "Share of time late")
	}
}

// TestBuild_needSteps verifies that each step to the need of a link follows from the one before. 10 * 100 GiB * 20% *
// 2^33 / 86,400 s = 19.884 Mbit/s change on average, rounded to nearest. Needs are rounded up. The worse end of a
// transfer at 1,000 Mbit/s is a 1.14th of it.
func TestBuild_needSteps(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		inputs object
		want   []string
	}{
		// 19.884 * 24 = 477.22, * 1.14 = 544.03, / 0.9 = 604.48
		"the peak is not known": {object{}, []string{
			"Mean change; 19.9 Mbit/s", "Busiest time; 59.7 Mbit/s", "Whole day within one RPO; 477.2 Mbit/s",
			"Worse end of the link; 544.1 Mbit/s", "A tenth left; 604.5 Mbit/s", "Needed; 604.5 Mbit/s",
		}},
		// 19.884 * 2 = 39.77, * 3 / 2 * 25 / 20 * 2 = 149.13, * 1.14 = 170.01, / 0.9 = 188.90
		"ranges": {
			object{"peak_factor": 2.0, "compression_ratio": 1.0, "ranges": object{
				"peak_factor":          object{"low": 1.0, "high": 3.0},
				"daily_change_percent": object{"low": 10.0, "high": 25.0},
				"vm_count":             object{"low": 10.0, "high": 20.0},
			}},
			[]string{
				"Mean change; 19.9 Mbit/s", "Busiest time; 39.8 Mbit/s", "Worse end of the change; 149.1 Mbit/s",
				"Worse end of the link; 170.1 Mbit/s", "A tenth left; 188.9 Mbit/s", "Needed; 188.9 Mbit/s",
			},
		},
		// The change is 19.884 / 2 = 9.942, and 19.884 at the worse end.
		"a range of the compression": {
			object{"peak_factor": 1.0, "compression_ratio": 2.0, "ranges": object{
				"compression_ratio": object{"low": 1.0, "high": 3.0},
			}},
			[]string{
				"Mean change; 9.9 Mbit/s", "Worse end of the change; 19.9 Mbit/s",
				"Worse end of the link; 22.7 Mbit/s", "A tenth left; 25.2 Mbit/s", "Needed; 25.2 Mbit/s",
			},
		},
	} {
		gold := with(object{
			"vm_count":             10.0,
			"vm_size_gib":          100.0,
			"rpo_minutes":          60.0,
			"daily_change_percent": 20.0,
		}, test.inputs)
		values := object{
			"links": object{"metro": object{"throughput_mbps": 1000.0, "throughput_basis": "transfer"}},
			"tiers": object{"gold": gold},
		}
		results, err := promise.Definition.Calculator().Evaluate(values)
		require.NoError(t, err, name)
		r := build(t, state(t, data("vsla_sla_plan", "estate", with(values, results))))
		metro := r.Sections[1].Subjects[0]
		assert.Equal(t, test.want, texts(figure(t, metro, "What makes up the need of metro").Data), name)
	}
}

// TestBuild_emptyTier verifies that tiers without VMs, or without a VM of known size, have no end, in contrast to one
// of 10 VMs of 100 GiB that change by 20% per day: 19.88 Mbit/s of 1,000.
func TestBuild_emptyTier(t *testing.T) {
	t.Parallel()
	tier := object{
		"vm_count":             10.0,
		"vm_size_gib":          100.0,
		"rpo_minutes":          60.0,
		"daily_change_percent": 20.0,
		"peak_factor":          1.0,
		"link":                 "metro",
	}
	values := object{
		"links": object{
			"metro":  object{"throughput_mbps": 1000.0, "throughput_basis": "transfer"},
			"branch": object{"throughput_mbps": 1000.0, "throughput_basis": "transfer"},
		},
		"growth_percent_per_year": 20.0,
		"tiers": object{
			"gold": tier,
			"tin": object{
				"virtual_machines":     object{},
				"link":                 "metro",
				"rpo_minutes":          60.0,
				"daily_change_percent": 20.0,
			},
			"zinc": object{
				"virtual_machines":     object{"a": object{"size_gib": nil}},
				"link":                 "branch",
				"rpo_minutes":          60.0,
				"daily_change_percent": 20.0,
			},
		},
	}
	results, err := promise.Definition.Calculator().Evaluate(values)
	require.NoError(t, err)
	r := build(t, state(t, data("vsla_sla_plan", "estate", with(values, results))))
	ends := map[string]string{}
	at := slices.Index(r.Promises.Columns, "Holds until")
	require.GreaterOrEqual(t, at, 0)
	for _, row := range r.Promises.Rows {
		ends[row[0].Text] = row[at].Text
	}
	assert.Equal(t, map[string]string{"gold": "beyond 36 months", "tin": "–", "zinc": "–"}, ends)
	for _, line := range r.Basis {
		assert.NotContains(t, line, "more than 31 days")
	}
}

func TestBuild_promises(t *testing.T) {
	t.Parallel()
	text := state(t, data("vsla_sla_plan", "estate", planValues(t)))
	r := build(t, text)
	// The large VM needs 81.44 Mbit/s. The search ends within 1%.
	const remedy = "ake a single sync run at 81.79 Mbit/s (now 60)"
	assert.Equal(t, "0 of 1 promise holds. Gold does not hold.", r.Headline)
	assert.Equal(t, plan.Misses, r.Verdict)
	require.Len(t, r.Promises.Rows, 1)
	assert.Contains(t, r.Promises.Rows[0], report.Cell{Text: "M" + remedy})
	ids := []string{r.Sections[0].ID, r.Sections[1].ID}
	require.Equal(t, []string{"promises", "links"}, ids)
	require.Len(t, r.Sections, 2)
	gold := r.Sections[0].Subjects[0]
	assert.Equal(t, "gold", gold.Name)
	assert.Equal(t, "RPO 15 min, 20 VMs", gold.Promise)
	require.Len(t, gold.Figures, 1)
	require.Len(t, gold.Figures[0].Data.Rows, 1)
	assert.Equal(t, "files-01", gold.Figures[0].Data.Rows[0][0].Text)
	assert.Equal(t, []string{"M" + remedy, "The promise holds without files-01"}, gold.Remedies)
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
	assert.Contains(t, b.String(), "| gold | 15 min | 20 | ✕ does not hold | ")
	// 20 VMs of which one is large: a higher throughput is no remedy for the rate of one sync.
	assert.Contains(t, b.String(), "A higher throughput does not help, because the rate of one sync is the limit.")
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
	require.NoError(t, err)
	assert.Equal(t, "misses", decoded.Verdict)
	assert.Equal(t, "misses", decoded.Sections[0].Subjects[0].Level)
	assert.True(t, r.Fails(plan.Misses), "got a review that does not fail, want a miss")
}

// TestBuild_measured verifies that a promise's row contains the promise, the prediction, and the measurement of the
// tier with the same name. The measured percentage is rounded down.
func TestBuild_measured(t *testing.T) {
	t.Parallel()
	r := build(t, state(t, data("vsla_sla_plan", "estate", planValues(t)), data("vsla_sla_compliance", "estate", object{
		"compliant":        false,
		"virtual_machines": object{},
		"periods": object{
			"gold":   object{"vm_count": 20.0, "compliance_percent": 97.4567, "verdict": "not_promised"},
			"silver": object{"vm_count": 3.0, "compliance_percent": 100.0, "verdict": "not_promised"},
		},
	})))
	row := texts(r.Promises)[0]
	assert.Contains(t, r.Promises.Columns, "Measured")
	assert.True(t, strings.HasPrefix(row, "gold; 15 min; 20; does not hold; "), "got %q, want gold promised", row)
	assert.Contains(t, row, "; 97.456%; Make a single sync run")
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
		"virtual_machines":     vms,
		"throughput_mbps":      1000.0,
		"setup_seconds":        0.0,
		"max_concurrent":       1.0,
		"deadline_hours":       2.0,
		"max_downtime_minutes": 15.0,
	}
	results, err := migration.PlanDefinition.Calculator().Evaluate(values)
	require.NoError(t, err)
	moves := build(t, state(t, data("vsla_migration_plan", "all", with(results, values)))).Sections[0].Subjects[0]
	want := []string{"All moved within 2h; does not hold", "Each VM down for at most 15m; holds"}
	assert.Equal(t, want, texts(moves.Tables[0]))
}

// TestBuild_unplanned verifies that the VM that is not moved stands first. At 350 Mbit/s, 1,000 GiB take 24,544 s, or
// 6.82 hours, and with a reserve of 10% they need 7.58 hours.
func TestBuild_unplanned(t *testing.T) {
	t.Parallel()
	values := object{
		"virtual_machines": object{
			"app":  object{"memory_gib": 10.0},
			"file": object{"memory_gib": 10.0, "disk_gib": 990.0},
		},
		"throughput_mbps": 350.0,
		"window_hours":    4.0,
	}
	results, err := migration.PlanDefinition.Calculator().Evaluate(values)
	require.NoError(t, err)
	r := build(t, state(t, data("vsla_migration_plan", "all", with(results, values))))
	assert.Equal(t, "fits_no_window", r.Sections[0].Subjects[0].Reasons[0].Code)
	row := texts(r.Results)[0]
	assert.Contains(t, row, "; 1 VM does not fit into any window, even alone, with a reserve of 10%: ")
	assert.Contains(t, row, "file requires 7.58 hours")
	assert.NotContains(t, row, "It is not known how fast")
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
