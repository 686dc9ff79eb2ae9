// What is said about a migration plan.

package migration

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// The ranges of the inputs of a plan.
var (
	RangeSlots         = plan.Range{Min: 1, Max: 1e6, Whole: true}
	RangeMaxConcurrent = plan.Range{Min: 1, Max: 1e6, Whole: true, Unit: "migrations"}
	RangeWindowHours   = plan.Range{Min: 1e-3, Max: 1e6, Unit: "hours"}
	RangePlanMemoryGiB = plan.Range{Min: 0, Max: 1e9, Unit: "GiB"}
)

// What limits a plan.
const (
	LimitedByLink      = "link"
	LimitedByHost      = "host"
	LimitedByNetwork   = "network"
	LimitedByDatastore = "datastore"
	LimitedByMigration = "longest_migration"
	LimitedByWindow    = "window"
)

var limits = []string{
	LimitedByLink, LimitedByHost, LimitedByNetwork, LimitedByDatastore, LimitedByMigration, LimitedByWindow,
}

// limitReasons are the reasons of a plan, one for each value of limited_by.
func limitReasons() []calculator.Reason {
	reasons := make([]calculator.Reason, len(limits))
	for i, limit := range limits {
		reasons[i] = limitReason(limit)
	}
	return reasons
}

func limitReason(limit string) calculator.Reason {
	return calculator.Reason{Code: "limited_by_" + limit, Sentence: "%s"}
}

// PlanDefinition describes vsla_migration_plan.
var PlanDefinition = calculator.Definition[PlanInput, PlanResult]{
	Names: calculator.Names{
		Name:    "migration_plan",
		Command: "migration",
		Title:   "Migration plan",
		Summary: "In which waves many VMs move, and how long it takes",
		Description: "Plans in which waves many VMs move: under vCenter's resource costs for hosts, network and datastores, " +
			"with move groups that start together, over a link that the running migrations share, and within maintenance " +
			"windows. The longest start first. It needs no connection and no credentials; 5,000 VMs take a fraction of a " +
			"second.\n\n" +
			"By hand: ten VMs of 10 GiB over 1 Gbit/s are 100 * 8.59 s = 859 s, however many run at a time; on one host, " +
			"which has 8 slots, no more than two with storage do.",
	},
	Default: func() PlanInput { return PlanInput{} },
	Inputs:  planInputs,
	Results: planRows,
	Reasons: limitReasons(),
	Explain: func(r *PlanResult) calculator.Explanation { return r.Explanation },
	Compute: Plan,
}

var planInputs = calculator.Inputs[PlanInput]{
	calculator.Each("virtual_machines", "The VMs to move, by any name, 1 to 50,000 of them.",
		vmInputs, func() VM { return VM{} },
		func(in *PlanInput) *map[string]VM { return &in.VMs }),
	calculator.Required("throughput_mbps", RangeThroughputMbps,
		"What the link carries for all migrations together, in Mbit/s.",
		func(in *PlanInput) *float64 { return &in.ThroughputMbps }),
	calculator.Absent("per_migration_mbps", RangeThroughputMbps,
		"What one migration gets of it at most, in Mbit/s. Without it there is no limit.",
		func(in *PlanInput) **float64 { return &in.PerMigrationMbps }),
	calculator.Absent("max_concurrent", RangeMaxConcurrent,
		"Migrations that run at a time at most. Without it only slots limit them.",
		func(in *PlanInput) **float64 { return &in.MaxConcurrent }),
	calculator.Absent("host_slots", RangeSlots,
		"Slots of a host, of which a vMotion takes 1 and one with storage 4. Without it, vCenter's 8.",
		func(in *PlanInput) **float64 { return &in.HostSlots }),
	calculator.Absent("network_slots", RangeSlots,
		"Slots of the vMotion network, of which a migration takes 1. Without it, vCenter's 4, and 8 from 10,000 "+
			"Mbit/s up.",
		func(in *PlanInput) **float64 { return &in.NetworkSlots }),
	calculator.Absent("datastore_slots", RangeSlots,
		"Slots of a datastore, of which a vMotion takes 1 and one with storage 16. Without it, vCenter's 128.",
		func(in *PlanInput) **float64 { return &in.DatastoreSlots }),
	calculator.Absent("window_hours", RangeWindowHours,
		"Length of a maintenance window, in hours. What starts in a window ends in it. Without it there are no windows.",
		func(in *PlanInput) **float64 { return &in.WindowHours }),
}

var vmInputs = calculator.Inputs[VM]{
	calculator.Required("memory_gib", RangePlanMemoryGiB, "Memory in use, in GiB (2^30 bytes).",
		func(v *VM) *float64 { return &v.MemoryGiB }),
	calculator.Optional("memory_dirty_mbps", RangeMemoryDirtyMbps,
		"How fast the guest dirties memory, in Mbit/s (10^6 bit/s); it is sent again.",
		func(v *VM) *float64 { return &v.MemoryDirtyMbps }),
	calculator.Optional("disk_gib", RangeDiskGiB,
		"Disk data to move, in GiB; above 0 it is a migration with storage.",
		func(v *VM) *float64 { return &v.DiskGiB }),
	calculator.Choice("host", false, nil,
		"Host that it runs on; a host has slots for eight migrations, or for two with storage.",
		func(v *VM) *string { return &v.Host }),
	calculator.Choice("datastore", false, nil,
		"Datastore that it is on; a datastore has slots for eight migrations with storage, or for 128 without.",
		func(v *VM) *string { return &v.Datastore }),
	calculator.Choice("move_group", false, nil, "VMs of the same group start together, in one wave.",
		func(v *VM) *string { return &v.MoveGroup }),
}

var planRows = calculator.Outputs[PlanResult]{
	calculator.ResultList("waves", "What starts together, in the order of the starts.", calculator.Outputs[Wave]{
		calculator.Result("number", "Number of the wave, from 1.", func(w *Wave) int64 { return w.Number }),
		calculator.Result("virtual_machines", "Names of its VMs, sorted.", func(w *Wave) []string { return w.VMs }),
		calculator.Result("start_seconds",
			"Start, in seconds from the start of the first window, windows placed end to end.",
			func(w *Wave) float64 { return w.StartSeconds }),
		calculator.Result("duration_seconds", "Until the last of its VMs has arrived, in seconds.",
			func(w *Wave) float64 { return w.DurationSeconds }),
	}, func(r *PlanResult) []Wave { return r.Waves }),
	calculator.Result("duration_seconds", "Until the last VM has arrived, in seconds.",
		func(r *PlanResult) float64 { return r.DurationSeconds }),
	calculator.Result("windows_needed", "Number of windows; null without `window_hours`.",
		func(r *PlanResult) *int64 { return r.WindowsNeeded }),
	calculator.ResultOf("limited_by",
		"What sets the duration: `link`, `host`, `network`, `datastore`, `longest_migration`, or `window`.", limits,
		func(r *PlanResult) string { return r.LimitedBy }),
	calculator.Result("lower_bound_seconds",
		"What no plan can beat, in seconds: the longest single migration, the work on each resource over its slots, "+
			"and all bytes over the link.",
		func(r *PlanResult) float64 { return r.LowerBoundSeconds }),
}
