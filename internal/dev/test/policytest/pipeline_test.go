// The jobs of examples/pipeline, step by step as they are written. What is replaced, and nothing else:
//
//   - what the runner brings (`uses:`, `image:`): a clean copy of the files, and the installed CLI as `terraform`; for
//     GitLab also conftest, which the job for GitHub installs itself
//   - vCenter: the lab, by the variables that the jobs take
//   - the provider is installed once for all runs, by the command of the job for GitHub

package policytest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

const pipelines = "examples/pipeline"

// runner runs jobs.
type runner struct {
	t    *testing.T
	lab  *acctest.Lab
	dir  string
	env  []string
	path string
}

func newRunner(t *testing.T, cli terraformcli.CLI, mirror string, programs map[string]string, env ...string) *runner {
	t.Helper()
	r := &runner{t: t, lab: acctest.Start(t, vcsim.Config{VMs: 40}), dir: t.TempDir()}
	r.lab.Keep()
	bin, home := filepath.Join(r.dir, "bin"), filepath.Join(r.dir, "home")
	for _, dir := range []string{bin, home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	programs["terraform"] = cli.Path
	for name, program := range programs {
		if err := os.Symlink(program, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	// The jobs use the toolchain that runs the test.
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	r.path = strings.Join(
		[]string{bin, filepath.Join(strings.TrimSpace(string(goroot)), "bin"), "/usr/local/bin", "/usr/bin", "/bin"},
		":",
	)
	r.env = append(
		r.env,
		"HOME="+home,
		"TF_CLI_CONFIG_FILE=",
		"VSLA_MIRROR="+mirror,
		"CHECKPOINT_DISABLE=1",
		"CI=true",
		"VSPHERE_SERVER="+r.lab.URL(),
		"VSPHERE_USER="+r.lab.User(),
		"VSPHERE_PASSWORD="+r.lab.Password(),
		"VSLA_CA_FILE="+r.lab.CAFile(),
		"CHANGE_AUTHOR=",
	)
	r.env = append(r.env, env...)
	return r
}

// installStep and installCommand are the step of the job for GitHub that installs the provider in a clone of this
// repository.
const (
	installStep    = "Install the provider"
	installCommand = "make -C vsla install"
)

// install runs that command once for all runs of a test, and returns the mirror that it writes.
func install(t *testing.T, goEnv []string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.Symlink(root(t), filepath.Join(home, "vsla")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", installCommand)
	cmd.Dir = home
	cmd.Env = slices.Concat(os.Environ(), goEnv, []string{"HOME=" + home, "MAKEFLAGS=", "MAKELEVEL=0"})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", installCommand, err, out)
	}
	return filepath.Join(home, ".terraform.d", "plugins")
}

// checkout returns a clean copy of the repository that the jobs belong to: the example, with the kit's Rego.
func (r *runner) checkout(name string, rego map[string]string) string {
	r.t.Helper()
	dir := filepath.Join(r.dir, name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root(r.t), pipelines))); err != nil {
		r.t.Fatal(err)
	}
	if rego == nil {
		if err := os.CopyFS(filepath.Join(dir, "policy", "rego"), os.DirFS(filepath.Join(root(r.t), kit))); err != nil {
			r.t.Fatal(err)
		}
	}
	for file, text := range rego {
		if err := os.MkdirAll(filepath.Join(dir, "policy", "rego"), 0o700); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "policy", "rego", file), []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	return dir
}

// script runs a script and reports whether it succeeded.
func (r *runner) script(dir, shell, text string, env ...string) (string, bool) {
	r.t.Helper()
	file := filepath.Join(r.dir, "step.sh")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(r.t.Context(), shell, "-e", file)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = slices.Concat(r.env, []string{"PATH=" + r.path}, env)
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	return out.String(), err == nil
}

// outcome is how far a pipeline came: the step that failed, if any, and what it printed.
type outcome struct{ failed, printed string }

// The conditions of steps. What runs on pull requests only is an action, which is not run here.
const (
	onMain        = "github.ref == 'refs/heads/main'"
	onPullRequest = "github.event_name == 'pull_request'"
)

// github runs the job for GitHub Actions.
func (r *runner) github(main bool, rego map[string]string) outcome {
	r.t.Helper()
	file := load[struct {
		Jobs map[string]struct {
			Env   map[string]string `yaml:"env"`
			Steps []struct {
				Name string `yaml:"name"`
				If   string `yaml:"if"`
				Run  string `yaml:"run"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}](r.t, pipelines, "github-actions.yml")
	job := file.Jobs["gate"]
	for name := range job.Env {
		if !slices.ContainsFunc(r.env, func(variable string) bool { return strings.HasPrefix(variable, name+"=") }) {
			r.t.Errorf("the job takes %s, and the test does not set it", name)
		}
	}
	dir, paths, ran := r.checkout("github", rego), filepath.Join(r.dir, "github_path"), 0
	for _, step := range job.Steps {
		if step.If != "" && step.If != onMain && (step.If != onPullRequest || step.Run != "") {
			r.t.Errorf("step %q has a condition that the test does not know: %s", step.Name, step.If)
		}
		if step.Run == "" || step.If == onMain && !main {
			continue
		}
		ran++
		if step.Name == installStep {
			if strings.TrimSpace(step.Run) != installCommand {
				r.t.Errorf("the job installs the provider by %q, and the test by %q", step.Run, installCommand)
			}
			step.Run = `mkdir -p ~/.terraform.d/plugins && cp -R "$VSLA_MIRROR/." ~/.terraform.d/plugins/`
		}
		if out, ok := r.script(dir, "bash", step.Run, "GITHUB_PATH="+paths); !ok {
			return outcome{step.Name, out}
		}
		if added, err := os.ReadFile(paths); err == nil {
			r.path = strings.Join(append(strings.Fields(string(added)), r.path), ":")
			if err := os.Remove(paths); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	if ran < 5 {
		r.t.Errorf("%d steps only", ran)
	}
	return outcome{}
}

// gitlab runs the jobs for GitLab CI in the order of their stages, each in a clean copy with the artifacts of the
// others.
func (r *runner) gitlab(main bool, rego map[string]string) outcome {
	r.t.Helper()
	type job struct {
		Stage     string              `yaml:"stage"`
		Script    []string            `yaml:"script"`
		Rules     []map[string]string `yaml:"rules"`
		Artifacts struct {
			Paths []string `yaml:"paths"`
		} `yaml:"artifacts"`
	}
	file := load[struct {
		Stages []string `yaml:"stages"`
		Plan   job      `yaml:"plan"`
		Gate   job      `yaml:"gate"`
		Apply  job      `yaml:"apply"`
	}](r.t, pipelines, "gitlab-ci.yml")
	jobs := map[string]job{"plan": file.Plan, "gate": file.Gate, "apply": file.Apply}
	kept := filepath.Join(r.dir, "artifacts")
	if err := os.MkdirAll(kept, 0o700); err != nil {
		r.t.Fatal(err)
	}
	for _, stage := range file.Stages {
		job := jobs[stage]
		if len(job.Script) == 0 || job.Stage != stage {
			r.t.Fatalf("stage %s has no job", stage)
		}
		if len(job.Rules) > 0 && !main {
			continue
		}
		dir := r.checkout("gitlab-"+stage, rego)
		if out, ok := r.script(dir, "sh", "cp -a '"+kept+"/.' .\n"); !ok {
			r.t.Fatal(out)
		}
		if out, ok := r.script(dir, "sh", strings.Join(job.Script, "\n")); !ok {
			return outcome{stage, out}
		}
		for _, path := range job.Artifacts.Paths {
			if out, ok := r.script(dir, "sh", "cp -a "+path+" '"+kept+"/'\n"); !ok {
				r.t.Fatal(out)
			}
		}
	}
	return outcome{}
}

// TestPipelines runs both files for a pull request, for main, for a promise that the link does not keep, for a link
// that is too good to be true, and with policies that are not the kit's.
func TestPipelines(t *testing.T) {
	t.Parallel()
	goEnv := goEnvironment(t)
	mirror := install(t, goEnv)
	gate := []string{"Gate", "gate"} // the name of the step, and of the job
	other := map[string]string{"other.rego": "package other\n\ndeny contains \"never seen\"\n"}
	for _, service := range []string{"github", "gitlab"} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, cli terraformcli.CLI) {
				t.Helper()
				for _, run := range []struct {
					name   string
					main   bool
					rego   map[string]string
					env    []string
					failed []string
					says   string
				}{
					{name: "pull request"},
					{name: "main", main: true},
					{
						name: "missed", main: true, env: []string{"TF_VAR_link_mbps=1"}, failed: gate,
						says: "misses its RPO",
					},
					{
						name: "flattered", main: true, env: []string{"TF_VAR_link_mbps=1000000000000"}, failed: gate,
						says: "has throughput_mbps = 1e+12; the settings allow at most 10000",
					},
					{
						name: "other policies", main: true, rego: other,
						failed: []string{"The gate has to refuse nothing at all", "gate"},
					},
				} {
					r := newRunner(t, cli, mirror, programs(t, service), slices.Concat(run.env, goEnv)...)
					start := r.github
					if service == "gitlab" {
						start = r.gitlab
					}
					got := start(run.main, run.rego)
					if len(run.failed) == 0 && got.failed != "" || len(run.failed) > 0 && !slices.Contains(run.failed, got.failed) {
						t.Errorf("%s: failed at %q, want %q:\n%s", run.name, got.failed, run.failed, got.printed)
					}
					if !strings.Contains(got.printed, run.says) {
						t.Errorf("%s does not say why:\n%s", run.name, got.printed)
					}
					if tagged := len(r.lab.Tags().Associations()) > 0; tagged != (run.main && len(run.failed) == 0) {
						t.Errorf("%s: tagged VMs: %t", run.name, tagged)
					}
				}
			})
		})
	}
}

// programs are what the runner has beside the CLI.
func programs(t *testing.T, service string) map[string]string {
	t.Helper()
	path := conftest.path(t) // builds it, so that the installation of the job finds it compiled
	if service == "gitlab" {
		return map[string]string{"conftest": path}
	}
	return map[string]string{}
}

// goEnvironment lets `go install` use what this machine has downloaded and compiled, and install into the runner's
// home.
func goEnvironment(t *testing.T) []string {
	t.Helper()
	env := []string{"GOPATH=" + t.TempDir()}
	for _, name := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB", "GOFLAGS"} {
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	return env
}

// TestPipelines_guide: the guide shows the files that are tested.
func TestPipelines_guide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates", "guides", "gate-a-pipeline.md")
	for file, language := range map[string]string{
		"github-actions.yml": "yaml", "gitlab-ci.yml": "yaml", "policy/settings.yaml": "yaml", "CODEOWNERS": "text",
	} {
		if !strings.Contains(guide, "```"+language+"\n"+read(t, pipelines, file)+"```") {
			t.Errorf("the guide does not show %s as it is", file)
		}
	}
}
