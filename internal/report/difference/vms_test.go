package difference_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestVMs verifies that a VM that loses its promise or gets a weaker one counts as worse, even if no verdict changes.
// At 1,000 Mbit/s, every RPO is met: 5 VMs of 100 GiB change by 50 GiB per day, which requires 5 Mbit/s.
func TestVMs(t *testing.T) {
	t.Parallel()
	type members map[string][]string
	planned := func(all members, sensitive ...string) thing {
		tiers := map[string]any{}
		for name, rpo := range map[string]float64{"gold": 15, "silver": 60, "au": 15} {
			vms := map[string]any{}
			for _, vm := range all[name] {
				vms[vm] = map[string]any{"size_gib": 100.0}
			}
			if len(vms) > 0 {
				tiers[name] = map[string]any{"virtual_machines": vms, "daily_change_percent": 10.0, "rpo_minutes": rpo}
			}
		}
		r := calculated(t, "data.vsla_sla_plan.x", map[string]any{
			"links": map[string]any{"l": map[string]any{"throughput_mbps": 1000.0}},
			"tiers": tiers,
		})
		r.sensitive = sensitive
		return r
	}
	links := []string{"links"}
	both := members{"gold": {"a", "b"}, "silver": {"c"}, "au": {"d"}}
	for name, test := range map[string]struct {
		after     members
		sensitive []string
		asks      string
	}{
		"unchanged": {both, nil, ""},
		"not checked": {members{
			"gold":   {"a"},
			"silver": {"c"},
			"au":     {"d"},
		}, nil, "VMs b → no longer checked"},
		"another VM": {members{
			"gold":   {"a", "e"},
			"silver": {"c"},
			"au":     {"d"},
		}, nil, "VMs b → no longer checked"},
		"a longer RPO": {members{
			"gold":   {"a"},
			"silver": {"b", "c"},
			"au":     {"d"},
		}, nil, "RPO of b 15 min → 60 min"},
		"the same RPO": {members{"gold": {"a"}, "silver": {"c"}, "au": {"b", "d"}}, nil, ""},
		"a shorter RPO": {members{
			"gold":   {"a", "b", "c"},
			"silver": {"e"},
			"au":     {"d"},
		}, nil, ""},
		"a sensitive link": {members{
			"gold":   {"a"},
			"silver": {"b", "c"},
			"au":     {"d"},
		}, links, "gold: RPO of b 15 min → 60 min"},
		"sensitive tiers": {
			members{"gold": {"a"}, "silver": {"b", "c"}, "au": {"d"}},
			[]string{"tiers"},
			"tiers (withheld)",
		},
	} {
		d := compared(t, state(planned(both, test.sensitive...)), planOf(planned(test.after, test.sensitive...)))
		assert.Equal(t, test.asks != "", d.GetsWorse(), name)
		var asks []string
		for _, i := range d.Results {
			if _, text, ok := strings.Cut(i.Sentence, "The promise is weakened: "); ok {
				asks = append(asks, text)
			}
		}
		assert.Equal(t, test.asks, strings.TrimSuffix(strings.Join(asks, ""), "."), name)
		later := planned(both)
		later.deferred = true
		assert.False(t, compared(t, planOf(later), planOf(planned(test.after))).GetsWorse(), "%s, not known before",
			name)
	}
}

// TestLateVMs verifies that a promise that does not hold counts as worse if it is broken for other VMs than before. A
// VM of 5,000 GiB changes by 500 GiB per day, which requires 49.7 Mbit/s, but a sync is limited to 30 Mbit/s.
func TestLateVMs(t *testing.T) {
	t.Parallel()
	late := func(large ...string) world {
		vms := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			size := map[bool]float64{true: 5000, false: 10}[slices.Contains(large, name)]
			vms[name] = map[string]any{"size_gib": size}
		}
		return state(calculated(t, "data.vsla_sla_plan.x", map[string]any{
			"links": map[string]any{"l": map[string]any{"throughput_mbps": 10000.0}},
			"tiers": map[string]any{"gold": map[string]any{
				"virtual_machines":     vms,
				"daily_change_percent": 10.0,
				"rpo_minutes":          60.0,
				"per_sync_mbps":        30.0,
			}},
		}))
	}
	for _, test := range []struct {
		after    []string
		headline string
	}{
		{[]string{"a"}, "No verdict changes: 1 promise still does not hold."},
		{[]string{"b"}, "1 promise holds for fewer VMs (gold)."},
		{[]string{"a", "b"}, "1 promise holds for fewer VMs (gold)."},
	} {
		d := compared(t, late("a"), late(test.after...))
		assert.Equal(t, test.headline, d.Headline)
		assert.Equal(t, test.after[len(test.after)-1] != "a", d.GetsWorse(), "%v", test.after)
	}
}
