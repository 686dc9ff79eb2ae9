package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// readGroupReplications returns the VM replications of the clusters' protection groups. It ignores local snapshots.
func (r Reader) readGroupReplications(ctx context.Context, clusters []string) ([]compliance.Replication, error) {
	if len(clusters) == 0 {
		return nil, nil
	}
	old, err := r.Protection.IsRelease90(ctx)
	if err != nil {
		return nil, err
	}
	var all []compliance.Replication
	for n, cluster := range clusters {
		groups, err := r.Protection.Groups(ctx, cluster, snapservice.Shared)
		var vms []snapservice.VM
		if err == nil {
			vms, err = r.Protection.VMs(ctx, cluster)
		}
		if errors.Is(err, snapservice.ErrNotFound) {
			at := plan.Attr("protection_clusters").Index(n)
			err = &ArgumentError{Path: at, Err: fmt.Errorf("cluster %s: %w", cluster, err)}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, groupReplications(groups, vms, old)...)
	}
	return all, nil
}

// groupReplications returns the replications of the VMs. A VM has no RPO of its own, so it gets the longest RPO of the
// groups that replicate it. old is true for release 9.0 of vSAN Data Protection, which does not report violations.
func groupReplications(groups []snapservice.Group, vms []snapservice.VM, old bool) []compliance.Replication {
	byID := make(map[string]snapservice.Group, len(groups))
	for _, g := range groups {
		if len(g.Replication) > 0 && g.Status != snapservice.Deleted {
			byID[g.ID] = g
		}
	}
	var all []compliance.Replication
	for _, vm := range vms {
		rpo, groupStatus := longestRPO(vm.GroupIDs, byID)
		for _, one := range vm.Outgoing() {
			c := compliance.Replication{
				ID: vm.ID, VMID: vm.ID, Name: snapservice.Printable(vm.Name), RPOMinutes: rpo,
				Status: snapservice.Printable(one.Status), Violation: one.Violation != nil, ViolationUnknown: old,
				Synced: true, By: compliance.ProtectionGroup,
			}
			if groupStatus != "" {
				c.Status = groupStatus
			}
			all = append(all, c)
		}
	}
	return all
}

// longestRPO returns the longest RPO of the groups. status is empty if all groups are replicating, UNKNOWN if the RPO
// of any group is unknown or if there are no groups, and PAUSED or RECOVERED otherwise.
func longestRPO(ids []string, groups map[string]snapservice.Group) (minutes int64, status string) {
	for _, id := range ids {
		g, known := groups[id]
		if !known {
			continue
		}
		n, ok := g.Replication[0].RPO.Minutes()
		switch {
		case !ok:
			return 0, "UNKNOWN"
		case g.Status == snapservice.Paused:
			status = "PAUSED"
		case g.Status != snapservice.Active && status == "":
			status = "RECOVERED" // all other states occur during failover or recovery
		}
		minutes = max(minutes, n)
	}
	if minutes == 0 {
		return 0, "UNKNOWN"
	}
	return minutes, status
}

// NamedScope is a scope with tag names instead of IDs. Its pairing is optional.
type NamedScope struct {
	Scope
	// Category is the tag category of TagNames.
	Category string
	// TagNames contains the tag names of the tiers that have no TagID, by tier.
	TagNames map[string]string
}

// Resolve looks up the missing IDs. An invalid argument causes an *ArgumentError.
func (r Reader) Resolve(ctx context.Context, n NamedScope) (Scope, error) {
	if n.PairingID == "" {
		var err error
		if n.PairingID, err = r.findPairing(ctx); err != nil {
			return Scope{}, err
		}
	}
	if len(n.TagNames) == 0 {
		return n.Scope, nil
	}
	category, err := r.VSphere.CategoryByName(ctx, n.Category)
	if err != nil {
		return Scope{}, &ArgumentError{Path: plan.Attr("category"), Err: err}
	}
	tags, err := r.VSphere.TagsOfCategory(ctx, category.ID)
	if err != nil {
		return Scope{}, err
	}
	ids := make(map[string]string, len(tags))
	for _, tag := range tags {
		ids[tag.Name] = tag.ID
	}
	return n.resolveTags(ids)
}

func (n NamedScope) resolveTags(ids map[string]string) (Scope, error) {
	n.Tiers = maps.Clone(n.Tiers)
	for _, tier := range slices.Sorted(maps.Keys(n.TagNames)) {
		name := n.TagNames[tier]
		id, ok := ids[name]
		if !ok {
			return Scope{}, &ArgumentError{
				Path: plan.Attr("tiers").Key(tier).Attr("tag"),
				Err: fmt.Errorf("category %q: %w", n.Category, &transport.NameError{
					What: "tag", Name: name, Err: vsphere.ErrNotFound,
					Names: slices.AppendSeq(make([]string, 0, len(ids)), maps.Keys(ids)),
				}),
			}
		}
		promise := n.Tiers[tier]
		promise.TagID = id
		n.Tiers[tier] = promise
	}
	return n.Scope, nil
}

