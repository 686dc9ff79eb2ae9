// CSV: encodings, delimiters and limits.

package inventoryfile

import (
	"bufio"
	"bytes"
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
	records.FieldsPerRecord, records.ReuseRecord = -1, true
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
	for {
		row, line, err := next()
		if errors.Is(err, io.EOF) {
			inventory, err := b.finish(nil, nil)
			inventory.Encoding = encoding()
			return inventory, err
		}
		if err != nil {
			return Inventory{}, textError(err)
		}
		if err := b.add(row, line); err != nil {
			return Inventory{}, err
		}
	}
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
}

var errRecord = errors.New("record too long")

func (l *recordLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errRecord
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

func textError(err error) error {
	parse, _ := errors.AsType[*csv.ParseError](err)
	switch {
	case errors.Is(err, errRecord):
		return fileError("a row is longer than 4 MiB: is a quotation mark missing?")
	case errors.Is(err, csv.ErrQuote):
		return fileError("line %d: a quotation mark begins a cell that does not end with one: add the mark that ends the "+
			"cell, or remove the one that begins it", parse.StartLine)
	case errors.Is(err, csv.ErrBareQuote):
		return fileError("line %d: a quotation mark is within a cell that does not begin with one: put the cell between "+
			"quotation marks, and write the mark twice", parse.StartLine)
	}
	return err
}

func joined(names []string) string { return strings.Join(names, ", ") }

func sound(text string) bool {
	return (len(text) <= maxCellCharacters || utf8.RuneCountInString(text) <= maxCellCharacters) && utf8.ValidString(text)
}
