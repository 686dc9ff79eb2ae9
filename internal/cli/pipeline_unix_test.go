//go:build unix

package cli_test

import (
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/cli"
)

type step struct {
	shell, script string
	variables     map[string]string
}

type input struct {
	Required bool
	Default  string
}

func action(t *testing.T, given map[string]string) step {
	t.Helper()
	var file struct {
		Inputs map[string]input
		Runs   struct {
			Steps []struct {
				Shell, Run string
				Env        map[string]string
			}
		}
	}
	text := read(t, "../../.github/actions/report/action.yml")
	require.NoError(t, yaml.Unmarshal([]byte(text), &file))
	require.Len(t, file.Runs.Steps, 1)
	run := file.Runs.Steps[0]
	for name, value := range run.Env {
		value = strings.ReplaceAll(value, "${{ github.event.pull_request.number }}", "7")
		run.Env[name] = filled(t, value, `\$\{\{ inputs\.([a-z_-]+) \}\}`, file.Inputs, given)
	}
	return step{run.Shell, run.Run, run.Env}
}

func component(t *testing.T, given map[string]string) step {
	t.Helper()
	head, body, ok := strings.Cut(read(t, "../../examples/gitlab-component/templates/report.yml"), "\n---\n")
	var file struct {
		Spec struct{ Inputs map[string]input }
	}
	err := yaml.Unmarshal([]byte(head), &file)
	require.NoError(t, err)
	require.True(t, ok, "%v %v", ok, err)
	var jobs map[string]struct {
		Script    []string
		Variables map[string]string
	}
	body = filled(t, body, `\$\[\[ inputs\.([a-z_-]+) \]\]`, file.Spec.Inputs, given)
	require.NoError(t, yaml.Unmarshal([]byte(body), &jobs))
	job, ok := jobs["vsla-report"]
	require.Len(t, jobs, 1)
	require.True(t, ok, "the jobs are %v", slices.Collect(maps.Keys(jobs)))
	return step{"sh", strings.Join(job.Script, "\n"), job.Variables}
}

// filled replaces references to inputs in text with their values or defaults.
func filled(t *testing.T, text, form string, inputs map[string]input, given map[string]string) string {
	t.Helper()
	pattern := regexp.MustCompile(form)
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		name := pattern.FindStringSubmatch(found)[1]
		declared, ok := inputs[name]
		value, set := given[name]
		require.True(t, ok, "input %q is used: declared %t, given %t", name, ok, set)
		assert.False(t, declared.Required && !set, "input %q is used: declared %t, given %t", name, ok, set)
		if set {
			return value
		}
		return declared.Default
	})
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// recorder is a script that writes its arguments, one per line, to a file with its own name and the suffix .args.
const recorder = `#!/bin/sh
printf '%s\n' "$@" > "$0.args"
`

// TestPipelineFiles verifies that the GitHub Action and the GitLab component call existing commands. They must post the
// comment with gh and glab even if --fail-on causes a failure, but not if the program itself fails.
func TestPipelineFiles(t *testing.T) {
	t.Parallel()
	file := baselines(t)
	plan, baseline := file("misses"), file("meets")
	gate := filepath.Join(t.TempDir(), "gate.json")
	require.NoError(t, os.WriteFile(gate, []byte(`[{"successes": 1}]`), 0o600))
	for name, test := range map[string]struct {
		load   func(*testing.T, map[string]string) step
		failOn string
		poster string
		env    []string
		posted func(dir string) string
	}{
		"GitHub Action": {
			action, "fail-on", "gh", nil,
			func(dir string) string {
				return "pr comment 7 --edit-last --create-if-none --body-file " + filepath.Join(dir, "vsla-comment.md")
			},
		},
		"GitLab component": {
			component, "fail_on", "glab",
			[]string{"CI_MERGE_REQUEST_IID=7", "CI_MERGE_REQUEST_PROJECT_URL=https://gitlab.example.com/sre/sla"},
			func(string) string {
				return "mr note create 7 --repo https://gitlab.example.com/sre/sla --unique --resolvable=false --message gold"
			},
		},
	} {
		for _, run := range []struct {
			failOn       string
			exits        int
			wantPosted   bool
			programExits int
		}{
			{"", 0, true, cli.ExitOK}, {"worse", 3, true, cli.ExitMiss}, {"", 1, false, cli.ExitOK},
		} {
			dir := t.TempDir()
			given := map[string]string{"plan": plan, "baseline": baseline, "program": filepath.Join(dir, "the program")}
			if run.failOn != "" {
				given["gate"] = gate
			}
			if run.failOn != "" {
				given[test.failOn] = run.failOn
			}
			scripts := map[string]string{
				given["program"]: recorder + `
while [ "$1" != --comment ]; do shift; done
echo gold > "$2"
exit ` + strconv.Itoa(run.exits) + "\n",
				filepath.Join(dir, test.poster): recorder,
			}
			for path, script := range scripts {
				require.NoError(t, os.WriteFile(path, []byte(script), 0o700))
			}
			step := test.load(t, given)
			cmd := exec.CommandContext(t.Context(), step.shell, "-e", "-c", step.script)
			cmd.Dir = dir
			cmd.Env = append([]string{"PATH=" + dir + ":/usr/bin:/bin", "RUNNER_TEMP=" + dir}, test.env...)
			for name, value := range step.variables {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			out, err := cmd.CombinedOutput()
			assert.Equal(t, run.exits, cmd.ProcessState.ExitCode(), "%v, %v, %v", name, err, out)
			posted, err := os.ReadFile(filepath.Join(dir, test.poster+".args"))
			assert.Equal(t, run.wantPosted, err == nil, "%v, %v", name, posted)
			got := strings.Join(strings.Split(strings.TrimSpace(string(posted)), "\n"), " ")
			want := test.posted(dir)
			assert.False(t, run.wantPosted && got != want, "%s: posts with %q, want %q", name, got, want)
			// Run the real program with the same arguments, but write the comment to the test folder.
			args := strings.Split(strings.TrimSpace(read(t, given["program"]+".args")), "\n")
			p := cli.Program{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
			comment := &args[slices.Index(args, "--comment")+1]
			*comment = filepath.Join(dir, filepath.Base(*comment))
			assert.Equal(t, run.programExits, p.Run(t.Context(), args), "%v, %v", name, args)
		}
	}
}
