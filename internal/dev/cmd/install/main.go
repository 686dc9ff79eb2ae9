// Command install builds the program, including the what-if engine. It installs the program as the vsla command, and as
// the provider in a filesystem mirror, so that `terraform init` and `tofu init` find it like a published provider. It
// prints the CLI configuration that the mirror needs. If -dir is empty, it installs only the command.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hashicorp/go-version"
)

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
	dir := flags.String("dir", implied, "folder of the mirror; empty for none")
	bin := flags.String("bin", "", "folder of the command vsla, by default the one of `go install`")
	engine := flags.Bool("engine", false, "build only the engine of the page of what-if")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := buildEngine(ctx, stderr); err != nil || *engine {
		return err
	}
	if *bin == "" {
		if *bin, err = goBin(ctx); err != nil {
			return err
		}
	}
	program := commandPath(*bin, runtime.GOOS)
	number := versionNumber(
		git(ctx, "describe", "--tags", "--always", "--dirty"),
		git(ctx, "rev-list", "--count", "HEAD"),
	)
	commit := git(ctx, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
	// -v shows the progress of the first build, which takes minutes.
	//nolint:gosec // the paths are from the developer's flags
	build := exec.CommandContext(ctx, "go", "build", "-v", "-trimpath", "-tags", "whatif",
		"-ldflags", "-s -w -X main.version="+number+" -X main.commit="+commit, "-o", program, ".")
	build.Stdout, build.Stderr = stderr, stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build the provider: %w", err)
	}
	fmt.Fprintln(stdout, program)
	if *dir == "" {
		return nil
	}
	mirror, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	for _, file := range packages(mirror, number, runtime.GOOS, runtime.GOARCH) {
		if err := copyProgram(program, file); err != nil {
			return err
		}
		fmt.Fprintln(stdout, file)
	}
	if !slices.Contains(filepath.SplitList(os.Getenv("PATH")), *bin) {
		fmt.Fprintf(stdout, "\nThe folder %s is not in PATH: add it, so that your shell finds vsla.\n", *bin)
	}
	fmt.Fprint(stdout, advice(mirror, mirror == implied))
	return nil
}

func git(ctx context.Context, args ...string) string {
	//nolint:gosec // arguments are constants; without git metadata there is no version
	out, _ := exec.CommandContext(ctx, "git", args...).Output()
	return strings.TrimSpace(string(out))
}

func goBin(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOBIN", "GOPATH").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	env := map[string]string{}
	if err := json.Unmarshal(out, &env); err != nil || env["GOBIN"] != "" {
		return env["GOBIN"], err
	}
	list := filepath.SplitList(env["GOPATH"])
	if len(list) == 0 {
		return "", errors.New("go env has neither GOBIN nor GOPATH: name a folder for vsla with BIN")
	}
	return filepath.Join(list[0], "bin"), nil
}

func commandPath(bin, system string) string {
	if system == "windows" {
		return filepath.Join(bin, "vsla.exe")
	}
	return filepath.Join(bin, "vsla")
}

// copyProgram replaces a file atomically, because the old program might be running.
func copyProgram(from, to string) error {
	content, err := os.ReadFile(from) //nolint:gosec // as above
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // the mirror may be shared
		return err
	}
	if err := os.WriteFile(to+".new", content, 0o755); err != nil { //nolint:gosec // an executable
		return err
	}
	return os.Rename(to+".new", to)
}

// impliedMirror returns the filesystem mirror that Terraform and OpenTofu use by default.
func impliedMirror() (string, error) {
	if runtime.GOOS == "windows" {
		config, err := os.UserConfigDir()
		return filepath.Join(config, "terraform.d", "plugins"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".terraform.d", "plugins"), err
}

// versionNumber returns the version if the commit is described by a release tag. For any other commit, it returns
// 0.0.N, where N is the number of commits, because `init` ignores pre-releases.
func versionNumber(described, commits string) string {
	v, err := version.NewSemver(described)
	if err != nil || v.Prerelease() != "" || !strings.HasPrefix(described, "v") {
		return "0.0." + cmp.Or(commits, "1")
	}
	return v.Core().String()
}

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
	return "\nAdd this to your CLI configuration (~/.terraformrc, ~/.tofurc, or the file in TF_CLI_CONFIG_FILE), " +
		"then\nrun `terraform init` or `tofu init`:\n" + text
}
