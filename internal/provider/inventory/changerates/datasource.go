// Package changerates implements the data source vsla_change_rates, which estimates an upper bound of the change rate
// of VMs from their write throughput in vCenter's performance statistics.
package changerates

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	summary       = "Unable to Read Change Rates"
	privilegeRead = "System.View and System.Read on the VMs"

	defaultInterval = 300
	basisUsed       = "used"
	basisDisk       = "disk"

	// named is the maximum number of VMs listed in a message.
	named = 10
)

// NewDataSource returns the data source vsla_change_rates.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_change_rates", describe, (*connection.Set).VSphere, read, validate)
}

// validate checks the lookback against the interval without connecting to vCenter.
func validate(config *model, diags *diag.Diagnostics) {
	if config.IntervalSeconds.IsUnknown() || config.LookbackHours.IsUnknown() {
		return
	}
	config.setDefaults()
	config.checkLookback(diags)
}

// read measures the VMs. It fails if a VM does not exist, and warns about VMs without statistics, which are excluded
// from the totals.
func read(ctx context.Context, c *vsphere.Client, config *model, diags *diag.Diagnostics) {
	config.setDefaults()
	// ValidateConfig skips values that are unknown.
	config.checkLookback(diags)
	asked := config.request()
	estate, err := changerate.NewEstate(
		changerate.Input{IntervalSeconds: asked.intervalSeconds, CoalescingFactor: asked.coalescing},
	)
	if err != nil {
		diags.AddError(summary, err.Error())
	}
	if diags.HasError() {
		return
	}
	vms := subjects(ctx, c, asked, diags)
	if diags.HasError() {
		return
	}
	counter, rates, err := measure(ctx, c, asked, vms, estate)
	if err != nil {
		explainFailure(err, asked, diags)
		return
	}
	diags.Append(config.fill(vms, rates, estate.Total(), counter)...)
	warn(asked, vms, rates, diags)
}

// subject is a VM to measure.
type subject struct {
	id, name string
	size     quantity.Size
	// why is the reason for missing statistics, if there is one.
	why string
}

// subjects returns the VMs sorted by id. It reports all missing VMs in one error.
func subjects(ctx context.Context, c *vsphere.Client, asked request, diags *diag.Diagnostics) []subject {
	ids := asked.vmIDs
	at := path.Root("vm_ids")
	found, err := c.VirtualMachines(ctx, vsphere.VMFilter{IDs: ids}, vsphere.VMParts{Sizes: true, Disks: asked.wholeDisks})
	if err != nil {
		explain.AddAttributeError(diags, at, summary, privilegeRead, err)
		return nil
	}
	byID := make(map[string]subject, len(ids))
	for _, vm := range found.VMs {
		s := subject{id: vm.ID, name: vm.Name, size: quantity.Size(vm.UsedBytes)}
		if asked.wholeDisks {
			s.size = quantity.Size(vm.DiskBytes)
		}
		if vm.PowerState != "poweredOn" {
			s.why = vm.PowerState
		}
		byID[vm.ID] = s
	}
	for _, vm := range found.Templates {
		byID[vm.ID] = subject{id: vm.ID, name: vm.Name, why: "a template"}
	}
	for _, vm := range found.Inaccessible {
		byID[vm.ID] = subject{id: vm.ID, name: vm.Name, why: "inaccessible to vCenter"}
	}
	list := make([]subject, 0, len(ids))
	var unknown []string
	for _, id := range ids {
		if s, ok := byID[id]; ok {
			list = append(list, s)
		} else {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > 0 {
		diags.AddAttributeError(
			at,
			"Unknown VMs",
			fmt.Sprintf("vCenter has no VMs with these ids, or the user cannot read them: %s. Use ids from "+
				"vsla_virtual_machines, or correct them.", quantity.List(unknown, named)),
		)
	}
	return list
}

// measure reads the statistics in batches to limit memory use, and returns the rates.
func measure(
	ctx context.Context, c *vsphere.Client, asked request, vms []subject, estate *changerate.Estate,
) (string, map[string]changerate.Rates, error) {
	rates := make(map[string]changerate.Rates, len(vms))
	sizes := make(map[string]quantity.Size, len(vms))
	interval := int32(asked.intervalSeconds) //nolint:gosec // validated to be one of five small values
	query := vsphere.WriteQuery{
		IntervalSeconds: interval,
		Lookback:        time.Duration(asked.lookbackHours * float64(time.Hour)),
	}
	for _, s := range vms {
		query.VMIDs = append(query.VMIDs, s.id)
		sizes[s.id] = s.size
	}
	if len(vms) == 0 {
		return "", rates, nil
	}
	counter, err := c.WriteStatistics(ctx, query, func(series vsphere.WriteSeries) error {
		r, err := estate.Add(
			changerate.VM{
				Size:   sizes[series.VMID],
				Series: changerate.Series{Times: series.Times, Instances: series.Instances},
			},
		)
		rates[series.VMID] = r
		return err
	})
	return counter, rates, err
}

// explainFailure adds an error to the interval or the lookback if vCenter does not store the requested samples.
func explainFailure(err error, asked request, diags *diag.Diagnostics) {
	interval, ok := errors.AsType[*vsphere.IntervalError](err)
	switch {
	case !ok:
		explain.AddError(diags, summary, privilegeRead, err)
	case interval.Needed > 0:
		diags.AddAttributeError(path.Root("interval_seconds"), "Statistics Level Too Low", fmt.Sprintf(
			"vCenter collects the interval %q (%d seconds) at statistics level %d, but %s requires level %d. Raise the "+
				"level of this interval and of all shorter ones in vCenter (Configure, General, Statistics) and wait for new "+
				"samples; this enlarges the vCenter database. Alternatively set interval_seconds = 20: hosts store every "+
				"counter for one hour at any level.",
			interval.Name, interval.IntervalSeconds, interval.Level, interval.Counter, interval.Needed))
	case interval.Kept > 0:
		diags.AddAttributeError(path.Root("lookback_hours"), "Statistics Not Available for the Lookback", fmt.Sprintf(
			"vCenter stores the interval %q (%d seconds) for %g hours, but %g hours were requested. Reduce the lookback, or "+
				"use a longer interval.",
			interval.Name,
			interval.IntervalSeconds,
			interval.Kept.Hours(),
			asked.lookbackHours,
		))
	default:
		diags.AddAttributeError(path.Root("interval_seconds"), "Statistics Not Collected", fmt.Sprintf(
			"vCenter has no interval of %d seconds, or it is disabled. Enable it in vCenter (Configure, General, "+
				"Statistics), or use another interval.",
			interval.IntervalSeconds,
		))
	}
}

// warn lists the VMs excluded from the totals.
func warn(asked request, vms []subject, rates map[string]changerate.Rates, diags *diag.Diagnostics) {
	var without []string
	for _, s := range vms {
		if rates[s.id].Samples > 0 {
			continue
		}
		text := s.id + " (" + s.name
		if s.why != "" {
			text += ", " + s.why
		}
		without = append(without, text+")")
	}
	if len(without) == 0 {
		return
	}
	diags.AddWarning("VMs Without Statistics", fmt.Sprintf(
		"%d of %d VMs have no sample of %d seconds in the last %g hours: %s. They are excluded from the totals; "+
			"without_statistics lists all of them. Powered-off VMs have no samples. If all VMs are affected, vCenter may "+
			"have started to collect this counter only recently.",
		len(without), len(vms), asked.intervalSeconds, asked.lookbackHours, quantity.List(without, named),
	))
}
