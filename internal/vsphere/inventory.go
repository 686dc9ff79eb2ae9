// The virtual machine inventory: which machines, and what is read of each, in few pages.

package vsphere

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// pageSize is how many objects one property collector page holds: large enough that 25,000 machines are 25 pages, small
// enough that a page with device lists stays at a few megabytes.
const pageSize = 1000

// VMFilter selects virtual machines; empty fields do not filter, several must all hold.
type VMFilter struct {
	// IDs are managed object ids; nil means any. An id that does not exist selects nothing.
	IDs []string
	// Folder and Cluster are inventory paths or names that are unique.
	Folder, Cluster string
	// Name is matched anywhere in the machine's name.
	Name *regexp.Regexp
	// PowerState is "poweredOn", "poweredOff" or "suspended".
	PowerState string
}

// VirtualMachine is what vsla knows of a virtual machine. Sizes are bytes.
type VirtualMachine struct {
	ID, Name, InstanceUUID, PowerState, HostID string
	// Path is the inventory path, for example "/DC0/vm/prod/web-01".
	Path                 string
	CPUCount             int32
	MemoryBytes          int64
	ProvisionedBytes     int64
	UsedBytes            int64
	DiskBytes            int64 // sum of the disks' capacities; 0 unless disks were asked for
	DatastoreIDs         []string
	ChangedBlockTracking bool
}

// VirtualMachines lists the machines that fit the filter, sorted by id, without templates and without machines that
// vCenter cannot describe at present. It costs a constant number of requests and one for each thousand machines; with
// disks, one more for each thousand. Errors: ErrNotFound and ErrAmbiguous for folder and cluster, ErrPermission.
func (c *Client) VirtualMachines(ctx context.Context, filter VMFilter, disks bool) ([]VirtualMachine, error) {
	var machines []VirtualMachine
	err := c.withSOAP(ctx, "list virtual machines", func(ctx context.Context, vim *vim25.Client) error {
		i := inventory{vim: vim, pc: property.DefaultCollector(vim)}
		var err error
		machines, err = i.machines(ctx, filter, disks)
		return err
	})
	return machines, err
}

// LookupError is a folder or cluster that does not identify one object. It wraps ErrNotFound or ErrAmbiguous.
type LookupError struct {
	// Kind is "folder" or "cluster".
	Kind, Name string
	Err        error
}

// Error names the object.
func (e *LookupError) Error() string { return fmt.Sprintf("%s %q: %v", e.Kind, e.Name, e.Err) }

// Unwrap gives the sentinel.
func (e *LookupError) Unwrap() error { return e.Err }

// inventory reads within one SOAP session.
type inventory struct {
	vim *vim25.Client
	pc  *property.Collector
}

func (i inventory) machines(ctx context.Context, filter VMFilter, disks bool) ([]VirtualMachine, error) {
	refs, err := i.candidates(ctx, filter)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	var found []mo.VirtualMachine
	if err := i.read(ctx, refs, machineProperties, &found); err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(vm mo.VirtualMachine) bool { return !filter.fits(vm) })
	if len(found) == 0 {
		return nil, nil
	}
	paths, err := i.folderPaths(ctx)
	if err != nil {
		return nil, err
	}
	capacity := map[string]int64{}
	if disks {
		if capacity, err = i.diskCapacity(ctx, found); err != nil {
			return nil, err
		}
	}
	machines := make([]VirtualMachine, 0, len(found))
	for _, vm := range found {
		m := machine(vm)
		m.DiskBytes = capacity[m.ID]
		if vm.Parent != nil {
			m.Path = paths[vm.Parent.Value] + "/" + vm.Name
		}
		machines = append(machines, m)
	}
	slices.SortFunc(machines, func(a, b VirtualMachine) int { return cmp.Compare(a.ID, b.ID) })
	return machines, nil
}

