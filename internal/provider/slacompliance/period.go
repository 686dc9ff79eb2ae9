// The period: the compliance of each tier's VMs by vCenter's event log.

package slacompliance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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

// measure returns the measurements of a tier by its log.
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

// warnPeriods warns of a period that vCenter's events do not cover, and names the tiers of which too little is known.
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
