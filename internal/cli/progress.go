package cli

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"
)

// withProgress runs work and shows the elapsed seconds. If Err is not a terminal, it prints a line every ten seconds.
func (p Program) withProgress(what string, work func()) {
	p.withProgressCount(what, func(func(int, int)) { work() })
}

func (p Program) withProgressCount(what string, work func(count func(done, all int))) {
	if p.After == nil {
		work(func(int, int) {})
		return
	}
	var parts atomic.Pointer[partCount]
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(func(done, all int) { parts.Store(&partCount{done, all}) })
	}()
	if p.ProgressLines {
		printLinesUntil(done, p.Err, what, parts.Load, p.After)
	} else {
		showLineUntil(done, p.Err, what, parts.Load, p.After)
	}
}

// partCount is the number of parts of the work that are done, and that of all parts.
type partCount struct{ done, all int }

// repeatUntil calls show with the elapsed seconds after every interval until done is closed.
func repeatUntil(
	done <-chan struct{}, interval int, after func(time.Duration) <-chan time.Time, show func(seconds int),
) {
	for seconds := interval; ; seconds += interval {
		select {
		case <-done:
			return
		case <-after(time.Duration(interval) * time.Second):
			show(seconds)
		}
	}
}

// lineInterval is the interval in seconds between progress lines if Err is not a terminal.
const lineInterval = 10

func printLinesUntil(
	done <-chan struct{}, w io.Writer, what string, parts func() *partCount, after func(time.Duration) <-chan time.Time,
) {
	repeatUntil(done, lineInterval, after, func(seconds int) {
		fmt.Fprintf(w, "%s: %s\n", what, progressText(parts(), seconds))
	})
}

func showLineUntil(
	done <-chan struct{}, w io.Writer, what string, parts func() *partCount, after func(time.Duration) <-chan time.Time,
) {
	shown := 0
	repeatUntil(done, 1, after, func(seconds int) {
		line := what + ": " + progressText(parts(), seconds)
		fmt.Fprint(w, "\r"+line+strings.Repeat(" ", max(0, shown-len(line))))
		shown = max(shown, len(line))
	})
	if shown > 0 {
		fmt.Fprintf(w, "\r%s\r", strings.Repeat(" ", shown))
	}
}

// progressText returns the progress to show, such as "12 s" or "37 of 500, about 12 min left".
func progressText(parts *partCount, seconds int) string {
	if parts == nil || parts.done == 0 || parts.done == parts.all {
		return fmt.Sprintf("%d s", seconds)
	}
	left := time.Duration(seconds*(parts.all-parts.done)/parts.done) * time.Second
	text := fmt.Sprintf("%d s", int(left.Seconds()))
	if left >= 2*time.Minute {
		text = fmt.Sprintf("%.0f min", left.Minutes())
	}
	return fmt.Sprintf("%d of %d, about %s left", parts.done, parts.all, text)
}