func (r Reader) findPairing(ctx context.Context) (string, error) {
	all, err := r.Replication.Pairings(ctx)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, p := range all {
		if !p.IsSingleVCenter() {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 1 {
		return ids[0], nil
	}
	names := strings.Join(ids, ", ")
	if len(ids) == 0 {
		names = "none"
	}
	return "", &ArgumentError{
		Path: plan.Attr("pairing_id"), Advice: "Set pairing_id, unless exactly one pairing connects two vCenters.",
		Err: fmt.Errorf("expected one pairing of two vCenters, got: %s", names),
	}
}

const poweredOn = "poweredOn"

// Uncovered contains the VMs that have no tier and are not replicated by the pairing. All lists are sorted by ID.
type Uncovered struct {
	// VMs contains powered-on VMs that are not replicated.
	VMs []vsphere.VMReference
	// ReplicatedElsewhere contains powered-on VMs that, according to their configuration, are replicated by another
	// pairing or appliance.
	ReplicatedElsewhere []vsphere.VMReference
	// Unknown contains inaccessible or unreadable VMs. It also contains VMs for which only the extra configuration
	// indicates a replication, because clones inherit the extra configuration.
	Unknown []vsphere.VMReference
	// UnprovenReason explains why the lists might be incomplete. It is empty if the account can read all objects.
	UnprovenReason string
}

func (r Reader) readUncovered(
	ctx context.Context, others vsphere.Inventory, replicated map[string]bool,
) (Uncovered, error) {
	var found Uncovered
	for _, vm := range others.Inaccessible {
		if !replicated[vm.ID] {
			found.Unknown = append(found.Unknown, vm)
		}
	}
	var candidates []vsphere.VMReference
	for _, vm := range others.VMs {
		if vm.PowerState == poweredOn && !replicated[vm.ID] {
			candidates = append(candidates, vsphere.VMReference{ID: vm.ID, Name: vm.Name})
		}
	}
	ids := make([]string, 0, len(candidates)+len(replicated))
	for _, vm := range candidates {
		ids = append(ids, vm.ID)
	}
	if len(candidates) > 0 { // a clone has its source VM's replication ID
		ids = slices.AppendSeq(ids, maps.Keys(replicated))
	}
	flagsByVM, err := r.VSphere.VMFlags(ctx, ids)
	if err != nil {
		return Uncovered{}, err
	}
	access, err := r.VSphere.InventoryAccess(ctx)
	if err != nil {
		return Uncovered{}, err
	}
	found.UnprovenReason = access.UnprovenReason
	found.classify(candidates, flagsByVM)
	return found, nil
}

func (found *Uncovered) classify(candidates []vsphere.VMReference, flagsByVM map[string]vsphere.VMFlags) {
	vmCountByReplication := make(map[string]int, len(flagsByVM))
	for _, flags := range flagsByVM {
		vmCountByReplication[flags.ReplicationID]++
	}
	for _, vm := range candidates {
		flags, exists := flagsByVM[vm.ID]
		switch {
		case !exists || flags.Placeholder || flags.ClusterService: // deleted in the meantime, or nothing to protect
		case flags.Unreadable:
			found.Unknown = append(found.Unknown, vm)
		case flags.ReplicationID != "" && vmCountByReplication[flags.ReplicationID] > 1: // a clone
			found.VMs = append(found.VMs, vm)
		case flags.ExtraConfigOnly:
			found.Unknown = append(found.Unknown, vm)
		case flags.ReplicationDestination != "":
			found.ReplicatedElsewhere = append(found.ReplicatedElsewhere, vm)
		default:
			found.VMs = append(found.VMs, vm)
		}
	}
}

// IDs returns the VM IDs, sorted.
func IDs(vms []vsphere.VMReference) []string {
	ids := make([]string, 0, len(vms))
	for _, vm := range vms {
		ids = append(ids, vm.ID)
	}
	slices.Sort(ids)
	return ids
}

// LastSyncs returns the last sync time by VM ID. If a VM has several replications, the oldest sync counts. A VM is
// omitted if any of its replications has never been synced.
func (r Reading) LastSyncs() map[string]time.Time {
	last := make(map[string]time.Time, len(r.outgoing))
	never := make(map[string]bool)
	for _, replication := range r.outgoing {
		id, at := vr.MOIDOf(replication.VMID), replication.Status.LastSync
		if before, ok := last[id]; !ok || at.Before(before) {
			last[id] = at
		}
		never[id] = never[id] || at.IsZero()
	}
	for id, yes := range never {
		if yes || id == "" {
			delete(last, id)
		}
	}
	return last
}
