package gatetest_test

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/assert"
)

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
