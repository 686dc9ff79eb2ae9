// What each kind of result promises, how sure that is, and what would make it hold.

package report

import (
	"strings"
)

const estimateType = "vsla_replication_estimate"

// promising is how a kind of result is summarized. Texts are empty where there is nothing to say.
type promising struct {
	promise, sure func(*instance) string
	// options would make a result hold, as verbs: "provide 1 Gbit/s".
	options func(*instance) []string
	// always: it is among the promises without a verdict, too.
	always bool
}

var promises = map[string]promising{
	complianceType: {
		promise: compliancePromise,
		sure:    func(*instance) string { return "measured" },
	},
	estimateType: {promise: rpoPromise, sure: changeAssumption, options: estimateOptions},
	"vsla_replication_confidence": {
		promise: rpoPromise, always: true,
		sure: func(in *instance) string {
			return "always holds in " + in.format("probability_violation_free_percent") + " of the draws"
		},
	},
	"vsla_replication_schedule": {
		promise: func(in *instance) string {
			target, ok := in.number("target_compliance_percent")
			if !ok {
				target = defaultOf(in.kind, "target_compliance_percent")
			}
			return "the RPOs of " + count(
				len(in.object("groups")),
				"group",
			) + " for " + format(
				"_percent",
				target,
			) + " of the time"
		},
		sure:    scheduleRuns,
		options: scheduleOptions,
	},
	"vsla_replica_storage": {
		promise: func(in *instance) string { return "replicas fit into " + in.format("target_free_gib") },
		options: func(in *instance) []string {
			needs, _ := in.number("target_gib")
			free, _ := in.number("target_free_gib")
			return []string{"provide " + format("_gib", needs-free) + " more at the target", "keep fewer instances"}
		},
	},
	"vsla_vmotion_estimate": {
		promise: func(in *instance) string {
			goal, ok := in.number("switchover_goal_ms")
			if !ok {
				goal = defaultOf(in.kind, "switchover_goal_ms")
			}
			return "the guest stops for at most " + format("_ms", goal)
		},
		options: func(in *instance) []string {
			if _, ok := in.number("min_throughput_mbps"); !ok {
				return nil
			}
			return []string{"provide " + in.format("min_throughput_mbps"), "move it while it writes less", "move it cold"}
		},
	},
	"vsla_latency_impact": {
		promise: func(in *instance) string {
			tolerance, ok := in.number("tolerance_percent")
			if !ok {
				tolerance = defaultOf(in.kind, "tolerance_percent")
			}
			return "at most " + format("_percent", tolerance) + " less throughput"
		},
		options: func(in *instance) []string {
			return []string{
				"move the application with its database", "accept a change of " + in.format("throughput_change_percent"),
			}
		},
	},
	"vsla_configuration_limits": {
		promise: func(in *instance) string { return "the limits of " + in.text("product") + " " + in.text("version") },
		sure:    func(*instance) string { return "published" },
		options: func(in *instance) []string {
			return []string{"use fewer " + strings.ReplaceAll(strings.Join(in.texts("exceeded"), ", "), "_", " ")}
		},
	},
	"vsla_migration_plan": {
		always: true,
		promise: func(in *instance) string {
			text := count(len(in.object("virtual_machines")), "VM") + " moved in " + in.format("duration_seconds")
			if n, ok := in.number("windows_needed"); ok {
				text += ", " + count(int(n), "window")
			}
			return text
		},
	},
}

// defaultOf is the default of an input, 0 without one.
func defaultOf(kind, name string) float64 {
	v, _ := inputField(kind, name).Default.(float64)
	return v
}

func rpoPromise(in *instance) string {
	text := "RPO " + in.format("rpo_minutes")
	if n, ok := in.number("vm_count"); ok {
		text += ", " + count(int(n), "VM")
	}
	if _, ok := in.number("total_gib"); ok {
		text += ", " + in.format("total_gib")
	}
	return text
}

// changeAssumption says what an estimate assumes about the change of the busiest cycle.
func changeAssumption(in *instance) string {
	switch in.text("change_assumption") {
	case "whole_day":
		return "worst case: a day's change in one cycle"
	case "peak_factor":
		return "change at " + in.format("peak_factor") + " times the daily mean"
	case "curve":
		return "by the change curve"
	}
	return ""
}

func scheduleRuns(in *instance) string {
	if n, _ := in.number("runs"); n > 1 {
		return in.format(
			"p5_compliance_percent",
		) + " to " + in.format(
			"p95_compliance_percent",
		) + " in " + count(
			int(n),
			"run",
		)
	}
	return "1 run, " + in.format("compliance_percent") + " of the time"
}

func estimateOptions(in *instance) []string {
	var options []string
	if _, ok := in.number("throughput_violation_free_mbps"); ok {
		options = append(options, "provide "+in.format("throughput_violation_free_mbps")+
			" (now "+in.format("throughput_mbps")+")")
	}
	if _, ok := in.number("min_rpo_minutes"); ok {
		options = append(options, "promise an RPO of "+in.format("min_rpo_minutes"))
	}
	if n, ok := in.number("max_vm_count"); ok && n > 0 {
		options = append(options, "replicate "+count(int(n), "VM")+" at most")
	}
	if len(options) == 0 {
		options = append(options, "reduce the change or the overhead of a sync")
	}
	return options
}

func scheduleOptions(in *instance) []string {
	var options []string
	if _, ok := in.number("throughput_for_target_mbps"); ok && in.text("verdict") == "misses" {
		options = append(options, "provide "+in.format("throughput_for_target_mbps")+" for the target")
	}
	if _, ok := in.number("throughput_full_compliance_mbps"); ok {
		options = append(options, "provide "+in.format("throughput_full_compliance_mbps")+" for no violation at all")
	}
	return append(options, "promise longer RPOs")
}
