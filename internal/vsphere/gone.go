package vsphere

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/transport"
)

// ErrObjectGone is returned if the object to be tagged does not exist. It never matches ErrNotFound, which applies to
// tags and categories.
var ErrObjectGone = transport.NewKind("the object does not exist", transport.ErrNotFound)

// newObjectDelays are the delays between attempts for an object that might be new. The tagging service does not
// recognize an object for the first few seconds after its creation.
var newObjectDelays = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

// isGone reports whether the object is missing from the inventory. It returns false if the user cannot read the object
// or if the object is not part of the inventory tree.
func (c *Client) isGone(ctx context.Context, o Object) (bool, error) {
	_, err := c.canRead(ctx, o)
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	return false, err
}

// canRead reports whether the user can read an inventory object. Errors: ErrNotFound.
func (c *Client) canRead(ctx context.Context, o Object) (readable bool, err error) {
	err = c.withSOAP(ctx, "find "+o.String(), func(ctx context.Context, vim *vim25.Client) error {
		result, err := methods.RetrievePropertiesEx(ctx, vim, &types.RetrievePropertiesEx{
			This: vim.ServiceContent.PropertyCollector,
			SpecSet: []types.PropertyFilterSpec{{
				ObjectSet: []types.ObjectSpec{{Obj: types.ManagedObjectReference{Type: o.Type, Value: o.ID}}},
				PropSet:   []types.PropertySpec{{Type: o.Type, PathSet: []string{"name"}}},
			}},
		})
		if err == nil && result.Returnval != nil {
			found := result.Returnval.Objects
			readable = len(found) == 1 && len(found[0].PropSet) == 1
		}
		return err
	})
	if errors.Is(err, ErrPermission) || errors.Is(err, ErrInvalid) {
		return false, nil
	}
	return readable, err
}

// UnreadableObjects returns the objects that the account cannot read, in the given order, and the reason. Listings may
// omit these objects although they exist. One request is sent per object, unless the account can read everything.
func (c *Client) UnreadableObjects(ctx context.Context, objects []Object) (hidden []Object, reason string, err error) {
	if len(objects) == 0 {
		return nil, "", nil
	}
	access, err := c.InventoryAccess(ctx)
	if err != nil || access.UnprovenReason == "" {
		return nil, "", err
	}
	unreadable, err := readAll(ctx, objects, func(ctx context.Context, o Object) (Object, error) {
		if readable, err := c.canRead(ctx, o); err != nil || !readable {
			return o, err
		}
		return Object{}, nil
	})
	return slices.DeleteFunc(unreadable, func(o Object) bool { return o == Object{} }), access.UnprovenReason, err
}

// detectGoneObject replaces a permission error with ErrObjectGone if the object does not exist.
func (c *Client) detectGoneObject(ctx context.Context, o Object, refusal error) error {
	if !errors.Is(refusal, ErrPermission) {
		return refusal
	}
	gone, err := c.isGone(ctx, o)
	switch {
	case err != nil:
		return fmt.Errorf("%w; cannot determine whether %s exists: %w", refusal, o, err)
	case gone:
		return fmt.Errorf("%s: %w", o, ErrObjectGone)
	default:
		return refusal
	}
}

// TagsOfNewObject is like TagsOfObject, but for an object that might be new. Refusals are retried for up to 7.5
// seconds. Errors: ErrObjectGone, ErrPermission.
func (c *Client) TagsOfNewObject(ctx context.Context, object Object) ([]string, error) {
	for _, wait := range newObjectDelays {
		ids, err := c.TagsOfObject(ctx, object)
		if !errors.Is(err, ErrPermission) {
			return ids, err
		}
		if err := c.config.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
	return c.TagsOfObject(ctx, object)
}
