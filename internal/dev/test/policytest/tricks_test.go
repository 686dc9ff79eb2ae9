// Inputs that flatter a verdict: each trick makes a bad result good, and the bounds of the settings refuse it.

package policytest_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

// source is a data source in HCL by argument, with the bounds that the settings have for it.
type source struct {
	kind   string
	args   map[string]string
	bounds document
	// bad is the code that the honest inputs lead to, and link that the gate measures them as a link for four vMotions.
	bad  string
	link bool
}

// honest are results that are bad as long as their inputs are true.
var honest = map[string]source{
	// 15 VMs of 100 GiB, 5 %: 75 GiB * 2^33 bit / 900 s = 715.8 Mbit/s keep the RPO, and 630 do not.
	"estimate": {
		kind: "vsla_replication_estimate", bad: "rpo_missed",
		args: map[string]string{
			"vm_count": "15", "vm_size_gib": "100", "daily_change_percent": "5", "throughput_mbps": "630", "rpo_minutes": "15",
		},
		bounds: document{
			"min_vm_count": 15, "min_vm_size_gib": 100, "min_daily_change_percent": 5, "max_throughput_mbps": 630,
			"max_rpo_minutes": 15, "max_compression_ratio": 1.2, "max_seeded_percent": 50, "min_peak_factor": 3,
		},
	},
	// 30 % of 2,000 are 600 Mbit/s.
	"nominal": {
		kind: "vsla_replication_estimate", bad: "rpo_missed",
		args: map[string]string{
			"vm_count": "15", "vm_size_gib": "100", "daily_change_percent": "5", "throughput_mbps": "2000",
			"rpo_minutes": "15", "efficiency_percent": "30",
		},
		bounds: document{"max_efficiency_percent": 30},
	},
	// 75 GiB at 7,000 Mbit/s take 92 s; with 500 s beside them more than half of 900 s.
	"overhead": {
		kind: "vsla_replication_estimate", bad: "at_risk",
		args: map[string]string{
			"vm_count": "15", "vm_size_gib": "100", "daily_change_percent": "5", "throughput_mbps": "7000",
			"rpo_minutes": "15", "overhead_seconds": "500",
		},
		bounds: document{"min_overhead_seconds": 500},
	},
	"linked": {
		kind: "vsla_replication_estimate", bad: "rpo_missed",
		args: map[string]string{
			"vm_count": "15", "vm_size_gib": "100", "daily_change_percent": "5", "rpo_minutes": "15",
			"throughput_mbps": "data.vsla_link_throughput.thin.throughput_mbps",
		},
		bounds: document{"from": document{"throughput_mbps": "data.vsla_link_throughput.thin.throughput_mbps"}},
	},
	// 75 GiB a day, evenly spread, are 7.5 Mbit/s.
	"schedule": {
		kind: "vsla_replication_schedule", bad: "rpo_missed",
		args: map[string]string{
			"throughput_mbps": "5",
			"groups":          `{ gold = { vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15 } }`,
		},
		bounds: document{
			"max_throughput_mbps": 5,
			"groups": document{
				"gold": document{"min_vm_count": 15, "max_rpo_minutes": 15},
				"*":    document{"min_vm_size_gib": 100, "min_daily_change_percent": 5, "max_compression_ratio": 1.2},
			},
		},
	},
	// Nothing is at the target: the first hours have no recovery point.
	"cold": {
		kind: "vsla_replication_schedule", bad: "rpo_missed",
		args: map[string]string{
			"throughput_mbps": "500", "start_in_sync": "false",
			"groups": `{ gold = { vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15 } }`,
		},
		bounds: document{"equal": document{"start_in_sync": false}},
	},
	// Eight migrations share 1,000 Mbit/s: 125 each.
	"shared": {
		kind: "vsla_vmotion_estimate", bad: "below_vmotion_floor",
		args:   map[string]string{"memory_gib": "16", "throughput_mbps": "1000", "concurrent_migrations": "8"},
		bounds: document{"min_concurrent_migrations": 8, "max_throughput_mbps": 1000},
	},
	"dirty": {
		kind: "vsla_vmotion_estimate", bad: "at_risk",
		args:   map[string]string{"memory_gib": "16", "throughput_mbps": "1000", "memory_dirty_mbps": "2000"},
		bounds: document{"min_memory_dirty_mbps": 2000, "min_memory_gib": 16, "max_switchover_goal_ms": 1000},
	},
	"far": {
		kind: "vsla_vmotion_estimate", bad: "unsupported",
		args:   map[string]string{"memory_gib": "16", "throughput_mbps": "1000", "rtt_ms": "200"},
		bounds: document{"min_rtt_ms": 200},
	},
	// One migration alone has 200 Mbit/s.
	"waves": {
		kind: "vsla_migration_plan", bad: "below_vmotion_floor",
		args: map[string]string{
			"throughput_mbps":  "200",
			"virtual_machines": `{ a = { memory_gib = 16 }, b = { memory_gib = 16 } }`,
		},
		bounds: document{
			"max_throughput_mbps": 200, "min_virtual_machines": 2,
			"virtual_machines": document{"a": document{"min_memory_gib": 16}, "b": document{"min_memory_gib": 16}},
		},
	},
	// 64 KiB every 100 ms are 5.2 Mbit/s.
	"window": {
		kind: "vsla_link_throughput", bad: "below_vmotion_floor", link: true,
		args:   map[string]string{"bandwidth_mbps": "10000", "rtt_ms": "100", "window_kib": "64"},
		bounds: document{"max_bandwidth_mbps": 10000, "min_rtt_ms": 100, "max_window_kib": 64, "max_streams": 1},
	},
	"limits": {
		kind: "vsla_configuration_limits", bad: "limit_exceeded",
		args: map[string]string{
			"product": `"vsphere_replication"`, "version": `"9.0"`, "counts": "{ replications = 4001 }",
		},
		bounds: document{
			"equal":         document{"product": "vsphere_replication", "version": "9.0"},
			"counts":        document{"replications": document{"min": 4001}},
			"max_overrides": 0,
		},
	},
	// 5 users, 10.58 round trips: from 65 operations per second to 10.
	"latency": {
		kind: "vsla_latency_impact", bad: "latency_loss",
		args: map[string]string{
			"users": "5", "think_seconds": "0.02", "rtt_before_ms": "0", "rtt_after_ms": "40",
			"throughput_before": "65", "round_trips_per_operation": "10.58",
		},
		bounds: document{"max_tolerance_percent": 20, "min_rtt_after_ms": 40, "min_round_trips_per_operation": 10},
	},
	// 2 GiB in 300 s are 57.27 Mbit/s, and not 600.
	"calibration": {
		kind: "vsla_replication_calibration", bad: "plan_optimistic",
		args: map[string]string{
			"last_sync_size_bytes": "2147483648", "last_sync_duration_seconds": "300", "rpo_minutes": "15",
			"throughput_mbps": "600",
		},
		bounds: document{"min_throughput_mbps": 600, "equal": document{"last_sync_duration_seconds": 300}},
	},
	// 20 * (100 + 100 * 5 % * 15 / 1,440) are 2,001 GiB.
	"replicas": {
		kind: "vsla_replica_storage", bad: "storage_exceeded",
		args: map[string]string{
			"vm_count": "20", "used_gib": "100", "daily_change_percent": "5", "rpo_minutes": "15", "target_free_gib": "1500",
		},
		bounds: document{"min_vm_count": 20, "min_used_gib": 100, "max_target_free_gib": 1500},
	},
	// 24 instances of 5 GiB beside 100 GiB each: 20 * 220.05 are 4,401 GiB.
	"instances": {
		kind: "vsla_replica_storage", bad: "storage_exceeded",
		args: map[string]string{
			"vm_count": "20", "used_gib": "100", "daily_change_percent": "5", "rpo_minutes": "15", "target_free_gib": "4000",
			"point_in_time": "{ instances_per_day = 1, days = 24 }",
		},
		bounds: document{"equal": document{"point_in_time": document{"instances_per_day": 1, "days": 24}}},
	},
	// 2,001 of 2,100 GiB leave 5 %.
	"nearly full": {
		kind: "vsla_replica_storage", bad: "low_headroom",
		args: map[string]string{
			"vm_count": "20", "used_gib": "100", "daily_change_percent": "5", "rpo_minutes": "15", "target_free_gib": "2100",
		},
		bounds: document{"max_target_free_gib": 2100},
	},
	// 715.8 Mbit/s keep the RPO: (901 - 715.8)^2 / ((901 - 400) * (901 - 700)) are 34 % of what the link may have.
	"unlikely": {
		kind: "vsla_replication_confidence", bad: "low_confidence",
		args: map[string]string{
			"vm_count": "15", "vm_size_gib": "100", "daily_change_percent": "{ low = 5, likely = 5, high = 5 }",
			"throughput_mbps": "{ low = 400, likely = 700, high = 901 }", "rpo_minutes": "15",
		},
		bounds: document{
			"max_rpo_minutes": 15, "min_vm_count": 15, "min_daily_change_percent": 5,
			"throughput_mbps": document{
				"low": document{"max": 400}, "likely": document{"max": 700}, "high": document{"max": 901},
			},
		},
	},
	// 357.9 Mbit/s keep an RPO of 30 minutes, 715.8 half of it.
	"tight": {
		kind: "vsla_replication_confidence", bad: "at_risk",
		args: map[string]string{
			"vm_count": "15", "vm_size_gib": "100", "daily_change_percent": "5", "rpo_minutes": "30",
			"throughput_mbps": "{ low = 400, likely = 700, high = 901 }",
		},
		bounds: document{"max_throughput_mbps": 901},
	},
}

