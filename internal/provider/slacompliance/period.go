package slacompliance

import (
	"context"
	"fmt"
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
	query := eventlog.Query{
		From:      from,
		To:        to,
		TimeLimit: time.Duration(maxMinutes.ValueFloat64() * float64(time.Minute)),
	}
	logByTier := make(map[string]*history.Log, len(config.Tiers))
	logByVM := make(map[string]*history.Log, len(current.VMs))
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

const docPeriods = "Results for each tier over `lookback_hours`, by tier name. Measured from the event log of " +
	"vCenter, as in `vsla_replication_history`. Null without `lookback_hours`. A VM that is currently not " +
	"replicated, or whose configured RPO is longer than the RPO of the tier, is unknown, because its violations do " +
	"not show whether the RPO of the tier was met. " + eventlog.Unverified

func periodsAttribute() schema.MapNestedAttribute {
	return attribute.Objects(docPeriods, map[string]schema.Attribute{
		"vm_count": attribute.Int64("Number of VMs of the tier."),
		"unknown_vm_count": attribute.Int64("Number of VMs with too much unknown time for a verdict. Without a " +
			"promise, number of VMs without known time."),
		"promised_compliance_percent": attribute.Float64("`compliance_percent` of the tier. Null if it is not set."),
		"compliance_percent": attribute.Float64("Lowest compliance of a VM of the tier: the share of its known time " +
			"in which the RPO was met, in percent. Null if no time is known."),
		"violations":        attribute.Int64("Number of violations."),
		"violation_minutes": attribute.Float64("Time in violation of the RPO, in minutes, summed over the VMs."),
		"known_minutes": attribute.Float64("Time for which it is known whether the RPO was met, in minutes, summed " +
			"over the VMs."),
		"unknown_minutes": attribute.Float64("Time for which it is unknown whether the RPO was met, in minutes, " +
			"summed over the VMs."),
		"days": period.DaysAttribute(),
		"verdict": attribute.String(
			fmt.Sprintf("Verdict on the tier. `kept`: every VM keeps the promise. `broken`: a VM is below the "+
				"promise. `unknown`: no VM is known to be below the promise, but for at least one VM more than %v%% "+
				"of the time is unknown, and the promise would be broken if the RPO was not met in that time. "+
				"`not_promised`: the tier has no promise. `no_vms`: the tier has no VMs. If a tier is `broken` or "+
				"`unknown`, `compliant` is `false`.", compliance.MaxUnknownPercent),
		),
	})
}
