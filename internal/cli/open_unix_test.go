//go:build unix

package cli_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/cli"
)

// TestFiles_pipe verifies that a named pipe without a writer is refused instead of waited for.
func TestFiles_pipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, settings := filepath.Join(dir, "pipe"), filepath.Join(dir, "policy.yaml")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(settings, []byte("promises: {}\n"), 0o600))
	for _, args := range []string{
		"gate " + pipe + " --settings " + settings,
		"gate - --settings " + pipe,
		"gate - --settings " + settings + " --plan-file " + pipe,
		"gate - --settings " + settings + " --baseline " + pipe,
		"review " + pipe,
		"review - --baseline " + pipe,
		"review " + fromAFile + "RVTools_tabvInfo.csv --tiers " + pipe,
		"compliance --config " + pipe,
	} {
		code, _, errs := run(t, gated, strings.Fields(args)...)
		assert.Equal(t, cli.ExitError, code, args)
		assert.Contains(t, errs, "must be a regular file", args)
	}
}

// TestFiles_processSubstitution verifies that the descriptor of a shell's <(command) is read.
func TestFiles_processSubstitution(t *testing.T) {
	t.Parallel()
	from, to, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = from.Close() })
	go func() {
		_, _ = io.WriteString(to, gated)
		_ = to.Close()
	}()
	code, out, errs := run(t, "", "gate", "--init", fmt.Sprintf("/dev/fd/%d", from.Fd()))
	require.Equal(t, cli.ExitOK, code, errs)
	assert.Contains(t, out, "max_rpo_minutes: 15")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestFiles_size verifies that a plan that is too large is a message.
func TestFiles_size(t *testing.T) {
	t.Parallel()
	_, err := document.Read(zeros{})
	assert.EqualError(t, err, "the file is larger than 128 MiB")
}
