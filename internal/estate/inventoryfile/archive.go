// Workbook archives. Parts are read as streams, without temporary files.

package inventoryfile

import (
	"archive/zip"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

const (
	maxUnpackedBytes = 1 << 30
	// Maximum size of each part other than sheets and the string table.
	maxOtherBytes = 4 << 20
)

type archive struct {
	zip *zip.Reader
	// partBySheet maps sheet names to paths in the archive.
	sheetNames  []string
	partBySheet map[string]string
	// strings is nil until the first sheet is read.
	strings *stringTable
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

// openZip opens a workbook, or an archive of CSV files.
func openZip(content io.ReaderAt, size int64) (tables, error) {
	if size > maxWorkbookBytes {
		return nil, fileError("the file is larger than %d MiB. Keep only the sheets vInfo, vDisk and vPartition, or "+
			"save vInfo as CSV", maxWorkbookBytes>>20)
	}
	read, err := zip.NewReader(content, size)
	if err != nil {
		return nil, fileError("the Excel file is damaged or truncated: %v", err)
	}
	a := &archive{zip: read, partBySheet: map[string]string{}}
	seen := make(map[string]bool, len(read.File))
	for _, f := range read.File {
		name := partName(f.Name)
		if seen[name] {
			return nil, fileError("the archive contains %s twice, and programs disagree about which one counts. Save "+
				"the file again", quote(f.Name))
		}
		seen[name] = true
	}
	if a.part(workbookPart) == nil {
		return a.textFiles()
	}
	return a, a.readSheetNames()
}

// textFiles returns the CSV files of an archive that is not a workbook.
func (a *archive) textFiles() (tables, error) {
	var files []textFile
	var others []string
	for _, f := range a.zip.File {
		name := path.Base(strings.ReplaceAll(f.Name, "\\", "/"))
		switch {
		case f.FileInfo().IsDir(), strings.HasPrefix(name, "."):
		case strings.HasSuffix(strings.ToLower(name), csvExtension):
			files = append(files, textFile{name, f.Open})
		default:
			others = append(others, name)
		}
	}
	switch {
	case len(files) > 0:
		return newTextTables(files...), nil
	case len(others) > 0:
		return nil, fileError("the archive is neither an Excel workbook (xlsx) nor does it contain CSV files. Unpack "+
			"the file that contains the VMs; its files are %s", quoted(others))
	}
	return nil, fileError("the archive is neither an Excel workbook (xlsx) nor does it contain CSV files")
}

func (a *archive) readSheetNames() error {
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
		return fileError("the archive is not an Excel workbook (xlsx): %v", err)
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
	return nil
}

func (a *archive) names() []string { return a.sheetNames }

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

// scan opens a part and calls read. It returns an error if the part is too large or damaged.
func (a *archive) scan(part *zip.File, maxSize uint64, read func(tags *tagReader) error) error {
	if a.unpacked += part.UncompressedSize64; a.unpacked > maxUnpackedBytes || part.UncompressedSize64 > maxSize {
		return fileError("the Excel file is too large when unpacked: %s has %d MiB", quote(part.Name),
			part.UncompressedSize64>>20)
	}
	r, err := part.Open()
	if err != nil {
		return fileError("the Excel file is damaged: %s: %v", quote(part.Name), err)
	}
	defer func() { _ = r.Close() }()
	err = read(newTagReader(r))
	_, ours := errors.AsType[*FileError](err)
	_, cell := errors.AsType[*CellError](err)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil, ours, cell, errors.Is(err, errStop):
		return err
	case errors.Is(err, errTruncated), errors.Is(err, errDoctype):
		return fileError("the Excel file is damaged: %s %v", quote(part.Name), err)
	}
	return fileError("the Excel file is damaged: %s: %v", quote(part.Name), err)
}
