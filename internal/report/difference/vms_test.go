package difference_test

import (
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
	both := members{"gold": {"a", "b"}, "silver": {"c"}, "au": {"d"}}
	for name, test := range map[string]struct {
		after     members
		sensitive []string
		want      string
	}{
		"unchanged": {
			after: both,
		},
		"not checked": {
			after: members{"gold": {"a"}, "silver": {"c"}, "au": {"d"}},
			want:  "VMs b → no longer checked",
		},
		"another VM": {
			after: members{"gold": {"a", "e"}, "silver": {"c"}, "au": {"d"}},
			want:  "VMs b → no longer checked",
		},
		"a longer RPO": {
			after: members{"gold": {"a"}, "silver": {"b", "c"}, "au": {"d"}},
			want:  "RPO of b 15 min → 60 min",
		},
		"the same RPO": {
			after: members{"gold": {"a"}, "silver": {"c"}, "au": {"b", "d"}},
		},
		"a shorter RPO": {
			after: members{"gold": {"a", "b", "c"}, "silver": {"e"}, "au": {"d"}},
		},
		"a sensitive link": {
			after:     members{"gold": {"a"}, "silver": {"b", "c"}, "au": {"d"}},
			sensitive: []string{"links"},
			want:      "gold: RPO of b 15 min → 60 min",
		},
		"sensitive tiers": {
			after:     members{"gold": {"a"}, "silver": {"b", "c"}, "au": {"d"}},
			sensitive: []string{"tiers"},
			want:      "tiers (withheld)",
		},
	} {
		d := compared(t, state(planned(both, test.sensitive...)), planOf(planned(test.after, test.sensitive...)))
		assert.Equal(t, test.want != "", d.GetsWorse(), name)
		var weakened []string
		for _, i := range d.Results {
			if _, text, ok := strings.Cut(i.Sentence, "The promise is weakened: "); ok {
				weakened = append(weakened, text)
			}
		}
		assert.Equal(t, test.want, strings.TrimSuffix(strings.Join(weakened, ""), "."), name)
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
	late := func(a, b float64) world {
		vms := map[string]any{}
		for name, size := range map[string]float64{"a": a, "b": b, "c": 10} {
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
		a, b     float64
		worse    bool
		headline string
	}{
		{a: 5000, b: 10, worse: false, headline: "No verdict changes: 1 promise still does not hold."},
		{a: 10, b: 5000, worse: true, headline: "1 promise holds for fewer VMs (gold)."},
		{a: 5000, b: 5000, worse: true, headline: "1 promise holds for fewer VMs (gold)."},
	} {
		d := compared(t, late(5000, 10), late(test.a, test.b))
		assert.Equal(t, test.headline, d.Headline)
		assert.Equal(t, test.worse, d.GetsWorse(), "%+v", test)
	}
}
