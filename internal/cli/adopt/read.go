// Package adopt reads the tags and replications of a vCenter and writes a Terraform configuration that imports them. It
// changes nothing on the servers.
package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

const (
	vmType = "VirtualMachine"
	// concurrency is the maximum number of concurrent requests for replicas.
	concurrency = 10
)

// Scope selects the objects to adopt. An empty field selects all objects.
type Scope struct {
	// Categories are the names of tag categories.
	Categories []string
	// Folders and Clusters contain names or inventory paths. Only VMs in one of the folders and one of the clusters are
	// selected.
	Folders, Clusters []string
	// Name selects the VMs whose names it matches.
	Name *regexp.Regexp
	// TierCategory is the tag category whose tags are the tiers. If it is empty, it defaults to the only category with
	// tags on replicated VMs.
	TierCategory string
}

func (s Scope) selectsVMs() bool { return len(s.Folders)+len(s.Clusters) > 0 || s.Name != nil }

// ScopeError reports a scope that selects no objects, or several candidates for the tier category.
type ScopeError struct{ Err error }

// Error returns the message of the cause.
func (e *ScopeError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ScopeError) Unwrap() error { return e.Err }

// Reader reads tags and replications. Replication is nil if there is no appliance.
type Reader struct {
	VSphere     *vsphere.Client
	Replication *vr.Client
	// Count is called after each replica is read.
	Count func(done, all int)
}

type replication struct {
	vr.Replication

	pairing   string
	placement vr.Placement
}

func (r replication) moid() string { return vr.MOIDOf(r.VMID) }

// Reading contains the tags, VMs and replications in a scope.
type Reading struct {
	scope      Scope
	vcenter    string
	categories []vsphere.Category
	tags       []vsphere.NamedTag
	// objects maps tag IDs to tagged objects.
	objects map[string][]vsphere.Object
	// vms maps VM IDs to names.
	vms          map[string]string
	replications []replication
	// tierCategory is the tag category whose tags are the tiers. If it is empty, there are no tiers.
	tierCategory string
	omissions    omissions
}

// Read reads the objects in the scope. It reads replicas last, because each replica requires a separate request. It
// returns a *ScopeError if the scope is invalid.
func (r Reader) Read(ctx context.Context, scope Scope) (Reading, error) {
	reading := Reading{scope: scope, omissions: make(omissions)}
	if err := r.readTags(ctx, &reading); err != nil {
		return reading, err
	}
	if err := r.listReplications(ctx, &reading); err != nil {
		return reading, err
	}
	if err := r.readVMs(ctx, &reading); err != nil {
		return reading, err
	}
	reading.dropOutOfScope()
	var err error
	if reading.tierCategory, err = reading.findTierCategory(); err != nil {
		return reading, err
	}
	return reading, r.readPlacements(ctx, &reading)
}

func (r Reader) readTags(ctx context.Context, reading *Reading) error {
	all, err := r.VSphere.Categories(ctx, func(vsphere.Category) bool { return true })
	if err != nil {
		return err
	}
	if reading.categories, err = reading.selectCategories(all); err != nil {
		return err
	}
	selected := make(map[string]bool)
	for _, category := range reading.categories {
		selected[category.ID] = true
	}
	reading.tags, err = r.VSphere.NamedTags(ctx, func(c vsphere.Category) bool { return selected[c.ID] })
	if err != nil {
		return err
	}
	ids := make([]string, 0, len(reading.tags))
	for _, tag := range reading.tags {
		ids = append(ids, tag.ID)
	}
	reading.objects, err = r.VSphere.ObjectsByTag(ctx, ids)
	return err
}

func (r *Reading) selectCategories(all []vsphere.Category) ([]vsphere.Category, error) {
	names := make(map[string]int)
	for _, category := range all {
		names[category.Name]++
	}
	for _, name := range r.scope.Categories {
		if names[name] == 0 {
			return nil, &ScopeError{fmt.Errorf("--category: vCenter has no tag category %q, only %s", name,
				quantity.Nearest(slices.Collect(maps.Keys(names)), name))}
		}
	}
	var kept []vsphere.Category
	for _, category := range all {
		switch {
		case len(r.scope.Categories) > 0 && !slices.Contains(r.scope.Categories, category.Name):
			r.omissions.add("tag categories not selected by --category", category.Name)
		case (ignored.Categories{ignored.Always}).Match(category.Name):
			r.omissions.add("tag categories of Site Recovery Manager", category.Name)
		case names[category.Name] > 1:
			r.omissions.add("tag categories with the same name as another category", category.Name)
		default:
			kept = append(kept, category)
		}
	}
	return kept, nil
}

