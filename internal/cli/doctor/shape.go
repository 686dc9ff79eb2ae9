// Shapes of bodies: names of fields that are on a list, and types.

package doctor

import (
	_ "embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

const (
	// maxDepth is how deep a shape goes, maxShape how long one is.
	maxDepth = 12
	maxShape = 1200

	ellipsis = "..."
)

// fieldList has the names of fields that both APIs document, soapList those of elements of the SOAP calls.
//
//go:embed fields.txt
var fieldList string

//go:embed elements.txt
var elementList string

var fields, elements = setOf(fieldList), setOf(elementList)

func setOf(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// shape describes the values at one place.
type shape struct {
	kinds   map[string]bool
	objects int
	fields  map[string]*shape
	present map[string]int
	element *shape
}

func newShape() *shape {
	return &shape{kinds: make(map[string]bool), fields: make(map[string]*shape), present: make(map[string]int)}
}

// add takes in a value. Names that are not in the list become one placeholder, because the keys of a map may be names
// of the system.
func (s *shape) add(value any, list map[string]bool, depth int) {
	if depth > maxDepth {
		s.kinds[ellipsis] = true
		return
	}
	switch value := value.(type) {
	case nil:
		s.kinds["null"] = true
	case bool:
		s.kinds["boolean"] = true
	case float64:
		s.kinds["number"] = true
	case []any:
		s.kinds["array"] = true
		if s.element == nil {
			s.element = newShape()
		}
		for _, one := range value {
			s.element.add(one, list, depth+1)
		}
	case map[string]any:
		s.kinds["object"] = true
		s.objects++
		here := make(map[string]bool)
		for name, one := range value {
			if !list[name] {
				name = "{key}"
			}
			if s.fields[name] == nil {
				s.fields[name] = newShape()
			}
			s.fields[name].add(one, list, depth+1)
			here[name] = true
		}
		for name := range here {
			s.present[name]++
		}
	default:
		s.kinds["string"] = true
	}
}

// String returns for example `{id: string, tags?: [string], parent: null|string}`; a question mark follows the name of
// a field that not all objects have.
func (s *shape) String() string {
	parts := make([]string, 0, len(s.kinds))
	for _, kind := range slices.Sorted(maps.Keys(s.kinds)) {
		switch kind {
		case "array":
			kind = "[" + s.element.String() + "]"
		case "object":
			kind = s.object()
		}
		parts = append(parts, kind)
	}
	return strings.Join(parts, "|")
}

func (s *shape) object() string {
	parts := make([]string, 0, len(s.fields))
	for _, name := range slices.Sorted(maps.Keys(s.fields)) {
		mark := ": "
		if s.present[name] < s.objects {
			mark = "?: "
		}
		parts = append(parts, name+mark+s.fields[name].String())
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// shapeOf returns the shape of a body; empty for none.
func shapeOf(header http.Header, body []byte) string {
	if len(body) == 0 {
		return ""
	}
	s := newShape()
	if isXML(header) {
		s.add(treeOf(body), elements, 0)
	} else {
		var value any
		if json.Unmarshal(body, &value) != nil {
			return "text"
		}
		s.add(value, fields, 0)
	}
	text := s.String()
	if len(text) > maxShape {
		text = text[:maxShape] + ellipsis
	}
	return text
}

// elementsOf returns the length of the longest list that is the answer, or a field of it.
func elementsOf(body []byte) int {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return 0
	}
	return longest(value, 2) //nolint:mnd // below /rest a list may be in an object in "value"
}

func longest(value any, depth int) int {
	n := 0
	switch value := value.(type) {
	case []any:
		return len(value)
	case map[string]any:
		for _, one := range value {
			if depth > 0 {
				n = max(n, longest(one, depth-1))
			}
		}
	}
	return n
}

// errorTypes are those of vAPI.
var errorTypes = strings.Fields(`ALREADY_EXISTS ALREADY_IN_DESIRED_STATE CANCELED CONCURRENT_CHANGE ERROR FEATURE_IN_USE
	INTERNAL_SERVER_ERROR INVALID_ARGUMENT INVALID_ELEMENT_CONFIGURATION INVALID_ELEMENT_TYPE INVALID_REQUEST
	NOT_ALLOWED_IN_CURRENT_STATE NOT_FOUND OPERATION_NOT_FOUND RESOURCE_BUSY RESOURCE_INACCESSIBLE RESOURCE_IN_USE
	SERVICE_UNAVAILABLE TIMED_OUT UNABLE_TO_ALLOCATE_RESOURCE UNAUTHENTICATED UNAUTHORIZED UNEXPECTED_INPUT UNSUPPORTED
	UNVERIFIED_PEER`)

// messageIDs are the ids of messages that vsla knows.
var messageIDs = []string{
	"com.vmware.vapi.rest.operationsForUrlNotFound", "com.vmware.vapi.rest.httpNotFound",
	"com.vmware.vapi.rest.badRequest", "com.vmware.vapi.endpoint.method.authentication.required",
	"com.vmware.vapi.endpoint.failedToLoginMaxUserSessionCountReached", "vapi.data.structure.field.missing",
	"vapi.method.input.invalid.method", "vapi.method.input.invalid.interface", "vapi.method.authentication.required",
}

// errorOf returns the type of an error and the ids of its messages, as far as they are on a list.
func errorOf(body []byte) string {
	type content struct {
		ErrorType string `json:"error_type"`
		Messages  []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	var doc struct {
		content

		Type  string  `json:"type"`
		Value content `json:"value"`
	}
	if json.Unmarshal(body, &doc) != nil {
		return ""
	}
	var parts []string
	for _, name := range []string{doc.ErrorType, doc.Value.ErrorType, doc.Type} {
		name = strings.ToUpper(name[strings.LastIndexByte(name, '.')+1:])
		if name != "" {
			parts = append(parts, known(errorTypes, name, "{error type}"))
		}
	}
	for _, m := range append(doc.Messages, doc.Value.Messages...) {
		parts = append(parts, known(messageIDs, m.ID, "{message id}"))
	}
	return strings.Join(slices.Compact(parts), " ")
}
