// The jobs of examples/pipeline are run step by step as written, with these exceptions:
//
//   - Checkouts and artifacts are copies, and the CLI is the installed one.
//   - The jobs' variables connect them to the lab instead of a vCenter.
//   - The provider is installed once for all runs, with the command of the GitHub job.

package gatetest_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

const pipelines = "examples/pipeline"

// poster replaces gh and glab. It stores its arguments and the content of any files named in them.
const poster = `#!/bin/sh
for argument; do printf '%s\n' "$argument"; if [ -f "$argument" ]; then cat "$argument"; fi; done > "$0.posted"
`

// pipelineRun is a run of a pipeline, for a pull request unless main is set.
type pipelineRun struct {
	name string
	main bool
	// attack replaces terraform with a program that forges the plan. providerDir is the folder in which the head has a
	// provider. added is a script that changes the head.
	attack      bool
	providerDir string
	added       string
	env         []string
	// failed is the job that fails, if any. want is part of its output.
	failed string
	want   string
}

// missedEnv makes the link too slow for the promises.
var missedEnv = []string{"TF_VAR_link_mbps=1"}

var pipelineRuns = []pipelineRun{
	{name: "pull request"},
	{name: "main", main: true},
	{name: "missed", main: true, env: missedEnv, failed: "gate", want: "Promises are missed"},
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
		env:    missedEnv,
		failed: "gate",
		want:   "Promises are missed",
	},
	{
		name:   "attack on a pull request",
		attack: true,
		env:    missedEnv,
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
		env:    missedEnv,
		failed: "gate",
		want:   "Promises are missed",
	},
}

func TestPipelines(t *testing.T) {
	t.Parallel()
	for service, start := range map[string]func(*runner, bool, string, string) outcome{
		"github": (*runner).github,
		"gitlab": (*runner).gitlab,
	} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
				t.Helper()
				for _, run := range pipelineRuns {
					r := newRunner(t, cli, run.env...)
					head, base := r.trees(cli, run)
					got := start(r, run.main, head, base)
					assert.Equal(t, run.failed, got.failedJob, "%s:\n%s", run.name, got.output)
					assert.Contains(t, got.output, run.want, run.name)
					ran := filepath.Join(r.dir, "ran")
					assert.NoFileExists(t, ran, "%s: the provider of the pull request ran", run.name)
					tagged := len(r.lab.Tags().Associations()) > 0
					assert.Equal(t, run.main && run.failed == "", tagged, "%s: tagged VMs", run.name)
					if run.main || got.failedJob == "plan" {
						continue
					}
					posted := r.posted()
					if service == "github" {
						posted = r.runComment()
					}
					verdict := "## ✕ Denied"
					if run.failed == "" {
						verdict = "## ✓ Passes"
					}
					assert.Contains(t, posted, verdict, run.name)
				}
			})
		})
	}
}

// trees returns the two checkouts of a run.
func (r *runner) trees(cli terraformcli.CLI, run pipelineRun) (head, base string) {
	r.t.Helper()
	base = r.tree("base")
	head = r.tree("head")
	if run.attack {
		r.attack(cli, base)
	}
	if run.providerDir != "" {
		r.plantProvider(head, run.providerDir)
	}
	if run.added != "" {
		r.add(head, run.added)
	}
	return head, base
}

func TestPipelines_guide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates/guides/gate-a-pipeline.md")
	for file, language := range map[string]string{"policy.yaml": "yaml", "CODEOWNERS": "text"} {
		assert.Contains(t, guide, "```"+language+"\n"+read(t, pipelines, file)+"```", file)
	}
}
