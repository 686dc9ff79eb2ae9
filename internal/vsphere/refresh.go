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
	// maxAssociationPages is the maximum number of pages in a listing of all associations. If there are more, reading in
	// batches is cheaper.
	maxAssociationPages = 20
	maxListingAttempts  = 3
	// maxSingleRefreshes is the number of reads that are merged into shared requests before all associations are listed.
	// It equals Terraform's default parallelism. A listing takes one request per 2,000 associations in vCenter.
	maxSingleRefreshes = 10
)

// associationIndex contains all associations of a vCenter, by tag and by object. complete is false if they could not be
// listed.
type associationIndex struct {
	complete     bool
	objectsByTag map[string][]Object
	tagsByObject map[Object][]string
}

// RefreshObjectsWithTag is like ObjectsWithTag, but for callers that refresh many tags in one run. The first tag is
// read separately, and concurrent reads of the next ones, up to maxSingleRefreshes, are merged. After that, all
// associations are listed once and cached until this client changes one. If they cannot be listed (before vSphere 7.0,
// or with more than maxAssociationPages), reads continue to be merged. Errors: ErrNotFound, ErrPermission.
func (c *Client) RefreshObjectsWithTag(ctx context.Context, tagID string) ([]Object, error) {
	all, err := c.associationIndex(ctx)
	switch {
	case err != nil:
		return nil, err
	case all.complete && len(all.objectsByTag[tagID]) > 0:
		return slices.Clone(all.objectsByTag[tagID]), nil
	case all.objectsByTag != nil && !all.complete:
		objects, err := c.objectBatcher.Get(ctx, tagID, c.objectsByTags)
		if len(objects) > 0 || (err != nil && !errors.Is(err, ErrNotFound)) {
			return slices.Clone(objects), err // callers that share a request receive the same slice
		}
	}
	return c.ObjectsWithTag(ctx, tagID) // distinguishes a tag without objects from a missing tag
}

// RefreshTagsOfObject is like TagsOfObject, but merges and caches reads as RefreshObjectsWithTag does. Errors:
// ErrObjectGone, ErrPermission.
func (c *Client) RefreshTagsOfObject(ctx context.Context, object Object) ([]string, error) {
	all, err := c.associationIndex(ctx)
	switch {
	case err != nil:
		return nil, err
	case all.complete && len(all.tagsByObject[object]) > 0:
		return slices.Clone(all.tagsByObject[object]), nil
	case all.objectsByTag != nil && !all.complete:
		tags, err := c.tagBatcher.Get(ctx, object, c.TagsOfObjects)
		if len(tags) > 0 || (err != nil && !errors.Is(err, ErrPermission)) {
			return slices.Clone(tags), err
		}
	}
	return c.TagsOfObject(ctx, object)
}

// associationIndex lists all associations. For the first maxSingleRefreshes callers, it returns an incomplete index
// without listing them.
func (c *Client) associationIndex(ctx context.Context) (associationIndex, error) {
	switch n := c.refreshCount.Add(1); {
	case n == 1:
		return associationIndex{}, nil
	case n <= maxSingleRefreshes:
		return unlistedIndex(), nil
	default:
		return c.associations.Get(ctx, "", c.readAssociations)
	}
}

func unlistedIndex() associationIndex { return associationIndex{objectsByTag: map[string][]Object{}} }

// readAssociations lists all associations. It starts again if a marker has expired, for example after the service
// restarted.
func (c *Client) readAssociations(ctx context.Context) (associationIndex, error) {
	for range maxListingAttempts {
		all, stale, err := c.listAssociations(ctx)
		if err != nil {
			return associationIndex{}, err
		}
		if !stale {
			return all, nil
		}
	}
	return unlistedIndex(), nil
}

