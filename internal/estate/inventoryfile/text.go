// CSV files: a single file, or the files of a folder or of an archive.

package inventoryfile

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/wording"
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
	// mapped contains the headers that the user maps, by field.
	mapped map[string]string
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
	records.Comma = t.delimiter(head)
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
		cleanCells(row)
		if err := visit(row, number); err != nil {
			return err
		}
	}
}

// cleanCells removes characters from cells that could disguise the text around a name.
func cleanCells(cells []string) {
	for i, cell := range cells {
		cells[i] = wording.Clean(cell)
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

// delimiter returns the delimiter of the header row: with which a row has the most known headers, else with which a row
// and its successor have the most cells. The first of equal rows decides, because cells below can have decimal commas.
func (t *textTables) delimiter(head []byte) rune {
	rest, found := bytes.CutPrefix(head, []byte("sep="))
	if found && len(rest) > 0 && rest[0] != '\r' && rest[0] != '\n' {
		return rune(rest[0])
	}
	known := knownHeaders(t.mapped)
	best, most := ',', headerRow{}
	for _, candidate := range []rune{',', ';', '\t', '|'} {
		if row := findHeaderRow(head, candidate, known); row.isBetter(most) {
			best, most = candidate, row
		}
	}
	return best
}

// headerRow is the probable header row of a text with a delimiter.
type headerRow struct{ known, cells, line int }

func (r headerRow) isBetter(other headerRow) bool {
	return cmp.Or(cmp.Compare(r.known, other.known), cmp.Compare(r.cells, other.cells),
		cmp.Compare(other.line, r.line)) > 0
}

func findHeaderRow(head []byte, delimiter rune, known map[string]bool) headerRow {
	records := csv.NewReader(bytes.NewReader(head))
	records.Comma = delimiter
	records.LazyQuotes = true
	records.FieldsPerRecord = -1
	var found headerRow
	before := 0
	for line := range maxHeaderRow + 1 {
		row, err := records.Read()
		if err != nil {
			if line == 1 { // a header row without rows
				found.cells = max(found.cells, before)
			}
			break
		}
		found.known = max(found.known, countKnown(row, known))
		if cells := min(before, len(row)); cells > found.cells {
			found.cells, found.line = cells, line
		}
		before = len(row)
	}
	return found
}

// countKnown counts the known headers of a row. A single one can be part of a title.
func countKnown(row []string, known map[string]bool) int {
	count := 0
	for _, cell := range row {
		if known[normalize(cell)] {
			count++
		}
	}
	if count < 2 {
		return 0
	}
	return count
}

// knownHeaders returns the mapped headers or, without a mapping, those of exports and the names of fields.
func knownHeaders(mapped map[string]string) map[string]bool {
	known := make(map[string]bool)
	for _, header := range mapped {
		known[normalize(header)] = true
	}
	if len(known) > 0 {
		return known
	}
	for _, field := range Fields() {
		known[field] = true
	}
	for _, export := range vmTables {
		for _, headers := range export.headers {
			for _, header := range headers {
				known[normalize(header)] = true
			}
		}
	}
	return known
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
		return fileError("line %d: a cell starts with a quotation mark but does not end with one. Add the closing "+
			"mark, or remove the opening one", parse.StartLine)
	case errors.Is(err, csv.ErrBareQuote):
		return fileError("line %d: a cell contains a quotation mark but does not start with one. Enclose the cell in "+
			"quotation marks, and double the mark inside it", parse.StartLine)
	}
	return err
}
