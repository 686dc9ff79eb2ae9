package vsphere

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"terraform-provider-vsla/internal/transport"
)

type protocol int32

const (
	// protocolAPI does not wrap bodies. Its errors contain "error_type".
	protocolAPI protocol = iota
	// protocolREST wraps the bodies of creates and updates, and wraps responses in "value". Its errors contain "type".
	protocolREST
)

// Paths that exist in both protocols. All other paths are absolute, below /api or /rest.
const (
	sessionPath     = "session"
	categoryPath    = "tagging/category"
	tagPath         = "tagging/tag"
	associationPath = "tagging/tag-association"

	listTagsOfCategory = "list-tags-for-category"
	listObjectsOfTag   = "list-attached-objects"
)

// protocolChoice is the protocol of a connection. The newer protocol is tried first and kept once it has worked. If
// only the older protocol has an operation, the connection uses the older one from then on.
type protocolChoice struct {
	protocol atomic.Int32
	settled  atomic.Bool
}

func (c *protocolChoice) get() protocol { return protocol(c.protocol.Load()) }

func (c *protocolChoice) settle(p protocol) {
	if c.settled.CompareAndSwap(false, true) {
		c.protocol.Store(int32(p))
	}
}

func (r request) inBothProtocols() bool { return !strings.HasPrefix(r.path, "/") }

func (r request) url(p protocol) (path string, query url.Values) {
	query = url.Values{}
	maps.Copy(query, r.query)
	action, id := "action", "/"+r.id
	switch {
	case !r.inBothProtocols():
		path = r.path
	case p == protocolREST:
		path = "/rest/com/vmware/cis/" + r.path
		action = "~action"
		id = "/id:" + r.id
	case r.path == sessionPath:
		path = "/api/" + r.path
	default:
		path = "/api/cis/" + r.path
		if r.action == listTagsOfCategory {
			id = "/" // the body contains the ID
		}
	}
	if id = strings.TrimSuffix(id, "/"); r.id != "" {
		path += id
	}
	if r.action != "" {
		query.Set(action, r.action)
	}
	return path, query
}

func (r request) payload(p protocol) any {
	switch {
	case p == protocolAPI && r.spec != nil:
		return r.spec
	case r.spec != nil && r.method == http.MethodPost:
		return map[string]any{"create_spec": r.spec}
	case r.spec != nil:
		return map[string]any{"update_spec": r.spec}
	case p == protocolREST && r.action == listObjectsOfTag:
		return struct{}{} // vCenter accepts an empty body, but the simulator requires an object
	default:
		return r.body
	}
}

func isSupported(err error) bool {
	if err == nil {
		return true
	}
	e, ok := transport.AsAPIError(err)
	return ok && e.Type != "" && !errors.Is(err, transport.ErrUnavailable) && !errors.Is(err, ErrSession)
}

func mayBeUnsupported(err error) bool { return errors.Is(err, ErrNoOperation) || isUntyped404(err) }
