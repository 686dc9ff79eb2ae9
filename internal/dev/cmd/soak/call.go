//go:build unix

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
	callLimit = 3 * time.Minute
	// quiet exceeds the longest wait of the hasty provider between requests.
	quiet = 250 * time.Millisecond
)

// healthy runs the CLI without a fault; it must log out.
func (t *trial) healthy(ctx context.Context, args ...string) (int, error) {
	code, err := t.terraform(ctx, args...)
	if open := t.sessions(); err == nil && open > 0 {
		return code, fmt.Errorf("%s leaves %d sessions open", args[0], open)
	}
	return code, err
}

// terraform runs the CLI and returns its exit code, -1 for a kill.
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

func (t *trial) running() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pid
}

// endOrphans waits until the provider of a killed Terraform is idle, and kills it.
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

func (t *trial) last() string {
	text := t.log.String()
	return text[strings.LastIndexByte(text, 0)+1:]
}

func (t *trial) firstError() string {
	_, text, found := strings.Cut(t.last(), "Error: ")
	if !found {
		return "no error in the output"
	}
	text, _, _ = strings.Cut(text, "╵")
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "│", " ")), " ")
}
