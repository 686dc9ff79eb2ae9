package inventoryfile

import (
	"io"
	"unicode/utf8"
)

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

// sizeLimit reads a text of limited size.
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
