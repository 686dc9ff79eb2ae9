// Making plans: with every CLI on this machine, and the provider as it is.

package policytest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// first returns one CLI, for tests that do not depend on which.
func first(t *testing.T) terraformcli.CLI {
	t.Helper()
	found, err := clis()
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

// clis finds the CLIs and builds the provider, once: every CLI on the computer, or the one that `make test` has chosen
// for the acceptance tests.
var clis = sync.OnceValues(func() ([]terraformcli.CLI, error) {
	root, err := acctest.Root()
	if err != nil {
		return nil, err
	}
	found, err := terraformcli.FindAll(context.Background(), filepath.Join(root, "build"))
	if err != nil {
		return nil, err
	}
	if chosen := os.Getenv("TF_ACC_TERRAFORM_PATH"); chosen != "" {
		found = slices.DeleteFunc(found, func(c terraformcli.CLI) bool { return c.Path != chosen })
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: %w", chosen, terraformcli.ErrNone)
		}
	}
	return found, terraformcli.BuildProvider(
		context.Background(),
		root,
		filepath.Join(root, "build", "policytest"),
		io.Discard,
	)
})

// each runs a test with every CLI.
func each(t *testing.T, test func(t *testing.T, cli terraformcli.CLI)) {
	t.Helper()
	first(t)
	found, _ := clis()
	for _, cli := range found {
		t.Run(cli.String(), func(t *testing.T) {
			t.Parallel()
			test(t, cli)
		})
	}
}

// folder is a configuration with a CLI.
type folder struct {
	*terraformcli.Workspace
	dir string
}

// open copies a configuration (a path from the repository's root) without some of its files.
func open(t *testing.T, cli terraformcli.CLI, from string, without ...string) folder {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root(t), from))); err != nil {
		t.Fatal(err)
	}
	for _, name := range without {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return enter(t, cli, dir)
}

// enter makes a folder a workspace with an environment.
func enter(t *testing.T, cli terraformcli.CLI, dir string, env ...string) folder {
	t.Helper()
	w, err := terraformcli.NewWorkspace(cli, dir, filepath.Join(root(t), "build", "policytest"), env...)
	if err != nil {
		t.Fatal(err)
	}
	return folder{Workspace: w, dir: dir}
}

// add writes a file into the configuration.
func (f folder) add(t *testing.T, name, text string) folder {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return f
}

// with copies files of testdata/added into the configuration.
func (f folder) with(t *testing.T, names ...string) folder {
	t.Helper()
	for _, name := range names {
		f.add(t, name, read(t, testdata, "added", name))
	}
	return f
}

// run runs the CLI and fails the test unless it ends with the code.
func (f folder) run(t *testing.T, code int, args ...string) string {
	t.Helper()
	return acctest.Terraform(t, f.Workspace, code, args...)
}

// plan plans and returns the JSON of the plan. A plan that ends with an error is saved, too.
func (f folder) plan(t *testing.T, code int, args ...string) document {
	t.Helper()
	f.run(t, code, slices.Concat([]string{"plan", "-input=false", "-no-color", "-out=tfplan"}, args)...)
	return f.show(t, "tfplan")
}

// show returns the JSON of a plan, or of the state.
func (f folder) show(t *testing.T, args ...string) document {
	t.Helper()
	cmd := f.Command(t.Context(), slices.Concat([]string{"show", "-json"}, args)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Discard // development overrides are warned of
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	var doc document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return doc
}
