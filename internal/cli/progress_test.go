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
	waits, ticks := make(chan struct{}, 9), make(chan time.Time)
	v.Traffic().Break(fault.Rule{Kind: "GET /api/vcenter/topology/nodes", Times: 1, Before: func(*http.Request) {
		<-waits
		ticks <- time.Time{}
		<-waits // the line is printed
	}})
	p := cli.Program{
		Lines: true, Getenv: environment(env), Sleep: atOnce,
		After: func(time.Duration) <-chan time.Time { waits <- struct{}{}; return ticks },
	}
	code, _, errs := start(t, p, "doctor")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, errs, "Examining: 2 of 21, about 95 s left\n")
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
	p := cli.Program{Out: &stdout, Err: &stderr, Getenv: environment(env), Sleep: atOnce}
	assert.Equal(t, cli.ExitError, p.Run(ctx, []string{"doctor"}))
	assert.Contains(t, stderr.String(), "interrupted; the report ends there. ")
	assert.Contains(t, stdout.String(), "- The run was interrupted.\n")
}
