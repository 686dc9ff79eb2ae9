// Package audit reads tier tags, VMs and replications for the data source vsla_sla_compliance and the compliance
// command. It is read-only. Package compliance evaluates the results.
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

// Tier is an SLA tier assigned by a tag.
type Tier struct {
	TagID      string
	RPOMinutes int64
	// ConfiguredRPOMinutes is the longest RPO that keeps the promise; 0 for RPOMinutes.
	ConfiguredRPOMinutes int64
}

// Scope selects the tiers, pairing and VMs to audit.
type Scope struct {
	// PairingID is the ID of the vSphere Replication pairing. If empty, vSphere Replication is skipped.
	PairingID string
	// ProtectionClusters are the IDs of the clusters whose vSAN Data Protection groups are read. If empty, protection
	// groups are skipped.
	ProtectionClusters []string
	Tiers              map[string]Tier
	// Folder and Cluster, if set, limit Uncovered to the VMs in that folder and cluster.
	Folder, Cluster string
}

// ArgumentError reports an invalid argument, such as pairing_id, folder or tiers["gold"].tag_id.
type ArgumentError struct {
	Path plan.Path
	// Advice is the suggested fix. It may be empty.
	Advice string
	Err    error
}

// Error returns the cause.
func (e *ArgumentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ArgumentError) Unwrap() error { return e.Err }

// Reader reads vCenter, vSphere Replication and vSAN Data Protection.
type Reader struct {
	VSphere     *vsphere.Client
	Replication *vr.Client
	Protection  *snapservice.Client
}

// Reading is the result of Read.
type Reading struct {
	// Tagged contains the VMs that have a tier tag.
	Tagged vsphere.Inventory
	// Uncovered contains the VMs that have neither a tier nor a replication.
	Uncovered Uncovered

	scope     Scope
	tiersByVM map[string][]string
	// outgoing contains the replications whose source is this vCenter. incomplete contains the errors for replications
	// with missing fields, by replication ID.
	outgoing   []vr.Replication
	incomplete map[string]error
	// groupReplications contains the VM replications of the protection groups.
	groupReplications []compliance.Replication
}

// Read reads tags, VMs and replications. An invalid argument causes an *ArgumentError.
func (r Reader) Read(ctx context.Context, scope Scope) (Reading, error) {
	var local string
	var err error
	if scope.PairingID != "" {
		if local, err = r.localVCenter(ctx, scope.PairingID); err != nil {
			return Reading{}, err
		}
	}
	all := Reading{scope: scope}
	if all.tiersByVM, err = r.readTiers(ctx, scope.Tiers); err != nil {
		return Reading{}, err
	}
	var others vsphere.Inventory
	if all.Tagged, others, err = r.readInventory(ctx, scope, all.tiersByVM); err != nil {
		return Reading{}, err
	}
	if scope.PairingID != "" {
		if all.outgoing, all.incomplete, err = r.readOutgoing(ctx, scope.PairingID, local); err != nil {
			return Reading{}, err
		}
	}
	if all.groupReplications, err = r.readGroupReplications(ctx, scope.ProtectionClusters); err != nil {
		return Reading{}, err
	}
	all.Uncovered, err = r.readUncovered(ctx, others, all.replicatedVMs())
	return all, err
}

func (r Reader) readOutgoing(ctx context.Context, pairing, local string) ([]vr.Replication, map[string]error, error) {
	replications, incomplete, err := r.Replication.AllReplications(ctx, pairing)
	return slices.DeleteFunc(slices.Clone(replications), func(replication vr.Replication) bool {
		return replication.SourceVCenterID != "" && !strings.EqualFold(replication.SourceVCenterID, local)
	}), incomplete, err
}

func (r Reading) replicatedVMs() map[string]bool {
	ids := make(map[string]bool, len(r.outgoing)+len(r.groupReplications))
	for _, replication := range r.outgoing {
		ids[vr.MOIDOf(replication.VMID)] = true
	}
	for _, one := range r.groupReplications {
		ids[one.VMID] = true
	}
	return ids
}

// localVCenter returns the vCenter's instance UUID. It returns an error if the vCenter is not part of the pairing,
// because all its VMs would then appear to be unprotected.
func (r Reader) localVCenter(ctx context.Context, pairing string) (string, error) {
	local, err := r.VSphere.InstanceUUID(ctx)
	if err != nil {
		return "", err
	}
	p, err := r.Replication.Pairing(ctx, pairing)
	if err != nil {
		if errors.Is(err, vr.ErrPairing) {
			err = &ArgumentError{Path: plan.Attr("pairing_id"), Err: err}
		}
		return "", err
	}
	if !strings.EqualFold(p.Local.VCenterID, local) && !strings.EqualFold(p.Remote.VCenterID, local) {
		return "", &ArgumentError{
			Path: plan.Attr("pairing_id"),
			Advice: "The pairing connects two other vCenters, so it replicates no VMs of this vCenter. " +
				"Use the pairing of this vCenter, as returned by the data source vsla_replication_pairing, or " +
				"connect the provider to a vCenter of this pairing.",
			Err: fmt.Errorf(
				"the pairing connects %s and %s, but the provider's vCenter %s has the ID %s",
				p.Local.VCenterID,
				p.Remote.VCenterID,
				r.VSphere.Server(),
				local,
			),
		}
	}
	return local, nil
}

