package document

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"terraform-provider-vsla/internal/wording"
)

// clean applies wording.Clean to all strings of a JSON text, including names.
func clean(text []byte) []byte {
	cleaned := make([]byte, 0, len(text))
	for {
		i := slices.IndexFunc(text, func(b byte) bool { return b == '\\' || b >= utf8.RuneSelf })
		if i < 0 {
			return append(cleaned, text...)
		}
		cleaned = append(cleaned, text[:i]...)
		text = text[i:]
		r, length := utf8.DecodeRune(text)
		switch {
		case r == '\\':
			length = escapeLength(text)
			cleaned = append(cleaned, cleanEscape(text[:length])...)
		case wording.Misleads(r):
			cleaned = utf8.AppendRune(cleaned, utf8.RuneError)
		default:
			cleaned = append(cleaned, text[:length]...)
		}
		text = text[length:]
	}
}

// escapeLength returns the length of the escape sequence at the start of a text, which may be cut off.
func escapeLength(text []byte) int {
	const short, long = len(`\n`), len(`\u0000`)
	if bytes.HasPrefix(text, []byte(`\u`)) {
		return min(long, len(text))
	}
	return min(short, len(text))
}

// cleanEscape returns an escape sequence or, if its character could disguise the surrounding text, the replacement.
func cleanEscape(escape []byte) []byte {
	var value string
	if json.Unmarshal(slices.Concat([]byte(`"`), escape, []byte(`"`)), &value) != nil {
		return escape
	}
	if cleaned := wording.Clean(value); cleaned != value {
		return []byte(cleaned)
	}
	return escape
}

// repeatedName returns a name that an object of a JSON text has more than once, or "" if there is none.
func repeatedName(text []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var objects []map[string]bool // nil for a list
	isName := false
	for {
		token, err := decoder.Token()
		if err != nil { // the end, or an error that Unmarshal explains
			return ""
		}
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{':
				objects = append(objects, map[string]bool{})
			case '[':
				objects = append(objects, nil)
			default:
				objects = objects[:len(objects)-1]
			}
		case string:
			if isName {
				names := objects[len(objects)-1]
				if names[t] {
					return t
				}
				names[t] = true
				isName = false
				continue
			}
		}
		isName = len(objects) > 0 && objects[len(objects)-1] != nil
	}
}
