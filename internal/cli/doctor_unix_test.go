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

// TestDoctor_signal verifies that Ctrl-C stops the tag life cycle, removes the created objects and closes the sessions.
//
//nolint:paralleltest // the signal would end the doctor runs of other tests
func TestDoctor_signal(t *testing.T) {
	v, env := vcenter(t, vcsim.Config{})
	struck := false
	v.Traffic().Break(fault.Rule{
		Kind:  "GET tag/{id}",
		Skip:  1,
		Times: 1, // skip the first read, which finds no tag because it precedes the create
		Before: func(r *http.Request) {
			struck = len(v.Tags().Tags()) == 1
			require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
			<-r.Context().Done() // wait until the client is canceled
		},
	})
	code, out, errs := examination(t, env, "--write", "--prefix", "test")
	left := v.Tags().Leftovers()
	require.Empty(t, left)
	assert.True(t, struck, "left behind: %v; interrupted after the tag was created: %v", left, struck)
	assert.Equal(t, cli.ExitWrite, code)
	assert.Contains(t, out, "The run was interrupted.")
	assert.Contains(t, out, "| `write-clean-up` | ok |")
	assert.NotContains(t, errs, "Left behind")
}
