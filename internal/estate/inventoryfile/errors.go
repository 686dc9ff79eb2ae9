// Errors in the content of a file.

package inventoryfile

import (
	"fmt"
	"strconv"
	"strings"
)

// FileError is an error that concerns the whole file.
type FileError struct {
	Detail string
	// Columns suggests a mapping with which the file can be read. It is nil if there is none.
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
	// VM is the name of the VM, if known.
	VM     string
	Detail string
}

// Error returns the cell's position and the problem.
func (e *CellError) Error() string {
	at := fmt.Sprintf("row %d, column %q", e.Row, e.Column)
	if e.VM != "" {
		at += ", VM " + quote(e.VM)
	}
	if e.Sheet != "" {
		at = fmt.Sprintf("sheet %q, %s", e.Sheet, at)
	}
	return at + ": " + e.Detail
}

func quote(text string) string {
	const most = 60
	if len(text) <= most {
		return strconv.Quote(text)
	}
	return strconv.Quote(strings.ToValidUTF8(text[:most], "")) + "..."
}
