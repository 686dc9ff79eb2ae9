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
	"golang.org/x/text/encoding/unicode"

	"terraform-provider-vsla/internal/cli"
)

func run(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return start(t, cli.Program{In: strings.NewReader(stdin)}, args...)
}

func start(t *testing.T, p cli.Program, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	p.Version = "1.2.3"
	p.Commit = "72f049c1abcd"
	p.Out = &out
	p.Err = &errs
	code = p.Run(t.Context(), args)
	return code, out.String(), errs.String()
}

func environment(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

// command is a command line with its expected exit code and output. If out or errs is empty, nothing may be written to
// that stream. Otherwise, what is written must contain it.
type command struct {
	args      string
	stdin     string
	code      int
	out, errs string
}

func (c command) check(t *testing.T) {
	t.Helper()
	code, out, errs := run(t, c.stdin, strings.Fields(c.args)...)
	assert.Equal(t, c.code, code)
	assert.Contains(t, out, c.out)
	assert.Contains(t, errs, c.errs)
	assert.Equal(t, out == "", c.out == "")
	assert.Equal(t, errs == "", c.errs == "")
}

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
		"version flag":           {args: "--version", out: "vsla 1.2.3 (commit 72f049c1abcd, go"},
		"version command":        {args: "version", out: "vsla 1.2.3 (commit 72f049c1abcd, go"},
		"version with arguments": {args: "version now", code: cli.ExitUsage, errs: "now"},
		"help flag":              {args: "--help", out: "Commands:"},
		"help with one dash":     {args: "estimate link -help", out: "Exit codes:"},
		"help command":           {args: "help", out: "Commands:"},
		"help of a command":      {args: "help estimate link", out: "--bandwidth-mbps NUMBER"},
		"help of no command":     {args: "help wether", code: cli.ExitUsage, errs: `unknown command "wether"`},
		"no command":             {code: cli.ExitUsage, out: "Commands:"},
		"no calculator":          {args: "estimate", code: cli.ExitUsage, out: "Calculators:"},
		"help of estimate":       {args: "estimate --help", out: "Exit codes:"},
		"no shell":               {args: "completion", code: cli.ExitUsage, out: "Shells:"},
		"mistyped command":       {args: "estimte", code: cli.ExitUsage, errs: "did you mean `estimate`?"},
		"mistyped calculator":    {args: "estimate migraton", code: cli.ExitUsage, errs: "did you mean `migration`?"},
		"calculator as command":  {args: "link", code: cli.ExitUsage, errs: "did you mean `estimate link`?"},
		"mistyped shell":         {args: "completion bsh", code: cli.ExitUsage, errs: "did you mean `bash`"},
		"unknown calculator": {
			args: "estimate weather",
			code: cli.ExitUsage,
			errs: `unknown calculator "weather"`,
		},
		"flag before the command": {args: "--speed estimate", code: cli.ExitUsage, errs: "unknown flag: --speed"},
		"unknown flag": {
			args: "estimate link --speed 1",
			code: cli.ExitUsage,
			errs: "unknown flag: --speed",
		},
		"flag without a value": {args: "estimate link --rtt-ms", code: cli.ExitUsage, errs: "--rtt-ms"},
		"hint of the usage": {
			args: "estimate link --speed 1",
			code: cli.ExitUsage,
			errs: "`vsla estimate link --help`",
		},
	})
}

func TestRun_noSuggestion(t *testing.T) {
	t.Parallel()
	_, _, errs := run(t, "", "weatherforecast")
	assert.NotContains(t, errs, "did you mean")
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	checkAll(t, map[string]command{
		"bash":       {args: "completion bash", out: "__start_vsla"},
		"zsh":        {args: "completion zsh", out: "#compdef vsla"},
		"fish":       {args: "completion fish", out: "complete -c vsla"},
		"PowerShell": {args: "completion powershell", out: "Register-ArgumentCompleter"},
		"calculators": {
			args: "__complete estimate cal",
			out:  "calibration\tCompare a replication's last sync",
			errs: "Completion ended",
		},
		"flags": {
			args: "__complete estimate link --band",
			out:  "--bandwidth-mbps\t",
			errs: "Completion ended",
		},
		"values of a text": {
			args: "__complete estimate limits --product v",
			out:  "vcenter\n",
			errs: "Completion ended",
		},
		"values of a level": {args: "__complete review --fail-on at", out: "at_risk\n", errs: "Completion ended"},
		"a file":            {args: "__complete report p", out: ":0\n", errs: "Completion ended"},
	})
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestRun_outputLost(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"estimate link --bandwidth-mbps 1000 --json", "estimate link --bandwidth-mbps 1000", "review - --format html",
		"review - --format md", "review - --format json", "version",
	} {
		var errs strings.Builder
		p := cli.Program{In: strings.NewReader(nothing), Out: full{}, Err: &errs}
		code := p.Run(t.Context(), strings.Fields(args))
		require.Equal(t, cli.ExitError, code, args)
		assert.Contains(t, errs.String(), "no space left", args)
	}
}

