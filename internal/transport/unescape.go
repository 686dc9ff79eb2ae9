package transport

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// deepest is the maximum depth of nested escapes.
const deepest = 4

// unescaped is a text without escapes and line breaks. starts and ends map each byte to its range in the original
// text.
type unescaped struct {
	text         string
	starts, ends []int
}

// plain returns a text without unescaping it.
func plain(text string) unescaped {
	u := unescaped{text, make([]int, len(text)), make([]int, len(text))}
	for i := range len(text) {
		u.starts[i], u.ends[i] = i, i+1
	}
	return u
}

// undo removes one layer of escapes: HTML entities, percent encoding and backslashes.
func (u unescaped) undo() unescaped {
	var (
		text   strings.Builder
		starts = make([]int, 0, len(u.text))
		ends   = make([]int, 0, len(u.text))
	)
	for at := 0; at < len(u.text); {
		value, length := escape(u.text[at:])
		text.WriteString(value)
		for range len(value) {
			starts, ends = append(starts, u.starts[at]), append(ends, u.ends[at+length-1])
		}
		at += length
	}
	return unescaped{text.String(), starts, ends}
}

// escape returns the value and length of the escape at the beginning of text, or of its first byte.
func escape(text string) (value string, length int) {
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
		if value, ok := hexByte(text, 1); ok {
			return value, 3
		}
	case '\\':
		return backslash(text)
	}
	return text[:1], 1
}

func backslash(text string) (value string, length int) {
	if len(text) < 2 {
		return text, len(text)
	}
	switch text[1] {
	case 'n', 'r':
		return "", 2
	case 't':
		return "\t", 2
	case 'x':
		if value, ok := hexByte(text, 2); ok {
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

// hexByte parses the two hexadecimal digits at a position.
func hexByte(text string, at int) (string, bool) {
	if len(text) < at+2 {
		return "", false
	}
	code, err := strconv.ParseUint(text[at:at+2], 16, 8)
	if err != nil {
		return "", false
	}
	return string([]byte{byte(code)}), true
}
