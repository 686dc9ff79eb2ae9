// The two forms of tagging and sessions: below /api, and below /rest, which releases before 8.0 need and later ones
// deprecate.

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

// protocol is the form of a request and of its answer.
type protocol int32

const (
	// belowAPI: bare answers, errors with "error_type".
	belowAPI protocol = iota
	// belowREST: create and update wrap their body, answers are wrapped in "value", errors have "type".
	belowREST
)

// The services that exist in both forms. Any other path is a whole one, below /api or /rest.
const (
	sessionPath     = "session"
	categoryPath    = "tagging/category"
	tagPath         = "tagging/tag"
	associationPath = "tagging/tag-association"

	listTagsOfCategory = "list-tags-for-category"
	listObjectsOfTag   = "list-attached-objects"
)

// choice is the protocol of a connection. The newer one is tried first, and kept once it has answered; a server that
// does not have an operation of it but has that of the older one is asked by the older one from then on.
type choice struct {
	protocol atomic.Int32
	settled  atomic.Bool
}

func (c *choice) get() protocol { return protocol(c.protocol.Load()) }

// settle ends the choice, the first time that it is called.
func (c *choice) settle(p protocol) {
	if c.settled.CompareAndSwap(false, true) {
		c.protocol.Store(int32(p))
	}
}

// both reports whether a request exists in both forms.
func (r request) both() bool { return !strings.HasPrefix(r.path, "/") }

// url returns path and query of a request.
func (r request) url(p protocol) (path string, query url.Values) {
	query = url.Values{}
	maps.Copy(query, r.query)
	action, id := "action", "/"+r.id
	switch {
	case !r.both():
		path = r.path
	case p == belowREST:
		path, action, id = "/rest/com/vmware/cis/"+r.path, "~action", "/id:"+r.id
	case r.path == sessionPath:
		path = "/api/" + r.path
	default:
		path = "/api/cis/" + r.path
		if r.action == listTagsOfCategory {
			id = "/" // the body has it
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

// content returns the body of a request; nil for none.
func (r request) content(p protocol) any {
	switch {
	case p == belowAPI && r.spec != nil:
		return r.spec
	case r.spec != nil && r.method == http.MethodPost:
		return map[string]any{"create_spec": r.spec}
	case r.spec != nil:
		return map[string]any{"update_spec": r.spec}
	case p == belowREST && r.action == listObjectsOfTag:
		return struct{}{} // vCenter takes an empty body, and the simulator insists on it
	default:
		return r.body
	}
}

// offered reports whether an answer shows that the server has the operation.
func offered(err error) bool {
	if err == nil {
		return true
	}
	e, ok := transport.Answer(err)
	return ok && e.Type != "" && !errors.Is(err, transport.ErrUnavailable) && !errors.Is(err, ErrSession)
}

// absent reports whether an answer may mean that the server does not have the operation.
func absent(err error) bool { return errors.Is(err, ErrNoOperation) || untyped404(err) }
