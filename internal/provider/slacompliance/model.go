// The result, as Terraform sees it.

package slacompliance

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/provider/calculator"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/period"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vsphere"
)

type model struct {
	Tiers          map[string]tierModel `tfsdk:"tiers"`
	PairingID      types.String         `tfsdk:"pairing_id"`
	Clusters       types.List           `tfsdk:"protection_clusters"`
	Folder         types.String         `tfsdk:"folder"`
	Cluster        types.String         `tfsdk:"cluster"`
	ThroughputMbps types.Float64        `tfsdk:"throughput_mbps"`
	LookbackHours  types.Float64        `tfsdk:"lookback_hours"`
	ReadMinutesMax types.Float64        `tfsdk:"read_minutes_max"`

	PeakFactor           types.Float64 `tfsdk:"peak_factor"`
	EfficiencyPercent    types.Float64 `tfsdk:"efficiency_percent"`
	CompressionRatio     types.Float64 `tfsdk:"compression_ratio"`
	SeededPercent        types.Float64 `tfsdk:"seeded_percent"`
	OverheadSeconds      types.Float64 `tfsdk:"overhead_seconds"`
	ChecksumMbps         types.Float64 `tfsdk:"checksum_mbps"`
	SourceReadMbps       types.Float64 `tfsdk:"source_read_mbps"`
	TargetWriteMbps      types.Float64 `tfsdk:"target_write_mbps"`
	TargetWriteFactor    types.Float64 `tfsdk:"target_write_factor"`
	DeadlineHours        types.Float64 `tfsdk:"deadline_hours"`
	GrowthPercentPerYear types.Float64 `tfsdk:"growth_percent_per_year"`
	HorizonMonths        types.Float64 `tfsdk:"horizon_months"`

	Compliant             types.Bool             `tfsdk:"compliant"`
	VMCount               types.Int64            `tfsdk:"vm_count"`
	TierVMCounts          map[string]types.Int64 `tfsdk:"tier_vm_counts"`
	VirtualMachines       map[string]vmModel     `tfsdk:"virtual_machines"`
	Unprotected           types.List             `tfsdk:"unprotected"`
	WeakerThanPromised    types.List             `tfsdk:"weaker_than_promised"`
	InViolation           types.List             `tfsdk:"in_violation"`
	SeveralTiers          types.List             `tfsdk:"several_tiers"`
	UntaggedButReplicated types.List             `tfsdk:"untagged_but_replicated"`
	Templates             types.List             `tfsdk:"templates"`
	Orphans               types.List             `tfsdk:"orphaned_replication_ids"`
	Uncovered             types.List             `tfsdk:"uncovered"`
	UncoveredUnknown      types.List             `tfsdk:"uncovered_unknown"`
	ReplicatedElsewhere   types.List             `tfsdk:"replicated_elsewhere"`
	Periods               map[string]periodModel `tfsdk:"periods"`
	Estimates             types.Map              `tfsdk:"estimates"`
	Summary               types.String           `tfsdk:"summary"`
}

type tierModel struct {
	TagID              types.String  `tfsdk:"tag_id"`
	RPOMinutes         types.Int64   `tfsdk:"rpo_minutes"`
	DailyChangePercent types.Float64 `tfsdk:"daily_change_percent"`
	CompliancePercent  types.Float64 `tfsdk:"compliance_percent"`
}

type periodModel struct {
	VMCount           types.Int64   `tfsdk:"vm_count"`
	UnknownVMCount    types.Int64   `tfsdk:"unknown_vm_count"`
	PromisedPercent   types.Float64 `tfsdk:"promised_compliance_percent"`
	CompliancePercent types.Float64 `tfsdk:"compliance_percent"`
	Violations        types.Int64   `tfsdk:"violations"`
	ViolationMinutes  types.Float64 `tfsdk:"violation_minutes"`
	KnownMinutes      types.Float64 `tfsdk:"known_minutes"`
	UnknownMinutes    types.Float64 `tfsdk:"unknown_minutes"`
	Verdict           types.String  `tfsdk:"verdict"`

	Days []period.Day `tfsdk:"days"`
}

type vmModel struct {
	Name          types.String `tfsdk:"name"`
	Tier          types.String `tfsdk:"tier"`
	PromisedRPO   types.Int64  `tfsdk:"promised_rpo_minutes"`
	ConfiguredRPO types.Int64  `tfsdk:"configured_rpo_minutes"`
	Status        types.String `tfsdk:"status"`
	ProtectedBy   types.String `tfsdk:"protected_by"`
	Verdict       types.String `tfsdk:"verdict"`
}

// assumptions returns the fields that go into estimates unchanged, by their names there: those of the model with the
// name of an assumption.
func (m *model) assumptions() map[string]types.Float64 {
	found := make(map[string]types.Float64)
	fields := reflect.ValueOf(m).Elem()
	for _, row := range replication.AssumptionInputs() {
		for i := range fields.NumField() {
			v, ok := reflect.TypeAssert[types.Float64](fields.Field(i))
			if ok && fields.Type().Field(i).Tag.Get("tfsdk") == row.Name {
				found[row.Name] = v
			}
		}
	}
	return found
}

