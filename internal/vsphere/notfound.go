package vsphere

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

// confirmNotFound checks with a listing that a tag or category does not exist, because a proxy may return a 404 page
// for any path. A 404 for a request without an ID proves nothing.
func (c *Client) confirmNotFound(ctx context.Context, r request, result error) error {
	if r.id == "" {
		if e, ok := transport.AsAPIError(result); ok {
			e.Kind = ErrUnavailable
		}
		return result
	}
	path := tagPath
	if r.path == categoryPath || r.action == listTagsOfCategory {
		path = categoryPath
	}
	exists, err := c.existenceBatcher.Get(ctx, path+" "+r.id, c.listExisting)
	switch {
	case err != nil:
		return fmt.Errorf("%s: not found, but this could not be confirmed: %w", r, err)
	case exists:
		return fmt.Errorf("%s: not found, but it is still listed: %w", r, ErrUnavailable)
	default:
		return result
	}
}

func (c *Client) listExisting(ctx context.Context, keys []string) (map[string]bool, error) {
	exists := make(map[string]bool)
	for _, path := range []string{tagPath, categoryPath} {
		if !slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, path+" ") }) {
			continue
		}
		var ids []string
		if _, err := c.call(ctx, request{method: http.MethodGet, path: path}, &ids); err != nil {
			return nil, err
		}
		for _, id := range ids {
			exists[path+" "+id] = true
		}
	}
	return exists, nil
}
