package difference_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report/difference"
)

// compliance returns a result of vsla_sla_compliance for a tier with an RPO and, if percent is positive, a promised
// compliance.
func compliance(rpoMinutes, percent float64) thing {
	gold := map[string]any{"rpo_minutes": rpoMinutes, "compliance_percent": nil}
	if percent > 0 {
		gold["compliance_percent"] = percent
	}
	return thing{
		address: "data.vsla_sla_compliance.sla",
		values: map[string]any{
			"tiers":     map[string]any{"gold": gold},
			"compliant": true,
			"summary":   "",
		},
	}
}

func TestWeaker(t *testing.T) {
	t.Parallel()
	deadline := func(hours any) thing {
		inputs := map[string]any{
			"vm_count":             15.0,
			"vm_size_gib":          100.0,
			"daily_change_percent": 5.0,
			"throughput_mbps":      1802.0,
			"rpo_minutes":          60.0,
		}
		if hours != nil {
			inputs["deadline_hours"] = hours
		}
		return calculated(t, gold, inputs)
	}
	with := func(kind, input string, value float64) thing {
		return thing{address: "data." + kind + ".x", values: map[string]any{input: value}}
	}
	// moves returns a migration of two VMs of 10 GiB, or of those listed in only. At 1,000 Mbit/s, both take 172 s.
	moves := func(inputs map[string]any, only ...string) thing {
		vms := map[string]any{}
		for _, name := range cmp.Or(strings.Join(only, ""), "ab") {
			vms[string(name)] = map[string]any{"memory_gib": 10.0, "memory_dirty_mbps": 0.0}
		}
		all := map[string]any{
			"virtual_machines": vms,
			"throughput_mbps":  1000.0,
			"setup_seconds":    0.0,
			"window_hours":     8.0,
		}
		maps.Copy(all, inputs)
		return calculated(t, "data.vsla_migration_plan.x", all)
	}
	// with20And returns the VMs with downtimes of 20 minutes for a and of another number for b.
	with20And := func(minutes float64) map[string]any {
		vm := func(downtime float64) map[string]any {
			return map[string]any{"memory_gib": 10.0, "memory_dirty_mbps": 0.0, "max_downtime_minutes": downtime}
		}
		return map[string]any{"a": vm(20), "b": vm(minutes)}
	}
	hidden := func(r thing, more ...string) thing {
		r.sensitive = append([]string{"throughput_mbps"}, more...)
		return r
	}
	fewer := calculated(t, gold, map[string]any{
		"vm_count":             10.0,
		"vm_size_gib":          100.0,
		"daily_change_percent": 5.0,
		"throughput_mbps":      1802.0,
		"rpo_minutes":          15.0,
	})
	for name, c := range map[string]struct {
		before, after thing
		outcome       difference.Outcome
		// asks is the expected text about the weakened promise; empty if it is not weakened.
		asks string
	}{
		"a longer RPO that holds as before": {
			tier(t, gold, 15, 1802), tier(t, gold, 60, 1802), difference.Worse, "RPO 15 min → 60 min",
		},
		// Sending 644,245,094,400 bits at 440 / 1.14 Mbit/s takes 1,669 s. With 90 minutes configured, a recovery point
		// is at most 117.8 minutes old.
		"a longer RPO that makes it hold": {
			tier(t, gold, 15, 440), tier(t, gold, 120, 440), difference.Worse, "RPO 15 min → 2 h",
		},
		"a shorter RPO":    {tier(t, gold, 60, 1802), tier(t, gold, 15, 1802), difference.Figures, ""},
		"a faster link":    {tier(t, gold, 60, 901), tier(t, gold, 60, 1802), difference.Figures, ""},
		"a later deadline": {deadline(24.0), deadline(48.0), difference.Worse, "deadline 1d → 2d"},
		"no deadline":      {deadline(24.0), deadline(nil), difference.Worse, "deadline 1d → –"},
		"a new deadline":   {deadline(nil), deadline(24.0), difference.Figures, ""},
		"a tier's RPO": {
			compliance(15, 0),
			compliance(60, 0),
			difference.Worse,
			"gold: RPO 15 min → 60 min",
		},
		"a tier's compliance": {
			compliance(15, 99.9),
			compliance(15, 99),
			difference.Worse,
			"gold: compliance 99.9% → 99%",
		},
		"a tier's new compliance": {compliance(15, 0), compliance(15, 99), difference.Figures, ""},
		"a shorter horizon": {
			with("vsla_replication_estimate", "horizon_months", 36),
			with("vsla_replication_estimate", "horizon_months", 12),
			difference.Worse, "horizon 36 months → 12 months",
		},
		"a longer stop": {
			with("vsla_vmotion_estimate", "switchover_goal_ms", 1000),
			with("vsla_vmotion_estimate", "switchover_goal_ms", 2000),
			difference.Worse, "switchover goal 1,000 ms → 2,000 ms",
		},
		"more tolerance": {
			with("vsla_replication_calibration", "tolerance_percent", 10),
			with("vsla_replication_calibration", "tolerance_percent", 20),
			difference.Worse, "tolerance 10% → 20%",
		},
		"fewer VMs": {tier(t, gold, 15, 1802), fewer, difference.Worse, "VM count 15 → 10"},
		"a sensitive link": {
			hidden(tier(t, gold, 15, 1802)), hidden(tier(t, gold, 60, 1802)), difference.Worse, "RPO 15 min → 60 min",
		},
		"a sensitive RPO": {
			hidden(tier(t, gold, 15, 1802)), hidden(tier(t, gold, 60, 1802), "rpo_minutes"), difference.Worse,
			"RPO (withheld)",
		},
		"a longer downtime": {
			moves(map[string]any{"max_downtime_minutes": 20.0}), moves(map[string]any{"max_downtime_minutes": 600.0}),
			difference.Worse, "max downtime 20m → 10h",
		},
		"no limits": {
			moves(map[string]any{"max_downtime_minutes": 20.0, "max_windows": 2.0, "deadline_hours": 24.0}),
			moves(map[string]any{"deadline_hours": 24.0}), difference.Worse, "max windows 2 → –, max downtime 20m → –",
		},
		"a longer downtime of one VM": {
			moves(map[string]any{"max_downtime_minutes": 20.0}),
			moves(map[string]any{"max_downtime_minutes": 20.0, "virtual_machines": with20And(40)}),
			difference.Worse, "b: max downtime 20m → 40m",
		},
		"a shorter downtime of one VM": {
			moves(map[string]any{"max_downtime_minutes": 20.0}),
			moves(map[string]any{"max_downtime_minutes": 20.0, "virtual_machines": with20And(10)}),
			difference.Figures, "",
		},
		"a downtime of the plan that no VM relies on": {
			moves(map[string]any{"max_downtime_minutes": 30.0, "virtual_machines": with20And(20)}),
			moves(map[string]any{"virtual_machines": with20And(20)}), difference.Figures, "",
		},
		"a VM that is not moved": {
			moves(map[string]any{"deadline_hours": 24.0}), moves(map[string]any{"deadline_hours": 24.0}, "b"),
			difference.Worse, "VMs a → no longer checked",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := compared(t, state(c.before), planOf(c.after))
			i := result(t, d, c.after.address)
			require.Equal(t, c.outcome, d.Outcome)
			assert.Equal(t, c.asks != "", d.GetsWorse())
			_, asks, _ := strings.Cut(i.Sentence, "The promise is weakened: ")
			assert.Equal(t, c.asks, strings.TrimSuffix(asks, "."), i.Sentence)
			text := d.Markdown(limit)
			require.Equal(t, c.asks != "", strings.Contains(text, "## ! "))
			assert.Equal(t, c.asks != "", strings.Contains(text, "weakened"))
			assert.NotContains(t, text, "Gets better")
			assert.NotContains(t, d.Headline, "now holds")
		})
	}
}

