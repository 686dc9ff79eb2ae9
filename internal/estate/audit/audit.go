// Package audit reads what tiers promise by their tags and what vSphere Replication does, for the data source
// vsla_sla_compliance and for the command compliance. It changes nothing; the judgement is in internal/plan/compliance.
package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

const vmType = "VirtualMachine"

// Tier is a promise, given by a tag.
type Tier struct {
	TagID      string
	RPOMinutes int64
}

// Scope selects the tiers, pairings and VMs to compare.
type Scope struct {
	// PairingID is the pairing of vSphere Replication; empty leaves that out.
	PairingID string
	// ProtectionClusters are the ids of the clusters whose protection groups of vSAN Data Protection count; none leaves
	// them out.
	ProtectionClusters []string
	// Tiers are the tiers by name.
	Tiers map[string]Tier
	// Folder and Cluster limit the VMs that are looked at for Uncovered, and nothing else.
	Folder, Cluster string
}

// ArgumentError is about an argument: pairing_id, folder, cluster or tiers["gold"].tag_id.
type ArgumentError struct {
	At plan.Path
	// Advice is empty where the kind of the error implies the action.
	Advice string
	Err    error
}

// Error returns the cause.
func (e *ArgumentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ArgumentError) Unwrap() error { return e.Err }

// Reader has both sides.
type Reader struct {
	VSphere     *vsphere.Client
	Replication *vr.Client
	Protection  *snapservice.Client
}

// Reading is the state of both sides as read.
type Reading struct {
	// Tagged are the VMs that carry a tier's tag.
	Tagged vsphere.Inventory
	// Uncovered are the VMs that no tier and no replication covers.
	Uncovered Uncovered

	scope Scope
	// tiers are the names of the tiers whose tags a VM carries, by VM.
	tiers map[string][]string
	// outgoing are the replications that leave this vCenter, unread what the entries of some of them lack, by their ids.
	outgoing []vr.Replication
	unread   map[string]error
	// grouped are the replications by protection groups.
	grouped []compliance.Replication
}

// Read reads tags, VMs and replications. The error is an *ArgumentError where an argument is to blame.
func (r Reader) Read(ctx context.Context, scope Scope) (Reading, error) {
	var here string
	var err error
	if scope.PairingID != "" {
		if here, err = r.here(ctx, scope.PairingID); err != nil {
			return Reading{}, err
		}
	}
	all := Reading{scope: scope}
	if all.tiers, err = r.tagged(ctx, scope.Tiers); err != nil {
		return Reading{}, err
	}
	var others vsphere.Inventory
	if all.Tagged, others, err = r.inventory(ctx, scope, all.tiers); err != nil {
		return Reading{}, err
	}
	if scope.PairingID != "" {
		if all.outgoing, all.unread, err = r.leaving(ctx, scope.PairingID, here); err != nil {
			return Reading{}, err
		}
	}
	if all.grouped, err = r.grouped(ctx, scope.ProtectionClusters); err != nil {
		return Reading{}, err
	}
	all.Uncovered, err = r.uncovered(ctx, others, all.replicated())
	return all, err
}

// leaving returns the replications of a pairing that leave this vCenter.
func (r Reader) leaving(ctx context.Context, pairing, here string) ([]vr.Replication, map[string]error, error) {
	replications, unread, err := r.Replication.Judgeable(ctx, pairing)
	return slices.DeleteFunc(slices.Clone(replications), func(one vr.Replication) bool {
		return one.SourceVCenterID != "" && !strings.EqualFold(one.SourceVCenterID, here)
	}), unread, err
}

// replicated returns the ids of the VMs that something replicates.
func (r Reading) replicated() map[string]bool {
	ids := make(map[string]bool, len(r.outgoing)+len(r.grouped))
	for _, one := range r.outgoing {
		ids[vr.MOIDOf(one.VMID)] = true
	}
	for _, one := range r.grouped {
		ids[one.VMID] = true
	}
	return ids
}

// here returns the instance UUID of the vCenter whose tags count. A pairing that it is no part of would make every VM
// look unprotected.
func (r Reader) here(ctx context.Context, pairing string) (string, error) {
	here, err := r.VSphere.InstanceUUID(ctx)
	if err != nil {
		return "", err
	}
	p, err := r.Replication.Pairing(ctx, pairing)
	if err != nil {
		if errors.Is(err, vr.ErrPairing) {
			err = &ArgumentError{At: plan.Attr("pairing_id"), Err: err}
		}
		return "", err
	}
	if !strings.EqualFold(p.Local.VCenterID, here) && !strings.EqualFold(p.Remote.VCenterID, here) {
		return "", &ArgumentError{
			At: plan.Attr("pairing_id"),
			Advice: "The pairing joins two other vCenters, so it has no VMs of the one whose tags are read. " +
				"Give the pairing of this vCenter, as data source vsla_replication_pairing finds it, or connect the provider " +
				"to a vCenter of this pairing.",
			Err: fmt.Errorf(
				"the pairing joins %s and %s, and the provider's vCenter %s is %s",
				p.Local.VCenterID,
				p.Remote.VCenterID,
				r.VSphere.Server(),
				here,
			),
		}
	}
	return here, nil
}

