// Command install builds the provider into a filesystem mirror for Terraform and OpenTofu, so that `init` installs it
// like one from a registry, and prints the CLI configuration that a mirror in another folder than the default needs.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hashicorp/go-version"
)

// hosts are the registries from which Terraform and OpenTofu install vsla/vsla unless a mirror has it.
var hosts = []string{"registry.terraform.io", "registry.opentofu.org"}

const source = "vsla/vsla"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	implied, err := impliedMirror()
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("install", flag.ContinueOnError)
	flags.SetOutput(stderr)
	described := flags.String("version", "", "version of the build, as `git describe` prints it")
	commits := flags.Int("commits", 1, "number of commits, the patch number of a build that is no release")
	dir := flags.String("dir", implied, "folder of the mirror")
	if err := flags.Parse(args); err != nil {
		return err
	}
	mirror, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	number := versionNumber(*described, *commits)
	files := packages(mirror, number, runtime.GOOS, runtime.GOARCH)
	for _, file := range files {
		//nolint:gosec // the paths are made of the flags of the developer
		build := exec.CommandContext(ctx, "go", "build", "-trimpath",
			"-ldflags", "-s -w -X main.version="+number, "-o", file, ".")
		build.Stdout, build.Stderr = stderr, stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build the provider: %w", err)
		}
		fmt.Fprintln(stdout, file)
	}
	fmt.Fprint(stdout, advice(mirror, mirror == implied))
	return nil
}

// impliedMirror returns the folder that Terraform and OpenTofu search for providers without any configuration.
func impliedMirror() (string, error) {
	if runtime.GOOS == "windows" {
		config, err := os.UserConfigDir()
		return filepath.Join(config, "terraform.d", "plugins"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".terraform.d", "plugins"), err
}

// versionNumber returns the number of a release, or 0.0.N for the Nth commit: `init` ignores pre-releases.
func versionNumber(described string, commits int) string {
	v, err := version.NewSemver(described)
	if err != nil || v.Prerelease() != "" || !strings.HasPrefix(described, "v") {
		return fmt.Sprintf("0.0.%d", max(1, commits))
	}
	return v.Core().String()
}

// packages returns the paths of the provider in the mirror, one for each registry.
func packages(mirror, number, system, arch string) []string {
	program := "terraform-provider-vsla_v" + number
	if system == "windows" {
		program += ".exe"
	}
	var files []string
	for _, host := range hosts {
		files = append(files, filepath.Join(mirror, host, filepath.FromSlash(source), number, system+"_"+arch, program))
	}
	return files
}

// advice returns what a user has to do before `init` finds the provider.
func advice(mirror string, implied bool) string {
	var patterns []string
	for _, host := range hosts {
		patterns = append(patterns, fmt.Sprintf("%q", host+"/"+source))
	}
	list := strings.Join(patterns, ", ")
	text := fmt.Sprintf(`
provider_installation {
  filesystem_mirror {
    path    = %q
    include = [%s]
  }
  direct {
    exclude = [%s]
  }
}
`, filepath.ToSlash(mirror), list, list)
	if implied {
		return "\n`terraform init` and `tofu init` find the provider there. Only if your CLI configuration has a\n" +
			"provider_installation block, it also needs:\n" + text
	}
	return "\nAdd this to your CLI configuration (~/.terraformrc, ~/.tofurc, or the file in TF_CLI_CONFIG_FILE), then\n" +
		"run `terraform init` or `tofu init`:\n" + text
}
