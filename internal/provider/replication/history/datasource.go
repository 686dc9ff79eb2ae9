// Package history implements the data source vsla_replication_history, which evaluates vCenter events to measure how
// VMs were replicated in the past.
package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/period"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	summary       = "Unable to Read Replication History"
	privilegeRead = "System.View and System.Read on the VMs and on the root object"

	vmType = "VirtualMachine"

	maxNamed = 10
)

// NewDataSource returns the data source vsla_replication_history.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_replication_history", describe, (*connection.Set).VSphere, read)
}

// read evaluates the events of the VMs. It fails if a VM does not exist, and warns about VMs without events.
func read(ctx context.Context, c *vsphere.Client, config *model, diags *diag.Diagnostics) {
	config.setDefaults()
	vms := findVMs(ctx, c, config, diags)
	if diags.HasError() {
		return
	}
	measured, err := measure(ctx, c, config, vms)
	if err != nil {
		if long, ok := errors.AsType[*eventlog.TooLongError](err); ok {
			period.AddTooLong(long, path.Root("lookback_hours"), diags)
			return
		}
		explain.AddError(diags, summary, privilegeRead, err)
		return
	}
	config.fill(vms, measured)
	retention := eventlog.ReadRetention(ctx, c)
	period.WarnRetention(retention, config.LookbackHours.ValueFloat64(), path.Root("lookback_hours"), diags)
	warn(vms, measured, retention, diags)
}

type measuredVM struct {
	id, name string
	history  history.VM
}

func vmIDs(objects []vsphere.Object) []string {
	var ids []string
	for _, o := range objects {
		if o.Type == vmType {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

func findVMs(ctx context.Context, c *vsphere.Client, config *model, diags *diag.Diagnostics) []measuredVM {
	at := path.Root("vm_ids")
	ids := stringset.Strings(config.VMIDs)
	if !config.TagID.IsNull() {
		at = path.Root("tag_id")
		objects, err := c.ObjectsWithTag(ctx, config.TagID.ValueString())
		if err != nil {
			explain.AddAttributeError(diags, at, summary, privilegeRead, err)
			return nil
		}
		guard.WarnIncomplete(ctx, c, "The list of VMs with tag_id", diags)
		ids = append(ids, vmIDs(objects)...)
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return nil
	}
	byID, err := readVMs(ctx, c, ids, config.RPOMinutes.ValueFloat64())
	if err != nil {
		explain.AddAttributeError(diags, at, summary, privilegeRead, err)
		return nil
	}
	list := make([]measuredVM, 0, len(ids))
	var unknown []string
	for _, id := range ids {
		if vm, ok := byID[id]; ok {
			list = append(list, vm)
		} else {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > 0 {
		reportUnknown(unknown, len(ids), !config.TagID.IsNull(), at, diags)
	}
	return list
}

// readVMs reads VMs by ID. rpo is the RPO in minutes of the VMs without a configured one; 0 if it is not known.
func readVMs(ctx context.Context, c *vsphere.Client, ids []string, rpo float64) (map[string]measuredVM, error) {
	found, err := c.VirtualMachines(ctx, vsphere.VMFilter{IDs: ids}, vsphere.VMParts{Sizes: true})
	if err != nil {
		return nil, err
	}
	rpos, err := c.ConfiguredRPOs(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]measuredVM, len(ids))
	for _, vm := range found.VMs {
		byID[vm.ID] = measuredVM{id: vm.ID, name: vm.Name, history: history.VM{Size: quantity.Size(vm.UsedBytes)}}
	}
	for _, vm := range slices.Concat(found.Templates, found.Inaccessible) {
		byID[vm.ID] = measuredVM{id: vm.ID, name: vm.Name}
	}
	for id, vm := range byID {
		vm.history.RPOMinutes = rpo
		if configured, set := rpos[id]; set {
			vm.history.RPOMinutes = configured
		}
		byID[id] = vm
	}
	return byID, nil
}

// reportUnknown adds a warning about VMs with the tag that cannot be read, or an error about unknown IDs.
func reportUnknown(unknown []string, all int, hasTag bool, at path.Path, diags *diag.Diagnostics) {
	if hasTag {
		diags.AddAttributeWarning(at, "VMs Excluded", fmt.Sprintf("%d of the %d VMs with the tag are excluded, "+
			"because the user cannot read them: %s.", len(unknown), all, quantity.List(unknown, maxNamed)))
		return
	}
	diags.AddAttributeError(at, "Unknown VMs", fmt.Sprintf("These VMs do not exist in vCenter, or the user cannot "+
		"read them: %s. Correct the IDs, or use IDs from vsla_virtual_machines.", quantity.List(unknown, maxNamed)))
}

type measurement struct {
	history.Summary
	from, to time.Time
	events   int64
}

func measure(ctx context.Context, c *vsphere.Client, config *model, vms []measuredVM) (measurement, error) {
	var m measurement
	var err error
	m.to, err = c.CachedTime(ctx)
	if err != nil {
		return m, err
	}
	m.to = m.to.UTC().Truncate(time.Millisecond)
	m.from = m.to.Add(-time.Duration(config.LookbackHours.ValueFloat64() * float64(time.Hour)))
	log := history.NewLog(m.from, m.to)
	reading := eventlog.Query{
		From:      m.from,
		To:        m.to,
		TimeLimit: time.Duration(config.ReadMinutesMax.ValueFloat64() * float64(time.Minute)),
	}
	for _, s := range vms {
		log.Watch(s.id, s.history)
		reading.VMIDs = append(reading.VMIDs, s.id)
	}
	m.events, err = eventlog.Read(ctx, c, reading, log.Add)
	if err == nil {
		m.Summary = log.Finish()
	}
	return m, err
}

func warn(vms []measuredVM, m measurement, retention eventlog.Retention, diags *diag.Diagnostics) {
	var unknown []string
	for _, s := range vms {
		vm := m.VMs[s.id]
		unknownPercent := quantity.Percent * vm.UnknownMinutes / max(1, vm.UnknownMinutes+vm.KnownMinutes)
		switch {
		case s.history.RPOMinutes == 0:
			unknown = append(unknown, s.id+" ("+s.name+", no RPO)")
		case vm.CompliancePercent == nil:
			unknown = append(unknown, s.id+" ("+s.name+", no events)")
		case unknownPercent > compliance.MaxUnknownPercent:
			percent := plan.Number(math.Ceil(unknownPercent))
			unknown = append(unknown, fmt.Sprintf("%s (%s, %s%% unknown)", s.id, s.name, percent))
		}
	}
	if len(unknown) > 0 {
		diags.AddWarning("Compliance Unknown", fmt.Sprintf(
			"The compliance of %d of %d VMs is unknown for all or part of the period: %s. The unknown time is in "+
				"unknown_minutes and is not part of compliance_percent. A VM without events was not replicated, or "+
				"vCenter did not keep its events (%s). A VM without an RPO has none in its configuration, or a clone "+
				"has the same replication ID. For such VMs, set rpo_minutes.",
			len(unknown), len(vms), quantity.List(unknown, maxNamed), retention,
		))
	}
}
