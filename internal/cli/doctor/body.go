package doctor

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"encoding/xml"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
)

const maxNames = 1200

// fieldList contains the field names in the API contracts. elementList contains the element names in SOAP requests and
// responses.
//
//go:embed fields.txt
var fieldList string

//go:embed elements.txt
var elementList string

var fields, elements = wordSet(fieldList), wordSet(elementList)

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

func isXML(header http.Header) bool { return strings.HasPrefix(header.Get("Content-Type"), "text/xml") }

// fieldNames returns the known field names in a body, sorted, and the number of other names. It does not return the
// other names, because they might be object names.
func fieldNames(header http.Header, body []byte) string {
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
		text = text[:maxNames] + "..."
	}
	if len(others) > 0 {
		text += ", {" + countText(len(others), "other name", "other names") + "}"
	}
	return strings.TrimPrefix(text, ", ")
}

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

// elementsIn returns the names of the elements in the Body of a SOAP message.
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

func operationName(body []byte) string {
	if names := elementsIn(body); len(names) > 0 && elements[names[0]] {
		return names[0]
	}
	return "{operation}"
}

type totalType int

const (
	noTotal totalType = iota
	integerTotal
	otherTotal // not a whole number
)

func totalKind(body []byte) totalType {
	var page struct {
		Meta struct {
			Total any `json:"total"`
		} `json:"_meta"`
	}
	if json.Unmarshal(body, &page) != nil || page.Meta.Total == nil {
		return noTotal
	}
	if n, ok := page.Meta.Total.(float64); ok && n == math.Trunc(n) {
		return integerTotal
	}
	return otherTotal
}

// errorSummary returns the type of an error and its message IDs. Unknown values are replaced with placeholders.
func errorSummary(body []byte) string {
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
			parts = append(parts, wordOr(name, "{error type}"))
		}
	}
	for _, m := range append(doc.Messages, doc.Value.Messages...) {
		parts = append(parts, wordOr(m.ID, "{message id}"))
	}
	return strings.Join(slices.Compact(parts), " ")
}
