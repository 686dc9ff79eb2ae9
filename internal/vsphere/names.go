package vsphere

import (
	"context"
	"strings"

	"github.com/vmware/govmomi/vim25"
)

// VMNames returns the names of VMs by ID. It omits VMs that do not exist or that the user cannot see, and sends one
// request per 1,000 VMs. Errors: ErrPermission.
func (c *Client) VMNames(ctx context.Context, ids []string) (map[string]string, error) {
	found, err := c.VirtualMachines(ctx, VMFilter{IDs: ids}, VMParts{})
	if err != nil {
		return nil, err
	}
	return found.NameByID(), nil
}

// NameByID returns the names of all VMs and templates by ID. The name of an inaccessible VM can be empty.
func (i Inventory) NameByID() map[string]string {
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

// ObjectNames returns the names of all objects of an inventory type, such as HostSystem, by ID. It omits objects that
// the user cannot see, and sends three requests for up to 1,000 objects and one for each further 1,000.
func (c *Client) ObjectNames(ctx context.Context, objectType string) (names map[string]string, err error) {
	err = c.withSOAP(ctx, "list the objects of type "+objectType, func(ctx context.Context, vim *vim25.Client) error {
		names, err = inventory{vim: vim}.namesOf(ctx, objectType)
		return err
	})
	return names, err
}

// vCenter's SOAP API escapes these three characters in names, because they have a special meaning in paths. The REST
// API and vSphere Replication do not escape them. The package therefore unescapes names, but keeps the escapes in
// paths.
var (
	nameUnescaper = strings.NewReplacer("%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`, "%25", "%")
	nameEscaper   = strings.NewReplacer("/", "%2f", `\`, "%5c", "%", "%25")
)
