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

// ambiguousName returns a name or an address of a JSON text that looks like another one after clean, or "" if there is
// none.
func ambiguousName(text []byte) string {
	r := nameReader{decoder: json.NewDecoder(bytes.NewReader(text))}
	original := make(map[string]string) // by cleaned name
	for {
		name, err := r.next()
		if err != nil { // the end, or an error that Unmarshal explains
			return ""
		}
		cleaned := wording.Clean(name)
		if other, known := original[cleaned]; known && other != name {
			return cleaned
		}
		original[cleaned] = name
	}
}

// nameReader reads the names of the members of all objects, and the values of members with the name address.
type nameReader struct {
	decoder  *json.Decoder
	inObject []bool
	// isValue reports whether the next token is the value of a member, and isAddress whether this is an address.
	isValue, isAddress bool
}

func (r *nameReader) next() (string, error) {
	for {
		token, err := r.decoder.Token()
		if err != nil {
			return "", err
		}
		isMember := len(r.inObject) > 0 && r.inObject[len(r.inObject)-1]
		isName, isAddress := isMember && !r.isValue, r.isAddress
		r.isValue, r.isAddress = false, false
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				r.inObject = append(r.inObject, t == '{')
			} else {
				r.inObject = r.inObject[:len(r.inObject)-1]
			}
		case string:
			r.isValue, r.isAddress = isName, isName && t == "address"
			if isName || isAddress {
				return t, nil
			}
		}
	}
}
