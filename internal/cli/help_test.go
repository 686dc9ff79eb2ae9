package cli_test

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

var update = flag.Bool("update", false, "write the golden file of the help")

func TestHelp_golden(t *testing.T) {
	t.Parallel()
	golden := filepath.Join("testdata", "migration-help.txt")
	code, out, errs := run(t, "", "estimate", "migration", "--help")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(out), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Zero(t, code)
	assert.Empty(t, errs)
	assert.Equal(t, string(want), out)
}

func everyCommand() []string {
	all := []string{
		"", "estimate", "review", "gate", "doctor", "compliance", "version", "help", "completion", "completion bash",
		"completion zsh",
	}
	for _, c := range registry.Calculators() {
		all = append(all, "estimate "+c.Command)
	}
	return all
}

var example = regexp.MustCompile(`^  (vsla |  --)`)

func TestHelp_width(t *testing.T) {
	t.Parallel()
	for columns, limit := range map[int]int{0: 80, 60: 60, 100: 100, 500: 120} {
		for _, command := range everyCommand() {
			var out strings.Builder
			p := cli.Program{Version: "1.2.3", Out: &out, Columns: columns}
			assert.Equal(t, cli.ExitOK, p.Run(t.Context(), append(strings.Fields(command), "--help")), command)
			for line := range strings.Lines(out.String()) {
				line = strings.TrimRight(line, "\n")
				// Commands, paths and numbers are not wrapped.
				unbreakable := example.MatchString(line) || !strings.Contains(strings.TrimSpace(line), " ")
				got := utf8.RuneCountInString(line)
				if got > limit {
					assert.True(t, unbreakable, "%s at %d columns: %d characters: %q", command, columns, got, line)
				}
			}
		}
	}
}

func TestHelp_inputs(t *testing.T) {
	t.Parallel()
	for _, c := range registry.Calculators() {
		_, out, _ := run(t, "", "estimate", c.Command, "--help")
		for _, in := range c.Inputs() {
			want := "--" + strings.ReplaceAll(in.Name, "_", "-") + " "
			flags := []calculator.Kind{calculator.Number, calculator.Text, calculator.Bool, calculator.Texts}
			if !slices.Contains(flags, in.Kind) {
				want = "  " + in.Name + " ("
			}
			assert.Contains(t, out, want, c.Command)
		}
	}
}

var (
	section  = regexp.MustCompile(`(?s)\nExample:\n(.*?)\n\n`)
	withJSON = regexp.MustCompile(`(?s)^  echo '(.*)' \|\n    vsla (.*)$`)
)

func TestHelp_examples(t *testing.T) {
	t.Parallel()
	for _, c := range registry.Calculators() {
		t.Run(c.Command, func(t *testing.T) {
			t.Parallel()
			_, help, _ := run(t, "", "estimate", c.Command, "--help")
			found := section.FindStringSubmatch(help)
			require.NotNil(t, found, "no example in\n%s", help)
			args, stdin := strings.TrimPrefix(found[1], "  vsla "), ""
			if parts := withJSON.FindStringSubmatch(found[1]); parts != nil {
				stdin, args = parts[1], parts[2]
			}
			args = strings.ReplaceAll(args, "\\\n", "")
			code, out, errs := run(t, stdin, strings.Fields(args)...)
			assert.Contains(t, []int{cli.ExitOK, cli.ExitMiss}, code)
			assert.NotEmpty(t, out)
			assert.Empty(t, errs)
			for _, f := range c.Inputs() {
				if f.Required && f.Kind == calculator.Objects {
					assert.Contains(t, stdin, `"`+f.Name+`"`)
				}
			}
		})
	}
}

// TestDoctor_progress ticks the clock during the third of 13 steps. If 2 steps took 10 s, the other 11 take 55 s.
func TestDoctor_progress(t *testing.T) {
	t.Parallel()
	v, env := vcenter(t, vcsim.Config{})
	waits, ticks := make(chan struct{}, 9), make(chan time.Time)
	v.Traffic().Break(fault.Rule{
		Kind:  "GET /api/vcenter/tagging/vsla-doctor",
		Times: 1,
		Before: func(*http.Request) {
			<-waits
			ticks <- time.Time{}
			<-waits // wait until the line is printed
		},
	})
	p := cli.Program{
		ProgressLines: true,
		Getenv:        environment(env),
		Sleep:         atOnce,
		After: func(time.Duration) <-chan time.Time {
			waits <- struct{}{}
			return ticks
		},
	}
	code, _, errs := start(t, p, "doctor")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, errs, "Examining: 2 of 13, about 55 s left\n")
}
