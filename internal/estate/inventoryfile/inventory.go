// Package inventoryfile reads VM inventories from files: RVTools and Live Optics (xlsx and CSV), and other files with a
// column mapping. It depends on neither Terraform nor vCenter.
//
// Files are untrusted. File size, cell size and the number of rows are limited, formulas are not evaluated, and links
// are not followed. Ambiguous numbers and units are errors.
//
// Older versions of RVTools write "In Use MB" and newer versions write "In Use MiB", but both mean MiB (2^20 bytes).
// vCenter reports storage in bytes, and memory in units of 2^20 bytes that its API calls MB. RVTools has always divided
// by 2^20; only the names of its columns have changed. The same is true of Live Optics.
package inventoryfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// File formats.
const (
	Auto       = "auto"
	RVTools    = "rvtools"
	LiveOptics = "liveoptics"
	CSV        = "csv"
)

// Reasons for skipping a row.
const (
	SkippedTemplate     = "template"
	SkippedPlaceholder  = "placeholder"
	SkippedInaccessible = "inaccessible"
	SkippedDuplicate    = "duplicate"
	SkippedNoName       = "no_name"
	SkippedTotal        = "total"
	// SkippedNoSize applies to a VM that is in the result, but has no used size.
	SkippedNoSize = "no_size"
)

// Options select a format and filter the VMs.
type Options struct {
	// Format is one of the formats. It defaults to Auto.
	Format string
	// Columns maps fields to headers for files other than RVTools and Live Optics exports. See Fields.
	Columns map[string]string
	// Name, PowerState, Cluster, Datacenter and Folder are optional filters.
	Name       *regexp.Regexp
	PowerState string
	Cluster    string
	Datacenter string
	Folder     string
	// Templates and Placeholders include rows that are skipped by default.
	Templates    bool
	Placeholders bool
	// DuplicateNames allows names that repeat although the file has no IDs.
	DuplicateNames bool
	// Survey collects the values of the columns that are not read.
	Survey bool
	// Progress is called with the number of rows that have been read; nil for no calls.
	Progress func(rows int)
	// KeepColumns lists the headers of the cells to return in VM.KeptCells.
	KeepColumns []string
}

// VM is a row of the file. Sizes are in bytes.
type VM struct {
	// Row is the row number, as in Skipped.
	Row int
	// Key is the VM's ID, or its name if the file has no IDs. Duplicate keys get a numeric suffix.
	Key          string
	ID           string
	Name         string
	InstanceUUID string
	PowerState   string
	Datacenter   string
	Cluster      string
	Host         string
	Folder       string
	// CPUCount is nil if unknown.
	CPUCount *int64
	// UUID is the BIOS UUID.
	UUID string
	// Tracking reports whether changed block tracking is enabled. It is nil if unknown.
	Tracking *bool

	// DiskBytes is the disk capacity; GuestUsedBytes is the space used in the guest's file systems. Each size is nil if
	// it is unknown. A size of 0 is unknown.
	MemoryBytes      *int64
	ProvisionedBytes *int64
	UsedBytes        *int64
	DiskBytes        *int64
	GuestUsedBytes   *int64
	// Blockers are the reasons why vSphere Replication refuses the VM, as its API reports them. Sharing is set for a VM
	// with a shared disk or bus.
	Blockers []string
	Sharing  bool
	// Inaccessible is set for the VMs in Inventory.Inaccessible.
	Inaccessible bool

	// KeptCells contains the cells of the columns in Options.KeepColumns, in the same order.
	KeptCells []string
}

// Skipped is a row that is not in the result.
type Skipped struct {
	Sheet string
	// Row is the row number in the sheet or, in a CSV file, the number of the row's first line. Both start at 1.
	Row    int
	ID     string
	Name   string
	Reason string
}

// Inventory contains the VMs of a file, sorted by key.
type Inventory struct {
	Format string
	// Encoding is Windows1252, or empty for UTF-8 and UTF-16.
	Encoding string

	VMs     []VM
	Skipped []Skipped
	// Inaccessible contains the VMs that were inaccessible when the file was exported.
	Inaccessible []VM
	// Unknown contains the numbers that cannot be true. The value of the VM is unknown.
	Unknown []*CellError
	// Sizes contains the storage sizes that the file contains, without units: used, provisioned, disk and guest_used.
	Sizes []string
	// Notes contains what a reader of the results must know about the file.
	Notes []string
	// Surveyed contains the columns that are not read and have few values, with Options.Survey.
	Surveyed []Surveyed
	// KeptColumns contains the headers of VM.KeptCells.
	KeptColumns []string
	// UsedBytes is the sum of the known sizes. It is nil if no size is known.
	UsedBytes *int64
	// These sums are nil unless the value is known for every VM.
	MemoryBytes      *int64
	ProvisionedBytes *int64
	DiskBytes        *int64
	GuestUsedBytes   *int64

	table    string
	decimals decimals
	// fractions contains the kept columns with cells that Excel shows as percentages and stores as fractions.
	fractions []string
}

// All iterates over VMs and Inaccessible.
func (i *Inventory) All() iter.Seq[*VM] {
	return func(yield func(*VM) bool) {
		for _, vms := range [][]VM{i.VMs, i.Inaccessible} {
			for n := range vms {
				if !yield(&vms[n]) {
					return
				}
			}
		}
	}
}

// Read reads an inventory. Errors in the content are *CellError or *FileError. A file that can be read at any position
// is not loaded into memory.
func Read(r io.Reader, o Options) (Inventory, error) {
	content, size, err := toReaderAt(r)
	if err != nil {
		return Inventory{}, err
	}
	magic := make([]byte, min(size, 8))
	if _, err := content.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return Inventory{}, err
	}
	switch {
	case size == 0:
		return Inventory{}, fileError("the file is empty")
	case bytes.HasPrefix(magic, []byte("\xd0\xcf\x11\xe0")):
		return Inventory{}, fileError("the file is encrypted by a sensitivity label or a password, or has the old " +
			"Excel format (xls). Save it as xlsx without a label that encrypts and without a password, or export it " +
			"as CSV")
	case bytes.HasPrefix(magic, []byte("PK")):
		t, err := openZip(content, size)
		if err != nil {
			return Inventory{}, err
		}
		return readTables(t, o)
	}
	return readTables(newTextTables(textFile{open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(content, 0, size)), nil
	}}), o)
}

// ReadFolder reads an inventory from the CSV files in a folder.
func ReadFolder(folder fs.FS, o Options) (Inventory, error) {
	names, err := csvFiles(folder)
	if err != nil {
		return Inventory{}, err
	}
	var files []textFile
	for _, name := range names {
		files = append(files, textFile{name, func() (io.ReadCloser, error) { return folder.Open(name) }})
	}
	if len(files) == 0 {
		return Inventory{}, fileError("the folder contains no CSV files")
	}
	return readTables(newTextTables(files...), o)
}

func csvFiles(folder fs.FS) ([]string, error) {
	names, err := fs.Glob(folder, "*")
	return slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasSuffix(strings.ToLower(name), csvExtension)
	}), err
}

// toReaderAt returns the content and its size. It reads what has no size, such as a pipe, into memory.
func toReaderAt(r io.Reader) (io.ReaderAt, int64, error) {
	if file, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	}); ok {
		if size, err := file.Seek(0, io.SeekEnd); err == nil {
			return file, size, nil
		}
	}
	all, err := io.ReadAll(io.LimitReader(r, maxTextBytes+1))
	return bytes.NewReader(all), int64(len(all)), err
}
