// Package slacompliance implements the data source vsla_sla_compliance, which compares the replications of an estate
// with the SLAs that its tags promise. internal/estate/audit reads the estate and internal/plan/compliance judges it.
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

const privilegeRead = "Read-only on the root object, for tags and for VMs; System.View and System.Read on the " +
	"VMs; the privilege to see replications at both sites"

type complianceDataSource struct{ base.DataSource }

// NewDataSource returns the data source vsla_sla_compliance.
func NewDataSource() datasource.DataSource {
	return &complianceDataSource{base.DataSource{TypeName: "vsla_sla_compliance"}}
}

// ValidateConfig rejects known arguments that contradict each other.
func (d *complianceDataSource) ValidateConfig(
	ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	var tiers types.Map
	var lookback types.Float64
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("tiers"), &tiers)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("lookback_hours"), &lookback)...)
	var objects map[string]types.Object
	if !tiers.IsUnknown() {
		resp.Diagnostics.Append(tiers.ElementsAs(ctx, &objects, false)...)
	}
	owners := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		var tier tierModel
		if objects[name].IsUnknown() || objects[name].IsNull() {
			continue
		}
		resp.Diagnostics.Append(objects[name].As(ctx, &tier, basetypes.ObjectAsOptions{})...)
		at := path.Root("tiers").AtMapKey(name)
		checkTag(tier.TagID, name, owners, at, &resp.Diagnostics)
		if !tier.CompliancePercent.IsNull() && lookback.IsNull() {
			resp.Diagnostics.AddAttributeError(
				at.AtName("compliance_percent"),
				"Missing Lookback",
				fmt.Sprintf("Tier %q promises a compliance over a period, and no period is set. Set lookback_hours, for "+
					"example 720 for 30 days.", name),
			)
		}
	}
}

func checkTag(id types.String, name string, owners map[string]string, at path.Path, diags *diag.Diagnostics) {
	if id.IsNull() || id.IsUnknown() {
		return
	}
	if other, taken := owners[id.ValueString()]; taken {
		diags.AddAttributeError(
			at.AtName("tag_id"),
			"Two Tiers With One Tag",
			fmt.Sprintf(
				"Tiers %q and %q have the same tag, so every VM that carries it would be in both. Give each tier its own tag.",
				other,
				name,
			),
		)
		return
	}
	owners[id.ValueString()] = name
}

// Read compares the estate with its tiers. It returns an error if the estate cannot be read completely.
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
	read, err := reader.Read(ctx, config.scope())
	if err != nil {
		report(err, &resp.Diagnostics)
		return
	}
	result := read.Judge()
	if !config.LookbackHours.IsNull() {
		measured, err := measureTiers(ctx, vsphere, config, result)
		if err != nil {
			report(err, &resp.Diagnostics)
			return
		}
		result.JudgePeriods(config.promises(), measured)
		warnPeriods(ctx, vsphere, config.LookbackHours.ValueFloat64(), result, &resp.Diagnostics)
	}
	config.fill(result)
	config.fillUncovered(read.Uncovered, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}

func report(err error, diags *diag.Diagnostics) {
	failure := explain.Failure{Summary: "Unable to Compare Tiers With Replications", Privilege: privilegeRead, Err: err}
	if long, ok := errors.AsType[*eventlog.TooLongError](err); ok {
		period.TooLong(long, path.Root("lookback_hours"), diags)
		return
	}
	if blamed, ok := errors.AsType[*audit.ArgumentError](err); ok {
		at := attribute.Anchor(attribute.Path(blamed.At))
		if blamed.Advice != "" {
			diags.AddAttributeError(at, failure.Summary, blamed.Advice+"\n\n"+explain.Detail(err))
			return
		}
		failure.Attribute = &at
	}
	failure.AddTo(diags)
}

func (m *model) scope() audit.Scope {
	s := audit.Scope{
		PairingID: m.PairingID.ValueString(), ProtectionClusters: stringset.Strings(m.Clusters),
		Tiers:  make(map[string]audit.Tier, len(m.Tiers)),
		Folder: m.Folder.ValueString(), Cluster: m.Cluster.ValueString(),
	}
	for name, tier := range m.Tiers {
		s.Tiers[name] = audit.Tier{TagID: tier.TagID.ValueString(), RPOMinutes: tier.RPOMinutes.ValueInt64()}
	}
	return s
}

