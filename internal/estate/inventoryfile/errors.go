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
