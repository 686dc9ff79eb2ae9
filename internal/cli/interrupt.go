package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

var errInterrupted = &failure{code: ExitError, err: errors.New("interrupted; nothing was written")}

// interruptible runs work and shows the elapsed time. On an interrupt, it returns errInterrupted without waiting for
// work, so work must not write files.
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
	p.withProgress(what, func() {
		done := make(chan outcome, 1)
		go func() {
			result, err := work(ctx)
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
