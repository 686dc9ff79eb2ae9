// Package calcreplication is the calculator vsla_replication_estimate, as data source and as function
// replication_estimate. The arithmetic is in internal/plan/replication; here is its schema and the mapping.
package calcreplication

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/provider/calc"
)

// Calculator has both doors.
var Calculator = calc.Calculator[model]{
	DataSource: "vsla_replication_estimate",
	Function:   "replication_estimate",
	Summary:    "How long replication takes, and whether an RPO holds",
	Description: "How long the initial sync of a group of VMs takes, how long one cycle's changes take, and whether a recovery point objective (RPO) holds, " +
		"by the published test (a cycle fits into the RPO) and by vSphere Replication's own scheduling rule (a cycle fits into half of it). " +
		"It needs no connection and no credentials, and is known at plan time whenever its inputs are.",
	Attributes: attributes(),
	Compute:    compute,
}

type model struct {
	VMCount            types.Float64 `tfsdk:"vm_count"`
	VMSizeGiB          types.Float64 `tfsdk:"vm_size_gib"`
	DailyChangePercent types.Float64 `tfsdk:"daily_change_percent"`
	ThroughputMbps     types.Float64 `tfsdk:"throughput_mbps"`
	RPOMinutes         types.Float64 `tfsdk:"rpo_minutes"`

	Assumptions
	Outcome
}

func attributes() map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"vm_count": calc.Required(replication.RangeVMCount, "Number of VMs."),
		"vm_size_gib": calc.Required(
			replication.RangeVMSizeGiB,
			"Data to replicate of each VM, in GiB (2^30 bytes).",
		),
		"daily_change_percent": calc.Required(
			replication.RangeDailyChangePercent,
			"How much of that data changes in a day, in percent.",
		),
		"throughput_mbps": calc.Required(
			replication.RangeThroughputMbps,
			"Sustained replication throughput, in Mbit/s (10^6 bit/s).",
		),
		"rpo_minutes": calc.Required(replication.RangeRPOMinutes, "Recovery point objective, in minutes."),
	}
	for name, a := range AssumptionAttributes() {
		all[name] = a
	}
	maps.Copy(all, OutcomeAttributes())
	return all
}

func compute(m *model) error {
	in := replication.Defaults()
	in.VMCount = m.VMCount.ValueFloat64()
	in.VMSizeGiB = m.VMSizeGiB.ValueFloat64()
	in.DailyChangePercent = m.DailyChangePercent.ValueFloat64()
	in.ThroughputMbps = m.ThroughputMbps.ValueFloat64()
	in.RPOMinutes = m.RPOMinutes.ValueFloat64()
	m.Apply(&in)
	r, err := replication.Estimate(in)
	if err != nil {
		return err
	}
	m.Fill(r)
	return nil
}
