package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/transport"
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
		This: *manager, Entity: append([]types.ManagedObjectReference{root}, folder.ChildEntity...),
		SessionId: user.Key, PrivId: []string{readPrivilege},
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
		This: *manager, Entity: root,
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
		return fmt.Sprintf("the permission of the group %s on the root folder does not propagate to children, and it is "+
			"unknown whether the account has another permission", strings.Join(groups, ", "))
	}
	return ""
}

func normalizePrincipal(name string) string {
	if domain, user, ok := strings.Cut(name, `\`); ok {
		name = user + "@" + domain
	}
	return strings.ToLower(name)
}

const topologyPath = "/api/vcenter/topology/nodes"

type topology struct {
	nodes []string
	known bool
}

// readTopology lists the linked vCenters. The operation requires vCenter 7.0 Update 2 or later and a privilege.
func (c *Client) readTopology(ctx context.Context) (topology, error) {
	var result []struct {
		Node string `json:"node"`
	}
	_, err := c.call(ctx, request{method: http.MethodGet, path: topologyPath, isFinal: isUnsupported}, &result)
	if isUnsupported(err) || errors.Is(err, ErrPermission) {
		return topology{}, nil
	}
	if err != nil {
		return topology{}, err
	}
	t := topology{known: len(result) > 0} // a vCenter lists itself, so an empty list means that a privilege is missing
	for _, n := range result {
		t.nodes = append(t.nodes, n.Node)
	}
	return t, nil
}

// withTopology adds the linked vCenters to a count. Each vCenter reports only associations with its own objects, but
// deleting a tag deletes it on all linked vCenters.
func (c *Client) withTopology(ctx context.Context, count AssociationCount, tags int) (AssociationCount, error) {
	t, err := c.linkedNodes.Get(ctx, "", c.readTopology)
	if err != nil {
		return count, err
	}
	count.TopologyUnknown = !t.known
	if len(t.nodes) > 1 {
		count.LinkedNodes = t.nodes
	}
	if count.Objects > 0 || tags == 0 {
		// The account's permissions on the inventory do not matter if a tag is attached to an object or if there are no tags.
		// The tag list of a category is complete, because permissions on tags are global.
		return count, nil
	}
	access, err := c.InventoryAccess(ctx)
	count.UnprovenReason = access.UnprovenReason
	return count, err
}

const arrivalDelay = 5 * time.Second

// Arrivals contains the tags and categories that changes wait for. The zero value is ready to use.
type Arrivals struct{ firstMiss sync.Map } // time of the first failed lookup, by ID

type arrivalsKey struct{}

// WithArrivals returns a context for a change that refers to tags or categories. If this vCenter is linked to others,
// requests for a missing tag or category are retried for up to transport.MaxStartupWait, because the object may not
// have been replicated yet.
func WithArrivals(ctx context.Context, a *Arrivals) context.Context {
	return context.WithValue(ctx, arrivalsKey{}, a)
}

// awaitArrival waits for a missing tag or category and reports whether to retry.
func (c *Client) awaitArrival(ctx context.Context, id string) bool {
	a, ok := ctx.Value(arrivalsKey{}).(*Arrivals)
	if !ok || id == "" {
		return false
	}
	t, err := c.linkedNodes.Get(ctx, "", c.readTopology)
	if err != nil || len(t.nodes) < 2 {
		return false
	}
	now := c.config.Now()
	first, _ := a.firstMiss.LoadOrStore(id, now)
	since, ok := first.(time.Time)
	return ok && now.Sub(since) < transport.MaxStartupWait && c.config.Sleep(ctx, arrivalDelay) == nil
}

const (
	libraryPath     = "/api/content/library"
	libraryType     = "com.vmware.content.Library"
	libraryItemType = "com.vmware.content.library.Item"
)

// GlobalAccess describes whether the account can read objects below the global root: content libraries and tags.
type GlobalAccess int

// An account without a global permission receives an empty list of content libraries, so an empty list proves nothing.
const (
	// GlobalRead means that the list contains a content library.
	GlobalRead GlobalAccess = iota
	// GlobalUnknown means that the list is empty, or that vCenter is older than 7.0.2 and has no such list below /api.
	GlobalUnknown
	// GlobalRefused means that vCenter refused to return the list.
	GlobalRefused
)

// GlobalAccess determines the account's access below the global root. It sends one request per client.
func (c *Client) GlobalAccess(ctx context.Context) (GlobalAccess, error) {
	return c.globalAccess.Get(ctx, "", func(ctx context.Context) (GlobalAccess, error) {
		var ids []string
		_, err := c.call(ctx, request{method: http.MethodGet, path: libraryPath, isFinal: isUnsupported}, &ids)
		switch {
		case errors.Is(err, ErrPermission):
			return GlobalRefused, nil
		case isUnsupported(err), err == nil && len(ids) == 0:
			return GlobalUnknown, nil
		}
		return GlobalRead, err
	})
}

// AllowsLibraries reports whether tags of the category can be attached to content libraries or their items.
func (c Category) AllowsLibraries() bool {
	return AllowsAllTypes(c.AssociableTypes) || slices.Contains(c.AssociableTypes, libraryType) ||
		slices.Contains(c.AssociableTypes, libraryItemType)
}
