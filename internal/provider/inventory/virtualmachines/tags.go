package virtualmachines

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

const vmType = "VirtualMachine"

// taggedVMIDs returns the IDs of VMs that have all or any of the tags. It sends one request per 200 tags. The result is
// never nil, because a nil list would select all VMs.
func taggedVMIDs(ctx context.Context, c *vsphere.Client, tagIDs []string, matchesAny bool) ([]string, error) {
	objects, err := c.ObjectsWithTags(ctx, tagIDs, matchesAny)
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(objects))
	for _, o := range objects {
		if o.Type == vmType {
			ids = append(ids, o.ID)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// tagNamesByVM returns the sorted tag names by VM ID and category name. It sends one request per 2,000 VMs, plus one
// for each tag and each category in use.
func tagNamesByVM(
	ctx context.Context, c *vsphere.Client, vms []vsphere.VirtualMachine, ignored ignored.Categories,
) (map[string]map[string][]string, error) {
	objects := make([]vsphere.Object, 0, len(vms))
	for _, vm := range vms {
		objects = append(objects, vsphere.Object{Type: vmType, ID: vm.ID})
	}
	tagsByObject, err := c.TagsOfObjects(ctx, objects)
	if err != nil {
		return nil, err
	}
	names, err := c.TagNames(ctx, tagsByObject)
	if err != nil {
		return nil, err
	}
	byVM := make(map[string]map[string][]string, len(tagsByObject))
	for object, tagIDs := range tagsByObject {
		byCategory := make(map[string][]string)
		for _, id := range tagIDs {
			// Skip ignored categories and tags that were deleted in the meantime.
			if name, ok := names[id]; ok && !ignored.Match(name.Category) {
				byCategory[name.Category] = append(byCategory[name.Category], name.Tag)
			}
		}
		for _, tags := range byCategory {
			slices.Sort(tags)
		}
		byVM[object.ID] = byCategory
	}
	return byVM, nil
}
