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

// stopLimit is the time that an interrupted CLI has to exit.
const stopLimit = 30 * time.Second

// BuildProvider compiles the provider at root into the folder out.
func BuildProvider(ctx context.Context, root, out string, log io.Writer) error {
	return BuildVariant(ctx, root, ".", out, log)
}

// BuildVariant compiles another package of the module as the provider.
func BuildVariant(ctx context.Context, root, program, out string, log io.Writer) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(out, "terraform-provider-vsla"), program)
	build.Dir, build.Stdout, build.Stderr = root, log, log
	return build.Run()
}

// Workspace is a folder with a configuration and a CLI that loads vsla/vsla from a local folder.
type Workspace struct {
	cli CLI
	dir string
	env []string
}

// NewWorkspace prepares an existing folder for the provider in another folder. The CLI inherits the environment, such
// as proxies and certificates, without variables that configure Terraform or vsla; env is added.
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

// passedOn filters variables that configure Terraform, OpenTofu, vsla or the vsphere provider.
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

// Command returns a command that runs the CLI. Cancelling ctx interrupts it like Ctrl-C.
func (w *Workspace) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.cli.Path, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopLimit
	return cmd
}

// Run runs the CLI and returns its exit code, or an error if it did not start.
func (w *Workspace) Run(ctx context.Context, output io.Writer, args ...string) (int, error) {
	cmd := w.Command(ctx, args...)
	cmd.Stdout, cmd.Stderr = output, output
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// CopyFiles copies the files of a folder without its subfolders.
func CopyFiles(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(from, entry.Name()))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, entry.Name()), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
