package terraformcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stopLimit is how long an interrupted CLI may take to exit.
const stopLimit = 30 * time.Second

// BuildProvider compiles the provider at root into the folder out.
func BuildProvider(ctx context.Context, root, out string, log io.Writer) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(out, "terraform-provider-vsla"), ".")
	build.Dir = root
	build.Stdout = log
	build.Stderr = log
	return build.Run()
}

// Workspace is a folder with a Terraform configuration, and a CLI that loads vsla/vsla from a local folder.
type Workspace struct {
	cli CLI
	dir string
	env []string
}

// NewWorkspace configures the CLI in dir, an existing folder, to load the provider from the given folder. The CLI
// inherits the environment, including proxies and certificates, except for the variables that configure Terraform,
// OpenTofu, vsla or the vsphere provider. env contains additional variables.
func NewWorkspace(cli CLI, dir, provider string, env ...string) (*Workspace, error) {
	provider, err := filepath.Abs(provider)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"vsla/vsla\" = %q\n  }\n  direct {}\n}\n",
		filepath.ToSlash(provider))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	w := &Workspace{cli: cli, dir: dir, env: passedOn(os.Environ())}
	w.env = append(w.env, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_CLI_CONFIG_FILE="+config)
	w.env = append(w.env, env...)
	return w, nil
}

func passedOn(environment []string) []string {
	var kept []string
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		configures := func(prefix string) bool { return strings.HasPrefix(strings.ToUpper(name), prefix) }
		if !slices.ContainsFunc([]string{"TF_", "TOFU_", "VSLA_", "VSPHERE_", "CHECKPOINT_DISABLE"}, configures) {
			kept = append(kept, variable)
		}
	}
	return kept
}

// Command returns a command that runs the CLI. Canceling ctx interrupts the CLI like Ctrl-C.
func (w *Workspace) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.cli.Path, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopLimit
	return cmd
}

// Run runs the CLI and returns its exit code, or an error if the CLI did not start.
func (w *Workspace) Run(ctx context.Context, output io.Writer, args ...string) (int, error) {
	cmd := w.Command(ctx, args...)
	cmd.Stdout, cmd.Stderr = output, output
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// CopyFiles copies the files of a folder, but not its subfolders, and neither states nor saved plans of other runs.
func CopyFiles(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if !entry.Type().IsRegular() || strings.HasPrefix(name, "terraform.tfstate") || name == "tfplan" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
