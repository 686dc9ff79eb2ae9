package inventoryfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// Windows1252 is Excel's default CSV encoding in most of Europe and America.
const Windows1252 = "Windows-1252"

// decodeText converts text to UTF-8. It detects UTF-16 by a byte order mark or zero bytes, and decodes text that is not
// valid UTF-8 as Windows-1252. encoding returns the detected encoding once the text has been read.
func decodeText(r *bufio.Reader) (text *bufio.Reader, encoding func() string, err error) {
	head, err := r.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, nil, err
	}
	if isJSON(head) {
		return nil, nil, fileError("the file is JSON, such as a plan or a state. An inventory file is a workbook, a " +
			"CSV file or an archive of CSV files")
	}
	mark := bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
	little, big := countZeros(head, 1), countZeros(head, 0)
	eight := &utf8Or1252{}
	var decoder transform.Transformer = eight
	switch {
	case mark:
		decoder = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case little > 0 && big == 0:
		decoder = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case big > 0 && little == 0:
		decoder = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	case little+big > 0:
		return nil, nil, fileError("the file is neither an Excel file nor a text file")
	default:
		if bytes.HasPrefix(head, []byte("\ufeff")) {
			eight.isUTF8 = true
			if _, err := r.Discard(len("\ufeff")); err != nil {
				return nil, nil, err
			}
		}
	}
	// When files are concatenated, each may begin with a byte order mark.
	marks := runes.Remove(runes.Predicate(func(r rune) bool { return r == '\ufeff' }))
	return bufio.NewReaderSize(transform.NewReader(r, transform.Chain(decoder, marks)), headBytes), eight.encoding, nil
}

// utf8Or1252 decodes UTF-8. If all bytes before the first invalid byte are ASCII, the rest is decoded as Windows-1252.
type utf8Or1252 struct {
	transform.NopResetter

	isUTF8, isWindows bool
}

var errEncoding = &FileError{Detail: "the text is neither UTF-8 nor " + Windows1252 +
	`. Save the file as "CSV UTF-8", or export it again`}

func (e *utf8Or1252) encoding() string {
	if e.isWindows {
		return Windows1252
	}
	return ""
}

func (e *utf8Or1252) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	for read < len(src) {
		r, size := utf8.DecodeRune(src[read:])
		switch {
		case size == 1 && r != utf8.RuneError: // ASCII in both encodings
		case e.isWindows:
			r, size = charmap.Windows1252.DecodeByte(src[read]), 1
			if r == utf8.RuneError {
				return written, read, errEncoding
			}
		case size > 1:
			e.isUTF8 = true
		case !atEOF && !utf8.FullRune(src[read:]):
			return written, read, transform.ErrShortSrc
		case e.isUTF8:
			return written, read, errEncoding
		default:
			e.isWindows = true
			continue
		}
		if len(dst)-written < utf8.RuneLen(r) {
			return written, read, transform.ErrShortDst
		}
		written += utf8.EncodeRune(dst[written:], r)
		read += size
	}
	return written, read, nil
}

// countZeros counts the zero bytes at even positions if odd is 0, or at odd positions if odd is 1.
func countZeros(head []byte, odd int) int {
	n := 0
	for i := odd; i < len(head); i += 2 {
		if head[i] == 0 {
			n++
		}
	}
	return n
}

// isJSON reports whether a text begins with the first name of a JSON object.
func isJSON(head []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(head), []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`"`))
}
