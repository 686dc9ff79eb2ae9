package vsphere

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

const readPrivilege = "System.Read"

// InventoryAccess describes whether the account can read the whole inventory.
type InventoryAccess struct {
	// UnprovenReason explains why the account might not be able to read every object. It is empty if the account has
	// System.Read on the root folder and the permission propagates. Even then, a "No access" role can hide an object
	// further down.
	UnprovenReason string
}

// InventoryAccess checks whether the account can read every object. It sends up to four requests and caches the result.
func (c *Client) InventoryAccess(ctx context.Context) (InventoryAccess, error) {
	return c.inventoryAccess.Get(ctx, "", func(ctx context.Context) (InventoryAccess, error) {
		var r InventoryAccess
		err := c.withSOAP(ctx, "read the account's permissions", func(ctx context.Context, vim *vim25.Client) error {
			var err error
			r.UnprovenReason, err = unprovenReason(ctx, vim)
			return err
		})
		if errors.Is(err, ErrPermission) || errors.Is(err, ErrInvalid) {
			return InventoryAccess{UnprovenReason: fmt.Sprintf("its permissions could not be read (%v)", err)}, nil
		}
		return r, err
	})
}

// unprovenReason checks for System.Read on the root folder and its direct children, and for permissions on the root
// folder that do not propagate.
func unprovenReason(ctx context.Context, vim *vim25.Client) (string, error) {
	manager, root := vim.ServiceContent.AuthorizationManager, vim.ServiceContent.RootFolder
	if manager == nil {
		return "vCenter has no authorization manager", nil
	}
	user, err := session.NewManager(vim).UserSession(ctx)
	if err != nil || user == nil {
		return "its session could not be read", err
	}
	var folder mo.Folder
	if err := property.DefaultCollector(vim).RetrieveOne(ctx, root, []string{"childEntity"}, &folder); err != nil {
		return "", err
	}
	result, err := methods.HasPrivilegeOnEntities(ctx, vim, &types.HasPrivilegeOnEntities{
		This:      *manager,
		Entity:    append([]types.ManagedObjectReference{root}, folder.ChildEntity...),
		SessionId: user.Key,
		PrivId:    []string{readPrivilege},
	})
	if err != nil {
		return "", err
	}
	granted := make(map[types.ManagedObjectReference]bool, len(result.Returnval))
	for _, entity := range result.Returnval {
		for _, availability := range entity.PrivAvailability {
			granted[entity.Entity] = availability.PrivId == readPrivilege && availability.IsGranted
		}
	}
	if !granted[root] {
		return "it lacks the privilege " + readPrivilege + " on the root folder", nil
	}
	for _, child := range folder.ChildEntity {
		if !granted[child] {
			return fmt.Sprintf("its privilege %s on the root folder does not apply to %s %s", readPrivilege, child.Type,
				child.Value), nil
		}
	}
	permissions, err := methods.RetrieveEntityPermissions(ctx, vim, &types.RetrieveEntityPermissions{
		This:   *manager,
		Entity: root,
	})
	if err != nil {
		return "", err
	}
	return propagationGap(permissions.Returnval, user.UserName), nil
}

// propagationGap returns the reason why the account's permission might not propagate below the root folder. The
// account's own permission takes precedence over group permissions. Which groups the account belongs to is unknown.
func propagationGap(permissions []types.Permission, user string) string {
	var groups []string
	for _, p := range permissions {
		switch {
		case !p.Group && normalizePrincipal(p.Principal) == normalizePrincipal(user):
			if p.Propagate {
				return ""
			}
			return "its permission on the root folder does not propagate to children"
		case p.Group && !p.Propagate:
			groups = append(groups, p.Principal)
		}
	}
	if len(permissions) == 0 { // administrators always have a permission, which this user cannot see
		return "vCenter returned no permissions for the root folder"
	}
	if len(groups) > 0 {
		return fmt.Sprintf("the permission of the group %s on the root folder does not propagate to children, and it "+
			"is unknown whether the account has another permission", strings.Join(groups, ", "))
	}
	return ""
}

func normalizePrincipal(name string) string {
	if domain, user, ok := strings.Cut(name, `\`); ok {
		name = user + "@" + domain
	}
	return strings.ToLower(name)
}
