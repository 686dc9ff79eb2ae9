package audit

import (
	"context"
	"errors"
	"fmt"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/snapservice"
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
				ID:               vm.ID,
				VMID:             vm.ID,
				Name:             snapservice.Printable(vm.Name),
				RPOMinutes:       rpo,
				Status:           snapservice.Printable(one.Status),
				Violation:        one.Violation != nil,
				ViolationUnknown: old,
				Synced:           true,
				By:               compliance.ProtectionGroup,
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
