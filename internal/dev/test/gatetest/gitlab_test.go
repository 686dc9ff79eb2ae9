package gatetest_test

import (
	"path/filepath"
	"slices"
	"strings"
)

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
