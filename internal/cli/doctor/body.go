// Bodies: names of fields that are on a list, lengths of lists, and types of errors.

package doctor

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

const (
	// maxNames is how long the names of a body are.
	maxNames = 1200

	ellipsis = "..."
)

// fieldList has the names of fields that both APIs document, elementList those of elements of the SOAP calls.
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

func isXML(header http.Header) bool { return strings.HasPrefix(header.Get("Content-Type"), "text/xml") }

// namesOf returns the names of the fields of a body that are on the list, sorted, and how many others there are. Keys
// of a map may be names of the system. It is empty for no body.
func namesOf(header http.Header, body []byte) string {
	if len(body) == 0 {
		return ""
	}
	names, list := elementsIn(body), elements
	if !isXML(header) {
		var value any
		if json.Unmarshal(body, &value) != nil {
			return "text"
		}
		names, list = keysIn(value), fields
	}
	listed, others := make(map[string]bool), make(map[string]bool)
	for _, name := range names {
		if list[name] {
			listed[name] = true
		} else {
			others[name] = true
		}
	}
	text := strings.Join(slices.Sorted(maps.Keys(listed)), ", ")
	if len(text) > maxNames {
		text = text[:maxNames] + ellipsis
	}
	if len(others) > 0 {
		text = strings.TrimPrefix(fmt.Sprintf("%s, {%s}", text, counted(len(others), "other name", "other names")), ", ")
	}
	return text
}

// keysIn returns the keys of all objects in a value.
func keysIn(value any) []string {
	var keys []string
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			keys = append(keys, keysIn(one)...)
		}
	case map[string]any:
		for name, one := range value {
			keys = append(append(keys, name), keysIn(one)...)
		}
	}
	return keys
}

// elementsIn returns the names of the elements in the body of a SOAP message, in their order.
func elementsIn(body []byte) []string {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	var names []string
	inside := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return names
		}
		start, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case inside:
			names = append(names, start.Name.Local)
		default:
			inside = start.Name.Local == "Body"
		}
	}
}

// operationOf returns the name of a SOAP call.
func operationOf(body []byte) string {
	if names := elementsIn(body); len(names) > 0 && elements[names[0]] {
		return names[0]
	}
	return "{operation}"
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
