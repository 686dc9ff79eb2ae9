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
)

// The OpenTofu to build, with its checksum from the Go checksum database.
const (
	openTofuModule  = "github.com/opentofu/opentofu"
	openTofuVersion = "v1.12.6"
	openTofuSum     = "h1:0VT4P8pMmGcCUnQ9JDrJ+Qg2d35Vzm4FFd/9+H7oF98="
)

func openTofuPath(dir string) string {
	name := "tofu"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, "opentofu-"+openTofuVersion, name)
}

// FindOrBuild finds a CLI, or builds OpenTofu in dir, which takes several minutes the first time. It writes its
// progress to log.
func FindOrBuild(ctx context.Context, dir string, log io.Writer) (CLI, error) {
	cli, err := Find(ctx, dir)
	if !errors.Is(err, ErrNone) {
		return cli, err
	}
	fmt.Fprintln(log, err)
	fmt.Fprintf(log, "building OpenTofu %s from the Go module proxy, which takes a few minutes\n", openTofuVersion)
	path := openTofuPath(dir)
	if err := buildOpenTofu(ctx, path, log); err != nil {
		return CLI{}, fmt.Errorf("build OpenTofu %s: %w", openTofuVersion, err)
	}
	return probe(ctx, path)
}

// buildOpenTofu compiles OpenTofu. `go install` cannot build it, because its go.mod contains replace directives.
func buildOpenTofu(ctx context.Context, out string, log io.Writer) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	source, err := downloadOpenTofu(ctx, log)
	if err != nil {
		return err
	}
	compile := exec.CommandContext(ctx, "go", "build", "-C", source, "-trimpath",
		"-ldflags", "-s -w -X "+openTofuModule+"/version.dev=no", "-o", out, "./cmd/tofu")
	compile.Stdout, compile.Stderr = log, log
	return compile.Run()
}

func downloadOpenTofu(ctx context.Context, log io.Writer) (string, error) {
	download := exec.CommandContext(ctx, "go", "mod", "download", "-json", openTofuModule+"@"+openTofuVersion)
	download.Dir = os.TempDir() // outside any module, because this project's requirements must not apply
	download.Stderr = log
	answer, err := download.Output()
	if err != nil {
		return "", err
	}
	var module struct {
		Dir string `json:"Dir"`
		Sum string `json:"Sum"`
	}
	if err := json.Unmarshal(answer, &module); err != nil {
		return "", err
	}
	if module.Sum != openTofuSum {
		return "", fmt.Errorf("checksum is %s, want %s", module.Sum, openTofuSum)
	}
	return module.Dir, nil
}
