package cli

import (
	"cmp"
	"os"
	"time"

	"golang.org/x/term"
)

// fallbackColumns is the assumed width of a terminal that does not report its size.
const fallbackColumns = 80

// Standard returns a Program that uses the standard streams of the process.
func Standard(version, commit string) Program {
	p := Program{
		Version:       version,
		Commit:        commit,
		In:            os.Stdin,
		Out:           os.Stdout,
		Err:           os.Stderr,
		After:         time.After,
		ProgressLines: !term.IsTerminal(int(os.Stderr.Fd())),
		Getenv:        os.Getenv,
	}
	if fd := int(os.Stdout.Fd()); term.IsTerminal(fd) {
		columns, _, _ := term.GetSize(fd) // 0 if the terminal does not report its size
		p.Columns = cmp.Or(columns, fallbackColumns)
	}
	return p
}
