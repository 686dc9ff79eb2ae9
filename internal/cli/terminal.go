// The terminal, and progress on it.

package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// sizelessColumns is the width that is assumed for a terminal without a size.
const sizelessColumns = 80

// Standard returns the command line on the standard streams of the process.
func Standard(version, commit string) Program {
	p := Program{Version: version, Commit: commit, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv}
	if fd := int(os.Stdout.Fd()); term.IsTerminal(fd) {
		columns, _, _ := term.GetSize(fd) // 0 for a terminal without a size
		p.Columns = cmp.Or(columns, sizelessColumns)
	}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		p.After = time.After
	}
	return p
}

// progress runs work. From the first second on, a line shows how long it has been running; it is erased at the end.
func (p Program) progress(what string, work func()) {
	if p.After == nil {
		work()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	showUntil(done, p.Err, what, p.After)
}

func showUntil(done <-chan struct{}, w io.Writer, what string, after func(time.Duration) <-chan time.Time) {
	shown := 0
	for seconds := 1; ; seconds++ {
		select {
		case <-done:
			if shown > 0 {
				fmt.Fprintf(w, "\r%s\r", strings.Repeat(" ", shown))
			}
			return
		case <-after(time.Second):
			line := fmt.Sprintf("%s: %d s", what, seconds)
			fmt.Fprint(w, "\r"+line)
			shown = len(line)
		}
	}
}
