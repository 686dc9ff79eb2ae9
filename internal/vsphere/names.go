// Names of VMs and ids of tags, for callers that need nothing else.

package vsphere

import "context"

// VMNames reads the names of VMs by id, in one request for each 1,000; a VM that does not exist, or that the user may
// not see, is absent. Errors: ErrPermission.
func (c *Client) VMNames(ctx context.Context, ids []string) (map[string]string, error) {
	found, err := c.VirtualMachines(ctx, VMFilter{IDs: ids}, VMParts{})
	if err != nil {
		return nil, err
	}
	return found.Names(), nil
}

// Names returns the names of all VMs and templates by id; that of an inaccessible VM may be empty.
func (i Inventory) Names() map[string]string {
	names := make(map[string]string, len(i.VMs))
	for _, vm := range i.VMs {
		names[vm.ID] = vm.Name
	}
	for _, list := range [][]VMReference{i.Templates, i.Inaccessible} {
		for _, vm := range list {
			names[vm.ID] = vm.Name
		}
	}
	return names
}

// TagIDs lists the ids of a category's tags, not to be changed by the caller; shared with TagsOfCategory. Errors:
// ErrNotFound for the category, ErrPermission.
func (c *Client) TagIDs(ctx context.Context, categoryID string) ([]string, error) {
	return c.tagIDs(ctx, categoryID)
}
