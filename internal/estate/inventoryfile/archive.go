// Workbook archives. An archive is checked before the Excel library opens it, because the library loads entire cells,
// rows and string tables into memory and treats damaged XML as the end of a sheet.

package inventoryfile

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	maxUnpackedBytes = 1 << 30
	// Maximum size of each part other than sheets and the string table.
	maxOtherBytes = 4 << 20
	maxRowBytes   = 4 << 20
	maxStrings    = 600_000
)

type seekableReader interface {
	io.ReaderAt
	io.Seeker
}

func toSeekable(r, head io.Reader) (seekableReader, error) {
	if file, ok := r.(seekableReader); ok {
		return file, nil
	}
	all, err := io.ReadAll(io.LimitReader(head, maxWorkbookBytes+1))
	return bytes.NewReader(all), err
}

type archive struct {
	zip *zip.Reader
	// partBySheet maps sheet names to paths in the archive.
	sheetNames  []string
	partBySheet map[string]string
	lastRow     map[string]int
	// percentStyles contains the cell styles with a percent format; percentColumns contains the columns that use them.
	percentStyles  map[string]bool
	percentColumns map[sheetColumn]bool
	unpacked       uint64
}

// Paths of workbook parts, in lower case.
const (
	workbookPart  = "xl/workbook.xml"
	relationsPart = "xl/_rels/workbook.xml.rels"
	stringsPart   = "xl/sharedstrings.xml"
	stylesPart    = "xl/styles.xml"
)

var requiredParts = []string{"[content_types].xml", "_rels/.rels", workbookPart, relationsPart, stringsPart}

func openArchive(c seekableReader) (*archive, error) {
	size, err := c.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if size > maxWorkbookBytes {
		return nil, fileError("the file is larger than %d MiB. Keep only the sheets vInfo, vDisk and vPartition, or save "+
			"vInfo as CSV", maxWorkbookBytes>>20)
	}
	read, err := zip.NewReader(c, size)
	if err != nil {
		return nil, fileError("the Excel file is damaged or truncated: %v", err)
	}
	a := &archive{zip: read, partBySheet: map[string]string{}, lastRow: map[string]int{}}
	var book struct {
		Sheets []struct {
			Name string     `xml:"name,attr"`
			Any  []xml.Attr `xml:",any,attr"`
		} `xml:"sheets>sheet"`
	}
	var relations struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := cmp.Or(a.decode(workbookPart, &book), a.decode(relationsPart, &relations)); err != nil {
		return nil, fileError("the archive is not an Excel workbook (xlsx): %v", err)
	}
	targets := map[string]string{}
	for _, r := range relations.All {
		target := r.Target
		if !strings.HasPrefix(target, "/") {
			target = path.Join("xl", target)
		}
		targets[r.ID] = partName(target)
	}
	for _, s := range book.Sheets {
		for _, attr := range s.Any {
			if attr.Name.Local == "id" {
				a.sheetNames = append(a.sheetNames, s.Name)
				a.partBySheet[s.Name] = targets[attr.Value]
			}
		}
	}
	return a, nil
}

func partName(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, "\\", "/"), "/"))
}

func (a *archive) part(name string) *zip.File {
	i := slices.IndexFunc(a.zip.File, func(f *zip.File) bool { return partName(f.Name) == name })
	if i < 0 {
		return nil
	}
	return a.zip.File[i]
}

