//go:build unix

// Calls of the CLI, and what they print.

package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

const (
	// callLimit is how long one call of the CLI may take.
	callLimit = 3 * time.Minute
	// quiet is longer than the longest wait between two requests of the hasty provider.
	quiet = 250 * time.Millisecond
)

// healthy runs the CLI without a fault: it has to log out.
func (t *trial) healthy(ctx context.Context, args ...string) (int, error) {
	code, err := t.terraform(ctx, args...)
	if open := t.sessions(); err == nil && open > 0 {
		return code, fmt.Errorf("%s leaves %d sessions open", args[0], open)
	}
	return code, err
}

// terraform runs the CLI and returns its exit code, -1 when it was killed.
func (t *trial) terraform(ctx context.Context, args ...string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	fmt.Fprintf(&t.log, "\n\x00$ terraform %s\n", strings.Join(args, " "))
	cmd := t.w.Command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &t.log, &t.log
	group(cmd)
	t.mu.Lock()
	err := cmd.Start()
	if err == nil {
		t.pid = cmd.Process.Pid
	}
	t.mu.Unlock()
	if err != nil {
		return 0, err
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		return 0, fmt.Errorf("terraform %s: %w", args[0], ctx.Err())
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// running returns the process id of the CLI.
func (t *trial) running() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pid
}

// endOrphans waits until a provider whose Terraform was killed sends nothing any more, and ends it.
func (t *trial) endOrphans(ctx context.Context) {
	for seen := -1; seen != t.requests() && ctx.Err() == nil; {
		seen = t.requests()
		select {
		case <-ctx.Done():
		case <-time.After(quiet):
		}
	}
	t.signal(killProvider)
}

func (t *trial) requests() int {
	n := t.lab.Traffic().Total()
	if t.gateway != nil {
		n += t.gateway.Traffic().Total()
	}
	return n
}

// last returns the output of the last call.
func (t *trial) last() string {
	text := t.log.String()
	return text[strings.LastIndexByte(text, 0)+1:]
}

// firstError returns the first error of the last call, on one line.
func (t *trial) firstError() string {
	_, text, found := strings.Cut(t.last(), "Error: ")
	if !found {
		return "no error in the output"
	}
	text, _, _ = strings.Cut(text, "╵")
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "│", " ")), " ")
}
