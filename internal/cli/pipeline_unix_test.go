//go:build unix

package cli_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	text := read(t, "../../action/action.yml")
	require.NoError(t, yaml.Unmarshal([]byte(text), &file))
	require.Len(t, file.Runs.Steps, 1)
	run := file.Runs.Steps[0]
	for name, value := range run.Env {
		value = strings.ReplaceAll(value, "${{ github.event.pull_request.number }}", "7")
		value = strings.ReplaceAll(value, "${{ github.repository }}", "example/sla")
		run.Env[name] = filled(t, value, `\$\{\{ inputs\.([a-z_-]+) \}\}`, file.Inputs, given)
	}
	return step{run.Shell, run.Run, run.Env}
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
		if declared.Required {
			assert.True(t, set, "input %q is used: declared %t, given %t", name, ok, set)
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
	require.NoError(t, err)
	return string(text)
}

// recorder is a script that writes its arguments, one per line, to a file with its own name and the suffix .args.
const recorder = `#!/bin/sh
printf '%s\n' "$@" > "$0.args"
`

// TestAction verifies that the GitHub Action calls existing flags. It must post the comment even if the plan is denied,
// but not if the program itself fails.
func TestAction(t *testing.T) {
	t.Parallel()
	for _, run := range []struct {
		name       string
		exits      int
		wantPosted bool
		baseline   bool
	}{
		{"passes", 0, true, false},
		{"denied", 3, true, true},
		{"fails", 1, false, false},
	} {
		t.Run(run.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := baselines(t)
			given := map[string]string{
				"plan":     file("meets"),
				"settings": filepath.Join(dir, "policy.yaml"),
				"author":   "jo",
				"token":    "x",
				"program":  filepath.Join(dir, "the program"),
			}
			require.NoError(t,
				os.WriteFile(given["settings"], []byte("promises: { gold: { rpo_minutes: 15 } }\n"), 0o600))
			if run.baseline {
				given["baseline"] = file("misses")
			}
			scripts := map[string]string{
				given["program"]: recorder + `
while [ "$1" != -o ]; do shift; done
echo gold > "$2"
exit ` + strconv.Itoa(run.exits) + "\n",
				filepath.Join(dir, "gh"): recorder,
			}
			for path, script := range scripts {
				require.NoError(t, os.WriteFile(path, []byte(script), 0o700))
			}
			step := action(t, given)
			cmd := exec.CommandContext(t.Context(), step.shell, "-e", "-c", step.script)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "RUNNER_TEMP=" + dir}
			for name, value := range step.variables {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			out, _ := cmd.CombinedOutput()
			assert.Equal(t, run.exits, cmd.ProcessState.ExitCode(), string(out))
			posted, err := os.ReadFile(filepath.Join(dir, "gh.args"))
			assert.Equal(t, run.wantPosted, err == nil)
			if run.wantPosted {
				want := "pr comment 7 --edit-last --create-if-none --body-file " + filepath.Join(dir, "vsla-comment.md")
				assert.Equal(t, want, strings.Join(strings.Fields(string(posted)), " "))
			}
			// The real program accepts the arguments. It denies the file, which is a state.
			args := strings.Split(strings.TrimSpace(read(t, given["program"]+".args")), "\n")
			p := cli.Program{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}
			assert.Equal(t, cli.ExitMiss, p.Run(t.Context(), args), "%v", args)
		})
	}
}
