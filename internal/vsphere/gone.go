package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/transport"
)

// ErrObjectGone is the error of an object to tag that does not exist. It is never ErrNotFound, which is about tags and
// categories.
var ErrObjectGone = transport.Kind("the object does not exist", transport.ErrNotFound)

// settleWaits are the waits for an object that has just been created: the tagging service knows it some seconds later.
var settleWaits = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

// isGone reports whether the inventory has no such object. It does not where the user may not read the object, or the
// object is not part of the inventory.
func (c *Client) isGone(ctx context.Context, o Object) (bool, error) {
	_, err := c.readable(ctx, o)
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	return false, err
}

// readable reports whether the user may read an object of the inventory. Errors: ErrNotFound.
func (c *Client) readable(ctx context.Context, o Object) (readable bool, err error) {
	err = c.withSOAP(ctx, "look for "+o.String(), func(ctx context.Context, vim *vim25.Client) error {
		ref := types.ManagedObjectReference{Type: o.Type, Value: o.ID}
		answer, err := methods.RetrievePropertiesEx(ctx, vim, &types.RetrievePropertiesEx{
			This: vim.ServiceContent.PropertyCollector,
			SpecSet: []types.PropertyFilterSpec{{
				ObjectSet: []types.ObjectSpec{{Obj: ref}},
				PropSet:   []types.PropertySpec{{Type: o.Type, PathSet: []string{"name"}}},
			}},
		})
		if err == nil && answer.Returnval != nil {
			found := answer.Returnval.Objects
			readable = len(found) == 1 && len(found[0].PropSet) == 1
		}
		return err
	})
	if errors.Is(err, ErrPermission) || errors.Is(err, ErrInvalid) {
		return false, nil
	}
	return readable, err
}

// Hidden returns those of the objects that the account may not read, in their order, and why: a list that lacks them
// proves nothing. It asks for each of them unless the account reads everything.
func (c *Client) Hidden(ctx context.Context, objects []Object) (hidden []Object, why string, err error) {
	if len(objects) == 0 {
		return nil, "", nil
	}
	reach, err := c.Reach(ctx)
	if err != nil || reach.Unproven == "" {
		return nil, "", err
	}
	seen, err := readAll(ctx, objects, func(ctx context.Context, o Object) (Object, error) {
		if readable, err := c.readable(ctx, o); err != nil || !readable {
			return o, err
		}
		return Object{}, nil
	})
	return slices.DeleteFunc(seen, func(o Object) bool { return o == Object{} }), reach.Unproven, err
}

// ofObject explains why a read of an object's tags was refused: ErrObjectGone where the object does not exist.
func (c *Client) ofObject(ctx context.Context, o Object, refused error) error {
	if !errors.Is(refused, ErrPermission) {
		return refused
	}
	gone, err := c.isGone(ctx, o)
	switch {
	case err != nil:
		return fmt.Errorf("%w; whether %s exists could not be read: %w", refused, o, err)
	case gone:
		return fmt.Errorf("%s: %w", o, ErrObjectGone)
	default:
		return refused
	}
}

// TagsOfNewObject returns what TagsOfObject returns, for an object that may have just been created: a refusal is
// repeated for some seconds. Errors: ErrObjectGone, ErrPermission.
func (c *Client) TagsOfNewObject(ctx context.Context, object Object) ([]string, error) {
	for _, wait := range settleWaits {
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

func halving[T any](chunk []T, read func([]T) error, whole func(error) bool) error {
	err := read(chunk)
	if err == nil || len(chunk) < 2 || !whole(err) {
		return err
	}
	middle := len(chunk) / 2
	if err := halving(chunk[:middle], read, whole); err != nil {
		return err
	}
	return halving(chunk[middle:], read, whole)
}

// tooLarge reports whether an answer may have been too large for the endpoint, which answers with a server error or a
// 400 without a reason.
func tooLarge(err error) bool {
	e, ok := transport.Answer(err)
	switch {
	case !ok:
		return false
	case e.Status == http.StatusBadRequest:
		return e.Type == "" && len(e.MessageIDs) == 0
	default:
		return e.Status >= http.StatusInternalServerError && e.Status != http.StatusServiceUnavailable
	}
}

// finalOf returns the errors of a batch of n that are not worth a repetition: a smaller batch is tried.
func finalOf(n int) func(error) bool {
	if n < 2 {
		return nil
	}
	return tooLarge
}

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
