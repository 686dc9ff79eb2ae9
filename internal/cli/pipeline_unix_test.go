//go:build unix

package cli_test

import (
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/cli"
)

// step is one step of a GitHub Action or a GitLab component: a script in a shell, with variables.
type step struct {
	shell, script string
	variables     map[string]string
}

// input is one of an action or a component.
type input struct {
	Required bool
	Default  string
}

// action returns the step of the GitHub Action for these inputs.
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
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Runs.Steps) != 1 {
		t.Fatalf("%d steps", len(file.Runs.Steps))
	}
	run := file.Runs.Steps[0]
	for name, value := range run.Env {
		run.Env[name] = filled(t, value, `\$\{\{ inputs\.([a-z_-]+) \}\}`, file.Inputs, given)
	}
	return step{run.Shell, run.Run, run.Env}
}

// component returns the job of the GitLab component for these inputs.
func component(t *testing.T, given map[string]string) step {
	t.Helper()
	head, body, ok := strings.Cut(read(t, "../../examples/gitlab-component/templates/report.yml"), "\n---\n")
	var file struct {
		Spec struct{ Inputs map[string]input }
	}
	if err := yaml.Unmarshal([]byte(head), &file); err != nil || !ok {
		t.Fatal(ok, err)
	}
	var jobs map[string]struct {
		Script    []string
		Variables map[string]string
	}
	body = filled(t, body, `\$\[\[ inputs\.([a-z_-]+) \]\]`, file.Spec.Inputs, given)
	if err := yaml.Unmarshal([]byte(body), &jobs); err != nil {
		t.Fatal(err)
	}
	job, ok := jobs["vsla-report"]
	if len(jobs) != 1 || !ok {
		t.Fatalf("the jobs are %v", slices.Collect(maps.Keys(jobs)))
	}
	return step{"sh", strings.Join(job.Script, "\n"), job.Variables}
}

// filled replaces the inputs in a text by their values or defaults. An input that is not declared fails the test.
func filled(t *testing.T, text, form string, inputs map[string]input, given map[string]string) string {
	t.Helper()
	pattern := regexp.MustCompile(form)
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		name := pattern.FindStringSubmatch(found)[1]
		declared, ok := inputs[name]
		value, set := given[name]
		if !ok || declared.Required && !set {
			t.Errorf("input %q is used: declared %t, given %t", name, ok, set)
		}
		if set {
			return value
		}
		return declared.Default
	})
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// arguments runs a step and returns the arguments that it passes to the program.
func (s step) arguments(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.shell, "-e", "-c", s.script)
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	for name, value := range s.variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// TestPipelineFiles: the command lines of the GitHub Action and the GitLab component, with no more inputs than they
// require and with all of them, are commands of this program.
func TestPipelineFiles(t *testing.T) {
	t.Parallel()
	// A program that prints its arguments, one to a line.
	program := filepath.Join(t.TempDir(), "print arguments")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := baselines(t)
	plan, baseline := file("misses"), file("meets")
	for name, test := range map[string]struct {
		load  func(*testing.T, map[string]string) step
		forge string
		// names are those of the inputs for the comment's id, its condition and the gate.
		names [3]string
		says  string
		code  int
	}{
		"GitHub Action": {
			action, "github", [3]string{"comment-id", "comment-when", "fail-on"}, "GITHUB_TOKEN is not set", cli.ExitError,
		},
		"GitLab component": {
			component, "gitlab", [3]string{"comment_id", "comment_when", "fail_on"}, "Comment created.", cli.ExitMiss,
		},
	} {
		given := map[string]string{"plan": plan, "baseline": baseline, "program": program}
		want := []string{"report", plan, "--baseline", baseline, "--comment", test.forge}
		got := test.load(t, given).arguments(t)
		least := append(slices.Clone(want), "--comment-id", "default", "--comment-when", "always")
		if !slices.Equal(got, least) {
			t.Errorf("%s: %q, want %q", name, got, least)
		}
		maps.Copy(given, map[string]string{test.names[0]: "prod/eu", test.names[1]: "changed", test.names[2]: "worse"})
		got = test.load(t, given).arguments(t)
		want = append(want, "--comment-id", "prod/eu", "--comment-when", "changed", "--fail-on", "worse")
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		program, _ := pullRequest(t, http.StatusOK)
		p, _, errs := program("")
		if code := p.Run(t.Context(), got); code != test.code || !strings.Contains(errs.String(), test.says) {
			t.Errorf("%s: exit code %d, want %d: %s", name, code, test.code, errs)
		}
	}
}
