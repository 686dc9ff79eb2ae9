// Package terraformcli finds or builds Terraform and OpenTofu CLIs for tests, documentation and the demo. The provider
// does not use it.
package terraformcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/hashicorp/go-version"
)

// Oldest releases that support provider-defined functions.
const (
	OldestTerraform = "1.8.0"
	OldestOpenTofu  = "1.10.0"
)

// Variable is the environment variable that contains the path of the CLI to use.
const Variable = "TERRAFORM"

// CLI is an installed Terraform or OpenTofu CLI.
type CLI struct {
	Path     string
	OpenTofu bool
	Version  string
}

// Name returns the product and version, such as "Terraform 1.11.4".
func (c CLI) Name() string {
	if c.OpenTofu {
		return "OpenTofu " + c.Version
	}
	return "Terraform " + c.Version
}

// String returns the name and path, such as "Terraform 1.11.4 (/usr/local/bin/terraform)".
func (c CLI) String() string { return fmt.Sprintf("%s (%s)", c.Name(), c.Path) }

// TestEnvironment returns the environment variables that make terraform-plugin-testing use this CLI.
func (c CLI) TestEnvironment() map[string]string {
	env := map[string]string{"TF_ACC_TERRAFORM_PATH": c.Path}
	if c.OpenTofu {
		env["TF_ACC_PROVIDER_HOST"] = "registry.opentofu.org"
		env["TF_ACC_PROVIDER_NAMESPACE"] = "hashicorp"
	}
	return env
}

// AtLeast reports whether the CLI is Terraform at the given version or later. It returns false for OpenTofu, whose
// version numbers are unrelated.
func (c CLI) AtLeast(terraform string) bool {
	v, err := version.NewVersion(c.Version)
	return err == nil && !c.OpenTofu && !v.Core().LessThan(version.Must(version.NewVersion(terraform)))
}

// ErrNone is returned if no CLI is found.
var ErrNone = errors.New("no terraform 1.8 or later and no tofu 1.10 or later on PATH")

// Find returns the first of these CLIs: the one named by the environment variable TERRAFORM, a recent terraform or tofu
// on PATH, or the OpenTofu built in dir by FindOrBuild. Errors: ErrNone, or another error if the named CLI does not
// work.
func Find(ctx context.Context, dir string) (CLI, error) {
	all, err := FindAll(ctx, dir)
	if err != nil {
		return CLI{}, err
	}
	return all[0], nil
}

// FindAll returns all CLIs in the order of Find, or only the one named by the environment variable TERRAFORM. Its
// errors are those of Find.
func FindAll(ctx context.Context, dir string) ([]CLI, error) {
	if named := os.Getenv(Variable); named != "" {
		cli, err := probe(ctx, named)
		return []CLI{cli}, err
	}
	var all []CLI
	for _, candidate := range []string{"terraform", "tofu", openTofuPath(dir)} {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		cli, err := probe(ctx, path)
		if err == nil && !slices.ContainsFunc(all, func(known CLI) bool { return known.Path == cli.Path }) {
			all = append(all, cli)
		}
	}
	if len(all) == 0 {
		return nil, ErrNone
	}
	return all, nil
}

func probe(ctx context.Context, path string) (CLI, error) {
	path, err := filepath.Abs(path) // the CLI runs in other folders
	if err != nil {
		return CLI{}, err
	}
	cmd := exec.CommandContext(ctx, path, "version", "-json")
	// OpenTofu prints a warning before the JSON if the user's CLI configuration file is missing.
	cmd.Env = append(os.Environ(), "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE=")
	out, err := cmd.Output()
	if err != nil {
		return CLI{}, fmt.Errorf("%s: %w", path, err)
	}
	return parse(path, out)
}

func parse(path string, out []byte) (CLI, error) {
	// OpenTofu uses the same key, so only the program name tells the two products apart.
	var answer struct {
		Version string `json:"terraform_version"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return CLI{}, fmt.Errorf("%s: cannot read its version: %w", path, err)
	}
	v, err := version.NewVersion(answer.Version)
	if err != nil {
		return CLI{}, fmt.Errorf("%s: cannot read its version: %w", path, err)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		resolved = path
	}
	cli := CLI{Path: path, Version: v.String(), OpenTofu: isTofu(path) || isTofu(resolved)}
	oldest := OldestTerraform
	if cli.OpenTofu {
		oldest = OldestOpenTofu
	}
	if v.Core().LessThan(version.Must(version.NewVersion(oldest))) {
		return CLI{}, fmt.Errorf("%s is too old: provider-defined functions need %s or later", cli, oldest)
	}
	return cli, nil
}

func isTofu(path string) bool {
	base := filepath.Base(path)
	return len(base) >= 4 && base[:4] == "tofu"
}
