// Plans with every installed CLI and the current provider.

package policytest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

func firstCLI(t *testing.T) terraformcli.CLI {
	t.Helper()
	acctest.Workspace(t, nil, testdata+"/nothing") // builds the provider
	cli, err := terraformcli.Find(t.Context(), filepath.Join(root(t), "build"))
	require.NoError(t, err)
	return cli
}

type config struct {
	*terraformcli.Workspace
	dir string
}

// openConfig copies a configuration, given by its path in the repository. The last arguments are the names of files to
// leave out.
func openConfig(t *testing.T, cli terraformcli.CLI, from string, without ...string) config {
	t.Helper()
	return openConfigWithLab(t, cli, nil, from, without...)
}

func openConfigWithLab(t *testing.T, cli terraformcli.CLI, lab *acctest.Lab, from string, without ...string) config {
	t.Helper()
	w, dir := acctest.WorkspaceWithCLI(t, cli, lab, from)
	if module := filepath.Join(root(t), from, "site"); from == testdata+"/modules" {
		require.NoError(t, os.CopyFS(filepath.Join(dir, "site"), os.DirFS(module)))
	}
	for _, name := range without {
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	return config{Workspace: w, dir: dir}
}

func (f config) add(t *testing.T, name, text string) config {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600))
	return f
}

func (f config) with(t *testing.T, names ...string) config {
	t.Helper()
	for _, name := range names {
		f.add(t, name, read(t, testdata, "added", name))
	}
	return f
}

func (f config) run(t *testing.T, code int, args ...string) string {
	t.Helper()
	return acctest.RunTerraform(t, f.Workspace, code, args...)
}

// runPlan runs a plan, saves it even if it fails, and returns the output.
func (f config) runPlan(t *testing.T, code int, args ...string) string {
	t.Helper()
	return f.run(t, code, slices.Concat([]string{"plan", "-input=false", "-no-color", "-out=tfplan"}, args)...)
}

func (f config) plan(t *testing.T, args ...string) document {
	t.Helper()
	f.runPlan(t, 0, args...)
	return f.show(t, "tfplan")
}

func (f config) show(t *testing.T, args ...string) (doc document) {
	t.Helper()
	cmd := f.Command(t.Context(), slices.Concat([]string{"show", "-json"}, args)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Discard // ignore the warning about development overrides
	require.NoError(t, cmd.Run())
	require.NoError(t, json.Unmarshal(out.Bytes(), &doc), out.String())
	return doc
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{root(t)}, path...)...))
	require.NoError(t, err)
	return string(content)
}

func loadYAML[T any](t *testing.T, path ...string) (into T) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(read(t, path...)), &into), path)
	return into
}

func writeJSON(t *testing.T, path string, value any) {
	t.Helper()
	content, err := json.Marshal(value)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, content, 0o600))
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := acctest.Root()
	require.NoError(t, err)
	return dir
}

// tool builds a program from its module in internal/dev/tools and returns its path.
type tool func() (string, error)

func pinned(pkg string) tool {
	return sync.OnceValues(func() (string, error) {
		root, err := acctest.Root()
		if err != nil {
			return "", err
		}
		name := path.Base(pkg)
		program := filepath.Join(root, "build", "tools", name)
		//nolint:noctx // built once for all tests, so it cannot use a test's context
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

// run returns standard output, or standard error if standard output is empty, and whether the exit code is 0.
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
