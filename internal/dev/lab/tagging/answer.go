package tagging

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/dev/lab/order"
)

// Protocol is the format of requests and responses.
type Protocol int

// Supported protocols.
const (
	// REST is the older protocol under /rest. Responses are wrapped in "value", and errors contain "type".
	REST Protocol = iota
	// API is the newer protocol under /api. Responses are not wrapped, success statuses include 201 and 204, and errors
	// contain "error_type".
	API
)

// ProtocolOf returns the protocol used by a request.
func ProtocolOf(r *http.Request) Protocol {
	if strings.HasPrefix(r.URL.Path, "/api/") {
		return API
	}
	return REST
}

type message struct {
	ID      string   `json:"id"`
	Default string   `json:"default_message"`
	Args    []string `json:"args"`
}

type batch struct {
	Success  bool      `json:"success"`
	Messages []message `json:"error_messages"`
}

type fault struct {
	status   int
	kind     string
	messages []message
}

func newFault(status int, kind, id, text string, args []string) *fault {
	if args == nil {
		args = []string{}
	}
	return &fault{status: status, kind: kind, messages: []message{{ID: id, Default: text, Args: args}}}
}

func invalid(id, text string, args ...string) *fault {
	return newFault(http.StatusBadRequest, "invalid_argument", id, text, args)
}

func missingField(name string) *fault {
	return invalid("vapi.data.structure.field.missing", "The structure is missing a field.", name)
}

func exists(kind, name string) *fault {
	return newFault(http.StatusBadRequest, "already_exists", "cis.tagging.already_exists",
		"A "+kind+" of this name exists already.", []string{name})
}

func notFound(id string) *fault {
	const message = "cis.tagging.objectNotFound.error"
	return newFault(http.StatusNotFound, "not_found", message, "There is no such object.", []string{id})
}

func noSuchOperation(path string) *fault {
	return newFault(http.StatusNotFound, "not_found", "com.vmware.vapi.rest.operationsForUrlNotFound",
		"No operations exist at the URL.", []string{path})
}

func unauthorized(text string, args ...string) *fault {
	return newFault(http.StatusForbidden, "unauthorized", "cis.tagging.unauthorized", text, args)
}

func noPrivilege() *fault { return unauthorized("The user lacks the privilege for this operation.") }

// Unauthenticated rejects a request that has no valid session.
func Unauthenticated(w http.ResponseWriter, p Protocol) {
	newFault(http.StatusUnauthorized, "unauthenticated", "com.vmware.vapi.endpoint.method.authentication.required",
		"Authentication required.", nil).write(w, p)
}

// Answer writes a response with the given status. Under /rest, every successful response has status 200.
func Answer(w http.ResponseWriter, p Protocol, status int, v any) {
	switch {
	case p == REST:
		write(w, http.StatusOK, map[string]any{"value": v})
	case status == http.StatusNoContent:
		w.WriteHeader(status)
	default:
		write(w, status, v)
	}
}

func (f *fault) write(w http.ResponseWriter, p Protocol) {
	content := map[string]any{"messages": f.messages, "error_type": strings.ToUpper(f.kind)}
	if p == REST {
		content = map[string]any{"type": "com.vmware.vapi.std.errors." + f.kind, "value": content}
	}
	write(w, f.status, content)
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) //nolint:errchkjson // fails only if the client disconnects
}

// NoSuchOperation rejects a request for an operation that the release does not have.
func NoSuchOperation(w http.ResponseWriter, r *http.Request) {
	noSuchOperation(r.URL.Path).write(w, ProtocolOf(r))
}

// WrappedUnauthenticated rejects a request with an expired session. As in some vCenter services, the status is 400 and
// the message contains the actual error.
func WrappedUnauthenticated(w http.ResponseWriter, p Protocol) {
	invalid("vapi.method.authentication", "Invocation failed: com.vmware.vapi.std.errors.unauthenticated",
		"com.vmware.vapi.std.errors.unauthenticated").write(w, p)
}

