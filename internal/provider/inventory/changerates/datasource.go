// Package changerates implements the data source vsla_change_rates, which derives an upper bound on the change rates of
// VMs from the write throughput in vCenter's performance statistics.
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

	basisUsed = "used"
	basisDisk = "disk"

	maxListed = 10
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

// read derives the change rates of the VMs. It fails if a VM does not exist. VMs without statistics cause a warning and
// are excluded from the totals.
func read(ctx context.Context, c *vsphere.Client, config *model, diags *diag.Diagnostics) {
	config.setDefaults()
	// Check the lookback again, because ValidateConfig skips unknown values.
	config.checkLookback(diags)
	req := config.request()
	estate, err := changerate.NewEstate(
		changerate.Input{IntervalSeconds: req.intervalSeconds, CoalescingFactor: req.coalescing},
	)
	if err != nil {
		diags.AddError(summary, err.Error())
	}
	if diags.HasError() {
		return
	}
	vms := findVMs(ctx, c, req, diags)
	if diags.HasError() {
		return
	}
	counter, rates, err := measure(ctx, c, req, vms, estate)
	if err != nil {
		addReadError(err, req, diags)
		return
	}
	diags.Append(config.fill(vms, rates, estate.Total(), counter)...)
	warnWithoutStatistics(req, vms, rates, diags)
}

type requestedVM struct {
	id, name string
	size     quantity.Size
	// noStatisticsReason explains why the VM might have no statistics. It is empty for a powered-on VM.
	noStatisticsReason string
}

// findVMs returns the VMs sorted by ID. All missing VMs are reported in one error.
func findVMs(ctx context.Context, c *vsphere.Client, req request, diags *diag.Diagnostics) []requestedVM {
	ids := req.vmIDs
	at := path.Root("vm_ids")
	parts := vsphere.VMParts{Sizes: true, Disks: req.byDiskCapacity}
	found, err := c.VirtualMachines(ctx, vsphere.VMFilter{IDs: ids}, parts)
	if err != nil {
		explain.AddAttributeError(diags, at, summary, privilegeRead, err)
		return nil
	}
	byID := make(map[string]requestedVM, len(ids))
	for _, vm := range found.VMs {
		s := requestedVM{id: vm.ID, name: vm.Name, size: quantity.Size(vm.UsedBytes)}
		if req.byDiskCapacity {
			s.size = quantity.Size(vm.DiskBytes)
		}
		if vm.PowerState != "poweredOn" {
			s.noStatisticsReason = vm.PowerState
		}
		byID[vm.ID] = s
	}
	for _, vm := range found.Templates {
		byID[vm.ID] = requestedVM{id: vm.ID, name: vm.Name, noStatisticsReason: "a template"}
	}
	for _, vm := range found.Inaccessible {
		byID[vm.ID] = requestedVM{id: vm.ID, name: vm.Name, noStatisticsReason: "inaccessible to vCenter"}
	}
	vms := make([]requestedVM, 0, len(ids))
	var unknown []string
	for _, id := range ids {
		if s, ok := byID[id]; ok {
			vms = append(vms, s)
		} else {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > 0 {
		diags.AddAttributeError(
			at,
			"Unknown VMs",
			fmt.Sprintf("These VMs do not exist in vCenter, or the user cannot read them: %s. Correct the IDs, or "+
				"use IDs from vsla_virtual_machines.", quantity.List(unknown, maxListed)),
		)
	}
	return vms
}

func measure(
	ctx context.Context, c *vsphere.Client, req request, vms []requestedVM, estate *changerate.Estate,
) (string, map[string]changerate.Rates, error) {
	rates := make(map[string]changerate.Rates, len(vms))
	sizes := make(map[string]quantity.Size, len(vms))
	interval := int32(req.intervalSeconds) //nolint:gosec // the validator allows only five small values
	query := vsphere.WriteQuery{
		IntervalSeconds: interval,
		Lookback:        time.Duration(req.lookbackHours * float64(time.Hour)),
	}
	for _, s := range vms {
		query.VMIDs = append(query.VMIDs, s.id)
		sizes[s.id] = s.size
	}
	if len(vms) == 0 {
		return "", rates, nil
	}
	counter, err := c.WriteStatistics(ctx, query, func(series vsphere.WriteSeries) error {
		r, err := estate.Add(changerate.VM{
			Size:   sizes[series.VMID],
			Series: changerate.Series{Times: series.Times, Instances: series.Instances},
		})
		rates[series.VMID] = r
		return err
	})
	return counter, rates, err
}

// addReadError adds the error of a read. If vCenter does not store the requested samples, the error refers to
// interval_seconds or lookback_hours.
func addReadError(err error, req request, diags *diag.Diagnostics) {
	interval, ok := errors.AsType[*vsphere.IntervalError](err)
	switch {
	case !ok:
		explain.AddError(diags, summary, privilegeRead, err)
	case interval.Needed > 0:
		diags.AddAttributeError(path.Root("interval_seconds"), "Statistics Level Too Low", fmt.Sprintf(
			"vCenter collects the interval %q (%d seconds) at statistics level %d, but %s requires level %d. Raise "+
				"the level of this interval and of all shorter ones in vCenter (Configure, General, Statistics) and "+
				"wait for new samples. This enlarges the vCenter database. Alternatively, set interval_seconds = 20, "+
				"because hosts store every counter for one hour at any level.",
			interval.Name, interval.IntervalSeconds, interval.Level, interval.Counter, interval.Needed))
	case interval.Retention > 0:
		diags.AddAttributeError(path.Root("lookback_hours"), "Statistics Not Available for the Lookback", fmt.Sprintf(
			"vCenter stores the interval %q (%d seconds) for %g hours, but %g hours were requested. Reduce the "+
				"lookback, or use a longer interval.",
			interval.Name,
			interval.IntervalSeconds,
			interval.Retention.Hours(),
			req.lookbackHours,
		))
	default:
		diags.AddAttributeError(path.Root("interval_seconds"), "Statistics Not Collected", fmt.Sprintf(
			"vCenter has no interval of %d seconds, or it is disabled. Enable it in vCenter (Configure, General, "+
				"Statistics), or use another interval.",
			interval.IntervalSeconds,
		))
	}
}

func warnWithoutStatistics(req request, vms []requestedVM, rates map[string]changerate.Rates, diags *diag.Diagnostics) {
	var missing []string
	for _, s := range vms {
		if rates[s.id].Samples > 0 {
			continue
		}
		text := s.id + " (" + s.name
		if s.noStatisticsReason != "" {
			text += ", " + s.noStatisticsReason
		}
		missing = append(missing, text+")")
	}
	if len(missing) == 0 {
		return
	}
	diags.AddWarning("VMs Without Statistics", fmt.Sprintf(
		"%d of %d VMs have no %d-second samples in the last %g hours: %s. They are excluded from the totals. The "+
			"attribute without_statistics lists all of them. Powered-off VMs have no samples. If all VMs are "+
			"affected, vCenter may have started to collect this counter only recently.",
		len(missing),
		len(vms),
		req.intervalSeconds,
		req.lookbackHours,
		quantity.List(missing, maxListed),
	))
}
