// CSV files: a single file, or the files of a folder or of an archive.

package inventoryfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

const (
	csvExtension = ".csv"
	headBytes    = 64 << 10
	// maxRecordBytes limits a record, because a missing quotation mark would extend it to the end of the file.
	maxRecordBytes = 4 << 20
)

// textTables are CSV files by name.
type textTables struct {
	files []textFile
	// encodings contains the encodings of the files that have been read.
	encodings map[string]string
}

type textFile struct {
	name string
	open func() (io.ReadCloser, error)
}

func newTextTables(files ...textFile) *textTables {
	return &textTables{files: files, encodings: map[string]string{}}
}

func (t *textTables) names() []string {
	names := make([]string, 0, len(t.files))
	for _, file := range t.files {
		names = append(names, file.name)
	}
	return names
}

func (t *textTables) read(table string, visit func(cells []string, number int) error) (err error) {
	i := slices.IndexFunc(t.files, func(f textFile) bool { return f.name == table })
	file, err := t.files[i].open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	text, encoding, err := decodeText(bufio.NewReaderSize(&sizeLimit{r: file, left: maxTextBytes}, headBytes))
	if err != nil {
		return err
	}
	head, err := text.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return textError(err)
	}
	limited := &recordLimit{r: text}
	records := csv.NewReader(limited)
	records.Comma = delimiter(head)
	records.FieldsPerRecord, records.ReuseRecord = -1, true
	for {
		limited.left = maxRecordBytes
		row, err := records.Read()
		if errors.Is(err, io.EOF) {
			t.encodings[table] = encoding()
			return nil
		}
		if err != nil {
			return textError(err)
		}
		number, _ := records.FieldPos(0)
		if !slices.ContainsFunc(row, isFilled) || isDirective(row, number) {
			continue
		}
		if err := visit(row, number); err != nil {
			return err
		}
	}
}

// isDirective reports whether a first line is written for a program: the delimiter for Excel, or the type of
// PowerShell.
func isDirective(row []string, number int) bool {
	first := strings.ToLower(row[0])
	return number == 1 && (strings.HasPrefix(first, "#type ") || strings.HasPrefix(first, "sep="))
}

// textHeaders returns the kinds of headers of a CSV file without a column mapping.
func textHeaders(o Options) []headerKind {
	var kinds []headerKind
	if o.Format != RVTools && o.Format != LiveOptics {
		kinds = append(kinds, headerKind{format: CSV, own: true})
	}
	for _, known := range vmTables {
		if o.Format == known.format || o.Format == Auto || o.Format == "" {
			kinds = append(kinds, headerKind{format: known.format, headers: known.headers, isText: true})
		}
	}
	return kinds
}

// delimiter returns the delimiter with which the header row and the row that follows it have the most cells.
func delimiter(head []byte) rune {
	if rest, found := bytes.CutPrefix(head, []byte("sep=")); found && len(rest) > 0 && rest[0] != '\r' && rest[0] != '\n' {
		return rune(rest[0])
	}
	best, most := ',', 0
	for _, candidate := range []rune{',', ';', '\t', '|'} {
		records := csv.NewReader(bytes.NewReader(head))
		records.Comma, records.LazyQuotes, records.FieldsPerRecord = candidate, true, -1
		before := 0
		for line := range maxHeaderRow + 1 {
			row, err := records.Read()
			if err != nil {
				if line == 1 { // a header row without rows
					most, best = pickWider(before, candidate, most, best)
				}
				break
			}
			most, best = pickWider(min(before, len(row)), candidate, most, best)
			before = len(row)
		}
	}
	return best
}

func pickWider(cells int, candidate rune, most int, best rune) (int, rune) {
	if cells > most {
		return cells, candidate
	}
	return most, best
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
