// Package calcmigration is the calculator vsla_migration_plan, a data source. The planning is in
// internal/plan/migration.
package calcmigration

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/provider/calc"
)

// Calculator has one door, the data source: its result belongs beside others in the plan, where a policy looks for it.
var Calculator = calc.Calculator[model]{
	DataSource: "vsla_migration_plan",
	Description: "Plans in which waves many VMs move: under vCenter's resource costs for hosts, network and datastores, with move groups that start together, over a link that the " +
		"running migrations share, and within maintenance windows. The longest start first. It needs no connection and no credentials; 5,000 VMs take a fraction of a second.\n\n" +
		"By hand: ten VMs of 10 GiB over 1 Gbit/s are 100 * 8.59 s = 859 s, however many run at a time; on one host, whose room is 8, no more than two with storage do.",
	Attributes: attributes(),
	Compute:    compute,
}

type model struct {
	VirtualMachines  types.Map     `tfsdk:"virtual_machines"`
	ThroughputMbps   types.Float64 `tfsdk:"throughput_mbps"`
	PerMigrationMbps types.Float64 `tfsdk:"per_migration_mbps"`
	MaxConcurrent    types.Float64 `tfsdk:"max_concurrent"`
	HostRoom         types.Float64 `tfsdk:"host_room"`
	NetworkRoom      types.Float64 `tfsdk:"network_room"`
	DatastoreRoom    types.Float64 `tfsdk:"datastore_room"`
	WindowHours      types.Float64 `tfsdk:"window_hours"`

	Waves             types.List    `tfsdk:"waves"`
	DurationSeconds   types.Float64 `tfsdk:"duration_seconds"`
	WindowsNeeded     types.Int64   `tfsdk:"windows_needed"`
	LimitedBy         types.String  `tfsdk:"limited_by"`
	LowerBoundSeconds types.Float64 `tfsdk:"lower_bound_seconds"`

	calc.Explanation
}

func attributes() map[string]schema.Attribute {
	text := func(doc string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: doc, Optional: true}
	}
	return calc.Explained(map[string]schema.Attribute{
		"virtual_machines": schema.MapNestedAttribute{
			MarkdownDescription: "The VMs to move, by any name, 1 to 50,000 of them.", Required: true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"memory_gib": calc.Required(migration.RangePlanMemoryGiB, "Memory in use, in GiB (2^30 bytes)."),
				"memory_dirty_mbps": calc.Optional(
					migration.RangeMemoryDirtyMbps,
					"How fast the guest dirties memory, in Mbit/s (10^6 bit/s); it is sent again. Default 0.",
				),
				"disk_gib": calc.Optional(
					migration.RangeDiskGiB,
					"Disk data to move, in GiB; above 0 it is a migration with storage. Default 0.",
				),
				"host": text("Host that it runs on; a host has room for eight migrations, or for two with storage."),
				"datastore": text(
					"Datastore that it is on; a datastore has room for eight migrations with storage, or for 128 without.",
				),
				"move_group": text("VMs of the same group start together, in one wave."),
			}},
		},
		"throughput_mbps": calc.Required(
			migration.RangeThroughputMbps,
			"What the link carries for all migrations together, in Mbit/s.",
		),
		"per_migration_mbps": calc.Optional(
			migration.RangeThroughputMbps,
			"What one migration gets of it at most, in Mbit/s. Default: no limit.",
		),
		"max_concurrent": calc.Optional(
			migration.RangeMaxConcurrent,
			"Migrations that run at a time at most. Default: no limit beside the rooms.",
		),
		"host_room": calc.Optional(
			migration.RangeRoom,
			"Room of a host, of which a vMotion takes 1 and one with storage 4. Default 8, vCenter's.",
		),
		"network_room": calc.Optional(
			migration.RangeRoom,
			"Room of the vMotion network, of which a migration takes 1. Default 4, and 8 from 10,000 Mbit/s up, vCenter's.",
		),
		"datastore_room": calc.Optional(
			migration.RangeRoom,
			"Room of a datastore, of which a vMotion takes 1 and one with storage 16. Default 128, vCenter's.",
		),
		"window_hours": calc.Optional(
			migration.RangeWindowHours,
			"Length of a maintenance window, in hours. What starts in a window ends in it. Default: no windows.",
		),
		"waves": schema.ListNestedAttribute{
			MarkdownDescription: "What starts together, in the order of the starts.", Computed: true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"number": schema.Int64Attribute{MarkdownDescription: "Number of the wave, from 1.", Computed: true},
				"virtual_machines": schema.ListAttribute{
					MarkdownDescription: "Names of its VMs, sorted.",
					ElementType:         types.StringType,
					Computed:            true,
				},
				"start_seconds":    calc.Output("Start, in seconds from the start of the first window, windows placed end to end."),
				"duration_seconds": calc.Output("Until the last of its VMs has arrived, in seconds."),
			}},
		},
		"duration_seconds": calc.Output("Until the last VM has arrived, in seconds."),
		"windows_needed": schema.Int64Attribute{
			MarkdownDescription: "Number of windows; null without `window_hours`.",
			Computed:            true,
		},
		"limited_by": schema.StringAttribute{
			MarkdownDescription: "What sets the duration: `link`, `host`, `network`, `datastore`, `longest_migration`, or `window`.",
			Computed:            true,
		},
		"lower_bound_seconds": calc.Output(
			"What no plan can beat, in seconds: the longest single migration, the work on each resource over its room, and all bytes over the link.",
		),
	}, "`limited_by_…` with the value of `limited_by`")
}

