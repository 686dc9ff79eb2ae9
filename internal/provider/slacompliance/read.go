// Reading both sides of the comparison, in a number of requests that grows with pages and not with VMs.

package slacompliance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	vmType        = "VirtualMachine"
	privilegeRead = "Read-only on the root object, for tags; System.View and System.Read on the VMs; the privilege to " +
		"see replications at both sites"
)

// argumentError blames an argument. advice is empty where the kind of the error says what to do.
type argumentError struct {
	at     path.Path
	advice string
	err    error
}

// Error returns the cause.
func (e *argumentError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *argumentError) Unwrap() error { return e.err }

// reader has both sides.
type reader struct {
	vsphere     *vsphere.Client
	replication *vr.Client
}

// reading is what was read.
type reading struct {
	// tiers are the names of the tiers whose tags a VM carries, by VM.
	tiers     map[string][]string
	inventory vsphere.Inventory
	// outgoing are the replications that leave this vCenter.
	outgoing []vr.Replication
}

// read reads tags, VMs and replications. The error is an *argumentError where an argument is to blame.
func (r reader) read(ctx context.Context, config model) (reading, error) {
	here, err := r.here(ctx, config.PairingID.ValueString())
	if err != nil {
		return reading{}, err
	}
	var all reading
	if all.tiers, err = r.tagged(ctx, config.Tiers); err != nil {
		return reading{}, err
	}
	ids := slices.Sorted(maps.Keys(all.tiers)) // never nil, which would mean every VM
	if ids == nil {
		ids = []string{}
	}
	if all.inventory, err = r.vsphere.VirtualMachines(ctx, vsphere.VMFilter{IDs: ids}, vsphere.VMParts{}); err != nil {
		return reading{}, err
	}
	replications, err := r.replication.Replications(ctx, config.PairingID.ValueString(), vr.AnyVM, vr.Shared)
	for _, one := range replications {
		if strings.EqualFold(one.SourceVCenterID, here) {
			all.outgoing = append(all.outgoing, one)
		}
	}
	return all, err
}

// here returns the instance UUID of the vCenter whose tags count. A pairing that it is no part of would make every VM
// look unprotected.
func (r reader) here(ctx context.Context, pairing string) (string, error) {
	here, err := r.vsphere.InstanceUUID(ctx)
	if err != nil {
		return "", err
	}
	p, err := r.replication.Pairing(ctx, pairing)
	if err != nil {
		if errors.Is(err, vr.ErrPairing) {
			err = &argumentError{at: path.Root("pairing_id"), err: err}
		}
		return "", err
	}
	if !strings.EqualFold(p.Local.VCenterID, here) && !strings.EqualFold(p.Remote.VCenterID, here) {
		return "", &argumentError{
			at: path.Root("pairing_id"),
			advice: "The pairing joins two other vCenters, so it says nothing about the VMs of the one whose tags are read. " +
				"Give the pairing of this vCenter, as data source vsla_replication_pairing finds it, or connect the provider " +
				"to a vCenter of this pairing.",
			err: fmt.Errorf(
				"the pairing joins %s and %s, and the provider's vCenter %s is %s",
				p.Local.VCenterID,
				p.Remote.VCenterID,
				r.vsphere.Server(),
				here,
			),
		}
	}
	return here, nil
}

// tagged returns the tiers of each VM that carries a tier's tag. A tag that is gone is an error: its tier would promise
// nothing any more, and that must not pass for compliance.
func (r reader) tagged(ctx context.Context, tiers map[string]tierModel) (map[string][]string, error) {
	ids := make([]string, 0, len(tiers))
	for _, tier := range tiers {
		ids = append(ids, tier.TagID.ValueString())
	}
	slices.Sort(ids)
	objects, err := r.vsphere.ObjectsByTag(ctx, ids)
	if err != nil {
		return nil, err
	}
	of := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(tiers)) {
		id := tiers[name].TagID.ValueString()
		carriers := objects[id]
		if len(carriers) == 0 { // the listing does not tell a tag that nothing carries from one that is gone
			if carriers, err = r.vsphere.ObjectsWithTag(ctx, id); err != nil {
				return nil, &argumentError{
					at:  path.Root("tiers").AtMapKey(name).AtName("tag_id"),
					err: fmt.Errorf("tier %q: %w", name, err),
				}
			}
		}
		for _, o := range carriers {
			if o.Type == vmType {
				of[o.ID] = append(of[o.ID], name)
			}
		}
	}
	return of, nil
}

// judge translates what was read.
func (r reading) judge(config model) compliance.Result {
	tiers := make(map[string]compliance.Tier, len(config.Tiers))
	for name, tier := range config.Tiers {
		tiers[name] = compliance.Tier{RPOMinutes: tier.RPOMinutes.ValueInt64()}
	}
	vms := make(map[string]compliance.VM, len(r.tiers))
	for id, names := range r.tiers {
		vms[id] = compliance.VM{ID: id, Tiers: names}
	}
	add := func(id, name string, template bool) {
		if m, ok := vms[id]; ok {
			m.Name, m.Found, m.Template = name, true, template
			vms[id] = m
		}
	}
	for _, vm := range r.inventory.VMs {
		add(vm.ID, vm.Name, false)
	}
	for _, vm := range r.inventory.Inaccessible {
		add(vm.ID, vm.Name, false)
	}
	for _, vm := range r.inventory.Templates {
		add(vm.ID, vm.Name, true)
	}
	replications := make([]compliance.Replication, 0, len(r.outgoing))
	for _, one := range r.outgoing {
		replications = append(replications, compliance.Replication{
			ID:                 one.ID,
			VMID:               vr.MOIDOf(one.VMID),
			Name:               one.Name,
			RPOMinutes:         one.RPOMinutes,
			Status:             one.Status.Word,
			ConfigurationState: one.ConfigurationState,
			Violation: one.Status.RPOViolation ||
				one.Status.PastDeadline > 0,
			Synced:     !one.Status.LastSync.IsZero(),
			Recovering: one.Recovering(),
		})
	}
	return compliance.Judge(tiers, slices.Collect(maps.Values(vms)), replications)
}
