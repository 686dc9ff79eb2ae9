// Package terraformcli finds a Terraform or OpenTofu for tests, documentation and the demo, and builds OpenTofu from
// the Go module proxy where there is none. It is for development; the provider does not use it.
package terraformcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/hashicorp/go-version"
)

// The oldest releases with provider-defined functions.
const (
	OldestTerraform = "1.8.0"
	OldestOpenTofu  = "1.7.0"
)

// The OpenTofu that is built where no CLI is found, with its checksum as the checksum database has it.
const (
	tofuModule  = "github.com/opentofu/opentofu"
	tofuVersion = "v1.12.6"
	tofuSum     = "h1:0VT4P8pMmGcCUnQ9JDrJ+Qg2d35Vzm4FFd/9+H7oF98="
)

// Variable names a CLI to use in place of any other.
const Variable = "TERRAFORM"

// CLI is a Terraform or OpenTofu on this machine.
type CLI struct {
	Path     string
	OpenTofu bool
	Version  string
}

// Name gives "Terraform 1.11.4".
func (c CLI) Name() string {
	if c.OpenTofu {
		return "OpenTofu " + c.Version
	}
	return "Terraform " + c.Version
}

// String gives "Terraform 1.11.4 (/usr/local/bin/terraform)".
func (c CLI) String() string { return fmt.Sprintf("%s (%s)", c.Name(), c.Path) }

// TestEnvironment gives the variables by which terraform-plugin-testing uses this CLI.
func (c CLI) TestEnvironment() map[string]string {
	env := map[string]string{"TF_ACC_TERRAFORM_PATH": c.Path}
	if c.OpenTofu {
		env["TF_ACC_PROVIDER_HOST"] = "registry.opentofu.org"
		env["TF_ACC_PROVIDER_NAMESPACE"] = "hashicorp"
	}
	return env
}

// AtLeast tells whether this is a Terraform of the given version or later. Which features an OpenTofu has does not
// follow from its version.
func (c CLI) AtLeast(terraform string) bool {
	v, err := version.NewVersion(c.Version)
	return err == nil && !c.OpenTofu && !v.Core().LessThan(version.Must(version.NewVersion(terraform)))
}

// ErrNone says that no CLI was found.
var ErrNone = errors.New("no terraform 1.8 or later and no tofu 1.7 or later on PATH")

// Find gives the CLI that TERRAFORM names, or else a terraform or tofu of PATH that is new enough, or else the
// OpenTofu that Build has left in dir. ErrNone when there is none; a CLI that TERRAFORM names and that does not work
// is an error.
func Find(ctx context.Context, dir string) (CLI, error) {
	if named := os.Getenv(Variable); named != "" {
		return probe(ctx, named)
	}
	for _, candidate := range []string{"terraform", "tofu", built(dir)} {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		if cli, err := probe(ctx, path); err == nil {
			return cli, nil
		}
	}
	return CLI{}, ErrNone
}

// FindAll gives every CLI that Find could choose, each path once: what reads the output of a CLI is tested with all
// that are there. ErrNone when there is none.
func FindAll(ctx context.Context, dir string) ([]CLI, error) {
	var all []CLI
	for _, candidate := range []string{os.Getenv(Variable), "terraform", "tofu", built(dir)} {
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

// FindOrBuild finds a CLI, or builds OpenTofu into dir, which takes some minutes the first time. Progress goes to log.
func FindOrBuild(ctx context.Context, dir string, log io.Writer) (CLI, error) {
	cli, err := Find(ctx, dir)
	if !errors.Is(err, ErrNone) {
		return cli, err
	}
	fmt.Fprintf(log, "%v; building OpenTofu %s from the Go module proxy, which takes some minutes\n", err, tofuVersion)
	if err := build(ctx, built(dir), log); err != nil {
		return CLI{}, fmt.Errorf("build OpenTofu: %w", err)
	}
	return probe(ctx, built(dir))
}

func built(dir string) string {
	name := "tofu"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, "opentofu-"+tofuVersion, name)
}

// build compiles in the read-only module cache: OpenTofu's replace directives rule out `go install`.
func build(ctx context.Context, out string, log io.Writer) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	download := exec.CommandContext(ctx, "go", "mod", "download", "-json", tofuModule+"@"+tofuVersion)
	download.Dir = os.TempDir() // outside any module, so that this project's own versions do not count
	download.Stderr = log
	answer, err := download.Output()
	if err != nil {
		return fmt.Errorf("download %s: %w", tofuModule, err)
	}
	var module struct {
		Dir string `json:"Dir"`
		Sum string `json:"Sum"`
	}
	if err := json.Unmarshal(answer, &module); err != nil {
		return fmt.Errorf("download %s: %w", tofuModule, err)
	}
	if module.Sum != tofuSum {
		return fmt.Errorf("%s %s has checksum %s, expected %s", tofuModule, tofuVersion, module.Sum, tofuSum)
	}
	compile := exec.CommandContext(ctx, "go", "build", "-C", module.Dir, "-trimpath",
		"-ldflags", "-s -w -X "+tofuModule+"/version.dev=no", "-o", out, "./cmd/tofu")
	compile.Stdout, compile.Stderr = log, log
	return compile.Run()
}

// probe asks a CLI for its version and refuses one that is too old.
func probe(ctx context.Context, path string) (CLI, error) {
	path, err := filepath.Abs(path) // it will be run in other folders
	if err != nil {
		return CLI{}, err
	}
	cmd := exec.CommandContext(ctx, path, "version", "-json")
	cmd.Env = append(os.Environ(), "CHECKPOINT_DISABLE=1")
	out, err := cmd.Output()
	if err != nil {
		return CLI{}, fmt.Errorf("%s: %w", path, err)
	}
	return parse(path, out)
}

func parse(path string, out []byte) (CLI, error) {
	// OpenTofu keeps Terraform's key; what tells them apart is the plain text of `version`, or the program's name.
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