var waveTypes = map[string]attr.Type{
	"number": types.Int64Type, "virtual_machines": types.ListType{ElemType: types.StringType},
	"start_seconds": types.Float64Type, "duration_seconds": types.Float64Type,
}

func compute(m *model) error {
	r, err := migration.Plan(m.input())
	if err != nil {
		return err
	}
	waves := make([]attr.Value, 0, len(r.Waves))
	for _, w := range r.Waves {
		waves = append(waves, types.ObjectValueMust(waveTypes, map[string]attr.Value{
			"number": types.Int64Value(w.Number), "virtual_machines": calc.Strings(w.Machines),
			"start_seconds": types.Float64Value(w.StartSeconds), "duration_seconds": types.Float64Value(w.DurationSeconds),
		}))
	}
	m.Waves = types.ListValueMust(types.ObjectType{AttrTypes: waveTypes}, waves)
	m.DurationSeconds = types.Float64Value(r.DurationSeconds)
	m.WindowsNeeded = types.Int64PointerValue(r.WindowsNeeded)
	m.LimitedBy = types.StringValue(r.LimitedBy)
	m.LowerBoundSeconds = types.Float64Value(r.LowerBoundSeconds)
	m.Explain(r.Findings, r.Summary)
	return nil
}

func (m *model) input() migration.PlanInput {
	in := migration.PlanInput{
		ThroughputMbps:   m.ThroughputMbps.ValueFloat64(),
		PerMigrationMbps: m.PerMigrationMbps.ValueFloat64Pointer(),
		MaxConcurrent:    m.MaxConcurrent.ValueFloat64Pointer(),
		HostRoom:         m.HostRoom.ValueFloat64Pointer(),
		NetworkRoom:      m.NetworkRoom.ValueFloat64Pointer(),
		DatastoreRoom:    m.DatastoreRoom.ValueFloat64Pointer(),
		WindowHours:      m.WindowHours.ValueFloat64Pointer(),
		Machines:         make(map[string]migration.Machine, len(m.VirtualMachines.Elements())),
	}
	for name, e := range m.VirtualMachines.Elements() {
		object, ok := e.(basetypes.ObjectValue)
		if !ok {
			continue
		}
		number := func(attribute string) float64 {
			n, _ := object.Attributes()[attribute].(types.Float64)
			return n.ValueFloat64()
		}
		text := func(attribute string) string {
			s, _ := object.Attributes()[attribute].(types.String)
			return s.ValueString()
		}
		in.Machines[name] = migration.Machine{
			MemoryGiB: number("memory_gib"), MemoryDirtyMbps: number("memory_dirty_mbps"), DiskGiB: number("disk_gib"),
			Host: text("host"), Datastore: text("datastore"), MoveGroup: text("move_group"),
		}
	}
	return in
}
