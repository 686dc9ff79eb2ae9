// Package slacompliance implements the data source vsla_sla_compliance, which compares the replications of an estate
// with the SLAs that its tags promise. internal/estate/audit reads the estate, and internal/plan/compliance evaluates
// it.
package slacompliance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"terraform-provider-vsla/internal/estate/audit"
	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/period"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/vsphere"
)

var _ datasource.DataSourceWithValidateConfig = (*complianceDataSource)(nil)

const privilegeRead = "Read-only on the root object, for tags and for VMs; System.View and System.Read on the VMs; " +
	"the privilege to view replications at both sites"

type complianceDataSource struct{ base.DataSource }

// NewDataSource returns the data source vsla_sla_compliance.
func NewDataSource() datasource.DataSource {
	return &complianceDataSource{base.DataSource{TypeName: "vsla_sla_compliance"}}
}

// ValidateConfig rejects two tiers with the same tag, and compliance_percent without lookback_hours. It ignores unknown
// values.
func (d *complianceDataSource) ValidateConfig(
	ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	var tiers types.Map
	var lookback types.Float64
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("tiers"), &tiers)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("lookback_hours"), &lookback)...)
	var tierObjects map[string]types.Object
	if !tiers.IsUnknown() {
		resp.Diagnostics.Append(tiers.ElementsAs(ctx, &tierObjects, false)...)
	}
	tierByTag := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(tierObjects)) {
		var tier tierModel
		if tierObjects[name].IsUnknown() || tierObjects[name].IsNull() {
			continue
		}
		resp.Diagnostics.Append(tierObjects[name].As(ctx, &tier, basetypes.ObjectAsOptions{})...)
		at := path.Root("tiers").AtMapKey(name)
		checkTag(tier.TagID, name, tierByTag, at, &resp.Diagnostics)
		if !tier.CompliancePercent.IsNull() && lookback.IsNull() {
			resp.Diagnostics.AddAttributeError(
				at.AtName("compliance_percent"),
				"Missing Lookback",
				fmt.Sprintf("compliance_percent of tier %q requires a period, but lookback_hours is not set. Set it, for example "+
					"to 720 for 30 days.", name),
			)
		}
	}
}

func checkTag(id types.String, name string, tierByTag map[string]string, at path.Path, diags *diag.Diagnostics) {
	if id.IsNull() || id.IsUnknown() {
		return
	}
	if other, taken := tierByTag[id.ValueString()]; taken {
		diags.AddAttributeError(at.AtName("tag_id"), "Duplicate Tier Tag", fmt.Sprintf(
			"Tiers %q and %q have the same tag, so each VM with the tag would be in both tiers. Use a different tag for each "+
				"tier.",
			other,
			name,
		))
		return
	}
	tierByTag[id.ValueString()] = name
}

