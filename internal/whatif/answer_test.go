package whatif_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/whatif"
)

// overhead returns an estate whose gold VMs have an overhead of 10 minutes per sync. This is more than half of the
// 15-minute RPO, but less than half of a 60-minute RPO. On the server, 10% of 8,192 GiB changes per day, which requires
// 81.4 Mbit/s. Because a sync is limited to 60 Mbit/s, the server does not fit in any tier.
func overhead(t *testing.T) *whatif.Page {
	t.Helper()
	tier := func(rpo float64, vms map[string]any) map[string]any {
		return map[string]any{
			"virtual_machines":     vms,
			"rpo_minutes":          rpo,
			"daily_change_percent": 10.0,
			"overhead_seconds":     600.0,
			"per_sync_mbps":        60.0,
			"peak_factor":          1.0,
		}
	}
	size := func(gib float64) map[string]any { return map[string]any{"size_gib": gib} }
	p, err := whatif.Open(&whatif.Model{
		Name: "estate",
		Plan: map[string]any{
			"links": map[string]any{"metro": map[string]any{"throughput_mbps": 1000.0}},
			"tiers": map[string]any{
				"gold":   tier(15, map[string]any{"small": size(1), "server": size(8192)}),
				"silver": tier(60, map[string]any{"other": size(1)}),
				"bronze": tier(240, map[string]any{"third": size(1)}),
			},
		},
	})
	require.NoError(t, err)
	return p
}

func TestPage_Fits(t *testing.T) {
	t.Parallel()
	fits, err := overhead(t).Fits(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"small": "silver, RPO 60 min", "server": ""}, fits)
	_, err = overhead(t).Fits(t.Context(), whatif.Changes{"tier/gold/rpo_minutes": 0.0})
	assert.ErrorContains(t, err, "is invalid")
}

// TestPage_Compute_reason has a VM of 100 GiB, of which 10% change per day (9.94 Mbit/s), and one of unknown size.
func TestPage_Compute_reason(t *testing.T) {
	t.Parallel()
	p, err := whatif.Open(&whatif.Model{
		Name: "estate",
		Plan: map[string]any{
			"links": map[string]any{"metro": map[string]any{"throughput_mbps": 1000.0, "throughput_basis": "nominal"}},
			"tiers": map[string]any{"gold": map[string]any{
				"virtual_machines": map[string]any{
					"a": map[string]any{"size_gib": 100.0},
					"b": map[string]any{"size_gib": nil},
				},
				"rpo_minutes":          60.0,
				"daily_change_percent": 10.0,
				"peak_factor":          3.0,
			}},
		},
	})
	require.NoError(t, err)
	view, err := p.Compute(t.Context(), nil, whatif.Callbacks{})
	require.NoError(t, err)
	gold := view.Promises[0]
	assert.Equal(t, "100% for 1 of 2 VMs", gold.Within)
	assert.Contains(t, gold.Reason, "unknown: b")
	require.Len(t, view.Loads, 1)
	assert.Contains(t, view.Loads[0], "The link metro carries 1,000 Mbit/s")

	view, err = p.Compute(t.Context(), whatif.Changes{"link/metro/throughput_mbps": 5.0}, whatif.Callbacks{})
	require.NoError(t, err)
	assert.Equal(t, plan.Misses, view.Promises[0].Level) // 5 Mbit/s for 9.94
	assert.NotContains(t, view.Promises[0].Reason, "unknown")
}

// TestPage_Compute_downtime moves a VM whose memory changes at an unknown rate.
func TestPage_Compute_downtime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		dirty any
		want  string
	}{
		{nil, "at least 200ms"}, // the stop without dirty memory
		{0.0, "0s"},
	} {
		vm := map[string]any{"memory_gib": 1.0, "memory_dirty_mbps": test.dirty}
		p, err := whatif.Open(&whatif.Model{
			Name: "estate",
			Plan: map[string]any{
				"links": map[string]any{"metro": map[string]any{"throughput_mbps": 1000.0}},
				"tiers": map[string]any{"gold": map[string]any{
					"vm_count":             1.0,
					"vm_size_gib":          1.0,
					"rpo_minutes":          60.0,
					"daily_change_percent": 1.0,
					"peak_factor":          1.0,
				}},
			},
			Moves: &whatif.Moves{
				Arguments:    map[string]any{"virtual_machines": map[string]any{"a": vm}},
				Link:         "metro",
				SharePercent: 100,
			},
		})
		require.NoError(t, err)
		view, err := p.Compute(t.Context(), nil, whatif.Callbacks{})
		require.NoError(t, err)
		facts := view.Others[len(view.Others)-1].Facts
		assert.Equal(t, test.want, facts[len(facts)-1].Value)
	}
}

