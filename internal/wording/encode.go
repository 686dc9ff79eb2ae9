package wording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// EncodeJSON encodes strings, numbers and maps of them as single-line JSON and escapes invisible characters.
func EncodeJSON(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) //nolint:errchkjson // strings, numbers and maps of them can always be encoded
	return escapeInvisible(strings.TrimSuffix(b.String(), "\n"), false)
}

// EncodeYAML encodes a value like EncodeJSON, but also escapes invisible characters beyond U+FFFF, as JSON cannot.
func EncodeYAML(value any) string { return escapeInvisible(EncodeJSON(value), true) }

func escapeInvisible(text string, beyond bool) string {
	const last = 0xffff
	var escaped strings.Builder
	for _, r := range text {
		switch {
		case !Invisible(r) && !Misleads(r), r > last && !beyond:
			escaped.WriteRune(r)
		case r > last:
			fmt.Fprintf(&escaped, `\U%08x`, r)
		default:
			fmt.Fprintf(&escaped, `\u%04x`, r)
		}
	}
	return escaped.String()
}