// Read compares the estate with its tiers. It adds an error if it cannot read the estate completely.
func (d *complianceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	vsphere := d.Clients.VSphere(&resp.Diagnostics)
	reader := audit.Reader{VSphere: vsphere}
	if !config.PairingID.IsNull() {
		reader.Replication = d.Clients.Replication(&resp.Diagnostics)
	}
	if !config.Clusters.IsNull() {
		reader.Protection = d.Clients.Protection(&resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	reading, err := reader.Read(ctx, config.scope())
	if err != nil {
		addReadError(err, &resp.Diagnostics)
		return
	}
	result := reading.Judge()
	if !config.LookbackHours.IsNull() {
		measured, err := measureTiers(ctx, vsphere, config, result)
		if err != nil {
			addReadError(err, &resp.Diagnostics)
			return
		}
		result.JudgePeriods(config.promises(), measured)
		warnPeriods(ctx, vsphere, config.LookbackHours.ValueFloat64(), result, &resp.Diagnostics)
	}
	config.fill(result)
	config.fillUncovered(reading.Uncovered, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}

func addReadError(err error, diags *diag.Diagnostics) {
	failure := explain.Failure{Summary: "Unable to Compare Tiers With Replications", Privilege: privilegeRead, Err: err}
	if long, ok := errors.AsType[*eventlog.TooLongError](err); ok {
		period.AddTooLong(long, path.Root("lookback_hours"), diags)
		return
	}
	if argument, ok := errors.AsType[*audit.ArgumentError](err); ok {
		at := attribute.DiagnosticPath(attribute.Path(argument.Path))
		if argument.Advice != "" {
			diags.AddAttributeError(at, failure.Summary, argument.Advice+"\n\n"+explain.Detail(err))
			return
		}
		failure.Attribute = &at
	}
	failure.AddTo(diags)
}

func (m *model) scope() audit.Scope {
	s := audit.Scope{
		PairingID: m.PairingID.ValueString(), ProtectionClusters: stringset.Strings(m.Clusters),
		Tiers: make(map[string]audit.Tier, len(m.Tiers)), Folder: m.Folder.ValueString(), Cluster: m.Cluster.ValueString(),
	}
	for name, tier := range m.Tiers {
		s.Tiers[name] = audit.Tier{TagID: tier.TagID.ValueString(), RPOMinutes: tier.RPOMinutes.ValueInt64()}
	}
	return s
}

func (m *model) fillUncovered(u audit.Uncovered, diags *diag.Diagnostics) {
	m.Uncovered = stringset.ListValue(audit.IDs(u.VMs))
	m.ReplicatedElsewhere = stringset.ListValue(audit.IDs(u.ReplicatedElsewhere))
	m.UncoveredUnknown = stringset.ListValue(audit.IDs(u.Unknown))
	if u.UnprovenReason != "" {
		if m.Compliant.ValueBool() {
			m.Compliant = types.BoolNull()
			m.Summary = types.StringValue(m.Summary.ValueString() +
				" It is unknown whether other VMs have the tag of a tier.")
		}
		diags.AddWarning("VMs May Be Missing", "The VMs of the tiers and the list uncovered may be incomplete, because "+
			"vCenter lists only VMs that the account can read: "+u.UnprovenReason+". "+guard.ReadAllAdvice)
	}
}

func uncoveredAttributes() map[string]schema.Attribute {
	filter := func(doc string) schema.StringAttribute {
		return attribute.OptionalString(doc, stringvalidator.LengthAtLeast(1))
	}
	ids := attribute.StringList
	return map[string]schema.Attribute{
		"folder": filter("Folder of the VMs in `uncovered`, `uncovered_unknown` and `replicated_elsewhere`, including " +
			"its subfolders. Specify an inventory path (`/DC0/vm/prod`), or a path below the VM folder that is unique across " +
			"datacenters (`prod`). Tiers are not limited to this folder."),
		"cluster": filter("Cluster of the VMs in `uncovered`, `uncovered_unknown` and `replicated_elsewhere`. Specify " +
			"an inventory path (`/DC0/host/cluster-1`), or a name that is unique in the vCenter. If `folder` is also set, " +
			"VMs must match both."),
		"uncovered": ids("Managed object IDs of the powered-on VMs that have no tag of a tier and are not replicated, " +
			"sorted. They do not affect `compliant`. Excludes templates, placeholders of Site Recovery Manager, and VMs of " +
			"vSphere Cluster Services (vCLS)."),
		"replicated_elsewhere": ids("Managed object IDs of the powered-on VMs that have no tag of a tier and are " +
			"replicated by another pairing or appliance, sorted. The pairing does not contain these VMs, but their " +
			"configuration in vCenter has a destination (`repConfig`), and no other VM has the same replication ID. The data " +
			"source does not check whether that replication works."),
		"uncovered_unknown": ids("Managed object IDs of other VMs without a tier for which it is unknown whether they are " +
			"replicated, sorted. These are VMs that vCenter currently cannot access (`inaccessible` of " +
			"`vsla_virtual_machines`), and VMs for which only the extra configuration (`hbr_filter.destination`) indicates a " +
			"replication. Clones keep this setting."),
	}
}

// measureTiers measures the compliance of the tiers over the lookback period. Each VM is evaluated against the
// configured RPO of its replication, because vCenter's events refer to that RPO. The result for a VM is unknown if it
// has no replication, if the configured RPO is longer than the promised one, or if it is replicated by vSAN Data
// Protection.
func measureTiers(
	ctx context.Context, c *vsphere.Client, config model, current compliance.Result,
) (map[string]compliance.Measured, error) {
	to, err := c.CachedTime(ctx)
	if err != nil {
		return nil, err
	}
	to = to.UTC().Truncate(time.Millisecond)
	from := to.Add(-time.Duration(config.LookbackHours.ValueFloat64() * float64(time.Hour)))
	maxMinutes := config.ReadMinutesMax
	if maxMinutes.IsNull() {
		maxMinutes = types.Float64Value(eventlog.DefaultReadMinutes)
	}
	query := eventlog.Query{From: from, To: to, TimeLimit: time.Duration(maxMinutes.ValueFloat64() * float64(time.Minute))}
	logByTier, logByVM := make(map[string]*history.Log, len(config.Tiers)), make(map[string]*history.Log, len(current.VMs))
	for name := range config.Tiers {
		logByTier[name] = history.NewLog(from, to)
	}
	for _, id := range slices.Sorted(maps.Keys(current.VMs)) {
		v := current.VMs[id]
		log := logByTier[v.Tier]
		if log == nil {
			continue // the VM is replicated but has no tier
		}
		vm := history.VM{}
		if v.ConfiguredRPOMinutes <= v.PromisedRPOMinutes && v.ProtectedBy == compliance.VSphereReplication {
			vm.RPOMinutes = float64(v.ConfiguredRPOMinutes)
		}
		log.Watch(id, vm)
		logByVM[id] = log
		query.VMIDs = append(query.VMIDs, id)
	}
	add := func(id string, e history.Event) {
		if log := logByVM[id]; log != nil {
			log.Add(id, e)
		}
	}
	if _, err := eventlog.Read(ctx, c, query, add); err != nil {
		return nil, err
	}
	measured := make(map[string]compliance.Measured, len(logByTier))
	for name, log := range logByTier {
		measured[name] = measuredOf(log.Finish())
	}
	return measured, nil
}

func measuredOf(s history.Summary) compliance.Measured {
	minutesOf := func(r history.Result) compliance.Minutes {
		return compliance.Minutes{Violation: r.ViolationMinutes, Known: r.KnownMinutes, Unknown: r.UnknownMinutes}
	}
	m := compliance.Measured{Minutes: minutesOf(s.Total), Violations: s.Total.Violations, Days: s.Days}
	for _, vm := range s.VMs {
		m.Each = append(m.Each, minutesOf(vm))
	}
	return m
}

// warnPeriods adds a warning if vCenter's events do not cover the lookback period, and another one that lists the tiers
// whose verdict is unknown.
func warnPeriods(ctx context.Context, c *vsphere.Client, hours float64, r compliance.Result, diags *diag.Diagnostics) {
	retention := eventlog.ReadRetention(ctx, c)
	period.WarnRetention(retention, hours, path.Root("lookback_hours"), diags)
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(r.Periods)) {
		if p := r.Periods[name]; p.Verdict == compliance.PeriodUnknown {
			unknown = append(unknown, fmt.Sprintf("%s (%d of %d VMs)", name, p.UnknownVMs, len(p.Each)))
		}
	}
	if len(unknown) > 0 {
		diags.AddWarning("Period Compliance Unknown",
			fmt.Sprintf("It is unknown whether these tiers kept their promises: %s. A VM "+
				"was not replicated for the whole period, its RPO is longer than the promised RPO, or vCenter did not keep its "+
				"events (%s). A verdict requires that the promise is kept regardless of the unknown time, or that at most %v%% "+
				"of the time of each VM is unknown.", strings.Join(unknown, ", "), retention, compliance.MaxUnknownPercent))
	}
}

const docPeriods = "Results for each tier over `lookback_hours`, by tier name. Measured from the event log of " +
	"vCenter, as in `vsla_replication_history`. Null without `lookback_hours`. A VM that is currently not replicated, " +
	"or whose configured RPO is longer than the RPO of the tier, is unknown, because its violations do not show " +
	"whether the RPO of the tier was met. " + eventlog.Unverified

func periodsAttribute() schema.MapNestedAttribute {
	return attribute.Objects(docPeriods, map[string]schema.Attribute{
		"vm_count": attribute.Int64("Number of VMs of the tier."),
		"unknown_vm_count": attribute.Int64("Number of VMs with too much unknown time for a verdict. Without a promise, " +
			"number of VMs without known time."),
		"promised_compliance_percent": attribute.Float64("`compliance_percent` of the tier. Null if it is not set."),
		"compliance_percent": attribute.Float64("Lowest compliance of a VM of the tier: the share of its known time in " +
			"which the RPO was met, in percent. Null if no time is known."),
		"violations":        attribute.Int64("Number of violations."),
		"violation_minutes": attribute.Float64("Time in violation of the RPO, in minutes, summed over the VMs."),
		"known_minutes": attribute.Float64("Time for which it is known whether the RPO was met, in minutes, summed " +
			"over the VMs."),
		"unknown_minutes": attribute.Float64("Time for which it is unknown whether the RPO was met, in minutes, summed " +
			"over the VMs."),
		"days": period.DaysAttribute(),
		"verdict": attribute.String(
			fmt.Sprintf("Verdict on the tier. `kept`: every VM keeps the promise. `broken`: a VM is below the promise. "+
				"`unknown`: no VM is known to be below the promise, but for at least one VM more than %v%% of the time is "+
				"unknown, and the promise would be broken if the RPO was not met in that time. `not_promised`: the tier has no "+
				"promise. `no_vms`: the tier has no VMs. If a tier is `broken` or `unknown`, `compliant` is "+
				"`false`.", compliance.MaxUnknownPercent),
		),
	})
}
