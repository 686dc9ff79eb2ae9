// Excel workbooks, read row by row. Formulas are not evaluated; their stored results are used.

package inventoryfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

const (
	// Larger sheets are unpacked to a temporary file.
	inMemoryBytes = 8 << 20
	// Some exports have a title above the header row.
	maxHeaderRow = 10
)

// vmSheets contains the names of the VM sheet by format. RVTools names its CSV files tabvInfo, and some scripts use
// this as a sheet name.
var vmSheets = []struct {
	format  string
	names   []string
	headers map[string][]string
}{
	{RVTools, []string{"vInfo", "tabvInfo"}, rvtoolsHeaders},
	{LiveOptics, []string{"VMs"}, liveOpticsHeaders},
}

// RVTools sheets of disks and file systems.
var (
	diskSheets       = []string{"vDisk", "tabvDisk"}
	fileSystemSheets = []string{"vPartition", "tabvPartition"}
)

// readWorkbook reads a workbook. head starts at the beginning of the file, even if r has already been read.
func readWorkbook(r, head io.Reader, o Options) (Inventory, error) {
	if o.Format == CSV && len(o.Columns) == 0 {
		return Inventory{}, fileError("format %q requires columns, which maps fields to headers in the file", CSV)
	}
	content, err := toSeekable(r, head)
	if err != nil {
		return Inventory{}, err
	}
	a, err := openArchive(content)
	if err != nil {
		return Inventory{}, err
	}
	if len(o.Columns) > 0 {
		return readMapped(a, o)
	}
	for _, s := range vmSheets {
		sheet := a.findSheet(s.names)
		if sheet == "" || o.Format != s.format && o.Format != Auto && o.Format != "" {
			continue
		}
		b := &builder{options: o, format: s.format, sheet: sheet, headers: s.headers}
		return b.readArchive(a)
	}
	return Inventory{}, fileError("the workbook has no VM sheet (vInfo in RVTools, VMs in Live Optics); its sheets are %s",
		quoted(a.sheetNames))
}

func readMapped(a *archive, o Options) (Inventory, error) {
	var nearest error
	widest := -1
	for _, sheet := range a.sheetNames {
		b := &builder{options: o, format: CSV, sheet: sheet}
		inventory, err := b.readArchive(a)
		if err == nil || b.layout != nil {
			return inventory, err
		}
		if b.widest > widest {
			nearest, widest = err, b.widest
		}
	}
	return Inventory{}, nearest
}

func (a *archive) open(sheets []string) (*excelize.File, error) {
	packed, err := a.repackSheets(sheets)
	if err != nil {
		return nil, err
	}
	book, err := excelize.OpenReader(bytes.NewReader(packed), excelize.Options{
		RawCellValue: true, UnzipSizeLimit: maxUnpackedBytes, UnzipXMLSizeLimit: inMemoryBytes,
	})
	if err != nil {
		return nil, fileError("the Excel file cannot be read: %v", err)
	}
	return book, nil
}

func (b *builder) readArchive(a *archive) (inventory Inventory, err error) {
	wanted := []string{b.sheet}
	disks, fileSystems := "", ""
	if b.format == RVTools {
		disks, fileSystems = a.findSheet(diskSheets), a.findSheet(fileSystemSheets)
		wanted = append(wanted, disks, fileSystems)
	}
	if len(b.options.KeepColumns) > 0 {
		if err := a.readPercentStyles(); err != nil {
			return Inventory{}, err
		}
	}
	book, err := a.open(wanted)
	if err != nil {
		return Inventory{}, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	b.percentColumns = a.percentColumns
	if err := b.readSheet(a, book); err != nil {
		return Inventory{}, err
	}
	diskParts, err := b.readParts(a, book, disks, "vDisk", "Capacity")
	if err != nil {
		return Inventory{}, err
	}
	fileSystemParts, err := b.readParts(a, book, fileSystems, "vPartition", "Consumed")
	if err != nil {
		return Inventory{}, err
	}
	return b.build(diskParts, fileSystemParts)
}

// eachRow calls visit for the rows below the header row, which is the first row for which header returns true.
func (a *archive) eachRow(book *excelize.File, sheet string, header func(row []string, number int) (bool, error),
	visit func(row []string, number int) error,
) (err error) {
	rows, err := book.Rows(sheet)
	if err != nil {
		return fileError("sheet %q cannot be read: %v", sheet, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	found := false
	number := 0
	for rows.Next() {
		number++
		row, err := rows.Columns()
		if err != nil {
			return fileError("sheet %q, row %d cannot be read: %v", sheet, number, err)
		}
		switch {
		case found:
			err = visit(row, number)
		case number > maxHeaderRow:
			return nil
		default:
			found, err = header(row, number)
		}
		if err != nil {
			return err
		}
	}
	if err := rows.Error(); err != nil {
		return fileError("sheet %q cannot be read: %v", sheet, err)
	}
	if last := a.lastRow[sheet]; number < last {
		return fileError("sheet %q is damaged: it cannot be read beyond row %d of %d", sheet, number, last)
	}
	return nil
}

func (b *builder) readSheet(a *archive, book *excelize.File) error {
	var missing []string
	var unmapped error
	err := a.eachRow(book, b.sheet, func(row []string, _ int) (bool, error) {
		if len(b.options.Columns) > 0 {
			found, err := mapColumns(row, b.options.Columns)
			if err == nil {
				return true, b.setLayout(found, row)
			}
			if len(row) > b.widest {
				b.widest, unmapped = len(row), fileError("sheet %q: %v", b.sheet, err)
			}
			return false, nil
		}
		found, lacks := matchHeaders(row, b.headers)
		switch {
		case lacks == nil:
			return true, b.setLayout(found, row)
		case missing == nil || len(lacks) < len(missing):
			missing = lacks
		}
		return false, nil
	}, b.add)
	switch {
	case err != nil:
		return err
	case b.layout != nil && b.rows.count+len(b.excluded) == 0:
		return fileError("sheet %q has headers but no rows; it is damaged, or the export is incomplete", b.sheet)
	case b.layout != nil:
		return nil
	case unmapped != nil:
		return unmapped
	case missing == nil:
		return fileError("sheet %q is empty", b.sheet)
	}
	return fileError("sheet %q has no column %s in its first %d rows", b.sheet, quoted(missing), maxHeaderRow)
}

func quoted(names []string) string {
	const most = 20
	shown := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, quote(name))
	}
	if len(names) > most {
		shown = append(shown, "and more")
	}
	return joined(shown)
}

func sameName(names []string, name string) bool {
	return slices.ContainsFunc(names, func(other string) bool { return normalize(other) == normalize(name) })
}

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

func joined(names []string) string { return strings.Join(names, ", ") }

func sound(text string) bool {
	return (len(text) <= maxCellCharacters || utf8.RuneCountInString(text) <= maxCellCharacters) && utf8.ValidString(text)
}
