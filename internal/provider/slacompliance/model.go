package slacompliance

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/provider/kit/period"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/kit/types/wholenumber"
)

type model struct {
	Tiers          map[string]tierModel `tfsdk:"tiers"`
	PairingID      types.String         `tfsdk:"pairing_id"`
	Clusters       types.List           `tfsdk:"protection_clusters"`
	Folder         types.String         `tfsdk:"folder"`
	Cluster        types.String         `tfsdk:"cluster"`
	LookbackHours  types.Float64        `tfsdk:"lookback_hours"`
	ReadMinutesMax types.Float64        `tfsdk:"read_minutes_max"`

	Compliant             types.Bool             `tfsdk:"compliant"`
	VMCount               types.Int64            `tfsdk:"vm_count"`
	TierVMCounts          map[string]types.Int64 `tfsdk:"tier_vm_counts"`
	VerdictCounts         map[string]int64       `tfsdk:"verdict_counts"`
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
	Summary               types.String           `tfsdk:"summary"`
}

type tierModel struct {
	TagID             types.String      `tfsdk:"tag_id"`
	RPOMinutes        wholenumber.Value `tfsdk:"rpo_minutes"`
	ConfiguredRPO     wholenumber.Value `tfsdk:"configured_rpo_minutes"`
	CompliancePercent types.Float64     `tfsdk:"compliance_percent"`
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

func (m *model) promises() map[string]compliance.Tier {
	tiers := make(map[string]compliance.Tier, len(m.Tiers))
	for name, tier := range m.Tiers {
		tiers[name] = compliance.Tier{
			RPOMinutes:           tier.RPOMinutes.ValueInt64(),
			ConfiguredRPOMinutes: tier.ConfiguredRPO.ValueInt64(),
			CompliancePercent:    tier.CompliancePercent.ValueFloat64Pointer(),
		}
	}
	return tiers
}

func (m *model) fill(r compliance.Result) {
	m.Compliant = types.BoolValue(r.Compliant)
	m.Summary = types.StringValue(r.Summary)
	for list, ids := range map[*types.List][]string{
		&m.Unprotected:           r.Unprotected,
		&m.WeakerThanPromised:    r.WeakerThanPromised,
		&m.InViolation:           r.InViolation,
		&m.SeveralTiers:          r.SeveralTiers,
		&m.UntaggedButReplicated: r.UntaggedButReplicated,
		&m.Templates:             r.Templates,
		&m.Orphans:               r.Orphans,
	} {
		*list = stringset.ListValue(ids)
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
	m.VerdictCounts = make(map[string]int64)
	for _, verdict := range compliance.Verdicts() {
		m.VerdictCounts[verdict] = 0
	}
	m.VirtualMachines = make(map[string]vmModel, len(r.VMs))
	for id, v := range r.VMs {
		m.VerdictCounts[v.Verdict]++
		m.VirtualMachines[id] = vmModel{
			Name:          attribute.OrNull(v.Name),
			Tier:          attribute.OrNull(v.Tier),
			PromisedRPO:   minutesOrNull(v.PromisedRPOMinutes),
			ConfiguredRPO: minutesOrNull(v.ConfiguredRPOMinutes),
			Status:        attribute.OrNull(v.Status),
			ProtectedBy:   attribute.OrNull(v.ProtectedBy),
			Verdict:       types.StringValue(v.Verdict),
		}
	}
}

func minutesOrNull(n int64) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(n)
}