func (m *model) fillUncovered(u audit.Uncovered, diags *diag.Diagnostics) {
	m.Uncovered = attribute.Strings(audit.IDs(u.VMs))
	m.ReplicatedElsewhere = attribute.Strings(audit.IDs(u.ReplicatedElsewhere))
	m.UncoveredUnknown = attribute.Strings(audit.IDs(u.Unknown))
	if u.Unproven != "" {
		if m.Compliant.ValueBool() {
			m.Compliant = types.BoolNull()
			m.Summary = types.StringValue(m.Summary.ValueString() +
				" Whether there are other VMs with a tier's tag is not known.")
		}
		diags.AddWarning("VMs May Be Missing", "vCenter lists only VMs that the account may read, so whether the VMs of the "+
			"tiers and uncovered are complete is not known: "+u.Unproven+". "+guard.ReadEverything)
	}
}

// uncoveredAttributes returns the attributes of VMs without a tier: the filters and the lists.
func uncoveredAttributes() map[string]schema.Attribute {
	container := func(doc string) schema.StringAttribute {
		return attribute.OptionalText(doc, stringvalidator.LengthAtLeast(1))
	}
	ids := attribute.Texts
	return map[string]schema.Attribute{
		"folder": container("Only VMs in this folder or below it are in `uncovered`, `uncovered_unknown` and " +
			"`replicated_elsewhere`: an inventory path (`/DC0/vm/prod`), or a path below the VM folder of the only " +
			"datacenter that has it (`prod`). Tiers are judged wherever their VMs are."),
		"cluster": container("Only VMs of this cluster are in these lists: an inventory path (`/DC0/host/cluster-1`), or " +
			"a name that is unique in the vCenter. With `folder`, both must hold."),
		"uncovered": ids("Managed object ids of the VMs that are powered on, carry no tier's tag and are not replicated, " +
			"sorted. This breaks no promise, because nothing was promised: `compliant` does not depend on it. Templates, " +
			"placeholders of Site Recovery Manager and the VMs of vSphere Cluster Services (vCLS) are not in it, and " +
			"neither is a VM that is off or suspended."),
		"replicated_elsewhere": ids("Managed object ids of the VMs that are powered on and carry no tier's tag, and that " +
			"another pairing or appliance replicates: the pairing does not know them, but their configuration in vCenter " +
			"names a destination (`repConfig`), and no other VM has the same replication id, sorted. Whether that " +
			"replication works is not known here."),
		"uncovered_unknown": ids("Managed object ids of the VMs without a tier and a replication of the pairing that " +
			"vCenter cannot reach or describe at present (`inaccessible` of `vsla_virtual_machines`), or of which only " +
			"the extra configuration (`hbr_filter.destination`) marks them as replicated, which clones keep, sorted."),
	}
}

// measureTiers measures the tiers over the lookback. It judges a VM by the RPO of its replication, because vCenter's
// events refer to that RPO. A VM is unknown if it has no replication, if the RPO of its replication exceeds the
// promised RPO, or if a protection group of vSAN Data Protection replicates it.
func measureTiers(
	ctx context.Context, c *vsphere.Client, config model, now compliance.Result,
) (map[string]compliance.Measured, error) {
	to, err := c.Present(ctx)
	if err != nil {
		return nil, err
	}
	to = to.UTC().Truncate(time.Millisecond)
	from := to.Add(-time.Duration(config.LookbackHours.ValueFloat64() * float64(time.Hour)))
	most := config.ReadMinutesMax
	if most.IsNull() {
		most = types.Float64Value(eventlog.DefaultReadMinutes)
	}
	of := eventlog.Reading{From: from, To: to, Most: time.Duration(most.ValueFloat64() * float64(time.Minute))}
	tiers, ofVM := make(map[string]*history.Log, len(config.Tiers)), make(map[string]*history.Log, len(now.VMs))
	for name := range config.Tiers {
		tiers[name] = history.NewLog(from, to)
	}
	for _, id := range slices.Sorted(maps.Keys(now.VMs)) {
		v := now.VMs[id]
		log := tiers[v.Tier]
		if log == nil {
			continue // the VM is replicated but has no tier
		}
		vm := history.VM{}
		if v.ConfiguredRPOMinutes <= v.PromisedRPOMinutes && v.ProtectedBy == compliance.VSphereReplication {
			vm.RPOMinutes = float64(v.ConfiguredRPOMinutes)
		}
		log.Watch(id, vm)
		ofVM[id] = log
		of.VMIDs = append(of.VMIDs, id)
	}
	add := func(id string, e history.Event) {
		if log := ofVM[id]; log != nil {
			log.Add(id, e)
		}
	}
	if _, err := eventlog.Read(ctx, c, of, add); err != nil {
		return nil, err
	}
	measured := make(map[string]compliance.Measured, len(tiers))
	for name, log := range tiers {
		measured[name] = measure(log.Finish())
	}
	return measured, nil
}

