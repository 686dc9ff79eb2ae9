package virtualmachines

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

const vmType = "VirtualMachine"

// tagged returns the ids of VMs with all or any of the tags, with one request per 200 tags. The result is never nil,
// so that an empty list of tags with "any" selects no VM.
func tagged(ctx context.Context, c *vsphere.Client, tagIDs []string, matchesAny bool) ([]string, error) {
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

// tagNames returns the sorted tag names by VM id and category name. It needs one request per 2,000 VMs and one per tag
// and category in use.
func tagNames(
	ctx context.Context, c *vsphere.Client, vms []vsphere.VirtualMachine, ignored ignored.Categories,
) (map[string]map[string][]string, error) {
	objects := make([]vsphere.Object, 0, len(vms))
	for _, m := range vms {
		objects = append(objects, vsphere.Object{Type: vmType, ID: m.ID})
	}
	carried, err := c.TagsOfObjects(ctx, objects)
	if err != nil {
		return nil, err
	}
	names, err := c.TagNames(ctx, carried)
	if err != nil {
		return nil, err
	}
	byMachine := make(map[string]map[string][]string, len(carried))
	for object, tagIDs := range carried {
		byCategory := make(map[string][]string)
		for _, id := range tagIDs {
			// Skip tags deleted in the meantime.
			if name, ok := names[id]; ok && !ignored.Match(name.Category) {
				byCategory[name.Category] = append(byCategory[name.Category], name.Tag)
			}
		}
		for _, list := range byCategory {
			slices.Sort(list)
		}
		byMachine[object.ID] = byCategory
	}
	return byMachine, nil
}
