package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/transport"
)

const (
	associationsPath = "/api/vcenter/tagging/associations"
	// maxPages bounds the listing of every association of a vCenter: where it is longer, reading in batches is cheaper.
	maxPages = 20
	// listings is how often that listing is begun at most.
	listings = 3
	// fewRefreshes is how many reads share requests before all associations are listed: as many as Terraform makes at
	// a time. A listing costs a request for each 2,000 associations of the vCenter, however few are needed.
	fewRefreshes = 10
)

// everything is all associations of a vCenter, from both sides; incomplete where they could not be listed.
type everything struct {
	complete bool
	objects  map[string][]Object
	tags     map[Object][]string
}

// RefreshObjectsWithTag returns what ObjectsWithTag returns, for one of many tags that are asked for in one run. The
// first is read by itself, and those up to fewRefreshes share a request when they are asked for at the same time. After
// that all associations are listed once, a page at a time, and kept until this client changes one. Where they cannot be
// listed (before vSphere 7.0, or more than maxPages), requests are shared throughout. Errors: ErrNotFound,
// ErrPermission.
func (c *Client) RefreshObjectsWithTag(ctx context.Context, tagID string) ([]Object, error) {
	all, err := c.everything(ctx)
	switch {
	case err != nil:
		return nil, err
	case all.complete && len(all.objects[tagID]) > 0:
		return slices.Clone(all.objects[tagID]), nil
	case all.objects != nil && !all.complete:
		objects, err := c.objectsInBatches.Get(ctx, tagID, c.objectsWithEach)
		if len(objects) > 0 || (err != nil && !errors.Is(err, ErrNotFound)) {
			return slices.Clone(objects), err // the callers that shared the request have the same slice
		}
	}
	return c.ObjectsWithTag(ctx, tagID) // distinguishes a tag without objects from one that is gone
}

// RefreshTagsOfObject returns what TagsOfObject returns, as RefreshObjectsWithTag does. Errors: ErrObjectGone,
// ErrPermission.
func (c *Client) RefreshTagsOfObject(ctx context.Context, object Object) ([]string, error) {
	all, err := c.everything(ctx)
	switch {
	case err != nil:
		return nil, err
	case all.complete && len(all.tags[object]) > 0:
		return slices.Clone(all.tags[object]), nil
	case all.objects != nil && !all.complete:
		tags, err := c.tagsInBatches.Get(ctx, object, c.TagsOfObjects)
		if len(tags) > 0 || (err != nil && !errors.Is(err, ErrPermission)) {
			return slices.Clone(tags), err
		}
	}
	return c.TagsOfObject(ctx, object)
}

// everything lists all associations, except for the first fewRefreshes that ask: a few do not need them all.
func (c *Client) everything(ctx context.Context) (everything, error) {
	switch n := c.refreshes.Add(1); {
	case n == 1:
		return everything{}, nil
	case n <= fewRefreshes:
		return notListed(), nil
	default:
		return c.associations.Get(ctx, "", c.readEverything)
	}
}

func notListed() everything { return everything{objects: map[string][]Object{}} }

// readEverything lists all associations. The listing starts again when vCenter has forgotten its marker, as after a
// restart of the service.
func (c *Client) readEverything(ctx context.Context) (everything, error) {
	for range listings {
		all, stale, err := c.listEverything(ctx)
		if err != nil {
			return everything{}, err
		}
		if !stale {
			return all, nil
		}
	}
	return notListed(), nil
}

// listEverything reads page after page; stale reports whether vCenter refused the marker of a page.
func (c *Client) listEverything(ctx context.Context) (all everything, stale bool, err error) {
	none := notListed()
	all = everything{objects: make(map[string][]Object), tags: make(map[Object][]string)}
	marker := ""
	for range maxPages {
		var page struct {
			Associations []struct {
				Tag    string `json:"tag"`
				Object Object `json:"object"`
			} `json:"associations"`
			Marker string `json:"marker"`
			Status string `json:"status"`
		}
		_, err := c.call(ctx, request{
			method: http.MethodGet, path: associationsPath, query: markerOf(marker), final: notOffered,
		}, &page)
		if notOffered(err) || errors.Is(err, ErrInvalid) {
			return none, marker != "", nil // the listing is not supported, or the marker is no longer valid
		}
		if errors.Is(err, ErrPermission) {
			return none, false, nil // not to this user
		}
		if err != nil {
			return everything{}, false, err
		}
		for _, a := range page.Associations {
			all.objects[a.Tag] = append(all.objects[a.Tag], a.Object)
			all.tags[a.Object] = append(all.tags[a.Object], a.Tag)
		}
		if page.Status != "READY" || page.Marker == "" || page.Marker == marker {
			all.complete = page.Status == "END_OF_DATA"
			break
		}
		marker = page.Marker
	}
	if !all.complete {
		return none, false, nil
	}
	for _, objects := range all.objects {
		slices.SortFunc(objects, compareObjects)
	}
	for _, tags := range all.tags {
		slices.Sort(tags)
	}
	return all, false, nil
}

func markerOf(marker string) url.Values {
	if marker == "" {
		return nil
	}
	return url.Values{"marker": {marker}}
}

// notOffered reports whether the release has no such operation. An older one may answer with an untyped 404.
func notOffered(err error) bool { return errors.Is(err, ErrNoOperation) || errors.Is(err, ErrNotFound) }

// objectsWithEach lists what carries each of the tags, by tag, in one request per tagBatch tags; a batch with too large
// an answer is read in halves. Errors: ErrNotFound for any of them, ErrPermission.
func (c *Client) objectsWithEach(ctx context.Context, tagIDs []string) (map[string][]Object, error) {
	all := make(map[string][]Object, len(tagIDs))
	read := func(chunk []string) error {
		var answer []struct {
			Tag     string   `json:"tag_id"`
			Objects []Object `json:"object_ids"`
		}
		_, err := c.call(ctx, request{
			method: http.MethodPost, path: associationPath, action: "list-attached-objects-on-tags",
			body: map[string][]string{"tag_ids": chunk}, final: finalOf(len(chunk)),
		}, &answer)
		for _, a := range answer {
			slices.SortFunc(a.Objects, compareObjects)
			all[a.Tag] = a.Objects
		}
		return err
	}
	for chunk := range slices.Chunk(tagIDs, tagBatch) {
		if err := halving(chunk, read, tooLarge); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ObjectsByTag lists what carries each of the tags, by tag; a tag without objects, or that no longer exists, is
// absent or has none. One request per tagBatch tags. Errors: ErrPermission.
func (c *Client) ObjectsByTag(ctx context.Context, tagIDs []string) (map[string][]Object, error) {
	all, err := c.objectsWithEach(ctx, tagIDs)
	if !errors.Is(err, ErrNotFound) {
		return all, err
	}
	// One of them is gone, and the answer does not name it.
	type attached struct {
		tag     string
		objects []Object
	}
	lists, err := readAll(ctx, tagIDs, func(ctx context.Context, id string) (attached, error) {
		objects, err := c.ObjectsWithTag(ctx, id)
		return attached{id, objects}, err
	})
	all = make(map[string][]Object, len(lists))
	for _, l := range lists {
		all[l.tag] = l.objects
	}
	return all, err
}

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
