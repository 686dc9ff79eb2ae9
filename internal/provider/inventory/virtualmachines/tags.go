// Tags of VMs: as a filter, and by name.

package virtualmachines

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

const vmType = "VirtualMachine"

// tagged returns the VMs that carry all of the tags, or any of them, in one request for each 200 tags. The
// result is never nil: no tags with "any" select nothing.
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

// tagNames returns, by VM id and category name, the sorted names of the tags that the VMs carry. It costs one
// request for each 2,000 VMs, and one read for each tag and category that occurs.
func tagNames(
	ctx context.Context,
	c *vsphere.Client,
	vms []vsphere.VirtualMachine,
	ignored ignored.Categories,
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
			// A tag that was deleted since the listing has no name any more.
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
