package acctest

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	_ "terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// Workspace copies an example, by its path in the repository, and returns a CLI for it. The environment contains the
// lab's connection, if there is a lab, and env.
func Workspace(t *testing.T, lab *Lab, example string, env ...string) (*terraformcli.Workspace, string) {
	t.Helper()
	cli, err := buildOnce()
	require.NoError(t, err)
	return WorkspaceOf(t, cli, lab, example, env...)
}

// EachCLI runs a test in parallel with every installed CLI.
func EachCLI(t *testing.T, test func(*testing.T, terraformcli.CLI)) {
	t.Helper()
	root, err := Root()
	require.NoError(t, err)
	_, err = buildOnce()
	require.NoError(t, err)
	all, err := terraformcli.FindAll(t.Context(), filepath.Join(root, "build"))
	require.NoError(t, err)
	for _, cli := range all {
		t.Run(cli.String(), func(t *testing.T) {
			t.Parallel()
			test(t, cli)
		})
	}
}

// WorkspaceOf is Workspace with a given CLI.
func WorkspaceOf(
	t *testing.T, cli terraformcli.CLI, lab *Lab, example string, env ...string,
) (*terraformcli.Workspace, string) {
	t.Helper()
	root, err := Root()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, terraformcli.CopyFiles(filepath.Join(root, example), dir))
	if lab != nil {
		env = append(lab.Environment(), env...)
	}
	w, err := terraformcli.NewWorkspace(cli, dir, filepath.Join(root, "build", "acctest"), env...)
	require.NoError(t, err)
	return w, dir
}

// NeedTerraform skips the test unless the CLI is Terraform of this version or later.
func NeedTerraform(t *testing.T, version string) {
	t.Helper()
	cli, err := buildOnce()
	require.NoError(t, err)
	if !cli.AtLeast(version) {
		t.Skipf("skipped: needs Terraform %s or later, and this is %s", version, cli)
	}
}

// buildOnce finds the CLI and builds the provider once per test binary.
var buildOnce = sync.OnceValues(func() (terraformcli.CLI, error) {
	root, err := Root()
	if err != nil {
		return terraformcli.CLI{}, err
	}
	if _, err := os.Stat(filepath.Join(root, "main.go")); err != nil { // makes main.go an input of cached results
		return terraformcli.CLI{}, err
	}
	build := filepath.Join(root, "build")
	cli, err := terraformcli.Find(context.Background(), build)
	if err != nil {
		return cli, err
	}
	return cli, terraformcli.BuildProvider(context.Background(), root, filepath.Join(build, "acctest"), io.Discard)
})

// Terraform runs the CLI, checks its exit code and returns the output.
func Terraform(t *testing.T, w *terraformcli.Workspace, code int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	got, err := w.Run(t.Context(), &out, args...)
	require.NoError(t, err)
	require.Equal(t, code, got, "%v, %v", args, out.String())
	return out.String()
}
