package transport

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescaped is a string whose escape sequences have been decoded and whose line breaks have been removed. starts and
// ends map each byte to its range in the original string.
type unescaped struct {
	text   string
	starts []int
	ends   []int
}

// plain returns a text in which nothing has been decoded.
func plain(text string) unescaped {
	u := unescaped{text, make([]int, len(text)), make([]int, len(text))}
	for i := range len(text) {
		u.starts[i] = i
		u.ends[i] = i + 1
	}
	return u
}

// unescape decodes one level of escape sequences.
func (u unescaped) unescape() unescaped {
	var (
		text   strings.Builder
		starts = make([]int, 0, len(u.text))
		ends   = make([]int, 0, len(u.text))
	)
	for at := 0; at < len(u.text); {
		value, length := decodeEscape(u.text[at:])
		text.WriteString(value)
		for range len(value) {
			starts = append(starts, u.starts[at])
			ends = append(ends, u.ends[at+length-1])
		}
		at += length
	}
	return unescaped{text.String(), starts, ends}
}

// decodeEscape decodes the escape sequence or the byte at the beginning of a text. length is its length in the text.
func decodeEscape(text string) (value string, length int) {
	switch text[0] {
	case '\r', '\n':
		return "", 1
	case '&':
		if end := strings.IndexByte(text[:min(len(text), 12)], ';'); end > 0 {
			if value := html.UnescapeString(text[:end+1]); value != text[:end+1] {
				return value, end + 1
			}
		}
	case '%':
		if value, ok := decodeHexByte(text, 1); ok {
			return value, 3
		}
	case '\\':
		return decodeBackslash(text)
	}
	return text[:1], 1
}

func decodeBackslash(text string) (value string, length int) {
	if len(text) < 2 {
		return text, len(text)
	}
	switch text[1] {
	case 'n', 'r':
		return "", 2
	case 't':
		return "\t", 2
	case 'x':
		if value, ok := decodeHexByte(text, 2); ok {
			return value, 4
		}
	case 'u':
		if len(text) >= 6 {
			if code, err := strconv.ParseInt(text[2:6], 16, 32); err == nil && code >= 0 {
				return string(utf8.AppendRune(nil, rune(code))), 6
			}
		}
	case '"', '\'', '\\', '/':
		return text[1:2], 2
	}
	return text[:1], 1
}

func decodeHexByte(text string, at int) (string, bool) {
	if len(text) < at+2 {
		return "", false
	}
	code, err := strconv.ParseUint(text[at:at+2], 16, 8)
	if err != nil {
		return "", false
	}
	return string([]byte{byte(code)}), true
}