// promised returns an SLA plan for 10 VMs of 100 GiB with a daily change of 10%. In total, 100 GiB changes per day,
// which requires 9.9 Mbit/s.
func promised(t *testing.T, mbps float64) thing {
	t.Helper()
	return calculated(t, `data.vsla_sla_plan.estate`, map[string]any{
		"links": map[string]any{"metro": map[string]any{"throughput_mbps": mbps}},
		"tiers": map[string]any{"gold": map[string]any{
			"vm_count":             10.0,
			"vm_size_gib":          100.0,
			"daily_change_percent": 10.0,
			"rpo_minutes":          60.0,
		}},
	})
}

func TestPromises(t *testing.T) {
	t.Parallel()
	d := compared(t, state(promised(t, 1000)), state(promised(t, 5)))
	text := d.Markdown(limit)
	for _, want := range []string{
		"## ✕ 1 promise no longer holds (`gold`).\n",
		"### Promises\n\n| Promise | Before | After | Link reserve |\n| --- | --- | --- | --- |\n| `gold` | ✓ holds " +
			"| ✕ does not hold | ",
		" short |\n",
	} {
		assert.Contains(t, text, want)
	}
	key := tier(t, `data.vsla_replication_estimate.tier["gold"]`, 15, 440)
	before := tier(t, `data.vsla_replication_estimate.tier["gold"]`, 15, 1802)
	if text := compared(t, state(before), state(key)).Markdown(limit); !strings.HasPrefix(
		text, "## ✕ 1 result no longer holds (`tier[\"gold\"]`).\n") {
		t.Errorf("a name is escaped:\n%s", text)
	}
}

