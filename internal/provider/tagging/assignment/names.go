package assignment

import (
	"context"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/vsphere"
)

const maxNamed = 10

// ListIDs lists up to ten object IDs, followed by the number of omitted ones.
func ListIDs(objects []vsphere.Object) string {
	return quantity.ListOf(objects, maxNamed, func(o vsphere.Object) string { return o.ID })
}

// Names lists the names and IDs of up to ten objects, followed by the number of omitted ones. If the names cannot be
// read, only the IDs are listed.
func Names(ctx context.Context, c *vsphere.Client, objects []vsphere.Object) string {
	var ids []string
	for _, o := range objects[:min(len(objects), maxNamed)] {
		if o.Type == "VirtualMachine" {
			ids = append(ids, o.ID)
		}
	}
	var nameByID map[string]string
	if len(ids) > 0 {
		var err error
		nameByID, err = c.VMNames(ctx, ids)
		if err != nil {
			return ListIDs(objects)
		}
	}
	return quantity.ListOf(objects, maxNamed, func(o vsphere.Object) string {
		if nameByID[o.ID] != "" {
			return nameByID[o.ID] + " (" + o.ID + ")"
		}
		return o.ID
	})
}