// promises returns the tiers.
func (m *model) promises() map[string]compliance.Tier {
	tiers := make(map[string]compliance.Tier, len(m.Tiers))
	for name, tier := range m.Tiers {
		tiers[name] = compliance.Tier{
			RPOMinutes: tier.RPOMinutes.ValueInt64(), CompliancePercent: tier.CompliancePercent.ValueFloat64Pointer(),
		}
	}
	return tiers
}

// fill writes the judgement.
func (m *model) fill(r compliance.Result) {
	m.Compliant, m.Summary = types.BoolValue(r.Compliant), types.StringValue(r.Summary)
	for list, ids := range map[*types.List][]string{
		&m.Unprotected: r.Unprotected, &m.WeakerThanPromised: r.WeakerThanPromised,
		&m.InViolation: r.InViolation, &m.SeveralTiers: r.SeveralTiers,
		&m.UntaggedButReplicated: r.UntaggedButReplicated, &m.Templates: r.Templates, &m.Orphans: r.Orphans,
	} {
		*list = attribute.Strings(ids)
	}
	if r.Periods != nil {
		m.Periods = make(map[string]periodModel, len(r.Periods))
	}
	for name, p := range r.Periods {
		m.Periods[name] = periodModel{
			VMCount:           types.Int64Value(int64(len(p.Each))),
			UnknownVMCount:    types.Int64Value(p.UnknownVMs),
			PromisedPercent:   types.Float64PointerValue(p.PromisedPercent),
			CompliancePercent: types.Float64PointerValue(p.CompliancePercent),
			Violations:        types.Int64Value(p.Violations),
			ViolationMinutes:  types.Float64Value(p.Violation),
			KnownMinutes:      types.Float64Value(p.Known),
			UnknownMinutes:    types.Float64Value(p.Unknown),
			Verdict:           types.StringValue(p.Verdict),
			Days:              period.Days(p.Days),
		}
	}
	total := int64(0)
	m.TierVMCounts = make(map[string]types.Int64, len(r.Tagged))
	for name, n := range r.Tagged {
		total += n
		m.TierVMCounts[name] = types.Int64Value(n)
	}
	m.VMCount = types.Int64Value(total)
	m.VirtualMachines = make(map[string]vmModel, len(r.VMs))
	for id, v := range r.VMs {
		m.VirtualMachines[id] = vmModel{
			Name:          attribute.OrNull(v.Name),
			Tier:          attribute.OrNull(v.Tier),
			PromisedRPO:   minutes(v.PromisedRPOMinutes),
			ConfiguredRPO: minutes(v.ConfiguredRPOMinutes),
			Status:        attribute.OrNull(v.Status),
			ProtectedBy:   attribute.OrNull(v.ProtectedBy),
			Verdict:       types.StringValue(v.Verdict),
		}
	}
}

func minutes(n int64) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(n)
}

// estimate adds an estimate to each tier that has VMs, from what they use on disks that are not excluded.
func (m *model) estimate(
	ctx context.Context,
	inventory vsphere.Inventory,
	r compliance.Result,
	diags *diag.Diagnostics,
) {
	used, count := make(map[string]int64), make(map[string]int64)
	for _, vm := range inventory.VMs {
		if tier := r.VMs[vm.ID].Tier; tier != "" {
			used[tier] += vm.ReplicatedBytes()
			count[tier]++
		}
	}
	estimates := make(map[string]attr.Value, len(count))
	for _, name := range slices.Sorted(maps.Keys(count)) {
		size := (quantity.Size(used[name]) / quantity.Size(count[name])).GiB()
		input := map[string]any{
			"vm_count": float64(count[name]), "vm_size_gib": size,
			"rpo_minutes":          float64(m.Tiers[name].RPOMinutes.ValueInt64()),
			"daily_change_percent": m.Tiers[name].DailyChangePercent.ValueFloat64(),
			"throughput_mbps":      m.ThroughputMbps.ValueFloat64(),
		}
		for assumption, v := range m.assumptions() {
			if !v.IsNull() {
				input[assumption] = v.ValueFloat64()
			}
		}
		result, err := estimator.EvaluateContext(ctx, input)
		if err == nil {
			result["vm_count"], result["vm_size_gib"] = input["vm_count"], size
			estimates[name], err = calculator.ObjectValue(ctx, estimateFields(), result)
		}
		if err != nil {
			diags.AddAttributeError(path.Root("tiers").AtMapKey(name), "Unable to Estimate Tier", fmt.Sprintf(
				"The estimate of tier %q has no valid input; vm_size_gib is what its VMs use on average. Leave "+
					"throughput_mbps out to go without estimates.\n\n%s.", name, explain.Detail(err)))
		}
	}
	if diags.HasError() {
		return
	}
	var d diag.Diagnostics
	m.Estimates, d = types.MapValue(calculator.ObjectType(estimateFields()), estimates)
	diags.Append(d...)
	warn(inventory.Inaccessible, diags)
}

// warn reports that estimates are without VMs that exist.
func warn(inaccessible []vsphere.VMReference, diags *diag.Diagnostics) {
	if len(inaccessible) > 0 {
		diags.AddWarning(
			"VMs Left Out of Estimates",
			"vCenter cannot reach these VMs of the tiers at present, so that their sizes are old or not known: "+
				quantity.ListOf(inaccessible, 10, vsphere.VMReference.String)+
				". They are judged like the others, and the estimates are without them.",
		)
	}
}