func (a *archive) decode(name string, out any) error {
	part := a.part(name)
	if part == nil {
		return errors.New(name + " is missing")
	}
	if part.UncompressedSize64 > maxOtherBytes {
		return errors.New(name + " is larger than 4 MiB")
	}
	r, err := part.Open()
	if err == nil {
		defer func() { _ = r.Close() }()
		err = xml.NewDecoder(r).Decode(out)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (a *archive) findSheet(names []string) string {
	i := slices.IndexFunc(a.sheetNames, func(name string) bool { return sameName(names, name) })
	if i < 0 {
		return ""
	}
	return a.sheetNames[i]
}

// repackSheets returns an archive that contains only the given sheets and the parts required to read them. It checks
// each of these parts, including the sheets.
func (a *archive) repackSheets(sheets []string) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range requiredParts {
		part := a.part(name)
		if part == nil {
			continue
		}
		check := a.checkOther
		if name == stringsPart {
			check = a.checkStrings
		}
		if err := check(part); err != nil {
			return nil, err
		}
		if err := w.Copy(part); err != nil {
			return nil, err
		}
	}
	for _, sheet := range sheets {
		part := a.part(a.partBySheet[sheet])
		if sheet == "" || part == nil {
			continue
		}
		last, err := a.checkSheet(part, sheet)
		if err != nil {
			return nil, err
		}
		a.lastRow[sheet] = last
		if err := w.Copy(part); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// scan reads a part tag by tag and calls visit for each tag. It returns an error if the part exceeds maxSize or is
// damaged.
func (a *archive) scan(part *zip.File, maxSize uint64, visit func(tag, rest []byte, length int) error) error {
	if a.unpacked += part.UncompressedSize64; a.unpacked > maxUnpackedBytes || part.UncompressedSize64 > maxSize {
		return fileError("the Excel file is too large when unpacked: %s has %d MiB", quote(part.Name),
			part.UncompressedSize64>>20)
	}
	r, err := part.Open()
	if err != nil {
		return fileError("the Excel file is damaged: %s: %v", quote(part.Name), err)
	}
	defer func() { _ = r.Close() }()
	tags := bufio.NewReaderSize(r, headBytes)
	var root rootTracker
	for {
		length, err := skipTo(tags, '<')
		if errors.Is(err, io.EOF) {
			if !root.isComplete() {
				return fileError("the Excel file is damaged: %s is truncated", quote(part.Name))
			}
			return nil
		}
		if err != nil {
			return fileError("the Excel file is damaged: %s: %v", quote(part.Name), err)
		}
		const longest = 1024
		head, err := tags.Peek(longest)
		if err != nil && !errors.Is(err, io.EOF) {
			return fileError("the Excel file is damaged: %s: %v", quote(part.Name), err)
		}
		if bytes.HasPrefix(head, []byte("!DOCTYPE")) {
			return fileError("the Excel file is damaged: %s contains a DOCTYPE declaration, which Excel never writes",
				quote(part.Name))
		}
		end := bytes.IndexAny(head, " \t\r\n/>")
		if end < 0 {
			continue
		}
		root.observe(head)
		tag := localName(head[:end])
		if err := visit(tag, head[end:], length); err != nil {
			return err
		}
	}
}

func localName(name []byte) []byte { return name[bytes.IndexByte(name, ':')+1:] }

type rootTracker struct {
	name     string
	elements int
	closed   bool
}

func (e *rootTracker) observe(head []byte) {
	if head[0] == '!' || head[0] == '?' {
		return
	}
	closing := head[0] == '/'
	name := bytes.TrimPrefix(head, []byte("/"))
	if end := bytes.IndexAny(name, " \t\r\n/>"); end >= 0 {
		name = name[:end]
	}
	if e.closed = closing && string(name) == e.name; closing {
		return
	}
	if e.elements++; e.elements == 1 {
		e.name = string(name)
	}
}

func (e *rootTracker) isComplete() bool { return e.closed || e.elements == 1 }

func skipTo(r *bufio.Reader, delim byte) (length int, err error) {
	for {
		part, err := r.ReadSlice(delim)
		if length += len(part); !errors.Is(err, bufio.ErrBufferFull) {
			return length, err
		}
		if length > maxRowBytes {
			return length, nil
		}
	}
}

func (a *archive) checkOther(part *zip.File) error {
	return a.scan(part, maxOtherBytes, func([]byte, []byte, int) error { return nil })
}

func (a *archive) checkStrings(part *zip.File) error {
	texts, item := 0, 0
	return a.scan(part, maxUnpackedBytes, func(tag, _ []byte, length int) error {
		item += length
		if string(tag) == "si" {
			item = 0
			texts++
		}
		if texts > maxStrings {
			return fileError("the Excel file has more than %d different strings. Keep only the sheets vInfo, vDisk and "+
				"vPartition, or save vInfo as CSV", maxStrings)
		}
		if item > maxCellBytes {
			return fileError("the Excel file has a string of more than 32,767 characters, number %d of its shared strings",
				texts)
		}
		return nil
	})
}

func (a *archive) checkSheet(part *zip.File, sheet string) (last int, err error) {
	row, at, percent := 0, sheetColumn{sheet, -1}, false
	err = a.scan(part, maxUnpackedBytes, func(tag, rest []byte, length int) error {
		row += length
		switch {
		case len(a.percentStyles) == 0:
		case string(tag) == "c":
			at.column, percent = a.cellFormat(rest, at.column+1)
		case string(tag) == "v" && percent:
			a.percentColumns[at] = true
		}
		if string(tag) == "row" {
			row, at.column = 0, -1
			number := rowNumber(rest, last)
			if number <= last {
				return fileError("sheet %q is damaged: the row after row %d has an invalid or out-of-order number", sheet, last)
			}
			last = number
		}
		if length > maxCellBytes || row > maxRowBytes {
			return fileError("sheet %q, row %d: a cell must have at most 32,767 characters, and a row at most 4 MiB", sheet,
				last)
		}
		return nil
	})
	return last, err
}

var rowAttribute = regexp.MustCompile(`\sr\s*=\s*(?:"([^"]*)"|'([^']*)')`)

// rowNumber returns the row number in the attributes, last + 1 if there is none, or 0 if it is invalid or incomplete.
func rowNumber(attributes []byte, last int) int {
	attributes, _, ended := bytes.Cut(attributes, []byte(">"))
	if !ended {
		return 0 // the missing part may contain the attribute
	}
	found := rowAttribute.FindSubmatch(attributes)
	if found == nil {
		return last + 1
	}
	number, err := strconv.Atoi(string(found[1]) + string(found[2]))
	if err != nil {
		return 0
	}
	return number
}