// tricks change arguments of honest results; an empty value takes an argument away.
var tricks = []struct {
	name, of string
	args     map[string]string
	code     string
}{
	{"one VM", "estimate", map[string]string{"vm_count": "1"}, "input_out_of_bounds"},
	{"no change", "estimate", map[string]string{"daily_change_percent": "0"}, "input_out_of_bounds"},
	{"compression", "estimate", map[string]string{"compression_ratio": "1000000"}, "input_out_of_bounds"},
	{"throughput", "estimate", map[string]string{"throughput_mbps": "1e12"}, "input_out_of_bounds"},
	{"small VMs", "estimate", map[string]string{"vm_size_gib": "0.001"}, "input_out_of_bounds"},
	{"no peak", "estimate", map[string]string{"peak_factor": "1"}, "input_out_of_bounds"},
	{"longer RPO", "estimate", map[string]string{"rpo_minutes": "1440"}, "weaker_than_tier"},
	{"all of the link", "nominal", map[string]string{"efficiency_percent": ""}, "input_out_of_bounds"},
	{"no overhead", "overhead", map[string]string{"overhead_seconds": ""}, "input_out_of_bounds"},
	{"a number", "linked", map[string]string{"throughput_mbps": "7000"}, "input_source"},
	{"another link", "linked", map[string]string{
		"throughput_mbps": "data.vsla_link_throughput.fat.throughput_mbps",
	}, "input_source"},
	{"more than the link", "linked", map[string]string{
		"throughput_mbps": "max(7000, data.vsla_link_throughput.thin.throughput_mbps)",
	}, "input_source"},
	{"before efficiency", "linked", map[string]string{
		"throughput_mbps": "data.vsla_link_throughput.thin.bandwidth_mbps",
	}, "input_source"},
	{"small group", "schedule", map[string]string{
		"groups": `{ gold = { vm_count = 1, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15 } }`,
	}, "input_out_of_bounds"},
	{"quiet group", "schedule", map[string]string{
		"groups": `{ gold = { vm_count = 15, vm_size_gib = 100, daily_change_percent = 0, rpo_minutes = 15 } }`,
	}, "input_out_of_bounds"},
	{"another group", "schedule", map[string]string{
		"groups": `{ tin = { vm_count = 1, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15 } }`,
	}, "input_out_of_bounds"},
	{"compressed group", "schedule", map[string]string{
		"groups": `{ gold = {
		  vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, rpo_minutes = 15, compression_ratio = 1000 } }`,
	}, "input_out_of_bounds"},
	{"hourly throughput", "schedule", map[string]string{
		"throughput_mbps": "", "hourly_throughput_mbps": "[for hour in range(24) : 1000]",
	}, "input_out_of_bounds"},
	{"warm start", "cold", map[string]string{"start_in_sync": ""}, "input_out_of_bounds"},
	{"one migration", "shared", map[string]string{"concurrent_migrations": ""}, "input_out_of_bounds"},
	{"fast link", "shared", map[string]string{"throughput_mbps": "1e6"}, "input_out_of_bounds"},
	{"clean memory", "dirty", map[string]string{"memory_dirty_mbps": ""}, "input_out_of_bounds"},
	{"no distance", "far", map[string]string{"rtt_ms": ""}, "input_out_of_bounds"},
	{"fast plan", "waves", map[string]string{"throughput_mbps": "1e6"}, "input_out_of_bounds"},
	{"many streams", "window", map[string]string{"streams": "1000"}, "input_out_of_bounds"},
	{"short round trip", "window", map[string]string{"rtt_ms": "0.1"}, "input_out_of_bounds"},
	{"large window", "window", map[string]string{"window_kib": "1000000"}, "input_out_of_bounds"},
	{"fewer replications", "limits", map[string]string{"counts": "{ replications = 1 }"}, "input_out_of_bounds"},
	{"something else counted", "limits", map[string]string{
		"counts": "{ replications_at_min_rpo = 1 }",
	}, "input_out_of_bounds"},
	{"limit overridden", "limits", map[string]string{"overrides": "{ replications = 1000000 }"}, "input_out_of_bounds"},
	{"tolerant users", "latency", map[string]string{"tolerance_percent": "100"}, "input_out_of_bounds"},
	{"short distance", "latency", map[string]string{"rtt_after_ms": "0.1"}, "input_out_of_bounds"},
	{"modest plan", "calibration", map[string]string{"throughput_mbps": "10"}, "input_out_of_bounds"},
	{"fewer replicas", "replicas", map[string]string{"vm_count": "1"}, "input_out_of_bounds"},
	{"small replicas", "replicas", map[string]string{"used_gib": "1"}, "input_out_of_bounds"},
	{"large datastore", "replicas", map[string]string{"target_free_gib": "1e6"}, "input_out_of_bounds"},
	{"no instances", "instances", map[string]string{"point_in_time": ""}, "input_out_of_bounds"},
	{"larger datastore", "nearly full", map[string]string{"target_free_gib": "3000"}, "input_out_of_bounds"},
	{"optimists", "unlikely", map[string]string{
		"throughput_mbps": "{ low = 2000, likely = 2000, high = 2000 }",
	}, "input_out_of_bounds"},
	{"one optimist", "unlikely", map[string]string{
		"throughput_mbps": "{ low = 400, likely = 400.001, high = 1e8 }",
	}, "input_out_of_bounds"},
	{"sure of it", "unlikely", map[string]string{"throughput_mbps": "2000"}, "input_out_of_bounds"},
	{"less change", "unlikely", map[string]string{
		"daily_change_percent": "{ low = 1, likely = 1, high = 1 }",
	}, "input_out_of_bounds"},
	{"a longer promise", "unlikely", map[string]string{"rpo_minutes": "1440"}, "weaker_than_tier"},
	{"wide range", "tight", map[string]string{
		"throughput_mbps": "{ low = 400, likely = 1e6, high = 1e6 }",
	}, "input_out_of_bounds"},
	{"short sync", "calibration", map[string]string{"last_sync_duration_seconds": "20"}, "input_out_of_bounds"},
}

