// How much of the inventory the account reads. vCenter leaves out what an account may not read, without a word: of the
// objects of a tag ("Only those objects for which you have the read privilege will be returned", by the reference of
// list_attached_objects), of VMs and of events. So an empty list proves nothing unless the account reads everything.

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

// readPrivilege is what every role but "No access" has.
const readPrivilege = "System.Read"

// Reach is how much of the inventory the account reads.
type Reach struct {
	// Unproven is why it is not certain that the account reads every object; empty where it has System.Read on the root
	// folder, propagating. The role "No access" on an object further down cannot be excluded.
	Unproven string
}

// Reach reports, once for the client, whether the account reads every object. It costs three requests.
func (c *Client) Reach(ctx context.Context) (Reach, error) {
	return c.reach.Get(ctx, "", func(ctx context.Context) (Reach, error) {
		var r Reach
		err := c.withSOAP(ctx, "read the account's permissions", func(ctx context.Context, vim *vim25.Client) error {
			var err error
			r.Unproven, err = unproven(ctx, vim)
			return err
		})
		if errors.Is(err, ErrPermission) || errors.Is(err, ErrInvalid) {
			return Reach{Unproven: fmt.Sprintf("its permissions could not be read (%v)", err)}, nil
		}
		return r, err
	})
}

// unproven checks for a privilege on the root folder and on its direct children, and for permissions of the root
// folder that do not propagate.
func unproven(ctx context.Context, vim *vim25.Client) (string, error) {
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
	answer, err := methods.HasPrivilegeOnEntities(ctx, vim, &types.HasPrivilegeOnEntities{
		This: *manager, Entity: append([]types.ManagedObjectReference{root}, folder.ChildEntity...),
		SessionId: user.Key, PrivId: []string{readPrivilege},
	})
	if err != nil {
		return "", err
	}
	granted := make(map[types.ManagedObjectReference]bool, len(answer.Returnval))
	for _, entity := range answer.Returnval {
		for _, one := range entity.PrivAvailability {
			granted[entity.Entity] = one.PrivId == readPrivilege && one.IsGranted
		}
	}
	if !granted[root] {
		return "it lacks the privilege " + readPrivilege + " on the root folder", nil
	}
	for _, child := range folder.ChildEntity {
		if !granted[child] {
			return fmt.Sprintf("its privilege %s on the root folder does not reach %s %s", readPrivilege, child.Type,
				child.Value), nil
		}
	}
	permissions, err := methods.RetrieveEntityPermissions(ctx, vim, &types.RetrieveEntityPermissions{
		This: *manager, Entity: root,
	})
	if err != nil {
		return "", err
	}
	return stops(permissions.Returnval, user.UserName), nil
}

// stops returns why the account's permission on the root folder may end there. Its own permission decides; which groups
// it is in is not known.
func stops(permissions []types.Permission, user string) string {
	var groups []string
	for _, p := range permissions {
		switch {
		case !p.Group && principal(p.Principal) == principal(user):
			if p.Propagate {
				return ""
			}
			return "its permission on the root folder does not propagate to children"
		case p.Group && !p.Propagate:
			groups = append(groups, p.Principal)
		}
	}
	if len(permissions) == 0 { // the administrators of vCenter have one: it is not shown to this user
		return "vCenter shows no permission of the root folder"
	}
	if len(groups) > 0 {
		return fmt.Sprintf("the permission of the group %s on the root folder does not propagate to children, and whether "+
			"the account has another is not known", strings.Join(groups, ", "))
	}
	return ""
}

// principal makes DOMAIN\name and name@domain comparable.
func principal(name string) string {
	if domain, user, ok := strings.Cut(name, `\`); ok {
		name = user + "@" + domain
	}
	return strings.ToLower(name)
}
