// The jobs of examples/pipeline are run step by step as written, with these exceptions:
//
//   - Checkouts and artifacts are copies, and the CLI is the installed one.
//   - The jobs' variables connect them to the lab instead of a vCenter.
//   - The provider is installed once for all runs, with the command of the GitHub job.

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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

const pipelines = "examples/pipeline"

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

type outcome struct{ failedJob, output string }

type workflow struct {
	Jobs map[string]struct {
		If    string
		Env   map[string]string
		Steps []struct {
			Name string
			Uses string
			Run  string
			If   string
			With map[string]string
		}
	}
}

// github runs the GitHub Actions jobs, each in a clean checkout. Jobs share only artifacts and outputs. head contains
// the changes of the pull request, and base is its base branch.
func (r *runner) github(main bool, head, base string) outcome {
	r.t.Helper()
	file := loadYAML[workflow](r.t, pipelines, "github-actions.yml")
	artifacts := r.t.TempDir()
	r.artifacts = artifacts
	outputs := filepath.Join(r.dir, "github_output")
	paths := filepath.Join(r.dir, "github_path")
	for _, name := range []string{"plan", "gate", "apply"} {
		job := file.Jobs[name]
		dir := filepath.Join(r.dir, "github-"+name)
		ran := 0
		if job.If != "" && !main {
			continue
		}
		env := []string{"GITHUB_PATH=" + paths, "GITHUB_OUTPUT=" + outputs, "JOB=" + name}
		if output, err := os.ReadFile(outputs); err == nil && job.Env["JUDGED"] == "${{ needs.gate.outputs.judged }}" {
			env = append(env, "JUDGED="+strings.TrimPrefix(strings.TrimSpace(string(output)), "judged="))
		}
		var failed outcome
		for _, step := range job.Steps {
			if failed.failedJob != "" && !strings.Contains(step.If, "!cancelled()") {
				continue
			}
			switch action, _, _ := strings.Cut(step.Uses, "@"); {
			case action == "actions/checkout" && step.With["persist-credentials"] != "false":
				r.t.Errorf("the job %s leaves the token in the checkout", name)
			case action == "actions/checkout" && step.With["repository"] == "":
				from := head
				if strings.Contains(step.With["ref"], "base.sha") {
					from = base
				}
				r.copyTree(from, filepath.Join(dir, step.With["path"]))
			case action == "actions/upload-artifact":
				for path := range strings.FieldsSeq(step.With["path"]) {
					r.copyFile(filepath.Join(dir, path), filepath.Join(artifacts, step.With["name"], path))
				}
			case action == "actions/download-artifact":
				r.copyTree(filepath.Join(artifacts, step.With["name"]), filepath.Join(dir, step.With["path"]))
			case step.Run != "":
				ran++
				if step.Run == installCommand {
					step.Run = fromMirror
				}
				if out, ok := r.script(dir, "bash", step.Run, env...); !ok {
					failed = outcome{name, out}
				}
				if added, err := os.ReadFile(paths); err == nil {
					r.path = strings.Join(append(strings.Fields(string(added)), r.path), ":")
				}
			}
		}
		if failed.failedJob != "" {
			return failed
		}
		assert.GreaterOrEqual(r.t, ran, 2, "commands of the job %s", name)
	}
	return outcome{}
}

// runComment runs the command that comments on a pull request.
func (r *runner) runComment() string {
	r.t.Helper()
	dir := filepath.Join(r.dir, "github-comment")
	r.copyTree(filepath.Join(r.artifacts, "comment"), dir)
	steps := loadYAML[workflow](r.t, pipelines, "github-actions.yml").Jobs["comment"].Steps
	r.mustRun(dir, steps[len(steps)-1].Run, "PULL_REQUEST=7")
	return r.posted()
}

// poster replaces gh and glab. It stores its arguments and the content of any files named in them.
const poster = `#!/bin/sh
for argument; do printf '%s\n' "$argument"; if [ -f "$argument" ]; then cat "$argument"; fi; done > "$0.posted"
`

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