// block writes a data source in HCL.
func (s source) block(label string, changed map[string]string) string {
	args := maps.Clone(s.args)
	maps.Copy(args, changed)
	var text strings.Builder
	fmt.Fprintf(&text, "\ndata %q %q {\n", s.kind, label)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if args[name] != "" {
			fmt.Fprintf(&text, "  %s = %s\n", name, args[name])
		}
	}
	return text.String() + "}\n"
}

func label(name string) string { return strings.ReplaceAll(name, " ", "_") }

// gateOf is what a settings file holds, from expectations and links.
func gateOf(expected, links []any) document {
	return document{"gate": document{"expected": expected, "vmotion_links": links}}
}

// TestGate_tricks plans all honest results and all tricks at once. Without bounds the honest ones are denied and every
// trick passes; with bounds no trick does.
func TestGate_tricks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		var links, bare, bounded []any
		hcl := ""
		want := map[string]string{}
		expect := func(s source, name string, changed map[string]string) string {
			address := "data." + s.kind + "." + label(name)
			hcl += s.block(label(name), changed)
			item := maps.Clone(s.bounds)
			item["address"] = address
			bare, bounded = append(bare, document{"address": address}), append(bounded, item)
			if s.link {
				links = append(links, document{"address": address, "concurrent_migrations": 4})
			}
			return address
		}
		for _, name := range slices.Sorted(maps.Keys(honest)) {
			want[expect(honest[name], name, nil)] = honest[name].bad
		}
		trick := map[string]string{}
		for _, c := range tricks {
			trick[expect(honest[c.of], c.name, c.args)] = c.code
		}
		plan := open(t, cli, "internal/dev/test/policytest/testdata/tricks").add(t, "tricks.tf", hcl).plan(t, 0)

		denied := judge(t, plan, gateOf(bare, links))
		for address, code := range want {
			if !slices.Contains(denied[address], code) {
				t.Errorf("honest %s: denied %q, want %s", address, denied[address], code)
			}
		}
		for address := range trick {
			if len(denied[address]) > 0 {
				t.Errorf("%s does not flatter its verdict: %q", address, denied[address])
			}
		}
		denied = judge(t, plan, gateOf(bounded, links))
		for address, code := range want {
			if slices.ContainsFunc(denied[address], func(c string) bool { return strings.HasPrefix(c, "input_") }) {
				t.Errorf("honest %s is out of its bounds: %q, %s", address, denied[address], code)
			}
		}
		for address, code := range trick {
			if !slices.Contains(denied[address], code) {
				t.Errorf("%s: denied %q, want %s", address, denied[address], code)
			}
		}
	})
}

// judge asks the gate by settings and returns the codes that are denied, by address.
func judge(t *testing.T, plan document, gate document) map[string][]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gate.json")
	write(t, file, gate)
	codes := map[string][]string{}
	for _, d := range ask(t, map[string]document{"plan": plan}, file)["plan"].denied {
		code, address, _ := strings.Cut(d, " ")
		codes[address] = append(codes[address], code)
	}
	return codes
}
