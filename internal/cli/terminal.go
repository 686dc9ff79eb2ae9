package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"terraform-provider-vsla/internal/plan/simulation"
)

// fallbackColumns is the assumed width of a terminal that does not report its size.
const fallbackColumns = 80

// Standard returns a Program that uses the standard streams of the process.
func Standard(version, commit string) Program {
	p := Program{Version: version, Commit: commit, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv}
	if fd := int(os.Stdout.Fd()); term.IsTerminal(fd) {
		columns, _, _ := term.GetSize(fd) // 0 if the terminal does not report its size
		p.Columns = cmp.Or(columns, fallbackColumns)
	}
	p.After, p.ProgressLines = time.After, !term.IsTerminal(int(os.Stderr.Fd()))
	return p
}

var errInterrupted = &failure{code: ExitError, err: errors.New("interrupted; nothing was written")}

// interruptible runs work and shows its progress. On an interrupt, it returns errInterrupted without waiting for work,
// so work must not write files.
func interruptible[T any](
	ctx context.Context, p Program, what string, work func(context.Context) (T, error),
) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	var got outcome
	p.withProgressCount(what, func(count func(done, all int)) {
		done := make(chan outcome, 1)
		go func() {
			result, err := work(simulation.WithProgress(ctx, count))
			done <- outcome{result, err}
		}()
		select {
		case got = <-done:
		case <-ctx.Done():
		}
	})
	if ctx.Err() != nil {
		return got.result, errInterrupted
	}
	return got.result, got.err
}

// withProgress runs work and shows the elapsed seconds. If Err is not a terminal, it prints a line every ten seconds.
func (p Program) withProgress(what string, work func()) {
	p.withProgressCount(what, func(func(int, int)) { work() })
}

func (p Program) withProgressCount(what string, work func(count func(done, all int))) {
	if p.After == nil {
		work(func(int, int) {})
		return
	}
	var parts atomic.Pointer[[2]int]
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(func(done, all int) { parts.Store(&[2]int{done, all}) })
	}()
	if p.ProgressLines {
		printLinesUntil(done, p.Err, what, parts.Load, p.After)
		return
	}
	showLineUntil(done, p.Err, what, parts.Load, p.After)
}

// lineInterval is the interval in seconds between progress lines if Err is not a terminal.
const lineInterval = 10

func printLinesUntil(
	done <-chan struct{}, w io.Writer, what string, parts func() *[2]int, after func(time.Duration) <-chan time.Time,
) {
	for seconds := lineInterval; ; seconds += lineInterval {
		select {
		case <-done:
			return
		case <-after(lineInterval * time.Second):
			fmt.Fprintf(w, "%s: %s\n", what, progressText(parts(), seconds))
		}
	}
}

// progressText returns the progress to show, such as "12 s" or "37 of 500, about 12 min left".
func progressText(parts *[2]int, seconds int) string {
	if parts == nil || parts[0] == 0 || parts[0] == parts[1] {
		return fmt.Sprintf("%d s", seconds)
	}
	left := time.Duration(seconds*(parts[1]-parts[0])/parts[0]) * time.Second
	text := fmt.Sprintf("%d s", int(left.Seconds()))
	if left >= 2*time.Minute {
		text = fmt.Sprintf("%.0f min", left.Minutes())
	}
	return fmt.Sprintf("%d of %d, about %s left", parts[0], parts[1], text)
}

func showLineUntil(
	done <-chan struct{}, w io.Writer, what string, parts func() *[2]int, after func(time.Duration) <-chan time.Time,
) {
	shown := 0
	for seconds := 1; ; seconds++ {
		select {
		case <-done:
			if shown > 0 {
				fmt.Fprintf(w, "\r%s\r", strings.Repeat(" ", shown))
			}
			return
		case <-after(time.Second):
			line := what + ": " + progressText(parts(), seconds)
			fmt.Fprint(w, "\r"+line+strings.Repeat(" ", max(0, shown-len(line))))
			shown = max(shown, len(line))
		}
	}
}