// TestHeadline_others verifies that the headline counts promises and other results as the review does, and that only
// what held no longer holds. 10 VMs of 100 GiB need 9.9 Mbit/s. A vMotion requires 250 Mbit/s, and 1,000 GiB at 300
// Mbit/s take 7.95 hours, so that they fit into no window of 4 hours.
func TestHeadline_others(t *testing.T) {
	t.Parallel()
	moves := func(mbps float64) thing {
		return calculated(t, "data.vsla_migration_plan.moves", map[string]any{
			"virtual_machines": map[string]any{
				"app":  map[string]any{"memory_gib": 10.0},
				"file": map[string]any{"memory_gib": 10.0, "disk_gib": 990.0},
			},
			"throughput_mbps": mbps,
			"window_hours":    4.0,
		})
	}
	for name, test := range map[string]struct {
		before, after world
		want          string
	}{
		"nothing turns": {
			state(promised(t, 1000), moves(300)), state(promised(t, 2000), moves(400)),
			"No verdict changes: 1 promise holds; 1 other result is still at risk.",
		},
		"what was at risk does not hold": {
			state(promised(t, 1000), moves(300)), state(promised(t, 1000), moves(100)),
			"1 other result was at risk and now does not hold (moves).",
		},
		"both": {
			state(promised(t, 1000), moves(300)), state(promised(t, 5), moves(100)),
			"1 promise no longer holds (gold); 1 other result was at risk and now does not hold.",
		},
		"only results": {
			state(moves(300)), state(moves(100)), "1 result was at risk and now does not hold (moves).",
		},
	} {
		assert.Equal(t, test.want, compared(t, test.before, test.after).Headline, name)
	}
}

func TestSensitive(t *testing.T) {
	t.Parallel()
	marked := func(r thing, names ...string) thing {
		r.sensitive = names
		return r
	}
	for name, pair := range map[string][2]world{
		"before": {
			state(marked(tier(t, gold, 15, 901.25), "throughput_mbps")),
			planOf(tier(t, gold, 15, 440.75)),
		},
		"after": {
			state(tier(t, gold, 15, 901.25)),
			planOf(marked(tier(t, gold, 15, 440.75), "throughput_mbps")),
		},
		"both": {
			state(marked(tier(t, gold, 15, 901.25), "throughput_mbps")),
			planOf(marked(tier(t, gold, 15, 440.75), "throughput_mbps")),
		},
	} {
		// A cycle takes 714.8 s at 901.25 Mbit/s and 1,461.7 s at 440.75 Mbit/s. An initial sync takes 20 times as
		// long.
		secrets := []string{
			"901.25", "901.3", "440.75", "440.8", "11m 55s", "11m 56s", "24m 22s", "3h 58m", "8h 7m", "714.", "1461.",
		}
		var files bytes.Buffer
		files.Write(pair[0].json(t))
		files.Write(pair[1].json(t))
		require.Contains(t, files.String(), "901.25", "the files do not have the values, so nothing is shown")
		d := compared(t, pair[0], pair[1])
		all := fmt.Sprint(forms(t, d))
		for _, text := range secrets {
			assert.NotContains(t, all, text, name)
		}
		// Verdicts are not sensitive, and the verdict on gold gets worse.
		i := result(t, d, gold)
		assert.Equal(t, difference.VerdictWorse, i.VerdictChange, name)
		assert.Equal(t, plan.Misses, i.After.Level, name)
		assert.Equal(t, difference.Worse, d.Outcome, name)
	}
}

// TestSensitive_plan verifies that the parts of a plan show nothing that only the baseline marks as sensitive.
func TestSensitive_plan(t *testing.T) {
	t.Parallel()
	before := promised(t, 1000)
	before.sensitive = []string{"links"}
	all := fmt.Sprint(forms(t, compared(t, state(before), planOf(promised(t, 5)))))
	for _, figure := range []string{"1,000", "1000", "708.3", "Mbit/s", "short", "% free"} {
		assert.NotContains(t, all, figure)
	}
}

func TestProtection(t *testing.T) {
	t.Parallel()
	before, after := state(), planOf()
	weaker := finding.Of(finding.Weaker, "vm-1", "vsla_replication.a", "has a longer RPO")
	d := difference.New(before.document(t), after.document(t), weaker)
	assert.True(t, d.GetsWorse())
	assert.Equal(t, difference.Worse, d.Outcome)
	assert.Regexp(t, "^Protection gets weaker: vm-1", d.Headline)
	assert.Contains(t, d.Markdown(10_000), "vm-1 has a longer RPO")
	page := d.Review("before.json")
	assert.Equal(t, d.Headline, page.Headline)
	assert.Equal(t, []string{"vm-1 has a longer RPO."}, page.Lines)
	assert.False(t, difference.New(before.document(t), after.document(t)).GetsWorse())
}
