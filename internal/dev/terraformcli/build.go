package terraformcli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// release is a CLI to build, with its checksum from the Go checksum database.
type release struct{ module, version, sum, program, command string }

var opentofu = release{
	"github.com/opentofu/opentofu", "v1.12.6", "h1:0VT4P8pMmGcCUnQ9JDrJ+Qg2d35Vzm4FFd/9+H7oF98=", "tofu", "./cmd/tofu",
}

const terraformModule = "github.com/hashicorp/terraform"

var matrix = []release{
	{terraformModule, "v1.8.5", "h1:qsZZLERVJoBe7a9PlVaZAmi+18qsBnbSSbrtAlsBoIY=", "terraform", "."},
	{terraformModule, "v1.11.4", "h1:n5VVSuZsOLbQc9tpqny1mnd6cttyTwvEpLPVewj9UYA=", "terraform", "."},
	{terraformModule, "v1.14.9", "h1:HLthQuUl9eq+H8kkXQ40wsmZUoLeMBjDXrBKLMc3HR0=", "terraform", "."},
	{terraformModule, "v1.16.3", "h1:qCqsNcOJECl0qjc3GwPb3CufcOjZRmAj/5LpWyd9UmI=", "terraform", "."},
	opentofu,
}

func (r release) path(dir string) string {
	name := r.program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, filepath.Base(r.module)+"-"+r.version, name)
}

// FindOrBuild finds a CLI, or builds OpenTofu in dir, which takes several minutes the first time. It writes its
// progress to log.
func FindOrBuild(ctx context.Context, dir string, log io.Writer) (CLI, error) {
	cli, err := Find(ctx, dir)
	if !errors.Is(err, ErrNone) {
		return cli, err
	}
	fmt.Fprintln(log, err)
	return opentofu.find(ctx, dir, log)
}

// Matrix returns all tested CLIs. It builds those that are neither on PATH nor in dir, which takes about ten minutes
// each, and writes its progress to log.
func Matrix(ctx context.Context, dir string, log io.Writer) ([]CLI, error) {
	all := make([]CLI, 0, len(matrix))
	for _, r := range matrix {
		cli, err := r.find(ctx, dir, log)
		if err != nil {
			return nil, err
		}
		all = append(all, cli)
	}
	return all, nil
}

func (r release) find(ctx context.Context, dir string, log io.Writer) (CLI, error) {
	if path, err := exec.LookPath(r.program); err == nil {
		if cli, err := probe(ctx, path); err == nil && "v"+cli.Version == r.version {
			return cli, nil
		}
	}
	path := r.path(dir)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(log, "building %s %s from the Go module proxy, which takes a few minutes\n", r.module, r.version)
		if err := r.build(ctx, path, log); err != nil {
			return CLI{}, fmt.Errorf("build %s %s: %w", r.module, r.version, err)
		}
	}
	return probe(ctx, path)
}

// build compiles a release. `go install` cannot build it, because its go.mod contains replace directives.
func (r release) build(ctx context.Context, out string, log io.Writer) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	source, err := r.download(ctx, log)
	if err != nil {
		return err
	}
	env := os.Environ()
	if r.module == terraformModule {
		dir, err := os.MkdirTemp("", "terraform-source-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		if err := copyWritable(source, dir); err != nil {
			return err
		}
		if err := dropUnpublished(ctx, dir); err != nil {
			return err
		}
		source, env = dir, append(env, "GOFLAGS=-mod=mod")
	}
	compile := exec.CommandContext(ctx, "go", "build", "-C", source, "-trimpath",
		"-ldflags", "-s -w -X "+r.module+"/version.dev=no", "-o", out, r.command)
	compile.Stdout, compile.Stderr, compile.Env = log, log, env
	return compile.Run()
}

func (r release) download(ctx context.Context, log io.Writer) (string, error) {
	download := exec.CommandContext(ctx, "go", "mod", "download", "-json", r.module+"@"+r.version)
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
	if module.Sum != r.sum {
		return "", fmt.Errorf("checksum is %s, want %s", module.Sum, r.sum)
	}
	return module.Dir, nil
}

func copyWritable(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		content, err := os.ReadFile(path) //nolint:gosec // a module in the read-only cache
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), content, 0o600)
	})
}

// dropUnpublished removes the modules that Terraform's go.mod replaces with folders of the Terraform repository: remote
// state backends and old test code. The module proxy does not have them.
func dropUnpublished(ctx context.Context, dir string) error {
	edit := exec.CommandContext(ctx, "go", "mod", "edit", "-json")
	edit.Dir = dir
	answer, err := edit.Output()
	if err != nil {
		return err
	}
	var mod struct {
		Godebug []struct {
			Key string `json:"Key"`
		} `json:"Godebug"`
		Replace []struct {
			Old struct {
				Path string `json:"Path"`
			} `json:"Old"`
			New struct {
				Path string `json:"Path"`
			} `json:"New"`
		} `json:"Replace"`
	}
	if err := json.Unmarshal(answer, &mod); err != nil {
		return err
	}
	var dropped, args []string
	for _, setting := range mod.Godebug { // newer Go versions reject settings that have been removed
		args = append(args, "-dropgodebug="+setting.Key)
	}
	for _, r := range mod.Replace {
		if strings.HasPrefix(r.New.Path, ".") {
			dropped = append(dropped, r.Old.Path)
			args = append(args, "-dropreplace="+r.Old.Path, "-droprequire="+r.Old.Path)
		}
	}
	if len(args) == 0 { // `go mod edit` without flags is an error
		return nil
	}
	edit = exec.CommandContext(ctx, "go", append([]string{"mod", "edit"}, args...)...)
	edit.Dir = dir
	if err := edit.Run(); err != nil {
		return err
	}
	backends := filepath.Join(dir, "internal", "backend", "init", "init.go")
	content, err := os.ReadFile(backends)
	if err != nil {
		return err
	}
	return os.WriteFile(backends, withoutImports(content, dropped), 0o600)
}

func withoutImports(source []byte, packages []string) []byte {
	var kept [][]byte
	var uses []string
	for line := range bytes.Lines(source) {
		text := string(line)
		name, quoted, _ := strings.Cut(strings.TrimSpace(text), " ")
		if slices.Contains(packages, strings.Trim(quoted, `"`)) {
			uses = append(uses, name+".")
			continue
		}
		if !slices.ContainsFunc(uses, func(use string) bool { return strings.Contains(text, use) }) {
			kept = append(kept, line)
		}
	}
	return bytes.Join(kept, nil)
}
