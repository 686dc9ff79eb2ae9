// Package inventoryfile reads an inventory of VMs from a file: RVTools (xlsx and CSV), Live Optics (xlsx) and any other
// CSV by a map of its columns. It knows neither Terraform nor vCenter.
//
// A file is untrusted. Its size, its number of rows and the size of a cell are limited; formulas are not evaluated, and
// links are not followed. Text that can be read as two different numbers or units is refused, never guessed.
//
// Sizes. Older versions of RVTools write "In Use MB", newer ones "In Use MiB", and both mean MiB (2^20 bytes): vCenter
// reports storage in bytes and memory in units of 2^20 bytes that its API calls MB, and RVTools divides by 2^20. Only
// the name of the column changed. Live Optics renamed its columns in the same way.
package inventoryfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"
)

// The formats of a file.
const (
	Auto       = "auto"
	RVTools    = "rvtools"
	LiveOptics = "liveoptics"
	CSV        = "csv"
)

// The reasons for which a row is no VM of the result.
const (
	SkippedTemplate     = "template"
	SkippedPlaceholder  = "placeholder"
	SkippedInaccessible = "inaccessible"
	SkippedDuplicate    = "duplicate"
	SkippedNoName       = "no_name"
	SkippedNoSize       = "no_size"
)

// Options select a format and VMs.
type Options struct {
	// Format is one of the formats; empty is Auto.
	Format string
	// Columns are the headers of another CSV by field: see Fields.
	Columns map[string]string
	// Name, PowerState, Cluster, Datacenter and Folder are filters; an empty one does not apply.
	Name       *regexp.Regexp
	PowerState string
	Cluster    string
	Datacenter string
	Folder     string
	// Templates and Placeholders include VMs that are skipped by default.
	Templates    bool
	Placeholders bool
	// Keep are headers whose cells VM.Kept returns, in this order.
	Keep []string
}

// VM is a row of the file. Sizes are in bytes.
type VM struct {
	// Key is the VM's id, or its name where the file has no ids, with a counter where it repeats.
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
	// Tracking is whether changed-block tracking is on; nil where the file does not say.
	Tracking *bool

	UsedBytes int64
	// DiskBytes is the capacity of the disks, GuestUsedBytes what the guest's file systems use. They, memory and
	// provisioned storage are nil where the file does not have them.
	MemoryBytes, ProvisionedBytes, DiskBytes, GuestUsedBytes *int64

	// Kept are the cells of Options.Keep.
	Kept []string
}

// Skipped is a row that is no VM of the result.
type Skipped struct {
	Sheet string
	// Row is the row of a sheet, or the line of a CSV in which the row begins, from 1.
	Row    int
	ID     string
	Name   string
	Reason string
}

// Inventory is the content of a file, VMs in the order of their keys.
type Inventory struct {
	Format string
	// Encoding is Windows1252 for a text that is not UTF-8 or UTF-16.
	Encoding string

	VMs     []VM
	Skipped []Skipped
	// Kept are the headers of VM.Kept: Options.Keep.
	Kept []string
	// Unmatched is a *FilterError where a filter matches no VM of the file.
	Unmatched error

	UsedBytes int64
	// The other sums are nil unless they are known of every VM.
	MemoryBytes, ProvisionedBytes, DiskBytes, GuestUsedBytes *int64
}

// The limits of a file. A vCenter has at most 45,000 VMs, so that rows leave space for merged files. Together they keep
// memory below 256 MiB.
const (
	maxTextBytes      = 128 << 20
	maxWorkbookBytes  = 64 << 20
	maxRows           = 100_000
	maxPartRows       = 1_000_000
	maxCellCharacters = 32_767 // Excel's own limit
	maxNameCharacters = 255    // vCenter allows 80
	maxCellBytes      = utf8.UTFMax * maxCellCharacters
	// Texts longer than longText are stored once, with at most maxLongBytes in total.
	longText     = 256
	maxLongBytes = 16 << 20
)

// Read reads an inventory. Errors about content are a *CellError or a *FileError.
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
		return Inventory{}, fileError("the file is an old Excel file (xls) or is protected by a password; " +
			"save it as xlsx without a password")
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

// Read reads up to the limit.
func (l *sizeLimit) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, fileError("the file is larger than %d MiB", maxTextBytes>>20)
	}
	n, err := l.r.Read(p[:min(len(p), l.left+1)])
	l.left -= n
	return n, err
}

// FileError is a file that cannot be read as a whole.
type FileError struct {
	Detail string
	// Columns are, for a CSV without known headers, the fields that are needed with the headers that seem to be theirs;
	// a field without one has an empty header.
	Columns map[string]string
}

// Error returns the defect, and what to do.
func (e *FileError) Error() string { return e.Detail }

func fileError(format string, args ...any) error {
	return &FileError{Detail: fmt.Sprintf(format, args...)}
}

// FilterError is a filter whose value no VM of the file has.
type FilterError struct {
	What, Name string
	// Names are the values that VMs have.
	Names []string
}

// Error names the filter.
func (e *FilterError) Error() string { return fmt.Sprintf("no VM has the %s %q", e.What, e.Name) }

// Existing returns the value, and those that VMs have.
func (e *FilterError) Existing() (name string, names []string) { return e.Name, e.Names }

// CellError is a cell that cannot be read.
type CellError struct {
	Sheet  string
	Row    int
	Column string
	Detail string
}

// Error returns the place of the cell and its defect.
func (e *CellError) Error() string {
	at := fmt.Sprintf("row %d, column %q", e.Row, e.Column)
	if e.Sheet != "" {
		at = fmt.Sprintf("sheet %q, %s", e.Sheet, at)
	}
	return at + ": " + e.Detail
}
