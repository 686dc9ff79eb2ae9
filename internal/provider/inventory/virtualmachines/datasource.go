// Package virtualmachines implements the data source vsla_virtual_machines, which returns VMs with their sizes and
// tags. The number of requests barely grows with the number of VMs.
package virtualmachines

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

const privilegeRead = "System.View and System.Read on the VMs and the folders above them"

type client struct {
	*vsphere.Client

	ignored ignored.Categories
}

func newClient(s *connection.Set, diags *diag.Diagnostics) client {
	if c := s.VSphere(diags); c != nil {
		return client{c, s.Ignored()}
	}
	return client{}
}

// NewDataSource returns the data source vsla_virtual_machines.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_virtual_machines", describe, newClient, read)
}

// read lists the VMs. The result can be empty, but a missing folder, cluster or tag is an error.
func read(ctx context.Context, c client, config *model, diags *diag.Diagnostics) {
	found, attributePath, err := listVMs(ctx, c.Client, config)
	if err == nil {
		var tags map[string]map[string][]string
		if !config.SummaryOnly.ValueBool() {
			tags, err = tagNamesByVM(ctx, c.Client, found.VMs, c.ignored)
		}
		if err == nil {
			config.fill(found, tags)
			warnCommitted(found.VMs, diags)
			warnInaccessible(found.Inaccessible, diags)
			if config.VMIDs.IsNull() {
				guard.WarnIncomplete(ctx, c.Client, "The list of VMs", diags)
			}
			warnMissing(config, found, diags)
			return
		}
	}
	explain.Failure{
		Summary:   "Unable to List VMs",
		Attribute: attributePath,
		Privilege: privilegeRead,
		Err:       err,
	}.AddTo(diags)
}

func listVMs(ctx context.Context, c *vsphere.Client, config *model) (vsphere.Inventory, *path.Path, error) {
	filter := vsphere.VMFilter{
		Folder:     config.Folder.ValueString(),
		Cluster:    config.Cluster.ValueString(),
		PowerState: config.PowerState.ValueString(),
	}
	if !config.NameRegex.IsNull() {
		// Compile the expression again, because the validator skips unknown values.
		expression, err := regexp.Compile(config.NameRegex.ValueString())
		if err != nil {
			return vsphere.Inventory{}, rootPath("name_regex"), err
		}
		filter.Name = expression
	}
	if !config.TagIDs.IsNull() {
		ids, err := taggedVMIDs(ctx, c, stringset.Strings(config.TagIDs), config.TagMatch.ValueString() == matchAny)
		if err != nil {
			return vsphere.Inventory{}, rootPath("tag_ids"), err
		}
		filter.IDs = ids
	}
	if !config.VMIDs.IsNull() {
		vmIDs := stringset.Strings(config.VMIDs)
		if filter.IDs != nil {
			vmIDs = stringset.Intersect(vmIDs, filter.IDs)
		}
		filter.IDs = vmIDs
	}
	found, err := c.VirtualMachines(ctx, filter, vsphere.VMParts{
		Sizes:   true,
		Disks:   config.readsDisks(),
		DiskUse: config.readsDiskUse(),
		Paths:   !config.SummaryOnly.ValueBool(),
	})
	if lookup, ok := errors.AsType[*transport.NameError](err); ok {
		return found, rootPath(lookup.What), err
	}
	return found, nil, err
}

func warnCommitted(vms []vsphere.VirtualMachine, diags *diag.Diagnostics) {
	var names []string
	for _, vm := range vms {
		if vm.UsedIsCommitted {
			names = append(names, vm.ID+" ("+vm.Name+")")
		}
	}
	if len(names) > 0 {
		diags.AddWarning("Disk Sizes Unknown", fmt.Sprintf("vCenter does not report the disk files of %d VMs: %s. "+
			"Their used_gib is the committed storage, including swap, logs and vSAN copies, so it is an overestimate.",
			len(names), quantity.List(names, 10)))
	}
}

func warnInaccessible(inaccessible []vsphere.VMReference, diags *diag.Diagnostics) {
	if len(inaccessible) == 0 {
		return
	}
	diags.AddWarning(
		"VMs Excluded",
		"These VMs are currently inaccessible (disconnected, inaccessible, orphaned or invalid), so their sizes are "+
			"outdated or unknown: "+quantity.ListOf(inaccessible, 10, vsphere.VMReference.String)+". They are "+
			"excluded from ids, virtual_machines and the totals. The attribute inaccessible lists all of them. "+
			"Reconnect their hosts and datastores, or remove the VMs from the inventory.",
	)
}

// warnMissing warns about VMs in vm_ids that vCenter did not return, unless another filter might have excluded them.
func warnMissing(config *model, found vsphere.Inventory, diags *diag.Diagnostics) {
	otherFilters := []attr.Value{config.Folder, config.Cluster, config.NameRegex, config.PowerState, config.TagIDs}
	for _, filter := range otherFilters {
		if !filter.IsNull() {
			return
		}
	}
	missing := make(map[string]bool)
	for _, id := range stringset.Strings(config.VMIDs) {
		missing[id] = true
	}
	for _, vm := range found.VMs {
		delete(missing, vm.ID)
	}
	for _, vm := range slices.Concat(found.Templates, found.Inaccessible) {
		delete(missing, vm.ID)
	}
	if len(missing) > 0 {
		const maxListed = 10
		diags.AddAttributeWarning(path.Root("vm_ids"), "VMs Not Found", fmt.Sprintf(
			"These VMs do not exist in vCenter, or the user cannot read them: %s. They are excluded from the totals.",
			quantity.List(slices.Sorted(maps.Keys(missing)), maxListed)))
	}
}

func rootPath(attribute string) *path.Path {
	p := path.Root(attribute)
	return &p
}
