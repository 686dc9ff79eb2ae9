package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// About describes a vCenter release.
type About struct{ Version, Build, APIVersion string }

// About returns vCenter's release. It needs no additional request, because the login returns the release.
func (c *Client) About(ctx context.Context) (About, error) {
	var a About
	err := c.withSOAP(ctx, "identify vCenter", func(_ context.Context, vim *vim25.Client) error {
		about := vim.ServiceContent.About
		a = About{Version: about.Version, Build: about.Build, APIVersion: about.ApiVersion}
		return nil
	})
	return a, err
}

// Protocol returns the path prefix of the tagging service, "/api" or "/rest". It returns "" until the client has
// determined it.
func (c *Client) Protocol() string {
	switch {
	case !c.protocolChoice.settled.Load():
		return ""
	case c.protocolChoice.get() == protocolREST:
		return "/rest"
	default:
		return "/api"
	}
}

// Get reads a path that begins with /api/ or /rest/ and decodes the response into out. It sends one request and does
// not retry it. It does not unwrap the "value" of responses below /rest. Errors: *transport.APIError with the status,
// ErrInvalid for any other path.
func (c *Client) Get(ctx context.Context, path string, query url.Values, out any) error {
	if !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/rest/") {
		return fmt.Errorf("the path must begin with /api/ or /rest/: %w", ErrInvalid)
	}
	isFinal := func(err error) bool { return err != nil }
	_, err := c.call(ctx, request{method: http.MethodGet, path: path, query: query, isFinal: isFinal}, out)
	return err
}

// LinkedNodes returns the number of vCenters that share tags, including this one. known is false if the release or the
// user's privileges do not allow reading it.
func (c *Client) LinkedNodes(ctx context.Context) (n int, known bool, err error) {
	t, err := c.linkedNodes.Get(ctx, "", c.readTopology)
	return len(t.nodes), t.known, err
}

// CategoryIDs lists the IDs of all categories. It sends one request.
func (c *Client) CategoryIDs(ctx context.Context) ([]string, error) {
	var ids []string
	_, err := c.call(ctx, request{method: http.MethodGet, path: categoryPath}, &ids)
	return ids, err
}

// NewTagID returns an unused tag ID in vCenter's format.
func NewTagID() string { return newURN("InventoryServiceTag") }

// Privileges contains two sets of privilege IDs.
type Privileges struct {
	// Known contains the privileges that the release defines. Granted contains those that the user has on the root
	// folder.
	Known, Granted map[string]bool
}

// Privileges reports which of the given privileges the release defines, and which of them the user has on the root
// folder. Errors: ErrPermission if the user is not allowed to read privileges.
func (c *Client) Privileges(ctx context.Context, ids []string) (Privileges, error) {
	p := Privileges{Known: make(map[string]bool), Granted: make(map[string]bool)}
	err := c.withSOAP(ctx, "read the privileges", func(ctx context.Context, vim *vim25.Client) error {
		manager := vim.ServiceContent.AuthorizationManager
		if manager == nil {
			return fmt.Errorf("no authorization manager: %w", ErrInvalid)
		}
		known, err := knownPrivileges(ctx, vim, *manager, ids)
		if err != nil {
			return err
		}
		for _, id := range known {
			p.Known[id] = true
		}
		user, err := session.NewManager(vim).UserSession(ctx)
		if err != nil || user == nil || len(known) == 0 {
			return err
		}
		result, err := methods.HasPrivilegeOnEntities(ctx, vim, &types.HasPrivilegeOnEntities{
			This:      *manager,
			Entity:    []types.ManagedObjectReference{vim.ServiceContent.RootFolder},
			SessionId: user.Key,
			PrivId:    known,
		})
		if err != nil {
			return err
		}
		for _, entity := range result.Returnval {
			for _, availability := range entity.PrivAvailability {
				p.Granted[availability.PrivId] = availability.IsGranted
			}
		}
		return nil
	})
	return p, err
}

func knownPrivileges(
	ctx context.Context, vim *vim25.Client, manager types.ManagedObjectReference, ids []string,
) ([]string, error) {
	var list mo.AuthorizationManager
	if err := property.DefaultCollector(vim).RetrieveOne(ctx, manager, []string{"privilegeList"}, &list); err != nil {
		return nil, err
	}
	var known []string
	for _, privilege := range list.PrivilegeList {
		if slices.Contains(ids, privilege.PrivId) {
			known = append(known, privilege.PrivId)
		}
	}
	return known, nil
}

// Setting returns a vCenter setting as text. set is false if vCenter does not define the setting and therefore uses its
// default. Errors: ErrPermission.
func (c *Client) Setting(ctx context.Context, name string) (value string, set bool, err error) {
	err = c.withSOAP(ctx, "read a setting", func(ctx context.Context, vim *vim25.Client) error {
		manager := vim.ServiceContent.Setting
		if manager == nil {
			return fmt.Errorf("no option manager: %w", ErrInvalid)
		}
		list, err := object.NewOptionManager(vim, *manager).Query(ctx, name)
		if fault.Is(err, &types.InvalidName{}) {
			return nil
		}
		for _, option := range list {
			if o := option.GetOptionValue(); o.Key == name {
				value, set = fmt.Sprint(o.Value), true
			}
		}
		return err
	})
	return value, set, err
}

// ErrSessionAlive is returned if a session can still be used after its logout.
var ErrSessionAlive = errors.New("the session is still valid after the logout")

// ProbeAfterLogout logs out of the REST session, opening one first if necessary, and returns the error of a read with
// the old session ID. The error is ErrSession if this package recognizes that the session has ended, or ErrSessionAlive
// if the read succeeds.
func (c *Client) ProbeAfterLogout(ctx context.Context) error {
	s, err := c.openREST(ctx)
	if err != nil {
		return err
	}
	if err := c.restSession.Close(ctx, c.logoutREST); err != nil {
		return err
	}
	r := request{method: http.MethodGet, path: categoryPath}
	if _, _, err = c.send(ctx, r, c.protocolChoice.get(), nil, s.id, newOperationID(), 1); err == nil {
		return ErrSessionAlive
	}
	return err
}