func measure(s history.Summary) compliance.Measured {
	minutes := func(r history.Result) compliance.Minutes {
		return compliance.Minutes{Violation: r.ViolationMinutes, Known: r.KnownMinutes, Unknown: r.UnknownMinutes}
	}
	m := compliance.Measured{Minutes: minutes(s.Total), Violations: s.Total.Violations, Days: s.Days}
	for _, vm := range s.VMs {
		m.Each = append(m.Each, minutes(vm))
	}
	return m
}

// warnPeriods warns if vCenter's events do not cover the lookback, and lists the tiers with the verdict unknown.
func warnPeriods(ctx context.Context, c *vsphere.Client, hours float64, r compliance.Result, diags *diag.Diagnostics) {
	kept := eventlog.ReadRetention(ctx, c)
	period.WarnRetention(kept, hours, path.Root("lookback_hours"), diags)
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(r.Periods)) {
		if p := r.Periods[name]; p.Verdict == compliance.PeriodUnknown {
			unknown = append(unknown, fmt.Sprintf("%s (%d of %d VMs)", name, p.UnknownVMs, len(p.Each)))
		}
	}
	if len(unknown) > 0 {
		diags.AddWarning("Period Not Known", fmt.Sprintf("Too little is known to say whether these tiers kept what they "+
			"promise: %s. A VM was not replicated all the time, its RPO is longer than the promised one, or vCenter did not "+
			"keep its events (%s). A period is known if the promise is kept even without the unknown time, or if at most %v "+
			"%% of the time of each VM is unknown.", strings.Join(unknown, ", "), kept, compliance.MaxUnknownPercent))
	}
}

const docPeriods = "What each tier did over `lookback_hours`, by its name, from vCenter's event log, as " +
	"`vsla_replication_history` measures it; null without `lookback_hours`. A VM that is not replicated now, or whose " +
	"RPO is longer than the promised one, is unknown: its violations say nothing about the promise. " + eventlog.Unverified

func periodsAttribute() schema.MapNestedAttribute {
	return attribute.Objects(docPeriods, map[string]schema.Attribute{
		"vm_count": attribute.Whole("Number of VMs of the tier."),
		"unknown_vm_count": attribute.Whole("Number of VMs of which too little is known to judge the promise; without a " +
			"promise, of which nothing is known."),
		"promised_compliance_percent": attribute.Output(
			"What the tier promises, its `compliance_percent`; null without a promise.",
		),
		"compliance_percent": attribute.Output("Lowest compliance of a VM of the tier: the part of its known time in " +
			"which the RPO was kept, in percent; null without known time."),
		"violations":        attribute.Whole("Number of violations."),
		"violation_minutes": attribute.Output("How long the RPO was not kept, in minutes, added up over the VMs."),
		"known_minutes":     attribute.Output("Time of which it is known whether it was, in minutes."),
		"unknown_minutes":   attribute.Output("Time of which it is not known, in minutes."),
		"days":              period.DaysAttribute(),
		"verdict": attribute.Text(
			fmt.Sprintf("`kept`, by each VM; `broken` (a VM is below the promise); `unknown` (not below it as far as is "+
				"known, but too little is known of a VM at least: more than %v %% of its time, and the promise would be broken "+
				"if the RPO was not kept then); `not_promised`; or `no_vms`. With `broken` and `unknown` the estate is not "+
				"compliant.", compliance.MaxUnknownPercent),
		),
	})
}
