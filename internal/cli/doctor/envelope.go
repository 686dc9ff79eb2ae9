// SOAP bodies as trees.

package doctor

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strconv"
	"strings"
)

func isXML(header http.Header) bool { return strings.HasPrefix(header.Get("Content-Type"), "text/xml") }

// operationOf returns the name of a SOAP call.
func operationOf(body []byte) string {
	for name := range treeOf(body) {
		if elements[name] {
			return name
		}
	}
	return "{operation}"
}

// treeOf returns what the SOAP body contains: elements by name, lists of those that repeat, and texts.
func treeOf(body []byte) map[string]any {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	for {
		token, err := decoder.Token()
		if err != nil {
			return nil
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "Body" {
			tree, _ := childOf(decoder, 0).(map[string]any)
			return tree
		}
	}
}

// childOf reads an element up to its end.
func childOf(decoder *xml.Decoder, depth int) any {
	children := make(map[string]any)
	var text strings.Builder
	for {
		token, err := decoder.Token()
		if err != nil || depth > 2*maxDepth {
			return children
		}
		switch token := token.(type) {
		case xml.StartElement:
			child := childOf(decoder, depth+1)
			switch known := children[token.Name.Local].(type) {
			case nil:
				children[token.Name.Local] = child
			case repeated:
				children[token.Name.Local] = append(known, child)
			default:
				children[token.Name.Local] = repeated{known, child}
			}
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			if len(children) > 0 {
				return lists(children)
			}
			return leaf(strings.TrimSpace(text.String()))
		}
	}
}

// repeated are elements of one name.
type repeated []any

func lists(children map[string]any) map[string]any {
	for name, child := range children {
		if list, ok := child.(repeated); ok {
			children[name] = []any(list)
		}
	}
	return children
}

// leaf returns a text as a value of its type.
func leaf(text string) any {
	if text == "true" || text == "false" {
		return text == "true"
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return text
}
