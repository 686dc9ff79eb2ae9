// Plans with every installed CLI and the current provider.

package gatetest_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/gate/tfplan"
)

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

// plan makes a plan and returns it with its plan file.
func (f config) plan(t *testing.T, args ...string) *tfplan.Plan {
	t.Helper()
	f.runPlan(t, 0, args...)
	return f.planned(t)
}

func (f config) planned(t *testing.T) *tfplan.Plan {
	t.Helper()
	plan, err := tfplan.Read(f.show(t, "tfplan"))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(f.dir, "tfplan"))
	require.NoError(t, err)
	plan.File, err = tfplan.ReadFile(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	return plan
}

func (f config) show(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := f.Command(t.Context(), slices.Concat([]string{"show", "-json"}, args)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Discard // ignore the warning about development overrides
	require.NoError(t, cmd.Run())
	return out.Bytes()
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{root(t)}, path...)...))
	require.NoError(t, err)
	return string(content)
}

func loadYAML[T any](t *testing.T, path ...string) (into T) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(read(t, path...)), &into), "%+v", path)
	return into
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := acctest.Root()
	require.NoError(t, err)
	return dir
}
