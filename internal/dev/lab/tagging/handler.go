package tagging

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Path prefixes of the service.
const (
	RESTPrefix = "/rest/com/vmware/cis/tagging/"
	APIPrefix  = "/api/cis/tagging/"
	// VCenterPrefix is the path prefix of the operations added in 7.0 and later.
	VCenterPrefix = "/api/vcenter/tagging/"
)

// IsTaggingPath reports whether the service handles a path.
func IsTaggingPath(path string) bool {
	return strings.HasPrefix(path, RESTPrefix) || strings.HasPrefix(path, APIPrefix) ||
		strings.HasPrefix(path, VCenterPrefix)
}

type request struct {
	// operation is the method and the resource, for example "POST tag-association/{id}?attach".
	operation  string
	id         string
	query      url.Values
	spec       *spec
	object     *Object
	objects    []Object
	tagIDs     []string
	categoryID string
	patch      patch
}

// fields are the members of a request body. Under /api, a create or update body is the spec itself.
type fields struct {
	Create   *spec     `json:"create_spec"`
	Update   *spec     `json:"update_spec"`
	ObjectID *Object   `json:"object_id"`
	Objects  *[]Object `json:"object_ids"`
	TagIDs   *[]string `json:"tag_ids"`
	Category *string   `json:"category_id"`
}

type spec struct {
	CategoryID      string    `json:"category_id"`
	TagID           string    `json:"tag_id"`
	Name            *string   `json:"name"`
	Description     *string   `json:"description"`
	Cardinality     *string   `json:"cardinality"`
	AssociableTypes *[]string `json:"associable_types"`
}

func (s spec) change() change {
	u := change{Name: s.Name, Description: s.Description, Cardinality: s.Cardinality}
	if s.AssociableTypes != nil {
		bare := make([]string, 0, len(*s.AssociableTypes))
		for _, t := range *s.AssociableTypes {
			t, _, _ = strings.Cut(strings.TrimPrefix(t, "urn:vim25:"), ":")
			bare = append(bare, t)
		}
		u.AssociableTypes = &bare
	}
	return u
}

// ServeHTTP handles a tagging request.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := ProtocolOf(r)
	if f := s.outage(); f != nil {
		f.write(w, p)
		return
	}
	call, f := parse(r, p)
	if f != nil {
		f.write(w, p)
		return
	}
	op, found := operations[call.operation]
	isLater := p == API && !s.Has(op.since)
	if !found || isLater {
		noSuchOperation(r.URL.Path).write(w, p)
		return
	}
	if s.isDenied(op.privilege) {
		noPrivilege().write(w, p)
		return
	}
	v, f := op.run(s, call)
	if f != nil {
		f.write(w, p)
		return
	}
	s.send(w, p, op.status, v)
}

func parse(r *http.Request, p Protocol) (request, *fault) {
	c := request{query: r.URL.Query()}
	path := r.URL.Path
	action := c.query.Get("action")
	switch {
	case p == REST:
		path = strings.TrimPrefix(path, RESTPrefix)
		action = c.query.Get("~action")
	case strings.HasPrefix(path, VCenterPrefix):
		path = "vcenter/" + strings.TrimPrefix(path, VCenterPrefix)
	default:
		path = strings.TrimPrefix(path, APIPrefix)
	}
	resource := path
	id := ""
	hasID := false
	if !strings.HasPrefix(path, "vcenter/") {
		resource, id, hasID = strings.Cut(path, "/")
	}
	c.id = id
	if p == REST {
		c.id = strings.TrimPrefix(id, "id:")
	}
	c.operation = r.Method + " " + resource
	if hasID && id != "" {
		c.operation += "/{id}"
	}
	if action != "" {
		c.operation += "?" + action
	}
	if p == REST && c.operation == "POST tag/{id}?list-tags-for-category" {
		c.operation = "POST tag?list-tags-for-category"
		c.categoryID = c.id
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) == 0 {
		return c, nil
	}
	return c, c.decode(body, p)
}

// decode parses a body. It rejects bodies that are not objects, and fields of the wrong type.
func (c *request) decode(body []byte, p Protocol) *fault {
	var (
		f   fields
		err error
	)
	switch {
	case c.operation == "PATCH vcenter/associations":
		err = json.Unmarshal(body, &c.patch)
	case p == API && isSpec(c.operation):
		c.spec = &spec{}
		err = json.Unmarshal(body, c.spec)
	default:
		err = json.Unmarshal(body, &f)
		c.spec = f.Create
		if strings.HasPrefix(c.operation, http.MethodPatch) {
			c.spec = f.Update
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return invalid("vapi.json", "The body is not the JSON that the operation takes.")
	}
	c.object = f.ObjectID
	if f.Objects != nil {
		c.objects = nonNil(*f.Objects)
	}
	if f.TagIDs != nil {
		c.tagIDs = nonNil(*f.TagIDs)
	}
	if f.Category != nil {
		c.categoryID = *f.Category
	}
	return nil
}

func isSpec(operation string) bool {
	method, rest, _ := strings.Cut(operation, " ")
	isWrite := method == http.MethodPost || method == http.MethodPatch
	return isWrite && !strings.Contains(rest, "?")
}

func (s *Store) send(w http.ResponseWriter, p Protocol, status int, v any) {
	limit := s.answerLimit()
	if limit > 0 {
		if text, err := json.Marshal(v); err == nil && len(text) > limit {
			newFault(http.StatusInternalServerError, "internal_server_error",
				"com.vmware.vapi.endpoint.responseTooLarge", "The response is larger than the endpoint "+
					"allows.", nil).write(w, p)
			return
		}
	}
	Answer(w, p, status, v)
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