func TestPage_Curve(t *testing.T) {
	t.Parallel()
	p, err := whatif.Open(&whatif.Model{
		Name: "estate",
		Plan: map[string]any{
			"links": map[string]any{"metro": map[string]any{"throughput_mbps": 100.0}},
			"tiers": map[string]any{"gold": map[string]any{
				// 10% of 1,000 GiB per day requires 9.94 Mbit/s.
				"vm_count":             10.0,
				"vm_size_gib":          100.0,
				"daily_change_percent": 10.0,
				"peak_factor":          1.0,
				"rpo_minutes":          60.0,
			}},
		},
	})
	require.NoError(t, err)
	points, err := p.Curve(t.Context(), nil, "link/metro/throughput_mbps", 20)
	require.NoError(t, err)
	require.Len(t, points, 9+3)
	assert.Less(t, points[0].Share, 99.0) // 5 Mbit/s
	assert.Equal(t, whatif.Point{X: 100, Share: 100, Tier: "gold"}, points[11])
	points, err = p.Curve(t.Context(), nil, "link/metro/throughput_mbps", 0)
	require.NoError(t, err)
	assert.Empty(t, points, "no throughput is sufficient")
	// Twice as much data requires 19.9 Mbit/s, but the link has only 15 Mbit/s.
	slow := whatif.Changes{"link/metro/throughput_mbps": 15.0}
	points, err = p.Curve(t.Context(), slow, "plan/growth_percent_per_year", 0)
	require.NoError(t, err)
	require.Len(t, points, 8)
	assert.Equal(t, whatif.Point{X: 0, Share: 100, Tier: "gold"}, points[0])
	assert.Less(t, points[7].Share, 99.0)
	_, err = p.Curve(t.Context(), nil, "link/none/throughput_mbps", 0)
	require.ErrorContains(t, err, "has no curve")
	_, err = p.Curve(t.Context(), nil, "tier/gold/rpo_minutes", 0)
	assert.ErrorContains(t, err, "has no curve")
}

// TestPage_View checks that the view of the source contains its curves.
func TestPage_View(t *testing.T) {
	t.Parallel()
	p := opened(t, example())
	source, err := promise.Definition.Decode(example().Plan)
	require.NoError(t, err)
	r, err := promise.Compute(t.Context(), source)
	require.NoError(t, err)
	view, err := p.View(t.Context(), r)
	require.NoError(t, err)
	require.Len(t, view.Curves, 2)
	for id, needed := range map[string]float64{
		"link/metro/throughput_mbps":   *r.Links["metro"].ThroughputNeededMbps,
		"plan/growth_percent_per_year": 0,
	} {
		points, err := p.Curve(t.Context(), nil, id, needed)
		require.NoError(t, err)
		assert.Equal(t, points, view.Curves[id])
	}
}

// TestPage_Compute_configured shows the configured RPO, not the suggested one.
func TestPage_Compute_configured(t *testing.T) {
	t.Parallel()
	p := opened(t, example())
	for text, changes := range map[string]whatif.Changes{
		"16 min (as set)": {"tier/gold/configured_rpo_minutes": 16.0},
		"45 min":          nil,
	} {
		facts := computed(t, p, changes).Promises[0].Facts
		assert.Contains(t, facts, whatif.Pair{Key: "Configure", Value: text})
	}
}

// TestPage_Compute_colors draws the bar of a tier of which a VM has an unknown size in the color of its verdict.
func TestPage_Compute_colors(t *testing.T) {
	t.Parallel()
	m := example()
	tiers, _ := m.Plan["tiers"].(map[string]any)
	gold, _ := tiers["gold"].(map[string]any)
	vms, _ := gold["virtual_machines"].(map[string]any)
	vms["e"] = map[string]any{}
	view := computed(t, opened(t, m), nil)
	require.Equal(t, plan.Unknown, view.Promises[0].Level)
	i := slices.IndexFunc(view.Charts, func(c whatif.Chart) bool { return c.Title == "Oldest recovery point" })
	assert.Equal(t, 1, strings.Count(view.Charts[i].Wide, `"bar plain"`))
	assert.Equal(t, 1, strings.Count(view.Charts[i].Wide, `"bar good"`))
}