// gitlab runs the GitLab CI jobs in stage order, each in a clean checkout with the artifacts of the jobs it needs.
func (r *runner) gitlab(main bool, head, base string) outcome {
	r.t.Helper()
	type job struct {
		Needs, Script []string
		BeforeScript  []string `yaml:"before_script"`
		Rules         []map[string]string
		Variables     map[string]string
		Artifacts     struct {
			When  string
			Paths []string
		}
	}
	file := loadYAML[struct {
		Stages    []string
		Terraform job `yaml:".terraform"`
		Plan      job
		Gate      job
		Comment   job
		Apply     job
	}](r.t, pipelines, "gitlab-ci.yml")
	jobs := map[string]job{"plan": file.Plan, "gate": file.Gate, "comment": file.Comment, "apply": file.Apply}
	artifacts, failed := r.t.TempDir(), outcome{}
	for _, stage := range file.Stages {
		job, dir := jobs[stage], filepath.Join(r.dir, "gitlab-"+stage)
		if len(job.Rules) > 0 && strings.Contains(job.Rules[0]["if"], "merge_request_event") == main {
			continue
		}
		if failed.failedJob == "plan" || failed.failedJob == "gate" && stage == "apply" {
			continue
		}
		if job.Variables["GIT_STRATEGY"] != "empty" {
			r.copyTree(head, dir)
			r.mustRun(dir, "git remote add origin '"+base+"'")
		}
		for _, need := range job.Needs {
			if from := filepath.Join(artifacts, need); len(jobs[need].Artifacts.Paths) > 0 {
				r.copyTree(from, dir)
			}
		}
		script := job.Script
		if stage != "comment" { // the image of this stage does not contain Terraform
			script = slices.Concat(file.Terraform.BeforeScript, script)
		}
		env := []string{
			"TARGET=main",
			"JOB=" + stage,
			"CI_MERGE_REQUEST_IID=7",
			"CI_MERGE_REQUEST_PROJECT_URL=https://gitlab.example.com/x/y",
		}
		if out, ok := r.script(dir, "sh", strings.Join(script, "\n"), env...); !ok {
			failed = outcome{stage, out}
			if job.Artifacts.When != "always" {
				continue
			}
		}
		for _, path := range job.Artifacts.Paths {
			r.copyFile(filepath.Join(dir, path), filepath.Join(artifacts, stage, path))
		}
	}
	return failed
}

func TestPipelines(t *testing.T) {
	t.Parallel()
	missed := []string{"TF_VAR_link_mbps=1"}
	for _, service := range []string{"github", "gitlab"} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
				t.Helper()
				for _, run := range []struct {
					name         string
					main, attack bool
					providerDir  string
					added        string
					env          []string
					failed, want string
				}{
					{name: "pull request"},
					{name: "main", main: true},
					{name: "missed", main: true, env: missed, failed: "gate", want: "Promises are missed"},
					{
						name:   "flattered",
						main:   true,
						env:    []string{"TF_VAR_link_mbps=1000000000000"},
						failed: "gate",
						want:   "= 1e+12; the settings allow at most 10000",
					},
					{
						name:   "no space",
						main:   true,
						env:    []string{"TF_VAR_target_free_gib=1530"},
						failed: "gate",
						want:   "keeps 18% of its free space; the settings require 20%",
					},
					{
						name:   "settings of the pull request",
						added:  settingsOfItsOwn,
						env:    missed,
						failed: "gate",
						want:   "Promises are missed",
					},
					{
						name:   "attack on a pull request",
						attack: true,
						env:    missed,
						failed: "gate",
						want:   "Promises are missed",
					},
					{name: "another provider in a pull request", providerDir: "terraform.d/plugins"},
					{name: "a provider that is committed", providerDir: ".terraform/providers"},
					{name: "a backend that is committed", added: backendData},
					{name: "a module that is committed", added: moduleData, failed: "plan", want: "/none/tier.git"},
					{
						name:   "attack on main",
						main:   true,
						attack: true,
						env:    missed,
						failed: "gate",
						want:   "Promises are missed",
					},
				} {
					r := newRunner(t, cli, run.env...)
					base, head := r.tree("base"), r.tree("head")
					if run.attack {
						r.attack(cli, base)
					}
					if run.providerDir != "" {
						r.plantProvider(head, run.providerDir)
					}
					if run.added != "" {
						r.add(head, run.added)
					}
					start := r.github
					if service == "gitlab" {
						start = r.gitlab
					}
					got := start(run.main, head, base)
					if !run.main && (got.failedJob == "" || got.failedJob == "gate") {
						posted := r.posted()
						if service == "github" {
							posted = r.runComment()
						}
						assert.Contains(t, posted,
							map[bool]string{true: "## ✓ Passes", false: "## ✕ Denied"}[run.failed == ""], run.name)
					}
					assert.Equal(t, run.failed, got.failedJob, "%s:\n%s", run.name, got.output)
					assert.Contains(t, got.output, run.want, run.name)
					assert.NoFileExists(t, filepath.Join(r.dir, "ran"), "%s: the provider of the pull request ran",
						run.name)
					assert.Equal(t, run.main && run.failed == "", len(r.lab.Tags().Associations()) > 0,
						"%s: tagged VMs", run.name)
				}
			})
		})
	}
}

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

func TestPipelines_guide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates/guides/gate-a-pipeline.md")
	for file, language := range map[string]string{"policy.yaml": "yaml", "CODEOWNERS": "text"} {
		assert.Contains(t, guide, "```"+language+"\n"+read(t, pipelines, file)+"```", file)
	}
}
