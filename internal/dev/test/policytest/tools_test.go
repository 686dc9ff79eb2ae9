// The tools: built once from their pinned modules.

package policytest_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"terraform-provider-vsla/internal/dev/acctest"
)

// pinned is a tool with a module of its own below internal/dev/tools.
type pinned struct {
	name  string
	build func() (string, error)
}

func pin(name, pkg string) *pinned {
	return &pinned{name: name, build: sync.OnceValues(func() (string, error) {
		root, err := acctest.Root()
		if err != nil {
			return "", err
		}
		path := filepath.Join(root, "build", "tools", name)
		mod := "-modfile=internal/dev/tools/" + name + "/go.mod"
		//nolint:noctx // built once for all tests, so no test's context is right
		build := exec.Command("go", "build", mod, "-o", path, pkg)
		build.Dir = root
		out, err := build.CombinedOutput()
		if err != nil {
			return "", &buildError{name: name, output: string(out), cause: err}
		}
		return path, nil
	})}
}

var (
	conftestTool = pin("conftest", "github.com/open-policy-agent/conftest")
	opaTool      = pin("opa", "github.com/open-policy-agent/opa")
)

type buildError struct {
	name, output string
	cause        error
}

func (e *buildError) Error() string { return e.name + ": " + e.cause.Error() + "\n" + e.output }

// outOfReach reports whether the modules of the tool cannot be downloaded, as opposed to not compiling.
func (e *buildError) outOfReach() bool {
	for _, sign := range []string{
		"dial tcp", "no such host", "i/o timeout", "proxyconnect", "module lookup disabled by GOPROXY=off",
		"403 Forbidden", "404 Not Found",
	} {
		if strings.Contains(e.output, sign) {
			return true
		}
	}
	return false
}

// path returns the program. It skips the test when the tool's modules cannot be downloaded, and only then.
func (p *pinned) path(t *testing.T) string {
	t.Helper()
	path, err := p.build()
	if failed, ok := err.(*buildError); ok && failed.outOfReach() { //nolint:errorlint // build returns no other wrapping
		t.Skipf(
			"%s is not on this machine and its modules cannot be downloaded, so the policies were NOT tested: %v",
			p.name,
			err,
		)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// run returns standard output and reports whether the tool exited with 0.
func (p *pinned) run(t *testing.T, args ...string) (string, bool) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), p.path(t), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root(t), &stdout, &stderr
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if stdout.Len() == 0 && stderr.Len() > 0 {
		return stderr.String(), err == nil
	}
	return stdout.String(), err == nil
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := acctest.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