func TestFragment(t *testing.T) {
	t.Parallel()
	p := opened(t, example())
	rapid.Check(t, func(t *rapid.T) {
		changes := drawnChanges(t, p)
		back, err := p.Changes(p.Fragment(changes))
		want := p.Edit(changes).Changes
		require.NoError(t, err)
		require.Equal(t, want, back)
	})
	good := p.Fragment(whatif.Changes{"tier/gold/rpo_minutes": 30.0})
	other := example()
	other.Plan["jitter_percent"] = 3.0
	for _, test := range []struct{ name, fragment, want string }{
		{"version", "1" + good[1:], "the link is for version 1 of the page, but this is version 2"},
		{"source", opened(t, other).Fragment(whatif.Changes{"tier/gold/rpo_minutes": 30.0}), "a different source"},
		{"cut", good[:8], "incomplete"},
		{"damaged", good[:len(good)-2], "damaged"},
		{"text", "tiers", "incomplete"},
	} {
		_, err := p.Changes(test.fragment)
		require.Error(t, err)
		assert.Contains(t, err.Error(), test.want)
	}
}

// TestPage_Compute_waterfall draws the steps to the need of a link in the complete view, in which the need is known.
func TestPage_Compute_waterfall(t *testing.T) {
	t.Parallel()
	p, err := whatif.Open(&whatif.Model{
		Name: "estate",
		Plan: map[string]any{
			"links": map[string]any{"metro": map[string]any{"throughput_mbps": 1000.0}},
			"tiers": map[string]any{"gold": map[string]any{
				"vm_count":             10.0,
				"vm_size_gib":          100.0,
				"rpo_minutes":          60.0,
				"daily_change_percent": 5.0,
				"peak_factor":          3.0,
			}},
		},
	})
	require.NoError(t, err)
	var titles []string
	view, err := p.Compute(t.Context(), nil, whatif.Callbacks{View: func(v *whatif.View) {
		for _, c := range v.Charts {
			titles = append(titles, c.Title)
		}
	}})
	require.NoError(t, err)
	const title = "What makes up the need of metro"
	assert.NotContains(t, titles, title)
	i := slices.IndexFunc(view.Charts, func(c whatif.Chart) bool { return c.Title == title })
	require.GreaterOrEqual(t, i, 0)
	// 10 * 100 GiB * 5% * 3 * 2^33 bit / 86,400 s = 14.92 Mbit/s at the peak. Without a basis, 0.7 / 1.87 of the link
	// is usable: 39.9 Mbit/s, and 44.3 Mbit/s with a tenth left.
	for _, text := range []string{">14.9 Mbit/s<", ">39.9 Mbit/s<", ">44.3 Mbit/s<"} {
		assert.Contains(t, view.Charts[i].Wide, text)
	}
	assert.Equal(t, []whatif.InputLink{
		{Text: "Mean change: gold, Daily change", ID: "tier/gold/daily_change_percent"},
		{Text: "Busiest time: gold, Peak factor", ID: "tier/gold/peak_factor"},
		{Text: "Worse end of the link: metro, Throughput basis", ID: "link/metro/throughput_basis"},
		{Text: "Needed: metro, Throughput", ID: "link/metro/throughput_mbps"},
	}, view.Charts[i].Inputs)
}

// TestPage_Compute_needButton verifies that the need of a link with migrations is offered as the need without them.
func TestPage_Compute_needButton(t *testing.T) {
	t.Parallel()
	link := map[string]any{"throughput_mbps": 1000.0, "hourly_moves_percent": slices.Repeat([]any{50.0}, 24)}
	p := opened(t, &whatif.Model{Name: "estate", Plan: map[string]any{
		"links": map[string]any{"metro": link},
		"tiers": map[string]any{"gold": map[string]any{
			"vm_count":             1.0,
			"vm_size_gib":          100.0,
			"rpo_minutes":          60.0,
			"daily_change_percent": 5.0,
		}},
	}})
	buttons := computed(t, p, nil).Others[0].Buttons
	require.Len(t, buttons, 1)
	assert.Contains(t, buttons[0].Text, "Set to the throughput needed without migrations: ")
}
