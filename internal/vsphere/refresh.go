package vsphere

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"terraform-provider-vsla/internal/transport"
)

const (
	associationsPath = "/api/vcenter/tagging/associations"
	// maxAssociationPages is the maximum number of pages in a listing of all associations. If there are more, reading
	// in batches is cheaper.
	maxAssociationPages = 20
	maxListingAttempts  = 3
	// maxSingleRefreshes is the number of reads that are merged into shared requests before all associations are
	// listed. It equals Terraform's default parallelism. A listing takes one request per 2,000 associations in vCenter.
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
// associations are listed once and cached until this client changes one. If they cannot be listed (without the
// privilege, or with more than maxAssociationPages), reads continue to be merged. Errors: ErrNotFound, ErrPermission.
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
			Associations transport.List[struct {
				Tag    string `json:"tag"`
				Object Object `json:"object"`
			}] `json:"associations"`
			Marker string `json:"marker"`
			Status string `json:"status"`
		}
		_, err := c.call(ctx, request{
			method:  http.MethodGet,
			path:    associationsPath,
			query:   markerQuery(marker),
			isFinal: isUnsupported,
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
