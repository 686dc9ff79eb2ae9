// Content libraries: their parent is the global root, so that a role on the root folder does not reach them.

package vsphere

import (
	"context"
	"errors"
	"net/http"
	"slices"
)

const (
	libraryPath     = "/api/content/library"
	libraryType     = "com.vmware.content.Library"
	libraryItemType = "com.vmware.content.library.Item"
)

// GlobalReach is what the account reads below the global root: content libraries and tags.
type GlobalReach int

// Without a global permission vCenter lists no content libraries: an empty list proves nothing.
const (
	// GlobalRead is a list with a content library.
	GlobalRead GlobalReach = iota
	// GlobalUnknown is an empty list, or a release before 7.0.2, which has no such list below /api.
	GlobalUnknown
	// GlobalRefused is a refused list.
	GlobalRefused
)

// GlobalReach reports what the account reads below the global root. It costs one request for the client.
func (c *Client) GlobalReach(ctx context.Context) (GlobalReach, error) {
	return c.global.Get(ctx, "", func(ctx context.Context) (GlobalReach, error) {
		var ids []string
		_, err := c.call(ctx, request{method: http.MethodGet, path: libraryPath, final: notOffered}, &ids)
		switch {
		case errors.Is(err, ErrPermission):
			return GlobalRefused, nil
		case notOffered(err), err == nil && len(ids) == 0:
			return GlobalUnknown, nil
		}
		return GlobalRead, err
	})
}

// AllowsLibraries reports whether content libraries or their items may carry tags of the category.
func (c Category) AllowsLibraries() bool {
	return MeansEveryType(c.AssociableTypes) || slices.Contains(c.AssociableTypes, libraryType) ||
		slices.Contains(c.AssociableTypes, libraryItemType)
}