func (r Reader) listReplications(ctx context.Context, reading *Reading) error {
	if r.Replication == nil {
		return nil
	}
	var err error
	if reading.vcenter, err = r.VSphere.InstanceUUID(ctx); err != nil {
		return err
	}
	pairings, err := r.Replication.Pairings(ctx)
	if err != nil {
		return err
	}
	for _, pairing := range pairings {
		if !strings.EqualFold(pairing.Local.VCenterID, reading.vcenter) &&
			!strings.EqualFold(pairing.Remote.VCenterID, reading.vcenter) {
			reading.omissions.add("pairings of other vCenters", pairing.ID)
			continue
		}
		all, err := r.Replication.Replications(ctx, pairing.ID, vr.AnyVM, vr.Shared)
		if err != nil {
			return err
		}
		for _, one := range all {
			if reading.canAdopt(one) {
				reading.replications = append(reading.replications, replication{Replication: one, pairing: pairing.ID})
			}
		}
	}
	return nil
}

// canAdopt reports whether a replication can be adopted. If not, it records the reason.
func (r *Reading) canAdopt(one vr.Replication) bool {
	name := one.Name + " (" + one.ID + ")"
	switch {
	case !strings.EqualFold(one.SourceVCenterID, r.vcenter):
		r.omissions.add("replications from the other site; to adopt them, set VSPHERE_SERVER to its vCenter", name)
	case one.VMID == "":
		r.omissions.add("replications of VMs that no longer exist", name)
	case one.Recovering():
		r.omissions.add("replications with a recovery in progress", name)
	case slices.ContainsFunc(r.replications, func(other replication) bool { return other.VMID == one.VMID }):
		r.omissions.add("second replications of the same VM", name)
	default:
		return true
	}
	return false
}

func (r Reader) readVMs(ctx context.Context, reading *Reading) error {
	reading.vms = make(map[string]string)
	if !reading.scope.selectsVMs() {
		names, err := r.VSphere.VMNames(ctx, reading.referencedVMs())
		reading.vms = names
		return err
	}
	for _, folder := range orWildcard(reading.scope.Folders) {
		for _, cluster := range orWildcard(reading.scope.Clusters) {
			found, err := r.VSphere.VirtualMachines(ctx,
				vsphere.VMFilter{Folder: folder, Cluster: cluster, Name: reading.scope.Name}, vsphere.VMParts{})
			if lookup, ok := errors.AsType[*transport.NameError](err); ok {
				return &ScopeError{fmt.Errorf("--%w", lookup)}
			}
			if err != nil {
				return err
			}
			maps.Copy(reading.vms, found.NameByID())
		}
	}
	return nil
}

// orWildcard returns names or, if there are none, a single empty name, which matches everything.
func orWildcard(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

func (r *Reading) referencedVMs() []string {
	ids := make(map[string]bool)
	for _, objects := range r.objects {
		for _, o := range objects {
			if o.Type == vmType {
				ids[o.ID] = true
			}
		}
	}
	for _, one := range r.replications {
		ids[one.moid()] = true
	}
	return slices.AppendSeq(make([]string, 0, len(ids)), maps.Keys(ids))
}

func (r *Reading) dropOutOfScope() {
	r.replications = slices.DeleteFunc(r.replications, func(one replication) bool {
		_, ok := r.vms[one.moid()]
		switch name := one.Name + " (" + one.moid() + ")"; {
		case ok:
		case r.scope.selectsVMs():
			r.omissions.add("replications of VMs that --folder, --cluster or --name excludes", name)
		default:
			r.omissions.add("replications of VMs that this user cannot see", name)
		}
		return !ok
	})
	slices.SortFunc(r.replications, func(a, b replication) int { return compareIDs(a.VMID, b.VMID) })
}

// compareIDs orders object IDs by their numbers, so that vm-313 comes before vm-3130.
func compareIDs(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

func (r *Reading) findTierCategory() (string, error) {
	names := make([]string, 0, len(r.categories))
	for _, category := range r.categories {
		names = append(names, category.Name)
	}
	if name := r.scope.TierCategory; name != "" {
		if !slices.Contains(names, name) {
			return "", &ScopeError{fmt.Errorf("--tier-category: the tag category %q is not adopted, only %s", name,
				quantity.Nearest(names, name))}
		}
		return name, nil
	}
	if len(names) == 1 {
		return names[0], nil
	}
	replicated := make(map[string]bool)
	for _, one := range r.replications {
		replicated[one.moid()] = true
	}
	candidates := make(map[string]bool)
	for _, tag := range r.tags {
		if slices.ContainsFunc(r.objects[tag.ID], func(o vsphere.Object) bool { return replicated[o.ID] }) {
			candidates[tag.Category] = true
		}
	}
	switch list := slices.Sorted(maps.Keys(candidates)); len(list) {
	case 0:
		return "", nil
	case 1:
		return list[0], nil
	default:
		return "", &ScopeError{fmt.Errorf("replicated VMs have tags of several categories, %s: set the category for "+
			"tiers with --tier-category, or exclude the others with --category", joinFirstNames(list))}
	}
}

func (r Reader) readPlacements(ctx context.Context, reading *Reading) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	var done atomic.Int64
	for i := range reading.replications {
		one := &reading.replications[i]
		group.Go(func() error {
			replicas, err := r.Replication.ReplicatedDisks(ctx, one.pairing, one.ID)
			one.placement = vr.PlacementOf(replicas)
			r.Count(int(done.Add(1)), len(reading.replications))
			return err
		})
	}
	return group.Wait()
}
