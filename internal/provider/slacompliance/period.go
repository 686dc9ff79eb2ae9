// The period: the compliance of each tier's VMs by vCenter's event log.

package slacompliance

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/provider/kit/period"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vsphere"
)

// measureTiers measures the tiers over the lookback. VMs are judged by the RPO of their replication, which is what
// vCenter's events are about; one without a replication, with a longer RPO than its tier promises, or in a protection
// group of vSAN Data Protection is unknown.
func measureTiers(
	ctx context.Context,
	c *vsphere.Client,
	config model,
	now compliance.Result,
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
			continue // replicated without a tier
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

// measure returns the compliance of a tier by its log.
func measure(s history.Summary) compliance.Measured {
	m := compliance.Measured{
		VMs: int64(s.Total.VMCount), Violations: s.Total.Violations, ViolationMinutes: s.Total.ViolationMinutes,
		KnownMinutes: s.Total.KnownMinutes, UnknownMinutes: s.Total.UnknownMinutes, Days: s.Days,
	}
	for _, vm := range s.VMs {
		if vm.CompliancePercent == nil {
			m.UnknownVMs++
		}
	}
	return m
}

const docPeriods = "What each tier did over `lookback_hours`, by its name, from vCenter's event log, as " +
	"`vsla_replication_history` measures it; null without `lookback_hours`. A VM that is not replicated now, or whose " +
	"RPO is longer than the promised one, is unknown: its violations say nothing about the promise. " + eventlog.Unverified

func periodsAttribute() schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: docPeriods,
		Computed:            true,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"vm_count":         attribute.Whole("Number of VMs of the tier."),
			"unknown_vm_count": attribute.Whole("Number of VMs of which nothing is known."),
			"promised_compliance_percent": attribute.Output(
				"What the tier promises, its `compliance_percent`; null without a promise.",
			),
			"compliance_percent": attribute.Output(period.DocCompliance),
			"violations":         attribute.Whole("Number of violations."),
			"violation_minutes":  attribute.Output("How long the RPO was not kept, in minutes, added up over the VMs."),
			"known_minutes":      attribute.Output("Time of which it is known whether it was, in minutes."),
			"unknown_minutes":    attribute.Output("Time of which it is not known, in minutes."),
			"days":               period.DaysAttribute(),
			"verdict": attribute.Text(
				"`kept`; `broken` (below the promise); `unknown` (not below it as far as is known, but " +
					"nothing is known of a VM at least); `not_promised`; or `no_vms`. With `broken` and `unknown` the estate is not " +
					"compliant.",
			),
		}},
	}
}