// listAssociations reads all pages. stale is true if vCenter rejected a page marker.
func (c *Client) listAssociations(ctx context.Context) (all associationIndex, stale bool, err error) {
	none := unlistedIndex()
	all = associationIndex{objectsByTag: make(map[string][]Object), tagsByObject: make(map[Object][]string)}
	marker := ""
	for range maxAssociationPages {
		var page struct {
			Associations []struct {
				Tag    string `json:"tag"`
				Object Object `json:"object"`
			} `json:"associations"`
			Marker string `json:"marker"`
			Status string `json:"status"`
		}
		_, err := c.call(ctx, request{
			method: http.MethodGet, path: associationsPath, query: markerQuery(marker), isFinal: isUnsupported,
		}, &page)
		if isUnsupported(err) || errors.Is(err, ErrInvalid) {
			return none, marker != "", nil // the listing is not supported, or the marker has expired
		}
		if errors.Is(err, ErrPermission) {
			return none, false, nil // the user lacks the privilege
		}
		if err != nil {
			return associationIndex{}, false, err
		}
		for _, a := range page.Associations {
			all.objectsByTag[a.Tag] = append(all.objectsByTag[a.Tag], a.Object)
			all.tagsByObject[a.Object] = append(all.tagsByObject[a.Object], a.Tag)
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
	for _, objects := range all.objectsByTag {
		slices.SortFunc(objects, compareObjects)
	}
	for _, tags := range all.tagsByObject {
		slices.Sort(tags)
	}
	return all, false, nil
}

func markerQuery(marker string) url.Values {
	if marker == "" {
		return nil
	}
	return url.Values{"marker": {marker}}
}

// isUnsupported reports whether the release lacks the operation. Older releases can return an untyped 404.
func isUnsupported(err error) bool {
	return errors.Is(err, ErrNoOperation) || errors.Is(err, ErrNotFound)
}

// objectsByTags lists the objects of each tag. It sends one request per tagBatch tags and splits a batch in half if its
// response is too large. Errors: ErrNotFound if any of the tags does not exist, ErrPermission.
func (c *Client) objectsByTags(ctx context.Context, tagIDs []string) (map[string][]Object, error) {
	all := make(map[string][]Object, len(tagIDs))
	read := func(chunk []string) error {
		var result []struct {
			Tag     string   `json:"tag_id"`
			Objects []Object `json:"object_ids"`
		}
		_, err := c.call(ctx, request{
			method: http.MethodPost, path: associationPath, action: "list-attached-objects-on-tags",
			body: map[string][]string{"tag_ids": chunk}, isFinal: batchIsFinal(len(chunk)),
		}, &result)
		for _, a := range result {
			slices.SortFunc(a.Objects, compareObjects)
			all[a.Tag] = a.Objects
		}
		return err
	}
	for chunk := range slices.Chunk(tagIDs, tagBatch) {
		if err := readInHalves(chunk, read, isTooLarge); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ObjectsByTag lists the objects of each tag. A tag that has no objects or does not exist has an empty list or no entry
// in the result. It sends one request per tagBatch tags. Errors: ErrPermission.
func (c *Client) ObjectsByTag(ctx context.Context, tagIDs []string) (map[string][]Object, error) {
	all, err := c.objectsByTags(ctx, tagIDs)
	if !errors.Is(err, ErrNotFound) {
		return all, err
	}
	// The response does not identify the missing tag, so read each tag separately.
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

func readInHalves[T any](chunk []T, read func([]T) error, shouldSplit func(error) bool) error {
	err := read(chunk)
	if err == nil || len(chunk) < 2 || !shouldSplit(err) {
		return err
	}
	middle := len(chunk) / 2
	if err := readInHalves(chunk[:middle], read, shouldSplit); err != nil {
		return err
	}
	return readInHalves(chunk[middle:], read, shouldSplit)
}

// isTooLarge reports whether the response might have been too large for the endpoint. In this case, the endpoint
// returns a server error, or a 400 without a reason.
func isTooLarge(err error) bool {
	e, ok := transport.AsAPIError(err)
	switch {
	case !ok:
		return false
	case e.Status == http.StatusBadRequest:
		return e.Type == "" && len(e.MessageIDs) == 0
	default:
		return e.Status >= http.StatusInternalServerError && e.Status != http.StatusServiceUnavailable
	}
}

// batchIsFinal returns a function that reports whether an error for a batch of n items must not be retried, because
// smaller batches are tried instead.
func batchIsFinal(n int) func(error) bool {
	if n < 2 {
		return nil
	}
	return isTooLarge
}

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

// TagIDs lists the tag IDs of a category. The caller must not modify the slice. The listing is shared with
// TagsOfCategory. Errors: ErrNotFound if the category does not exist, ErrPermission.
func (c *Client) TagIDs(ctx context.Context, categoryID string) ([]string, error) {
	return c.tagIDs(ctx, categoryID)
}
