package difference_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/report/difference"
)

// scheduled is a schedule of a group of 15 VMs of 100 GiB, of which 5% changes in a day, and other inputs.
func scheduled(t *testing.T, groups map[string]float64, more map[string]any) thing {
	t.Helper()
	all := map[string]any{}
	for name, rpo := range groups {
		all[name] = map[string]any{
			"vm_count": 15.0, "vm_size_gib": 100.0, "daily_change_percent": 5.0, "rpo_minutes": rpo,
		}
	}
	inputs := map[string]any{"groups": all, "throughput_mbps": 2000.0}
	maps.Copy(inputs, more)
	return calculated(t, "data.vsla_replication_schedule.all", inputs)
}

// compliance promises each tier an RPO, and a compliance where it is above 0.
func compliance(rpoMinutes, percent float64) thing {
	gold := map[string]any{"rpo_minutes": rpoMinutes, "compliance_percent": nil}
	if percent > 0 {
		gold["compliance_percent"] = percent
	}
	return thing{address: "data.vsla_sla_compliance.sla", values: map[string]any{
		"tiers": map[string]any{"gold": gold}, "compliant": true, "summary": "",
	}}
}

// TestWeaker: a promise that asks for less is as bad as one that breaks, whatever becomes of its verdict.
func TestWeaker(t *testing.T) {
	t.Parallel()
	deadline := func(hours any) thing {
		inputs := map[string]any{
			"vm_count": 15.0, "vm_size_gib": 100.0, "daily_change_percent": 5.0, "throughput_mbps": 1802.0, "rpo_minutes": 60.0,
		}
		if hours != nil {
			inputs["deadline_hours"] = hours
		}
		return calculated(t, gold, inputs)
	}
	storage := func(rpo float64) thing {
		return calculated(t, "data.vsla_replica_storage.all", map[string]any{
			"vm_count": 15.0, "used_gib": 100.0, "daily_change_percent": 5.0, "rpo_minutes": rpo,
		})
	}
	with := func(kind, input string, value float64) thing {
		return thing{address: "data." + kind + ".x", values: map[string]any{input: value}}
	}
	both := map[string]float64{"gold": 15, "silver": 60}
	for name, c := range map[string]struct {
		before, after thing
		outcome       difference.Outcome
		// asks lists the changes that ask for less; it is empty without one.
		asks string
	}{
		"a longer RPO that holds as before": {
			tier(t, gold, 15, 1802), tier(t, gold, 60, 1802), difference.Worse, "RPO 15 min → 60 min",
		},
		// 644,245,094,400 bit take 1,464 s at 440 Mbit/s: more than 15 minutes, less than half of 60.
		"a longer RPO that makes it hold": {
			tier(t, gold, 15, 440), tier(t, gold, 60, 440), difference.Mixed, "RPO 15 min → 60 min",
		},
		"a shorter RPO": {tier(t, gold, 60, 1802), tier(t, gold, 15, 1802), difference.Figures, ""},
		"a faster link": {tier(t, gold, 60, 901), tier(t, gold, 60, 1802), difference.Figures, ""},
		"a later deadline": {
			deadline(24.0), deadline(48.0), difference.Worse, "deadline 1d → 2d",
		},
		"no deadline":    {deadline(24.0), deadline(nil), difference.Worse, "deadline 1d → –"},
		"a new deadline": {deadline(nil), deadline(24.0), difference.Figures, ""},
		"a group's RPO": {
			scheduled(t, both, nil), scheduled(t, map[string]float64{"gold": 15, "silver": 240}, nil), difference.Worse,
			"silver: RPO 60 min → 4 h",
		},
		"a group that is gone": {
			scheduled(t, both, nil), scheduled(t, map[string]float64{"gold": 15}, nil), difference.Worse,
			"silver: RPO 60 min → –",
		},
		"a target below the default": {
			scheduled(t, both, nil), scheduled(t, both, map[string]any{"target_compliance_percent": 90.0}), difference.Worse,
			"target compliance – → 90%",
		},
		"a tier's RPO":            {compliance(15, 0), compliance(60, 0), difference.Worse, "gold: RPO 15 min → 60 min"},
		"a tier's compliance":     {compliance(15, 99.9), compliance(15, 99), difference.Worse, "gold: compliance 99.9% → 99%"},
		"a tier's new compliance": {compliance(15, 0), compliance(15, 99), difference.Figures, ""},
		"a shorter horizon": {
			with("vsla_replication_estimate", "horizon_months", 36), with("vsla_replication_estimate", "horizon_months", 12),
			difference.Worse, "horizon 36 months → 12 months",
		},
		"a longer stop": {
			with("vsla_vmotion_estimate", "switchover_goal_ms", 1000), with("vsla_vmotion_estimate", "switchover_goal_ms", 2000),
			difference.Worse, "switchover goal 1,000 ms → 2,000 ms",
		},
		"more tolerance": {
			with("vsla_latency_impact", "tolerance_percent", 10), with("vsla_latency_impact", "tolerance_percent", 20),
			difference.Worse, "tolerance 10% → 20%",
		},
		"a slower response": {
			with("vsla_latency_impact", "max_response_ratio", 1.5), with("vsla_latency_impact", "max_response_ratio", 2),
			difference.Worse, "max response ratio 1.5 → 2",
		},
		// With a longer RPO fewer instances are kept: nothing that is promised.
		"the RPO of a replica's storage": {storage(15), storage(60), difference.Figures, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := compared(t, state(c.before), planOf(c.after))
			i := result(t, d, c.after.address)
			require.Equal(t, c.outcome, d.Outcome)
			assert.Equal(t, c.asks != "", d.GetsWorse())
			_, asks, _ := strings.Cut(i.Sentence, "The promise asks for less: ")
			assert.Equal(t, c.asks, strings.TrimSuffix(asks, "."), i.Sentence)
			text := d.Markdown(limit)
			require.Equal(t, c.asks != "", strings.Contains(text, "## ! "))
			assert.Equal(t, c.asks != "", strings.Contains(text, "ask"))
		})
	}
}
