// Package inventoryfile reads VM inventories from files: RVTools (xlsx and CSV), Live Optics (xlsx), and other files
// with a column mapping. It depends on neither Terraform nor vCenter.
//
// Files are untrusted. File size, cell size and the number of rows are limited, formulas are not evaluated, and links
// are not followed. Ambiguous numbers and units are errors.
//
// Older versions of RVTools write "In Use MB" and newer versions write "In Use MiB", but both mean MiB (2^20 bytes).
// vCenter reports storage in bytes, and memory in units of 2^20 bytes that its API calls MB. RVTools has always divided
// by 2^20; only the names of its columns have changed. The same is true of Live Optics.
package inventoryfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"unicode/utf8"
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
	SkippedNoSize       = "no_size"
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
	CPUCount     int64
	// SkipReason is SkippedNoSize or SkippedInaccessible for a VM in Inventory.Unsized.
	SkipReason string
	// Tracking reports whether changed block tracking is enabled. It is nil if unknown.
	Tracking *bool

	UsedBytes int64
	// DiskBytes is the disk capacity; GuestUsedBytes is the space used in the guest's file systems. Each size is nil if
	// the file does not contain it.
	MemoryBytes, ProvisionedBytes, DiskBytes, GuestUsedBytes *int64

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
	// Unsized contains the skipped VMs that have no used size or were inaccessible.
	Unsized []VM
	// KeptColumns contains the headers of VM.KeptCells.
	KeptColumns []string
	sheet       string
	decimals    decimals
	// fractions contains the kept columns with cells that Excel shows as percentages and stores as fractions.
	fractions []string
	// Unmatched is a *FilterError if a filter matches no VM in the file.
	Unmatched error

	UsedBytes int64
	// These sums are nil unless the value is known for every VM.
	MemoryBytes, ProvisionedBytes, DiskBytes, GuestUsedBytes *int64
}

// All iterates over VMs and Unsized.
func (i *Inventory) All() iter.Seq[*VM] {
	return func(yield func(*VM) bool) {
		for _, vms := range [][]VM{i.VMs, i.Unsized} {
			for n := range vms {
				if !yield(&vms[n]) {
					return
				}
			}
		}
	}
}

// Limits of a file. A vCenter supports at most 45,000 VMs, so maxRows leaves room for merged files. Together, the
// limits keep memory usage below 256 MiB.
const (
	maxTextBytes      = 128 << 20
	maxWorkbookBytes  = 64 << 20
	maxRows           = 100_000
	maxPartRows       = 1_000_000
	maxCellCharacters = 32_767 // Excel's own limit
	maxNameCharacters = 255    // vCenter allows 80
	maxCellBytes      = utf8.UTFMax * maxCellCharacters
	// Strings longer than longText bytes are deduplicated and limited to maxLongBytes in total.
	longText     = 256
	maxLongBytes = 16 << 20
)

// Read reads an inventory. Errors in the content are *CellError or *FileError.
func Read(r io.Reader, o Options) (Inventory, error) {
	head := bufio.NewReader(r)
	magic, err := head.Peek(8)
	if err != nil && !errors.Is(err, io.EOF) {
		return Inventory{}, err
	}
	switch {
	case len(magic) == 0:
		return Inventory{}, fileError("the file is empty")
	case bytes.HasPrefix(magic, []byte("\xd0\xcf\x11\xe0")):
		return Inventory{}, fileError("the file has the old Excel format (xls) or is password-protected. " +
			"Save it as xlsx without a password")
	case bytes.HasPrefix(magic, []byte("PK")):
		return readWorkbook(r, head, o)
	default:
		return readText(bufio.NewReader(&sizeLimit{r: head, left: maxTextBytes}), o)
	}
}

type sizeLimit struct {
	r    io.Reader
	left int
}

// Read implements io.Reader.
func (l *sizeLimit) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, fileError("the file is larger than %d MiB", maxTextBytes>>20)
	}
	n, err := l.r.Read(p[:min(len(p), l.left+1)])
	l.left -= n
	return n, err
}

// FileError is an error that concerns the whole file.
type FileError struct {
	Detail string
	// Columns suggests headers for the required fields of a CSV whose headers are unknown. A header is empty if none seems
	// to fit the field.
	Columns map[string]string
}

// Error returns the problem and its remedy.
func (e *FileError) Error() string { return e.Detail }

func fileError(format string, args ...any) error {
	return &FileError{Detail: fmt.Sprintf(format, args...)}
}

// FilterError is returned if a filter matches no VM in the file.
type FilterError struct {
	What, Name string
	// Names contains the values in the file.
	Names []string
}

// Error names the filter.
func (e *FilterError) Error() string { return fmt.Sprintf("no VM has the %s %q", e.What, e.Name) }

// Existing returns the filter's value and the values in the file.
func (e *FilterError) Existing() (name string, names []string) { return e.Name, e.Names }

// CellError is an error in a cell.
type CellError struct {
	Sheet  string
	Row    int
	Column string
	Detail string
}

// Error returns the cell's position and the problem.
func (e *CellError) Error() string {
	at := fmt.Sprintf("row %d, column %q", e.Row, e.Column)
	if e.Sheet != "" {
		at = fmt.Sprintf("sheet %q, %s", e.Sheet, at)
	}
	return at + ": " + e.Detail
}