// readTiers returns the names of the tiers of each tagged VM. A missing tag is an error, because a tier without VMs
// would appear to be compliant.
func (r Reader) readTiers(ctx context.Context, tiers map[string]Tier) (map[string][]string, error) {
	ids := make([]string, 0, len(tiers))
	for _, tier := range tiers {
		ids = append(ids, tier.TagID)
	}
	slices.Sort(ids)
	objects, err := r.VSphere.ObjectsByTag(ctx, ids)
	if err != nil {
		return nil, err
	}
	tiersByVM := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(tiers)) {
		id := tiers[name].TagID
		tagged := objects[id]
		if len(tagged) == 0 { // the listing does not distinguish unused from missing tags
			if tagged, err = r.VSphere.ObjectsWithTag(ctx, id); err != nil {
				return nil, &ArgumentError{
					Path: plan.Attr("tiers").Key(name).Attr("tag_id"),
					Err:  fmt.Errorf("tier %q: %w", name, err),
				}
			}
		}
		for _, o := range tagged {
			if o.Type == vmType {
				tiersByVM[o.ID] = append(tiersByVM[o.ID], name)
			}
		}
	}
	return tiersByVM, nil
}

// readInventory returns all VMs that have a tier tag, and the other VMs in the folder and cluster. It reads tagged VMs
// outside the folder or cluster by ID.
func (r Reader) readInventory(
	ctx context.Context, scope Scope, tiers map[string][]string,
) (tagged, others vsphere.Inventory, err error) {
	filter := vsphere.VMFilter{Folder: scope.Folder, Cluster: scope.Cluster}
	listed, err := r.VSphere.VirtualMachines(ctx, filter, vsphere.VMParts{})
	if err != nil {
		if lookup, ok := errors.AsType[*transport.NameError](err); ok {
			err = &ArgumentError{Path: plan.Attr(lookup.What), Err: err}
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

func split(all vsphere.Inventory, target func(id string) *vsphere.Inventory) {
	for _, vm := range all.VMs {
		i := target(vm.ID)
		i.VMs = append(i.VMs, vm)
	}
	for _, vm := range all.Templates {
		i := target(vm.ID)
		i.Templates = append(i.Templates, vm)
	}
	for _, vm := range all.Inaccessible {
		i := target(vm.ID)
		i.Inaccessible = append(i.Inaccessible, vm)
	}
}

// Judge compares the replications with the tiers' targets.
func (r Reading) Judge() compliance.Result {
	tiers := make(map[string]compliance.Tier, len(r.scope.Tiers))
	for name, tier := range r.scope.Tiers {
		tiers[name] = compliance.Tier{RPOMinutes: tier.RPOMinutes, ConfiguredRPOMinutes: tier.ConfiguredRPOMinutes}
	}
	vms := make(map[string]compliance.VM, len(r.tiersByVM))
	for id, names := range r.tiersByVM {
		vms[id] = compliance.VM{ID: id, Tiers: names}
	}
	add := func(id, name string, template bool) {
		if vm, ok := vms[id]; ok {
			vm.Name = name
			vm.Found = true
			vm.Template = template
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
	replications := slices.Grow(slices.Clone(r.groupReplications), len(r.outgoing))
	for _, replication := range r.outgoing {
		if r.incomplete[replication.ID] != nil { // neither status nor RPO is reliable
			replications = append(replications, compliance.Replication{
				ID:   replication.ID,
				VMID: vr.MOIDOf(replication.VMID),
				Name: replication.Name,
			})
			continue
		}
		replications = append(replications, compliance.Replication{
			ID:                 replication.ID,
			VMID:               vr.MOIDOf(replication.VMID),
			Name:               replication.Name,
			RPOMinutes:         replication.RPOMinutes,
			Status:             replication.Status.Code,
			ConfigurationState: replication.ConfigurationState,
			Violation:          replication.Status.RPOViolation || replication.Status.PastDeadline > 0,
			Synced:             !replication.Status.LastSync.IsZero(),
			Recovering:         replication.Recovering(),
		})
	}
	return compliance.Judge(tiers, slices.Collect(maps.Values(vms)), replications)
}
