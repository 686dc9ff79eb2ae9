package acctest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	_ "terraform-provider-vsla/internal/cli" // go test runs the tests again if the program changes
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// Workspace copies the example at a path in the repository to a new folder. It returns a workspace for that folder, and
// the path of the folder. The workspace's environment contains env and, if lab is not nil, the connection to the lab.
func Workspace(t *testing.T, lab *Lab, example string, env ...string) (*terraformcli.Workspace, string) {
	t.Helper()
	cli, err := buildOnce()
	require.NoError(t, err)
	return WorkspaceWithCLI(t, cli, lab, example, env...)
}

// ForEachCLI runs a test in parallel with every installed CLI.
func ForEachCLI(t *testing.T, test func(*testing.T, terraformcli.CLI)) {
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

// WorkspaceWithCLI is like Workspace, but with the given CLI.
func WorkspaceWithCLI(
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

// RequireTerraform skips the test unless the CLI is Terraform at this version or later.
func RequireTerraform(t *testing.T, version string) {
	t.Helper()
	cli, err := buildOnce()
	require.NoError(t, err)
	if !cli.AtLeast(version) {
		t.Skipf("skipped: needs Terraform %s or later, and this is %s", version, cli)
	}
}

// buildOnce finds the CLI and builds the provider for it, once per process.
var buildOnce = sync.OnceValues(func() (terraformcli.CLI, error) {
	root, err := Root()
	if err != nil {
		return terraformcli.CLI{}, err
	}
	// Stat makes go test run the tests again if main.go changes.
	if _, err := os.Stat(filepath.Join(root, "main.go")); err != nil {
		return terraformcli.CLI{}, err
	}
	build := filepath.Join(root, "build")
	cli, err := terraformcli.Find(context.Background(), build)
	if err != nil {
		return cli, err
	}
	return cli, terraformcli.BuildProvider(context.Background(), root, filepath.Join(build, "acctest"), io.Discard)
})

// RunTerraform runs the CLI, checks its exit code and returns the output.
func RunTerraform(t *testing.T, w *terraformcli.Workspace, code int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	got, err := w.Run(t.Context(), &out, args...)
	require.NoError(t, err)
	require.Equal(t, code, got, "%v, %v", args, out.String())
	return out.String()
}

// findCLI finds the CLI for the testing library, once per process.
var findCLI = sync.OnceValue(func() error {
	if os.Getenv("TF_ACC_TERRAFORM_PATH") != "" {
		return nil
	}
	root, err := Root()
	if err != nil {
		return err
	}
	cli, err := terraformcli.Find(context.Background(), filepath.Join(root, "build"))
	if err != nil {
		return err
	}
	for name, value := range cli.TestEnvironment() {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
})

// requireCLI fails the test if no CLI is found. Otherwise, the testing library would download Terraform and exit.
func requireCLI(t *testing.T) {
	t.Helper()
	require.NoError(t, findCLI())
}

// Root returns the root folder of the repository.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = parent
	}
}
