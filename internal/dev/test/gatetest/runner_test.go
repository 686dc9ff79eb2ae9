package gatetest_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// runner runs the jobs of a pipeline with the lab as vCenter.
type runner struct {
	t         *testing.T
	lab       *acctest.Lab
	cli       string
	dir       string
	env       []string
	path      string
	mirror    string
	artifacts string
}

func newRunner(t *testing.T, cli terraformcli.CLI, env ...string) *runner {
	t.Helper()
	mirror, err := installOnce()
	require.NoError(t, err)
	goEnv, err := goEnvironment(filepath.Join(mirror, "..", "..", "go"))
	require.NoError(t, err)
	lab := acctest.Start(t, vcsim.Config{VMs: 40})
	r := &runner{t: t, lab: lab, cli: cli.Path, dir: t.TempDir(), mirror: mirror}
	r.lab.KeepObjects()
	bin, home := filepath.Join(r.dir, "bin"), filepath.Join(r.dir, "home")
	for _, dir := range []string{bin, home} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	for _, name := range []string{"gh", "glab"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(poster), 0o700))
	}
	require.NoError(t, os.Symlink(cli.Path, filepath.Join(bin, "terraform")))
	// Use the test's toolchain in the jobs.
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	require.NoError(t, err)
	toolchain := filepath.Join(strings.TrimSpace(string(goroot)), "bin")
	r.path = strings.Join([]string{bin, toolchain, "/usr/local/bin", "/usr/bin", "/bin"}, ":")
	r.env = slices.Concat([]string{
		"HOME=" + home, "TF_CLI_CONFIG_FILE=", "VSLA_MIRROR=" + mirror, "CHECKPOINT_DISABLE=1", "CI=true",
		"VSPHERE_SERVER=" + lab.URL(), "VSPHERE_USER=" + lab.User(), "VSPHERE_PASSWORD=" + lab.Password(),
		"VSLA_CA_FILE=" + lab.CAFile(), "CHANGE_AUTHOR=",
	}, env, goEnv)
	return r
}

// script runs a shell script, and returns its output and whether it succeeded.
func (r *runner) script(dir, shell, text string, env ...string) (string, bool) {
	r.t.Helper()
	file := filepath.Join(r.dir, "step.sh")
	require.NoError(r.t, os.WriteFile(file, []byte(text), 0o600))
	var out bytes.Buffer
	cmd := exec.CommandContext(r.t.Context(), shell, "-e", file)
	cmd.Dir = dir
	cmd.Stdout = &out
	cmd.Stderr = &out
	cmd.Env = slices.Concat(r.env, []string{"PATH=" + r.path}, env)
	err := cmd.Run()
	if err != nil {
		require.NotNil(r.t, cmd.ProcessState, "%+v", err)
	}
	return out.String(), err == nil
}

func (r *runner) mustRun(dir, text string, env ...string) {
	r.t.Helper()
	out, ok := r.script(dir, "sh", text, env...)
	require.True(r.t, ok, out)
}

// posted returns the comments on the pull request.
func (r *runner) posted() string {
	r.t.Helper()
	var all strings.Builder
	for _, name := range []string{"gh", "glab"} {
		if text, err := os.ReadFile(filepath.Join(r.dir, "bin", name+".posted")); err == nil {
			all.Write(text)
		}
	}
	return all.String()
}

// copyFile copies an artifact if it exists. A failed job might not have written it.
func (r *runner) copyFile(from, to string) {
	r.t.Helper()
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return
	}
	r.mustRun(r.dir, "mkdir -p '"+filepath.Dir(to)+"' && cp -a '"+from+"' '"+to+"'")
}

// outcome names the job that failed, if any, with its output.
type outcome struct{ failedJob, output string }

// goEnvironment returns the environment in which `go install` uses the local caches and installs into the given path.
func goEnvironment(path string) ([]string, error) {
	names := []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB", "GOFLAGS"}
	//nolint:noctx // `go env` returns immediately
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil, err
	}
	env := []string{"GOPATH=" + path}
	for i, value := range strings.Split(strings.TrimRight(string(out), "\n"), "\n") {
		env = append(env, names[i]+"="+value)
	}
	return env, nil
}
