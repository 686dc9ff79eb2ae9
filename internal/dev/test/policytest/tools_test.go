// The tools, built once from their pinned modules.

package policytest_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
)

// tool builds a program from its module below internal/dev/tools and returns its path.
type tool func() (string, error)

func pinned(pkg string) tool {
	return sync.OnceValues(func() (string, error) {
		root, err := acctest.Root()
		if err != nil {
			return "", err
		}
		name := path.Base(pkg)
		program := filepath.Join(root, "build", "tools", name)
		//nolint:noctx // built once for all tests, so no test's context is right
		build := exec.Command("go", "build", "-modfile=internal/dev/tools/"+name+"/go.mod", "-o", program, pkg)
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", name, err, out)
		}
		return program, nil
	})
}

var (
	conftest = pinned("github.com/open-policy-agent/conftest")
	opa      = pinned("github.com/open-policy-agent/opa")
)

func needConftest(t *testing.T) {
	t.Helper()
	if !withConftest {
		t.Skip("conftest takes minutes to compile: make policy-test sets the tag conftest and runs this test")
	}
}

func (p tool) path(t *testing.T) string {
	t.Helper()
	program, err := p()
	require.NoError(t, err)
	return program
}

// run returns standard output, or standard error where that is empty, and reports whether the tool exited with 0.
func (p tool) run(t *testing.T, args ...string) (string, bool) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), p.path(t), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root(t), &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		require.NotNil(t, cmd.ProcessState, err)
	}
	if stdout.Len() == 0 {
		return stderr.String(), err == nil
	}
	return stdout.String(), err == nil
}
