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