// candidates gives the machines that the filter's ids and containers leave.
func (i inventory) candidates(ctx context.Context, filter VMFilter) ([]types.ManagedObjectReference, error) {
	var containers []types.ManagedObjectReference
	if filter.Folder != "" {
		ref, err := i.find(ctx, "folder", filter.Folder)
		if err != nil {
			return nil, err
		}
		containers = append(containers, ref)
	}
	if filter.Cluster != "" {
		ref, err := i.find(ctx, "cluster", filter.Cluster)
		if err != nil {
			return nil, err
		}
		containers = append(containers, ref)
	}
	if len(containers) == 0 && filter.IDs == nil {
		containers = append(containers, i.vim.ServiceContent.RootFolder)
	}
	var sets [][]types.ManagedObjectReference
	if filter.IDs != nil {
		set := make([]types.ManagedObjectReference, 0, len(filter.IDs))
		for _, id := range filter.IDs {
			set = append(set, types.ManagedObjectReference{Type: "VirtualMachine", Value: id})
		}
		sets = append(sets, set)
	}
	for _, container := range containers {
		set, err := i.contained(ctx, container, "VirtualMachine")
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return intersect(sets), nil
}

// find resolves a folder or cluster by inventory path or unique name.
func (i inventory) find(ctx context.Context, kind, name string) (types.ManagedObjectReference, error) {
	finder := find.NewFinder(i.vim)
	var (
		ref types.ManagedObjectReference
		err error
	)
	if kind == "folder" {
		var folder *object.Folder
		if folder, err = finder.Folder(ctx, below("vm", name)); err == nil {
			ref = folder.Reference()
		}
	} else {
		var cluster *object.ClusterComputeResource
		if cluster, err = finder.ClusterComputeResource(ctx, below("host", name)); err == nil {
			ref = cluster.Reference()
		}
	}
	var (
		none    *find.NotFoundError
		several *find.MultipleFoundError
	)
	switch {
	case errors.As(err, &none):
		return ref, &LookupError{Kind: kind, Name: name, Err: ErrNotFound}
	case errors.As(err, &several):
		return ref, &LookupError{Kind: kind, Name: name, Err: ErrAmbiguous}
	}
	return ref, err
}

// below makes a relative name one below the virtual machine or host folder of any datacenter.
func below(folder, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return "/*/" + folder + "/" + name
}

// contained lists the objects of a type anywhere below a container.
func (i inventory) contained(ctx context.Context, container types.ManagedObjectReference, kind string) ([]types.ManagedObjectReference, error) {
	v, err := view.NewManager(i.vim).CreateContainerView(ctx, container, []string{kind}, true)
	if err != nil {
		return nil, err
	}
	// The view ends with the session at the latest; a failure to end it early is not worth failing a plan.
	defer func() { _ = v.Destroy(context.WithoutCancel(ctx)) }()
	var content mo.ContainerView
	if err := i.pc.RetrieveOne(ctx, v.Reference(), []string{"view"}, &content); err != nil {
		return nil, err
	}
	return content.View, nil
}

// read retrieves properties page by page. A machine that disappears meanwhile is left out and the rest read again.
func (i inventory) read(ctx context.Context, refs []types.ManagedObjectReference, properties []string, into any) error {
	for {
		spec := types.PropertyFilterSpec{PropSet: []types.PropertySpec{{Type: refs[0].Type, PathSet: properties}}}
		for _, ref := range refs {
			spec.ObjectSet = append(spec.ObjectSet, types.ObjectSpec{Obj: ref})
		}
		req := types.RetrieveProperties{SpecSet: []types.PropertyFilterSpec{spec}}
		res, err := i.pc.RetrieveProperties(ctx, req, pageSize)
		if err == nil {
			return mo.LoadObjectContent(res.Returnval, into)
		}
		var gone types.ManagedObjectNotFound
		if _, ok := fault.As(err, &gone); !ok {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(refs), func(ref types.ManagedObjectReference) bool { return ref == gone.Obj })
		if len(left) == len(refs) {
			return err
		}
		if refs = left; len(refs) == 0 {
			return nil
		}
	}
}

// folderPaths gives the inventory path of each folder and datacenter, by id.
func (i inventory) folderPaths(ctx context.Context) (map[string]string, error) {
	type node struct{ name, parent string }
	root := i.vim.ServiceContent.RootFolder.Value
	nodes := make(map[string]node)
	for _, kind := range []string{"Folder", "Datacenter"} {
		refs, err := i.contained(ctx, i.vim.ServiceContent.RootFolder, kind)
		if err != nil {
			return nil, err
		}
		if len(refs) == 0 {
			continue
		}
		var entities []mo.ManagedEntity
		if err := i.read(ctx, refs, []string{"name", "parent"}, &entities); err != nil {
			return nil, err
		}
		for _, e := range entities {
			n := node{name: e.Name}
			if e.Parent != nil {
				n.parent = e.Parent.Value
			}
			nodes[e.Self.Value] = n
		}
	}
	paths := make(map[string]string, len(nodes))
	for id := range nodes {
		path := ""
		for at := id; at != root; at = nodes[at].parent {
			n, ok := nodes[at]
			if !ok {
				break // a parent that the user may not see: the path starts below it
			}
			path = "/" + n.name + path
		}
		paths[id] = path
	}
	return paths, nil
}

// intersect keeps what is in every set, in the order of the first.
func intersect(sets [][]types.ManagedObjectReference) []types.ManagedObjectReference {
	kept := sets[0]
	for _, set := range sets[1:] {
		in := make(map[types.ManagedObjectReference]bool, len(set))
		for _, ref := range set {
			in[types.ManagedObjectReference{Type: ref.Type, Value: ref.Value}] = true
		}
		kept = slices.DeleteFunc(slices.Clone(kept), func(ref types.ManagedObjectReference) bool {
			return !in[types.ManagedObjectReference{Type: ref.Type, Value: ref.Value}]
		})
	}
	return kept
}
