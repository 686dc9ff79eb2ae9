package cli_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestDoctor_progress ticks the clock in the third of 21 steps, which begins after 2 steps in 10 s: the other 19 need
// 95 s at that rate.
func TestDoctor_progress(t *testing.T) {
	t.Parallel()
	v, env := vcenter(t, vcsim.Config{})
	var stdout, stderr strings.Builder
	waits, ticks := make(chan struct{}, 9), make(chan time.Time)
	v.Traffic().Break(fault.Rule{Kind: "GET /api/vcenter/topology/nodes", Times: 1, Before: func(*http.Request) {
		<-waits
		ticks <- time.Time{}
		<-waits // the line is printed
	}})
	p := cli.Program{
		Out: &stdout, Err: &stderr, Lines: true, Getenv: func(name string) string { return env[name] },
		After: func(time.Duration) <-chan time.Time { waits <- struct{}{}; return ticks },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	assert.Equal(t, cli.ExitOK, p.Run(t.Context(), []string{"doctor"}))
	assert.Contains(t, stderr.String(), "Examining: 2 of 21, about 95 s left\n")
}

func TestDoctor_interrupted(t *testing.T) {
	t.Parallel()
	v, env := vcenter(t, vcsim.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	v.Traffic().Break(fault.Rule{Kind: "GET /api/vcenter/topology/nodes", Times: 1, Before: func(r *http.Request) {
		cancel()
		<-r.Context().Done()
	}})
	var stdout, stderr strings.Builder
	p := cli.Program{
		Out: &stdout, Err: &stderr, Getenv: func(name string) string { return env[name] },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	assert.Equal(t, cli.ExitError, p.Run(ctx, []string{"doctor"}))
	assert.Contains(t, stderr.String(), "interrupted; the report ends there. ")
	assert.Contains(t, stdout.String(), "- The run was interrupted.\n")
}
