// XML of workbooks, read tag by tag. The library decoder allocates memory for every tag, which is too slow for sheets
// with a million cells.

package inventoryfile

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxRowBytes limits a row, and a text with the tag that follows it.
const maxRowBytes = 4 << 20

var (
	errDoctype   = errors.New("contains a DOCTYPE declaration, which Excel never writes")
	errTruncated = errors.New("is truncated")
	errTooLong   = errors.New("a tag or text is too long")
)

// tagReader reads tags from a buffer that contains the text before the current tag and the tag.
type tagReader struct {
	source io.Reader
	buffer []byte
	// start is the start of the text, at is the next unread byte, and end is the end of the buffered bytes.
	start, at, end int
	// before contains the text before a comment or a CDATA section.
	before []byte

	// text is the text before the tag. name is the local name of the tag.
	text, name, attributes []byte
	// opens and closes are both set for an empty element.
	opens, closes bool
	depth         int
}

func newTagReader(source io.Reader) *tagReader {
	const bufferBytes = 64 << 10
	return &tagReader{source: source, buffer: make([]byte, bufferBytes)}
}

// more reads more bytes. It keeps those since start, so the positions change.
func (t *tagReader) more() error {
	if t.start > 0 {
		copy(t.buffer, t.buffer[t.start:t.end])
		t.at -= t.start
		t.end -= t.start
		t.start = 0
	}
	if t.end == len(t.buffer) {
		if t.end > maxRowBytes {
			return errTooLong
		}
		t.buffer = append(t.buffer, make([]byte, len(t.buffer))...)
	}
	n, err := io.ReadAtLeast(t.source, t.buffer[t.end:], 1)
	t.end += n
	return err
}

// next reads the next tag. It returns io.EOF after the end of the root element.
func (t *tagReader) next() error {
	t.before = t.before[:0]
	for {
		t.start = t.at
		if err := t.find('<'); err != nil {
			if errors.Is(err, io.EOF) && t.depth > 0 {
				return errTruncated
			}
			return err
		}
		length := t.at - 1 - t.start
		first, err := t.peek()
		if err != nil {
			return err
		}
		if first != '!' && first != '?' {
			return t.tag(length)
		}
		t.before = append(t.before, t.buffer[t.start:t.start+length]...)
		t.start = t.at
		if err := t.declaration(); err != nil {
			return err
		}
	}
}

// find moves behind the next mark.
func (t *tagReader) find(mark byte) error {
	for {
		if i := bytes.IndexByte(t.buffer[t.at:t.end], mark); i >= 0 {
			t.at += i + 1
			return nil
		}
		t.at = t.end
		if err := t.more(); err != nil {
			return err
		}
	}
}

func (t *tagReader) peek() (byte, error) {
	if t.at == t.end {
		if err := t.moreOfTag(); err != nil {
			return 0, err
		}
	}
	return t.buffer[t.at], nil
}

// moreOfTag reads more bytes, and returns errTruncated if there are none.
func (t *tagReader) moreOfTag() error {
	err := t.more()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errTruncated
	}
	return err
}

// declaration skips a comment, a processing instruction or a declaration. It keeps the text of a CDATA section.
func (t *tagReader) declaration() error {
	for {
		if err := t.find('>'); err != nil {
			if errors.Is(err, io.EOF) {
				return errTruncated
			}
			return err
		}
		tag := t.buffer[t.start:t.at]
		text, isData := bytes.CutPrefix(tag, []byte("![CDATA["))
		switch {
		case bytes.HasPrefix(tag, []byte("!DOCTYPE")):
			return errDoctype
		case bytes.HasPrefix(tag, []byte("!--")) && !bytes.HasSuffix(tag, []byte("-->")):
		case isData && !bytes.HasSuffix(text, []byte("]]>")):
		case isData:
			escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(string(text[:len(text)-len("]]>")]))
			t.before = append(t.before, escaped...)
			return nil
		default:
			return nil
		}
	}
}

// tag reads a tag up to its end. length is the length of the text before it.
func (t *tagReader) tag(length int) error {
	begin := t.at - t.start
	var quote byte
	nameEnd, i := -1, begin
	for ; ; i++ {
		if t.start+i == t.end {
			t.at = t.end
			if err := t.moreOfTag(); err != nil {
				return err
			}
		}
		c := t.buffer[t.start+i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '"', c == '\'':
			quote = c
			continue
		case nameEnd < 0 && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			nameEnd = i
			continue
		case c != '>':
			continue
		}
		break
	}
	t.at = t.start + i + 1
	t.text = t.buffer[t.start : t.start+length]
	if len(t.before) > 0 {
		t.before = append(t.before, t.text...)
		t.text = t.before
	}
	t.split(t.buffer[t.start+begin:t.start+i], nameEnd-begin)
	return nil
}

// split splits a tag into its name and attributes.
func (t *tagReader) split(tag []byte, nameEnd int) {
	t.opens, t.closes = true, false
	if n := len(tag); n > 0 && tag[n-1] == '/' {
		t.closes, tag = true, tag[:n-1]
	}
	if nameEnd < 0 || nameEnd > len(tag) {
		nameEnd = len(tag)
	}
	name := tag[:nameEnd]
	if len(name) > 0 && name[0] == '/' {
		t.opens = false
		t.closes = true
		name = name[1:]
	}
	t.name, t.attributes = name[bytes.IndexByte(name, ':')+1:], tag[nameEnd:]
	switch {
	case !t.opens:
		t.depth--
	case !t.closes:
		t.depth++
	}
}

// is reports whether the tag has a name.
func (t *tagReader) is(name string) bool { return string(t.name) == name }

// attribute returns the value of an attribute without a namespace. It is valid until the next tag.
func (t *tagReader) attribute(name string) []byte {
	rest := t.attributes
	for {
		equals := bytes.IndexByte(rest, '=')
		if equals < 0 {
			return nil
		}
		key, after := bytes.TrimSpace(rest[:equals]), bytes.TrimLeft(rest[equals+1:], " \t\r\n")
		if len(after) == 0 {
			return nil
		}
		end := bytes.IndexByte(after[1:], after[0])
		if end < 0 {
			return nil
		}
		if string(key) == name {
			return after[1 : end+1]
		}
		rest = after[end+2:]
	}
}

// appendText appends the text before the tag without references and without Excel's own escapes. It returns false if a
// reference is invalid.
func (t *tagReader) appendText(to []byte) ([]byte, bool) {
	text := t.text
	for {
		at := escapeIn(text)
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

// escapeIn returns the position of the first byte that can start a reference or an escape, or -1.
func escapeIn(text []byte) int {
	for i, c := range text {
		if c == '&' || c == '_' {
			return i
		}
	}
	return -1
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