func TestGuide_shellExample(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join("..", "..", "templates", "guides", "command-line.md"))
	require.NoError(t, err)
	text := strings.ReplaceAll(string(guide), "\\\n", "")
	examples := regexp.MustCompile(`(?m)^vsla (estimate .*)$`).FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, examples)
	for _, example := range examples {
		code, out, errs := run(t, "", strings.Fields(example[1])...)
		assert.Zero(t, code, example[0])
		assert.NotEmpty(t, out, example[0])
		assert.Empty(t, errs, example[0])
	}
}

func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestFirstCommands(t *testing.T) {
	t.Parallel()
	unknown := fileOf(t, "v m.csv", "Server;Size (GB);Site\na;1;x\n")
	tiers := filepath.Join(t.TempDir(), "tiers.yaml")
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"headers": {
			[]string{"review", unknown, "--summary", "--allow-duplicate-names"},
			cli.ExitError,
			"vsla review '" + unknown + "' --allow-duplicate-names --summary --column name=Server --column " +
				"'provisioned_gib=Size (GB)'\n",
		},
		"no file": {[]string{"review", "x.xlsx"}, cli.ExitError, "x.xlsx: no such file"},
		"a tiers file": {
			[]string{"review", "my tiers.yml"},
			cli.ExitError,
			"my tiers.yml is a tiers file: run `vsla review INVENTORY --tiers 'my tiers.yml'` with the inventory file",
		},
		"init": {
			[]string{
				"review", unknown, "--tiers", tiers, "--init", "--column", "name=Server",
				"--column", "used_gb=Size (GB)",
			},
			cli.ExitOK,
			"vsla review '" + unknown + "' --column name=Server --column 'used_gb=Size (GB)' --tiers " +
				tiers +
				" -o review.html",
		},
	} {
		code, _, errs := run(t, "", c.args...)
		require.Equal(t, c.code, code, name)
		assert.Contains(t, errs, c.says, name)
	}
	text, err := os.ReadFile(tiers)
	want := "#   vsla review '" + unknown + "' --column name=Server "
	require.NoError(t, err)
	assert.Contains(t, string(text), want)
}

func TestInventory_notes(t *testing.T) {
	t.Parallel()
	file := fileOf(t, "vms.csv", "VM;In Use MiB;Powerstate\nB\xfcro;1024;poweredOff\nb;1024;poweredOn\n")
	code, out, errs := run(t, "", "review", file, "--summary")
	want := "2 VMs (1 powered off) with 2 GiB in use (rvtools, read as Windows-1252).\n"
	require.Equal(t, cli.ExitOK, code, errs)
	assert.True(t, strings.HasPrefix(out, want), "got exit code %d, %s and %q, want %q", code, errs, out, want)
	tiers := fileOf(t, "tiers.yaml", "throughput_mbps: 1000\ndefaults: {daily_change_percent: 5}\n"+
		"tiers: [{name: all, match: {}, rpo_minutes: 60}]\n")
	code, out, errs = run(t, "", "review", file, "--tiers", tiers)
	want = "was read as Windows-1252"
	assert.Zero(t, code, errs)
	assert.Contains(t, out, want)
}

// TestEstimate_utf16 verifies that standard input can be UTF-16, the encoding that PowerShell writes.
func TestEstimate_utf16(t *testing.T) {
	t.Parallel()
	object := `{"vm_count": 1, "vm_size_gib": 1, "daily_change_percent": 1, "throughput_mbps": 1000, "rpo_minutes": 60}`
	wantCode, want, _ := run(t, object, "estimate", "replication", "-")
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			text, err := unicode.UTF16(order, mark).NewEncoder().String(object)
			require.NoError(t, err)
			code, out, errs := run(t, text, "estimate", "replication", "-")
			require.Equal(t, wantCode, code, errs)
			assert.Equal(t, want, out)
		}
	}
}
