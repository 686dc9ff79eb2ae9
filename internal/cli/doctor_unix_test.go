//go:build unix

package cli_test

import (
	"net/http"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestDoctor_signal verifies that Ctrl-C stops the examination and closes the sessions.
//
//nolint:paralleltest // the signal would end the doctor runs of other tests
func TestDoctor_signal(t *testing.T) {
	v, env := vcenter(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{
		Kind:  "GET tag/{id}",
		Times: 1,
		Before: func(r *http.Request) {
			require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
			<-r.Context().Done() // wait until the client is canceled
		},
	})
	code, out, errs := examination(t, env)
	assert.Equal(t, cli.ExitError, code)
	assert.Contains(t, out, "The run was interrupted.")
	assert.Contains(t, errs, "interrupted; the report ends there.")
}