// TooManySessions rejects a login that would exceed the session limit.
func TooManySessions(w http.ResponseWriter, p Protocol, user string, limit int) {
	newFault(http.StatusServiceUnavailable, "service_unavailable",
		"com.vmware.vapi.endpoint.failedToLoginMaxUserSessionCountReached",
		fmt.Sprintf("User session count is limited to %d. Existing session count is %d for user %s", limit, limit, user),
		[]string{strconv.Itoa(limit), strconv.Itoa(limit), user}).write(w, p)
}

// Release is a vCenter release. Releases are compared as strings.
type Release string

// Releases that differ in their tagging API. Release70 is 7.0 before Update 2.
const (
	Release67 Release = "6.7" // /rest only
	Release70 Release = "7.0" // adds GET /api/vcenter/tagging/associations
	Release80 Release = "8.0" // adds sessions and all /rest operations under /api
	Release90 Release = "9.0" // adds paged lists of tags and categories that can be filtered by name
	Release91 Release = "9.1" // adds PATCH /api/vcenter/tagging/associations
)

const (
	sinceAssociations = Release70
	sinceAPI          = Release80
	sinceListings     = Release90
	sincePatch        = Release91
)

// SetRelease changes the release that the service simulates.
func (s *Store) SetRelease(r Release) {
	defer s.lock()()
	s.release = r
}

// IsBefore makes the service simulate a release before 7.0, which cannot list all associations.
func (s *Store) IsBefore() { s.SetRelease(Release67) }

// Has reports whether the release is r or later.
func (s *Store) Has(r Release) bool {
	defer s.lock()()
	return s.release >= r
}

// HasAPI reports whether the release serves sessions and tagging under /api.
func (s *Store) HasAPI() bool { return s.Has(sinceAPI) }

const (
	// defaultPage and maxPage are the default and the maximum of page_size.
	defaultPage = 20
	maxPage     = 1000
)

// ExpireMarkers invalidates all list markers returned so far.
func (s *Store) ExpireMarkers() {
	defer s.lock()()
	s.markers++
}

func (s *Store) generation() string {
	defer s.lock()()
	return strconv.Itoa(s.markers)
}

func pageTags(s *Store, c request) (any, *fault) {
	defer s.lock()()
	return page(s, c, s.tags, func(t *Tag) string { return t.Name }, func(t *Tag) map[string]any {
		return map[string]any{"tag": t.ID, "info": map[string]any{
			"name": t.Name, "category": t.CategoryID, "description": t.Description, "used_by": []string{},
		}}
	})
}

func pageCategories(s *Store, c request) (any, *fault) {
	defer s.lock()()
	return page(s, c, s.categories, func(c *Category) string { return c.Name }, func(c *Category) map[string]any {
		return map[string]any{"category_id": c.ID, "info": c.info()}
	})
}

// page returns a page of a list, or the objects with the given names. A marker consists of its generation and the last
// ID of the previous page. The caller must hold the lock.
func page[T any](
	s *Store, c request, all map[string]*T, name func(*T) string, item func(*T) map[string]any,
) (any, *fault) {
	names, after, size := c.query["names"], "", defaultPage
	if text := c.query.Get("page_size"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxPage {
			return nil, invalid("vcenter.tagging.page_size", "The page size must be 1 to 1000.", text)
		}
		size = n
	}
	if marker := c.query.Get("marker"); marker != "" {
		if len(names) > 0 {
			return nil, invalid("vcenter.tagging.filter", "A marker and a filter exclude each other.")
		}
		generation, id, _ := strings.Cut(marker, "~")
		if generation != strconv.Itoa(s.markers) {
			return nil, notFound(marker)
		}
		after = id
	}
	items, last, more := []map[string]any{}, "", false
	for _, id := range idsAfter(all, after) {
		one := all[id]
		if len(names) > 0 && !slices.Contains(names, name(one)) {
			continue
		}
		if len(names) == 0 && len(items) == size {
			more = true
			break
		}
		items, last = append(items, item(one)), id
	}
	answer := map[string]any{"items": items}
	if more {
		answer["marker"] = strconv.Itoa(s.markers) + "~" + last
	}
	return answer, nil
}

func idsAfter[T any](all map[string]*T, after string) []string {
	ids := slices.SortedFunc(maps.Keys(all), order.Compare)
	return slices.DeleteFunc(ids, func(id string) bool { return after != "" && order.Compare(id, after) <= 0 })
}