// tagged returns the tiers of each VM that carries a tier's tag. A tag that is gone is an error: its tier would promise
// nothing any more, and that must not pass for compliance.
func (r Reader) tagged(ctx context.Context, tiers map[string]Tier) (map[string][]string, error) {
	ids := make([]string, 0, len(tiers))
	for _, tier := range tiers {
		ids = append(ids, tier.TagID)
	}
	slices.Sort(ids)
	objects, err := r.VSphere.ObjectsByTag(ctx, ids)
	if err != nil {
		return nil, err
	}
	of := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(tiers)) {
		id := tiers[name].TagID
		carriers := objects[id]
		if len(carriers) == 0 { // the listing does not distinguish a tag that nothing carries from one that is gone
			if carriers, err = r.VSphere.ObjectsWithTag(ctx, id); err != nil {
				return nil, &ArgumentError{
					At:  plan.Attr("tiers").Key(name).Attr("tag_id"),
					Err: fmt.Errorf("tier %q: %w", name, err),
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

// inventory returns the VMs that carry a tier's tag, wherever they are, and the others in folder and cluster. One
// listing has both; tagged VMs that it lacks are read by their ids.
func (r Reader) inventory(
	ctx context.Context, scope Scope, tiers map[string][]string,
) (tagged, others vsphere.Inventory, err error) {
	filter := vsphere.VMFilter{Folder: scope.Folder, Cluster: scope.Cluster}
	listed, err := r.VSphere.VirtualMachines(ctx, filter, vsphere.VMParts{})
	if err != nil {
		if lookup, ok := errors.AsType[*transport.NameError](err); ok {
			err = &ArgumentError{At: plan.Attr(lookup.What), Err: err}
		}
		return tagged, others, err
	}
	missing := maps.Clone(tiers)
	split(listed, func(id string) *vsphere.Inventory {
		if _, ok := tiers[id]; !ok {
			return &others
		}
		delete(missing, id)
		return &tagged
	})
	if len(missing) == 0 {
		return tagged, others, nil
	}
	ids := slices.Sorted(maps.Keys(missing))
	rest, err := r.VSphere.VirtualMachines(ctx, vsphere.VMFilter{IDs: ids}, vsphere.VMParts{})
	split(rest, func(string) *vsphere.Inventory { return &tagged })
	return tagged, others, err
}

// split adds each VM to the inventory that to returns for its id.
func split(all vsphere.Inventory, to func(id string) *vsphere.Inventory) {
	for _, vm := range all.VMs {
		i := to(vm.ID)
		i.VMs = append(i.VMs, vm)
	}
	for _, vm := range all.Templates {
		i := to(vm.ID)
		i.Templates = append(i.Templates, vm)
	}
	for _, vm := range all.Inaccessible {
		i := to(vm.ID)
		i.Inaccessible = append(i.Inaccessible, vm)
	}
}

// Judge compares the two sides that were read.
func (r Reading) Judge() compliance.Result {
	tiers := make(map[string]compliance.Tier, len(r.scope.Tiers))
	for name, tier := range r.scope.Tiers {
		tiers[name] = compliance.Tier{RPOMinutes: tier.RPOMinutes}
	}
	vms := make(map[string]compliance.VM, len(r.tiers))
	for id, names := range r.tiers {
		vms[id] = compliance.VM{ID: id, Tiers: names}
	}
	add := func(id, name string, template bool) {
		if vm, ok := vms[id]; ok {
			vm.Name, vm.Found, vm.Template = name, true, template
			vms[id] = vm
		}
	}
	for _, vm := range r.Tagged.VMs {
		add(vm.ID, vm.Name, false)
	}
	for _, vm := range r.Tagged.Inaccessible {
		add(vm.ID, vm.Name, false)
	}
	for _, vm := range r.Tagged.Templates {
		add(vm.ID, vm.Name, true)
	}
	replications := slices.Grow(slices.Clone(r.grouped), len(r.outgoing))
	for _, one := range r.outgoing {
		if r.unread[one.ID] != nil { // of which neither status nor RPO can be believed
			replications = append(replications, compliance.Replication{ID: one.ID, VMID: vr.MOIDOf(one.VMID), Name: one.Name})
			continue
		}
		replications = append(replications, compliance.Replication{
			ID:                 one.ID,
			VMID:               vr.MOIDOf(one.VMID),
			Name:               one.Name,
			RPOMinutes:         one.RPOMinutes,
			Status:             one.Status.Word,
			ConfigurationState: one.ConfigurationState,
			Violation:          one.Status.RPOViolation || one.Status.PastDeadline > 0,
			Synced:             !one.Status.LastSync.IsZero(),
			Recovering:         one.Recovering(),
		})
	}
	return compliance.Judge(tiers, slices.Collect(maps.Values(vms)), replications)
}
