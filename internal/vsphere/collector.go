package vsphere

import (
	"context"
	"slices"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	// pageSize is the maximum number of objects per page. vCenter can return smaller pages. A page of VMs with device
	// lists takes a few megabytes.
	pageSize = 1000

	vmType = "VirtualMachine"
)

// readBelow reads properties of all objects below a container, at any depth. It sends three requests, and one more for
// each additional page. The request does not name the objects, so a deleted object does not make the read fail.
func (i inventory) readBelow(
	ctx context.Context,
	container types.ManagedObjectReference,
	specs []types.PropertySpec,
	onPage func([]types.ObjectContent) error,
) error {
	return i.withView(ctx, container, objectTypesOf(specs), func(v types.ManagedObjectReference) error {
		done := make(map[types.ManagedObjectReference]bool)
		size := 0
		err := i.retrievePages(ctx, types.PropertyFilterSpec{
			ObjectSet: []types.ObjectSpec{{
				Obj:       v,
				Skip:      new(true),
				SelectSet: []types.BaseSelectionSpec{&types.TraversalSpec{Type: v.Type, Path: "view"}},
			}},
			PropSet: specs,
		}, func(page []types.ObjectContent) error {
			for _, object := range page {
				done[object.Obj] = true
			}
			size = max(size, len(page))
			return onPage(page)
		})
		if !fault.Is(err, &types.NoPermission{}) || size == 0 {
			return err
		}
		return i.readRemaining(ctx, v, specs, done, size, onPage)
	})
}

// readRemaining reads the objects of a view that are not in done. vCenter 7.0.3 to 8.0.2 returns only the first page to
// accounts without a role on the root folder (govmomi issue 3455).
func (i inventory) readRemaining(
	ctx context.Context,
	v types.ManagedObjectReference,
	specs []types.PropertySpec,
	done map[types.ManagedObjectReference]bool,
	size int,
	onPage func([]types.ObjectContent) error,
) error {
	var content mo.ContainerView
	if err := property.DefaultCollector(i.vim).RetrieveOne(ctx, v, []string{"view"}, &content); err != nil {
		return err
	}
	remaining := slices.DeleteFunc(content.View, func(ref types.ManagedObjectReference) bool { return done[ref] })
	for len(remaining) > 0 {
		chunk := remaining[:min(size, len(remaining))]
		spec := types.PropertyFilterSpec{PropSet: specs}
		for _, ref := range chunk {
			spec.ObjectSet = append(spec.ObjectSet, types.ObjectSpec{Obj: ref})
		}
		err := i.retrievePages(ctx, spec, onPage)
		var gone *types.ManagedObjectNotFound
		if _, ok := fault.As(err, &gone); ok && slices.Contains(chunk, gone.Obj) { // deleted in the meantime
			remaining = slices.DeleteFunc(
				remaining,
				func(ref types.ManagedObjectReference) bool { return ref == gone.Obj },
			)
			continue
		}
		if err != nil {
			return err
		}
		remaining = remaining[len(chunk):]
	}
	return nil
}

func (i inventory) vmsBelow(
	ctx context.Context,
	container types.ManagedObjectReference,
) ([]types.ManagedObjectReference, error) {
	var content mo.ContainerView
	err := i.withView(ctx, container, []string{vmType}, func(v types.ManagedObjectReference) error {
		return property.DefaultCollector(i.vim).RetrieveOne(ctx, v, []string{"view"}, &content)
	})
	return content.View, err
}

func (i inventory) withView(
	ctx context.Context,
	container types.ManagedObjectReference,
	objectTypes []string,
	read func(types.ManagedObjectReference) error,
) error {
	v, err := view.NewManager(i.vim).CreateContainerView(ctx, container, objectTypes, true)
	if err != nil {
		return err
	}
	defer release(ctx, v.Destroy)
	return read(v.Reference())
}

// readVMs reads properties of VMs, pageSize VMs per request. When vCenter reports a missing VM, readVMs lists the
// existing VMs and skips all others, so that a thousand missing VMs do not take a thousand requests.
func (i inventory) readVMs(
	ctx context.Context,
	refs []types.ManagedObjectReference,
	properties []string,
	onPage func([]types.ObjectContent) error,
) error {
	for len(refs) > 0 {
		chunk := refs[:min(pageSize, len(refs))]
		spec := types.PropertyFilterSpec{PropSet: vmSpec(properties)}
		for _, ref := range chunk {
			spec.ObjectSet = append(spec.ObjectSet, types.ObjectSpec{Obj: ref})
		}
		err := i.retrievePages(ctx, spec, onPage)
		var gone *types.ManagedObjectNotFound
		if _, ok := fault.As(err, &gone); !ok {
			if err != nil {
				return err
			}
			refs = refs[len(chunk):]
			continue
		}
		remaining, lookErr := i.existingVMs(ctx, refs, gone.Obj)
		if lookErr != nil {
			return lookErr
		}
		if len(remaining) == len(refs) {
			return err // the error is about another object
		}
		refs = remaining
	}
	return nil
}

// existingVMs returns the VMs in refs that vCenter lists, except gone, which vCenter has just reported as missing.
func (i inventory) existingVMs(
	ctx context.Context,
	refs []types.ManagedObjectReference,
	gone types.ManagedObjectReference,
) ([]types.ManagedObjectReference, error) {
	listed, err := i.vmsBelow(ctx, i.vim.ServiceContent.RootFolder)
	if err != nil {
		return nil, err
	}
	remaining := intersect([][]types.ManagedObjectReference{refs, listed})
	isGone := func(ref types.ManagedObjectReference) bool { return ref.Value == gone.Value }
	return slices.DeleteFunc(remaining, isGone), nil
}

func (i inventory) retrievePages(
	ctx context.Context,
	spec types.PropertyFilterSpec,
	onPage func([]types.ObjectContent) error,
) error {
	collector := i.vim.ServiceContent.PropertyCollector
	res, err := methods.RetrievePropertiesEx(ctx, i.vim, &types.RetrievePropertiesEx{
		This:    collector,
		SpecSet: []types.PropertyFilterSpec{spec},
		Options: types.RetrieveOptions{MaxObjects: pageSize},
	})
	if err != nil || res.Returnval == nil {
		return err
	}
	page := *res.Returnval
	defer func() {
		if page.Token == "" {
			return
		}
		// Cancel the remaining pages, which vCenter would otherwise keep until the session ends.
		release(ctx, func(ctx context.Context) error {
			cancel := types.CancelRetrievePropertiesEx{This: collector, Token: page.Token}
			_, err := methods.CancelRetrievePropertiesEx(ctx, i.vim, &cancel)
			return err
		})
	}()
	for {
		if err := onPage(page.Objects); err != nil || page.Token == "" {
			return err
		}
		next, err := methods.ContinueRetrievePropertiesEx(ctx, i.vim,
			&types.ContinueRetrievePropertiesEx{This: collector, Token: page.Token})
		if err != nil {
			return err
		}
		page = next.Returnval
	}
}

func vmSpec(properties []string) []types.PropertySpec {
	return []types.PropertySpec{{Type: vmType, PathSet: properties}}
}

func objectTypesOf(specs []types.PropertySpec) []string {
	list := make([]string, 0, len(specs))
	for _, spec := range specs {
		list = append(list, spec.Type)
	}
	return list
}
