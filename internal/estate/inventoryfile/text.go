// CSV: encodings, delimiters and limits.

package inventoryfile

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxRecordBytes limits a record: an open quotation mark would otherwise make one of the rest of the file.
const maxRecordBytes = 4 << 20

func readText(r *bufio.Reader, o Options) (Inventory, error) {
	if o.Format == LiveOptics {
		return Inventory{}, fileError("Live Optics exports are xlsx files, and this file is text")
	}
	text, encoding, err := decoded(r)
	if err != nil {
		return Inventory{}, err
	}
	head, err := text.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return Inventory{}, textError(err)
	}
	limited := &recordLimit{r: text}
	records := csv.NewReader(limited)
	records.Comma = delimiter(head)
	records.FieldsPerRecord, records.LazyQuotes, records.ReuseRecord = -1, true, true
	next := func() (row []string, number int, err error) {
		limited.left = maxRecordBytes
		row, err = records.Read()
		if err != nil {
			return nil, 0, err
		}
		number, _ = records.FieldPos(0)
		return row, number, nil
	}
	header, _, err := next()
	if errors.Is(err, io.EOF) {
		return Inventory{}, fileError("the file has no headers")
	}
	if err != nil {
		return Inventory{}, textError(err)
	}
	b, err := textBuilder(header, o)
	if err != nil {
		return Inventory{}, err
	}
	spanning := spans{columns: len(header), delimiter: string(records.Comma), tail: &limited.tail}
	for {
		row, line, err := next()
		if errors.Is(err, io.EOF) {
			if err := cmp.Or(spanning.swallows(), spanning.open()); err != nil {
				return Inventory{}, err
			}
			inventory, err := b.finish(nil, nil)
			inventory.Encoding = encoding()
			return inventory, err
		}
		if err != nil {
			return Inventory{}, textError(err)
		}
		spanning.observe(row, line)
		if err := b.add(row, line); err != nil {
			return Inventory{}, cmp.Or(spanning.swallows(), err)
		}
	}
}

// spans finds a quotation mark that is not closed: it makes a cell of the lines up to the next one.
type spans struct {
	columns   int
	delimiter string
	// tail has the last bytes that were read.
	tail *[]byte
	// swallowed is the line of the first record whose cells contain a whole row, short that of the only one that spans
	// lines, if it has too few cells, and last that of the last record, if its last cell spans lines.
	swallowed, short, last int
	records                int
}

func (s *spans) observe(row []string, line int) {
	s.last = 0
	spanning := false
	for i, text := range row {
		lines := strings.Split(text, "\n")
		begun := i + strings.Count(lines[0], s.delimiter) // delimiters in the first line, if the mark is not closed
		for n, one := range lines[1:] {
			delimiters := strings.Count(one, s.delimiter)
			if n == len(lines)-2 {
				delimiters += len(row) - 1 - i // the rest of the record is on the cell's last line
			}
			if s.swallowed == 0 && s.columns > 1 && delimiters >= s.columns-1 && begun >= s.columns-1 {
				s.swallowed = line
			}
		}
		spanning = spanning || len(lines) > 1
		if i == len(row)-1 && len(lines) > 1 {
			s.last = line
		}
	}
	if !spanning {
		return
	}
	s.short = 0
	if s.records++; s.records == 1 && len(row) < s.columns {
		s.short = line
	}
}

func (s *spans) swallows() error {
	if s.swallowed == 0 {
		return nil
	}
	return fileError("line %d: a quotation mark begins a cell that contains the next rows: add the mark that ends the "+
		"cell, or remove the one that begins it", s.swallowed)
}

// open fails for a cell that continues to the end of the file, and for one after which cells are missing.
func (s *spans) open() error {
	line := s.short
	if end := bytes.TrimRight(*s.tail, "\r\n"); line == 0 && (len(end)-len(bytes.TrimRight(end, `"`)))%2 == 0 {
		line = s.last
	}
	if line == 0 {
		return nil
	}
	return fileError("line %d: a quotation mark begins a cell that continues in the next line and does not end: add "+
		"the mark that ends the cell, or remove the one that begins it", line)
}

func textBuilder(header []string, o Options) (*builder, error) {
	b := &builder{options: o, format: RVTools, headers: rvtoolsHeaders}
	if len(o.Columns) == 0 && o.Format != RVTools {
		o.Columns = ownFields(header)
	}
	if len(o.Columns) == 0 && o.Format == CSV {
		return nil, &FileError{
			Detail:  fmt.Sprintf("format %q needs columns, which maps fields to headers of the file", CSV),
			Columns: likely(header),
		}
	}
	if len(o.Columns) > 0 {
		b.format, b.headers = CSV, nil
		found, err := mapped(header, o.Columns)
		if err != nil {
			return nil, err
		}
		return b, b.begin(found, header)
	}
	found, missing := known(header, rvtoolsHeaders)
	if missing != nil {
		return nil, &FileError{
			Detail: fmt.Sprintf("the file is no RVTools export of vInfo: it has no column %s. For another CSV, set columns",
				quoted(missing)),
			Columns: likely(header),
		}
	}
	return b, b.begin(found, header)
}

const headBytes = 64 << 10

func delimiter(head []byte) rune {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	best, most := ',', 0
	for _, candidate := range []rune{',', ';', '\t'} {
		records := csv.NewReader(bytes.NewReader(line))
		records.Comma, records.LazyQuotes = candidate, true
		if row, err := records.Read(); err == nil && len(row) > most {
			best, most = candidate, len(row)
		}
	}
	return best
}

type recordLimit struct {
	r    io.Reader
	left int
	tail []byte
}

// tailBytes is enough for the quotation marks and the line breaks that end a file.
const tailBytes = 64

var errRecord = errors.New("record too long")

func (l *recordLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errRecord
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	l.tail = append(l.tail, p[max(0, n-tailBytes):n]...)
	l.tail = l.tail[max(0, len(l.tail)-tailBytes):]
	return n, err
}

func textError(err error) error {
	if errors.Is(err, errRecord) {
		return fileError("a row is longer than 4 MiB: is a quotation mark missing?")
	}
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return fileError("line %d is no CSV: %v", parse.Line, parse.Err)
	}
	return err
}

func joined(names []string) string { return strings.Join(names, ", ") }

func sound(text string) bool {
	return (len(text) <= maxCellCharacters || utf8.RuneCountInString(text) <= maxCellCharacters) && utf8.ValidString(text)
}
