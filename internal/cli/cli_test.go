package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
)

func run(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return start(t, cli.Program{In: strings.NewReader(stdin)}, args...)
}

// start runs a program of one version, and returns what it prints.
func start(t *testing.T, p cli.Program, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	p.Version, p.Commit, p.Out, p.Err = "1.2.3", "72f049c1abcd", &out, &errs
	code = p.Run(t.Context(), args)
	return code, out.String(), errs.String()
}

// environment reads variables of a map.
func environment(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

// command is a command line and how it ends. Output that is not named must be empty.
type command struct {
	args      string
	stdin     string
	code      int
	out, errs string
}

func (c command) check(t *testing.T) {
	t.Helper()
	code, out, errs := run(t, c.stdin, strings.Fields(c.args)...)
	if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) ||
		(c.out == "") != (out == "") || (c.errs == "") != (errs == "") {
		t.Errorf("%s\nexits with %d, want %d\nprints %q\nwant %q\nand %q\nwant %q",
			c.args, code, c.code, out, c.out, errs, c.errs)
	}
}

// checkAll checks commands side by side.
func checkAll(t *testing.T, all map[string]command) {
	t.Helper()
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}

func TestIsPlugin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args   string
		cookie string
		want   bool
	}{
		{"", "d602", true},
		{"", "", false},
		{"-debug", "", true},
		{"--debug", "", true},
		{"-debug=true", "", true},
		{"estimate", "", false},
		{"estimate", "d602", false},
		{"estimte", "", false},
		{"--version", "", false},
		{"-debugger", "", false},
	} {
		getenv := environment(map[string]string{cli.MagicCookie: test.cookie})
		assert.Equal(t, test.want, cli.IsPlugin(strings.Fields(test.args), getenv))
	}
}

func TestRun_commands(t *testing.T) {
	t.Parallel()
	checkAll(t, map[string]command{
		"version flag":            {args: "--version", out: "vsla 1.2.3 (commit 72f049c1abcd, go"},
		"version command":         {args: "version", out: "vsla 1.2.3 (commit 72f049c1abcd, go"},
		"version with arguments":  {args: "version now", code: cli.ExitUsage, errs: "now"},
		"help flag":               {args: "--help", out: "Commands:"},
		"help with one dash":      {args: "estimate link -help", out: "Exit codes:"},
		"help command":            {args: "help", out: "Commands:"},
		"help of a command":       {args: "help estimate link", out: "--bandwidth-mbps NUMBER"},
		"help of no command":      {args: "help wether", code: cli.ExitUsage, errs: `unknown command "wether"`},
		"no command":              {code: cli.ExitUsage, out: "Commands:"},
		"no calculator":           {args: "estimate", code: cli.ExitUsage, out: "Calculators:"},
		"help of estimate":        {args: "estimate --help", out: "Exit codes:"},
		"no shell":                {args: "completion", code: cli.ExitUsage, out: "Shells:"},
		"mistyped command":        {args: "estimte", code: cli.ExitUsage, errs: "did you mean `estimate`?"},
		"mistyped calculator":     {args: "estimate shedule", code: cli.ExitUsage, errs: "did you mean `schedule`?"},
		"calculator as command":   {args: "link", code: cli.ExitUsage, errs: "did you mean `estimate link`?"},
		"mistyped shell":          {args: "completion bsh", code: cli.ExitUsage, errs: "did you mean `bash`"},
		"unknown calculator":      {args: "estimate weather", code: cli.ExitUsage, errs: `unknown calculator "weather"`},
		"flag before the command": {args: "--speed estimate", code: cli.ExitUsage, errs: "unknown flag: --speed"},
		"unknown flag":            {args: "estimate link --speed 1", code: cli.ExitUsage, errs: "unknown flag: --speed"},
		"flag without a value":    {args: "estimate link --rtt-ms", code: cli.ExitUsage, errs: "--rtt-ms"},
		"hint of the usage": {
			args: "estimate link --speed 1", code: cli.ExitUsage, errs: "`vsla estimate link --help`",
		},
	})
}

// TestRun_noSuggestion: a name that is near nothing has no suggestion.
func TestRun_noSuggestion(t *testing.T) {
	t.Parallel()
	_, _, errs := run(t, "", "weatherforecast")
	assert.NotContains(t, errs, "did you mean")
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	checkAll(t, map[string]command{
		"bash":              {args: "completion bash", out: "__start_vsla"},
		"zsh":               {args: "completion zsh", out: "#compdef vsla"},
		"fish":              {args: "completion fish", out: "complete -c vsla"},
		"PowerShell":        {args: "completion powershell", out: "Register-ArgumentCompleter"},
		"calculators":       {args: "__complete estimate sch", out: "schedule\tMany groups", errs: "Completion ended"},
		"flags":             {args: "__complete estimate link --band", out: "--bandwidth-mbps\t", errs: "Completion ended"},
		"values of a text":  {args: "__complete estimate limits --product v", out: "vcenter\n", errs: "Completion ended"},
		"values of a level": {args: "__complete report --fail-on at", out: "at_risk\n", errs: "Completion ended"},
		"a file":            {args: "__complete report p", out: ":0\n", errs: "Completion ended"},
	})
}

// full is a writer without space.
type full struct{}

// Write fails.
func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestRun_outputLost: a result that could not be written is an error, in every format.
func TestRun_outputLost(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"estimate link --bandwidth-mbps 1000 --json", "estimate link --bandwidth-mbps 1000", "report - --format html",
		"report - --format md", "report - --format json", "version",
	} {
		var errs strings.Builder
		p := cli.Program{In: strings.NewReader(nothing), Out: full{}, Err: &errs}
		code := p.Run(t.Context(), strings.Fields(args))
		require.EqualValues(t, cli.ExitError, code, args)
		assert.Contains(t, errs.String(), "no space left", args)
	}
}

// TestReadme_shellExample runs the commands of the README.
func TestReadme_shellExample(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	text := strings.ReplaceAll(string(readme), "\\\n", "")
	examples := regexp.MustCompile(`(?m)^vsla (estimate .*)$`).FindAllStringSubmatch(text, -1)
	require.GreaterOrEqual(t, len(examples), 2)
	for _, example := range examples {
		code, out, errs := run(t, "", strings.Fields(example[1])...)
		assert.True(t, code == cli.ExitOK && out != "" && errs == "", "%s: exits with %d, %q", example[0], code, errs)
	}
}
