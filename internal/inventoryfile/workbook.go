// Excel workbooks, read row by row. Values are the raw ones: formulas are not evaluated, and what Excel stored of their
// result counts.

package inventoryfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"
)

const (
	maxUnpackedBytes = 1 << 30
	// What is neither a sheet nor the table of texts is kept in memory.
	maxOtherBytes = 64 << 20
	// Larger sheets go to a temporary file.
	inMemoryBytes = 8 << 20
	// Some exports have a title above the headers.
	maxHeaderRow = 10
)

// sheets are the names of sheets with VMs by format.
var sheets = []struct {
	format, name string
	headers      map[string][]string
}{
	{RVTools, "vInfo", rvtoolsHeaders},
	{LiveOptics, "VMs", liveOpticsHeaders},
}

func readWorkbook(r io.Reader, o Options) (Inventory, error) {
	if o.Format == CSV || len(o.Columns) > 0 {
		return Inventory{}, fileError("columns are for CSV files, and this is an Excel file: save the sheet as CSV")
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return Inventory{}, err
	}
	if err := unpackable(content); err != nil {
		return Inventory{}, err
	}
	book, err := excelize.OpenReader(bytes.NewReader(content), excelize.Options{
		RawCellValue: true, UnzipSizeLimit: maxUnpackedBytes, UnzipXMLSizeLimit: inMemoryBytes,
	})
	if err != nil {
		return Inventory{}, fileError("the Excel file cannot be read: %v", err)
	}
	inventory, err := readBook(book, o)
	return inventory, errors.Join(err, book.Close())
}

func readBook(book *excelize.File, o Options) (Inventory, error) {
	names := book.GetSheetList()
	for _, s := range sheets {
		i := slices.IndexFunc(names, func(name string) bool { return fold(name) == fold(s.name) })
		if i < 0 || o.Format != s.format && o.Format != Auto && o.Format != "" {
			continue
		}
		b := builder{options: o, format: s.format, sheet: names[i]}
		if err := b.readSheet(book, s.headers); err != nil {
			return Inventory{}, err
		}
		disks, err := readDisks(book, names, s.format)
		if err != nil {
			return Inventory{}, err
		}
		return b.finish(disks)
	}
	return Inventory{}, fileError("the workbook has no sheet of VMs: RVTools calls it vInfo, Live Optics VMs; it has %s",
		quoted(names))
}

// unpackable refuses archives that would take too much space before anything is unpacked. The reader of the archive
// refuses parts that are larger than they claim to be.
func unpackable(content []byte) error {
	if len(content) > maxFileBytes {
		return fileError("the file is larger than %d MiB", maxFileBytes>>20)
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return fileError("the Excel file is damaged or cut off: %v", err)
	}
	var total, others uint64
	for _, part := range archive.File {
		if part.UncompressedSize64 > maxUnpackedBytes {
			return fileError("the Excel file unpacks to more than 1 GiB")
		}
		total += part.UncompressedSize64
		if name := strings.ToLower(part.Name); !strings.HasPrefix(name, "xl/worksheets/sheet") &&
			name != "xl/sharedstrings.xml" {
			others += part.UncompressedSize64
		}
		if total > maxUnpackedBytes || others > maxOtherBytes {
			return fileError("the Excel file unpacks to more than 1 GiB, or to more than 64 MiB besides its sheets")
		}
	}
	return nil
}

// eachRow reads a sheet from its headers on. The first row for which header returns true is the one with the headers.
func eachRow(book *excelize.File, sheet string, header func(row []string) bool,
	visit func(row []string, number int) error,
) (err error) {
	rows, err := book.Rows(sheet)
	if err != nil {
		return fileError("sheet %q cannot be read: %v", sheet, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	found := false
	for number := 1; rows.Next(); number++ {
		row, err := rows.Columns()
		if err != nil {
			return fileError("sheet %q, row %d cannot be read: %v", sheet, number, err)
		}
		switch {
		case found:
			if err := visit(row, number); err != nil {
				return err
			}
		case header(row):
			found = true
		case number == maxHeaderRow:
			return nil
		}
	}
	if err := rows.Error(); err != nil {
		return fileError("sheet %q cannot be read: %v", sheet, err)
	}
	return nil
}

func (b *builder) readSheet(book *excelize.File, headers map[string][]string) error {
	var missing []string
	err := eachRow(book, b.sheet, func(row []string) bool {
		found, lacks := known(row, headers)
		if lacks == nil {
			b.layout = found
		} else if missing == nil || len(lacks) < len(missing) {
			missing = lacks
		}
		return lacks == nil
	}, b.add)
	if err != nil {
		return err
	}
	if b.layout == nil {
		return fileError("sheet %q has no column %s in its first %d rows", b.sheet, quoted(missing), maxHeaderRow)
	}
	return nil
}

// diskHeaders are the headers of vDisk.
var diskHeaders = map[string][]string{
	fieldName:   {"VM", "vDiskVMName"},
	fieldID:     {"VM ID", "vDiskVMID"},
	fieldServer: {"VI SDK UUID", "vDiskVISDKUUID", "VI SDK Server", "vDiskVISDKServer"},
	fieldUsed:   {"Capacity MiB", "Capacity MB", "vDiskCapacityMiB"},
}

// diskRow is a disk of vDisk.
type diskRow struct {
	owner    owner
	capacity cell
}

// owner is how sheets refer to a VM.
type owner struct{ server, id, name string }

// readDisks reads vDisk, where RVTools wrote it: nil otherwise.
func readDisks(book *excelize.File, names []string, format string) ([]diskRow, error) {
	i := slices.IndexFunc(names, func(name string) bool { return fold(name) == "vdisk" })
	if format != RVTools || i < 0 {
		return nil, nil
	}
	var columns layout
	disks := []diskRow{}
	err := eachRow(book, names[i], func(row []string) bool {
		found, missing := known(row, diskHeaders)
		if missing == nil {
			columns = found
		}
		return missing == nil
	}, func(row []string, number int) error {
		if len(disks) == maxDiskRows {
			return fileError("sheet %q has more than %d rows", names[i], maxDiskRows)
		}
		capacity := columns.cell(fieldUsed, row, names[i], number)
		if !sound(capacity.text) {
			return capacity.errorf("must be text of at most 1 MiB in UTF-8")
		}
		if capacity.text == "" {
			return nil
		}
		disks = append(disks, diskRow{
			owner: owner{
				columns.text(fieldServer, row), columns.text(fieldID, row), columns.text(fieldName, row),
			},
			capacity: capacity,
		})
		return nil
	})
	if err != nil || columns == nil {
		return nil, err
	}
	return disks, nil
}
