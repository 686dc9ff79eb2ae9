package cli

import (
	"strings"
	"testing"
	"time"
)

// clock ticks on the test's demand.
type clock struct {
	ticks  chan time.Time
	waited []time.Duration
}

func (c *clock) after(d time.Duration) <-chan time.Time {
	c.waited = append(c.waited, d)
	return c.ticks
}

// TestShowUntil: nothing before the first second, a line for each second, and no trace at the end.
func TestShowUntil(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	c := &clock{ticks: make(chan time.Time)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.ticks <- time.Time{}
		c.ticks <- time.Time{}
	}()
	showUntil(done, &out, "Computing", c.after)
	want := "\rComputing: 1 s\rComputing: 2 s\r" + strings.Repeat(" ", len("Computing: 2 s")) + "\r"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	for _, d := range c.waited {
		if d != time.Second {
			t.Errorf("waited for %v, want a second", d)
		}
	}
}

// TestProgress_quick: work that ends within a second leaves no line, and progress waits for it.
func TestProgress_quick(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func(time.Duration) <-chan time.Time{
		"on a terminal": (&clock{}).after,
		"elsewhere":     nil,
	} {
		var out strings.Builder
		worked := false
		Program{Err: &out, After: after}.progress("Computing", func() { worked = true })
		if !worked || out.String() != "" {
			t.Errorf("%s: worked is %v, printed %q", name, worked, out.String())
		}
	}
}

// TestRun_progress: a calculation and a review watch the clock of a terminal.
func TestRun_progress(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"estimate link --bandwidth 1Gbps", "report -"} {
		var out, errs strings.Builder
		started := false
		p := Program{
			In: strings.NewReader(`{"format_version":"1.0","terraform_version":"1.11.4"}`), Out: &out, Err: &errs,
			After: func(time.Duration) <-chan time.Time { started = true; return nil },
		}
		if code := p.Run(t.Context(), strings.Fields(args)); code != ExitOK || !started {
			t.Errorf("%s: exits with %d, prints %q, clock started: %v", args, code, errs.String(), started)
		}
	}
}
