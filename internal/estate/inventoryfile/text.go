// CSV files.

package inventoryfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// maxRecordBytes limits a record, because a missing quotation mark would extend it to the end of the file.
const maxRecordBytes = 4 << 20

func readText(r *bufio.Reader, o Options) (Inventory, error) {
	if o.Format == LiveOptics {
		return Inventory{}, fileError("Live Optics exports are xlsx files, but this is a text file")
	}
	text, encoding, err := decodeText(r)
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
			inventory, err := b.build(nil, nil)
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
			Detail:  fmt.Sprintf("format %q requires columns, which maps fields to headers in the file", CSV),
			Columns: guessColumns(header),
		}
	}
	if len(o.Columns) > 0 {
		b.format, b.headers = CSV, nil
		found, err := mapColumns(header, o.Columns)
		if err != nil {
			return nil, err
		}
		return b, b.setLayout(found, header)
	}
	found, missing := matchHeaders(header, rvtoolsHeaders)
	if missing != nil {
		return nil, &FileError{
			Detail: fmt.Sprintf("the file is not an RVTools export of vInfo: it has no column %s. For other CSV files, set "+
				"columns", quoted(missing)),
			Columns: guessColumns(header),
		}
	}
	return b, b.setLayout(found, header)
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

func textError(err error) error {
	parse, _ := errors.AsType[*csv.ParseError](err)
	switch {
	case errors.Is(err, errRecord):
		return fileError("a row is longer than 4 MiB; a quotation mark may be missing")
	case errors.Is(err, csv.ErrQuote):
		return fileError("line %d: a cell starts with a quotation mark but does not end with one. Add the closing mark, or "+
			"remove the opening one", parse.StartLine)
	case errors.Is(err, csv.ErrBareQuote):
		return fileError("line %d: a cell contains a quotation mark but does not start with one. Enclose the cell in "+
			"quotation marks, and double the mark inside it", parse.StartLine)
	}
	return err
}
