// XML of workbooks, read tag by tag. The library decoder allocates memory for every tag, which is too slow for sheets
// with a million cells.

package inventoryfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxTagBytes limits a tag with its attributes. Texts are limited to the length of a row.
const (
	maxTagBytes = 64 << 10
	maxRowBytes = 4 << 20
)

var (
	errDoctype   = errors.New("contains a DOCTYPE declaration, which Excel never writes")
	errTruncated = errors.New("is truncated")
	errTooLong   = errors.New("a tag or text is too long")
)

type tagReader struct {
	r *bufio.Reader
	// text is the text before the tag. name is the local name of the tag.
	text, name, attributes []byte
	buffer                 []byte // of the tag
	// opens and closes are both set for an empty element.
	opens, closes bool
	depth         int
}

// next reads the next tag. It returns io.EOF after the end of the root element.
func (t *tagReader) next() error {
	t.text = t.text[:0]
	for {
		if err := t.readText(); err != nil {
			return err
		}
		head, err := t.r.Peek(1)
		if err != nil {
			return errTruncated
		}
		switch head[0] {
		case '?':
			err = t.skip("?>", false)
		case '!':
			err = t.declaration()
		default:
			return t.tag()
		}
		if err != nil {
			return err
		}
	}
}

func (t *tagReader) readText() error {
	for {
		part, err := t.r.ReadSlice('<')
		t.text = append(t.text, bytes.TrimSuffix(part, []byte("<"))...)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, io.EOF) && t.depth > 0:
			return errTruncated
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		case len(t.text) > maxRowBytes:
			return errTooLong
		}
	}
}

func (t *tagReader) declaration() error {
	head, err := t.r.Peek(len("![CDATA["))
	switch {
	case bytes.HasPrefix(head, []byte("!--")):
		return t.skip("-->", false)
	case string(head) == "![CDATA[":
		return t.skip("]]>", true)
	case bytes.HasPrefix(head, []byte("!DOC")):
		return errDoctype
	case err != nil:
		return errTruncated
	}
	return t.skip(">", false)
}

// skip skips everything up to end. With keep, it adds what it skips to the text, except the marks of a CDATA section.
func (t *tagReader) skip(end string, keep bool) error {
	start, length := len(t.text), 0
	for {
		c, err := t.r.ReadByte()
		if err != nil {
			return errTruncated
		}
		t.text = append(t.text, c)
		if length++; length > maxRowBytes {
			return errTooLong
		}
		if c != '>' || !bytes.HasSuffix(t.text[start:], []byte(end)) {
			continue
		}
		content := bytes.TrimPrefix(bytes.TrimSuffix(t.text[start:], []byte(end)), []byte("![CDATA["))
		t.text = t.text[:start]
		if keep {
			escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(string(content))
			t.text = append(t.text, escaped...)
		}
		return nil
	}
}

func (t *tagReader) tag() error {
	tag := t.buffer[:0]
	for {
		part, err := t.r.ReadSlice('>')
		tag = append(tag, part...)
		switch {
		case len(tag) > maxTagBytes:
			return errTooLong
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return errTruncated
		}
		if !endsInValue(tag) {
			break
		}
	}
	t.buffer = tag
	rest := tag[:len(tag)-1]
	t.opens, t.closes = true, bytes.HasSuffix(rest, []byte("/"))
	rest = bytes.TrimSuffix(rest, []byte("/"))
	if bytes.HasPrefix(rest, []byte("/")) {
		t.opens, t.closes, rest = false, true, rest[1:]
	}
	end := bytes.IndexAny(rest, " \t\r\n")
	if end < 0 {
		end = len(rest)
	}
	t.name, t.attributes = rest[bytes.IndexByte(rest[:end], ':')+1:end], rest[end:]
	switch {
	case t.opens && !t.closes:
		t.depth++
	case !t.opens:
		t.depth--
	}
	return nil
}

// endsInValue reports whether a tag ends within quotation marks. An attribute can contain the mark that ends a tag.
func endsInValue(tag []byte) bool {
	var open byte
	for _, c := range tag {
		switch {
		case open == 0 && (c == '"' || c == '\''):
			open = c
		case c == open:
			open = 0
		}
	}
	return open != 0
}

// is reports whether the tag has a name.
func (t *tagReader) is(name string) bool { return string(t.name) == name }

// attribute returns the value of an attribute without a namespace.
func (t *tagReader) attribute(name string) string {
	rest := t.attributes
	for {
		key, after, found := bytes.Cut(rest, []byte("="))
		if !found {
			return ""
		}
		after = bytes.TrimLeft(after, " \t\r\n")
		if len(after) == 0 {
			return ""
		}
		value, left, found := bytes.Cut(after[1:], after[:1])
		if !found {
			return ""
		}
		if string(bytes.TrimSpace(key)) == name {
			return string(value)
		}
		rest = left
	}
}

// appendText appends the text before the tag without references and without Excel's own escapes. It returns false if a
// reference is invalid.
func (t *tagReader) appendText(to []byte) ([]byte, bool) {
	text := t.text
	for {
		at := bytes.IndexAny(text, "&_")
		if at < 0 {
			return append(to, text...), true
		}
		to = append(to, text[:at]...)
		text = text[at:]
		if text[0] == '_' {
			if r, ok := excelEscape(text); ok {
				to, text = utf8.AppendRune(to, r), text[len("_x0000_"):]
			} else {
				to, text = append(to, '_'), text[1:]
			}
			continue
		}
		name, rest, found := bytes.Cut(text[1:], []byte(";"))
		r, ok := reference(string(name))
		if !found || !ok {
			return to, false
		}
		to, text = utf8.AppendRune(to, r), rest
	}
}

// excelEscape decodes an escape such as _x000D_.
func excelEscape(text []byte) (rune, bool) {
	const length = len("_x0000_")
	if len(text) < length || text[1] != 'x' || text[length-1] != '_' {
		return 0, false
	}
	code, err := strconv.ParseUint(string(text[2:length-1]), 16, 16)
	return rune(code), err == nil
}

var references = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

func reference(name string) (rune, bool) {
	if r, ok := references[name]; ok {
		return r, true
	}
	digits, base := strings.TrimPrefix(name, "#"), 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	code, err := strconv.ParseInt(digits, base, 32)
	return rune(code), err == nil && strings.HasPrefix(name, "#") && utf8.ValidRune(rune(code))
}
