package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/whatif/page"
)

type clock struct {
	ticks  chan time.Time
	waited []time.Duration
}

func (c *clock) after(d time.Duration) <-chan time.Time {
	c.waited = append(c.waited, d)
	return c.ticks
}

// tickTwice returns a clock that ticks twice, and a channel that is closed afterwards.
func tickTwice() (*clock, chan struct{}) {
	c, done := &clock{ticks: make(chan time.Time)}, make(chan struct{})
	go func() {
		defer close(done)
		for range 2 {
			c.ticks <- time.Time{}
		}
	}()
	return c, done
}

func TestShowUntil(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	c, done := tickTwice()
	showLineUntil(done, &out, "Computing", func() *partCount { return nil }, c.after)
	want := "\rComputing: 1 s\rComputing: 2 s\r" + strings.Repeat(" ", len("Computing: 2 s")) + "\r"
	assert.Equal(t, want, out.String())
	for _, d := range c.waited {
		assert.Equal(t, time.Second, d)
	}
}

func TestPrintUntil(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	c, done := tickTwice()
	parts := []*partCount{nil, {5, 20}}
	printLinesUntil(done, &out, "Computing", func() *partCount {
		of := parts[0]
		parts = parts[1:]
		return of
	}, c.after)
	assert.Equal(t, "Computing: 10 s\nComputing: 5 of 20, about 60 s left\n", out.String())
	for _, d := range c.waited {
		assert.Equal(t, 10*time.Second, d)
	}
}

func TestProgress_quick(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func(time.Duration) <-chan time.Time{
		"on a terminal": (&clock{}).after,
		"elsewhere":     nil,
	} {
		var out strings.Builder
		worked := false
		Program{Err: &out, After: after}.withProgress("Computing", func() { worked = true })
		require.True(t, worked, "%s: worked is %v, printed %q", name, worked, out.String())
		assert.Empty(t, out.String(), name)
	}
}

// TestSofar verifies the estimated remaining time. If 37 of 500 parts took 58 s, the other 463 take 726 s, or 12.1
// minutes.
func TestSofar(t *testing.T) {
	t.Parallel()
	for want, parts := range map[string]*partCount{
		"58 s":                         nil,
		"37 of 500, about 12 min left": {37, 500},
		"400 of 500, about 14 s left":  {400, 500},
	} {
		assert.Equal(t, want, progressText(parts, 58))
	}
}

func TestInterruptible_interrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := Program{Err: io.Discard}
	end := make(chan struct{})
	defer close(end)
	_, err := interruptible(ctx, p, "Computing", func(context.Context) (int, error) {
		cancel()
		<-end
		return 0, nil
	})
	assert.EqualError(t, err, "interrupted; nothing was written")
}

func TestInterruptible_result(t *testing.T) {
	t.Parallel()
	p := Program{Err: io.Discard}
	got, err := interruptible(t.Context(), p, "Computing", func(context.Context) (int, error) { return 42, io.EOF })
	assert.Equal(t, 42, got)
	assert.Equal(t, io.EOF, err)
}

// TestWithProgressCount verifies the estimated remaining time. If 37 of 500 parts took 10 s, the other 463 take
// 125 s.
func TestWithProgressCount(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	waits, ticks := make(chan struct{}, 2), make(chan time.Time)
	p := Program{
		Err:           &out,
		ProgressLines: true,
		After: func(time.Duration) <-chan time.Time {
			waits <- struct{}{}
			return ticks
		},
	}
	p.withProgressCount("Reading", func(count func(done, all int)) {
		count(37, 500)
		<-waits
		ticks <- time.Time{}
		<-waits // wait until the line is printed
	})
	assert.Equal(t, "Reading: 37 of 500, about 2 min left\n", out.String())
}

func TestAdopt_interrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs strings.Builder
	env := map[string]string{"VSPHERE_SERVER": "127.0.0.1:1", "VSPHERE_USER": "user", "VSPHERE_PASSWORD": "secret"}
	p := Program{Out: io.Discard, Err: &errs, Getenv: func(name string) string { return env[name] }}
	folder := filepath.Join(t.TempDir(), "estate")
	code := p.Run(ctx, []string{"adopt", "-o", folder})
	_, err := os.Stat(folder)
	assert.Equal(t, ExitError, code)
	require.Error(t, err)
	assert.Contains(t, errs.String(), errInterrupted.Error())
}

// TestRun_progress verifies that every potentially slow command shows progress. Commands that read a file or a server
// fail in this test, but only after progress has started.
func TestRun_progress(t *testing.T) {
	t.Parallel()
	commands := map[string]int{
		"estimate link --bandwidth 1Gbps": ExitOK,
		"review -":                        ExitOK,
		"review cli.go --summary":         ExitError,
		"review cli.go --tiers none.yaml": ExitError,
		"review cli.go --init":            ExitError,
		"compliance --config none.yaml":   ExitError,
		"adopt -o none":                   ExitError,
		"doctor":                          ExitError,
	}
	if _, err := page.Embedded(); err == nil {
		commands["review --interactive cli.go"] = ExitError
	}
	env := map[string]string{"VSPHERE_SERVER": "127.0.0.1:1", "VSPHERE_USER": "user", "VSPHERE_PASSWORD": "secret"}
	for args, want := range commands {
		var out, errs strings.Builder
		started := false
		p := Program{
			In:  strings.NewReader(`{"format_version":"1.0","terraform_version":"1.11.4"}`),
			Out: &out,
			Err: &errs,
			After: func(time.Duration) <-chan time.Time {
				started = true
				return nil
			},
			Getenv: func(name string) string { return env[name] },
			Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		}
		code := p.Run(t.Context(), strings.Fields(args))
		require.Equal(t, want, code, "%v, %v", args, errs.String())
		assert.True(t, started,
			"%s: exits with %d, prints %q, clock started: %v; want %d with a clock", args, code, errs.String(), started,
			want)
	}
}
