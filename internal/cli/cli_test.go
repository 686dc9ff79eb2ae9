package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

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
	p.Version, p.Commit, p.Out, p.Err = "1.2.3", "72f049c1abcd", &out, &errs
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
	assert.True(t, code == c.code && strings.Contains(out, c.out) && strings.Contains(errs, c.errs) &&
		(c.out == "") == (out == "") && (c.errs == "") == (errs == ""),
		"%s\nexits with %d, want %d\nprints %q\nwant %q\nand %q\nwant %q", c.args, code, c.code, out, c.out, errs, c.errs)
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
		"hint of the usage":       {args: "estimate link --speed 1", code: cli.ExitUsage, errs: "`vsla estimate link --help`"},
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
		"bash":              {args: "completion bash", out: "__start_vsla"},
		"zsh":               {args: "completion zsh", out: "#compdef vsla"},
		"fish":              {args: "completion fish", out: "complete -c vsla"},
		"PowerShell":        {args: "completion powershell", out: "Register-ArgumentCompleter"},
		"calculators":       {args: "__complete estimate sch", out: "schedule\tSimulation of several groups", errs: "Completion ended"},
		"flags":             {args: "__complete estimate link --band", out: "--bandwidth-mbps\t", errs: "Completion ended"},
		"values of a text":  {args: "__complete estimate limits --product v", out: "vcenter\n", errs: "Completion ended"},
		"values of a level": {args: "__complete report --fail-on at", out: "at_risk\n", errs: "Completion ended"},
		"a file":            {args: "__complete report p", out: ":0\n", errs: "Completion ended"},
	})
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

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

const (
	red, yellow, green = "\x1b[31m", "\x1b[33m", "\x1b[32m"
	uncolored          = "\x1b[0m"
)

func TestRun_color(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args, stdin string
		env         map[string]string
		elsewhere   bool
		out, errs   string
		code        int
	}{
		"holds":   {args: published + " --throughput-mbps 10000", out: green + "meets" + uncolored},
		"at risk": {args: published + " --throughput-mbps 901", out: yellow + "at_risk" + uncolored},
		"misses":  {args: published + " --throughput-mbps 440", out: red + "misses" + uncolored, code: cli.ExitMiss},
		"a flag": {
			args: "estimate latency -", code: cli.ExitMiss, out: red + "true" + uncolored,
			stdin: `{"users":5,"think_seconds":0.02,"rtt_before_ms":0,"rtt_after_ms":40,"throughput_before":65,` +
				`"throughput_after":10}`,
		},
		"a review":       {args: "report -", stdin: verdict("misses"), errs: red + "Of 1 result with a verdict, 1 does not hold." + uncolored},
		"in a pipe":      {args: published + " --throughput-mbps 440", elsewhere: true, code: cli.ExitMiss},
		"a review there": {args: "report -", stdin: verdict("misses"), elsewhere: true},
		"NO_COLOR": {
			args: published + " --throughput-mbps 440", env: map[string]string{"NO_COLOR": "0"}, code: cli.ExitMiss,
		},
		"NO_COLOR, empty": {
			args: published + " --throughput-mbps 440", env: map[string]string{"NO_COLOR": ""},
			out: red + "misses" + uncolored, code: cli.ExitMiss,
		},
		"a dumb terminal": {args: "report -", stdin: verdict("misses"), env: map[string]string{"TERM": "dumb"}},
		"for programs":    {args: published + " --throughput-mbps 440 --json", code: cli.ExitMiss},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := cli.Program{In: strings.NewReader(test.stdin), Getenv: environment(test.env)}
			p.After, p.ProgressLines = func(time.Duration) <-chan time.Time { return nil }, test.elsewhere
			if !test.elsewhere {
				p.Columns = 80
			}
			code, out, errs := start(t, p, strings.Fields(test.args)...)
			assert.Equal(t, test.code, code)
			for _, printed := range []struct{ got, want string }{{out, test.out}, {errs, test.errs}} {
				require.Contains(t, printed.got, printed.want)
				assert.False(t, printed.want == "" && strings.Contains(printed.got, "\x1b"),
					"printed %q, want %q in it, and no other color", printed.got, printed.want)
			}
		})
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
			[]string{"inventory", unknown, "--power-state", "poweredOn"},
			cli.ExitError,
			"vsla inventory '" + unknown + "' --power-state poweredOn --column name=Server --column 'used_gb=Size (GB)'\n",
		},
		"what-if": {[]string{"what-if", "x.xlsx"}, cli.ExitUsage, "use --inventory x.xlsx"},
		"review":  {[]string{"review", "x.xlsx"}, cli.ExitUsage, "use --inventory x.xlsx"},
		"init": {
			[]string{
				"review", "--inventory", unknown, "--tiers", tiers, "--init", "--column", "name=Server",
				"--column", "used_gb=Size (GB)",
			},
			cli.ExitOK,
			"vsla review --column name=Server --column 'used_gb=Size (GB)' --inventory '" + unknown + "' --tiers " + tiers +
				" -o review.html",
		},
	} {
		code, _, errs := run(t, "", c.args...)
		require.Equal(t, c.code, code, name)
		assert.Contains(t, errs, c.says, name)
	}
	text, err := os.ReadFile(tiers)
	want := "#   vsla review --column name=Server "
	require.NoError(t, err)
	assert.Contains(t, string(text), want)
}

func TestInventory_notes(t *testing.T) {
	t.Parallel()
	file := fileOf(t, "vms.csv", "VM;In Use MiB;Powerstate\nB\xfcro;1024;poweredOff\nb;1024;poweredOn\n")
	code, out, errs := run(t, "", "inventory", file)
	want := "2 VMs (1 powered off) with 2 GiB in use (rvtools, read as Windows-1252).\n"
	require.EqualValues(t, cli.ExitOK, code, errs)
	assert.True(t, strings.HasPrefix(out, want), "got exit code %d, %s and %q, want %q", code, errs, out, want)
	tiers := fileOf(t, "tiers.yaml", "throughput_mbps: 1000\ndefaults: {daily_change_percent: 5}\n"+
		"tiers: [{name: all, match: {}, rpo_minutes: 60}]\n")
	code, out, errs = run(t, "", "review", "--inventory", file, "--tiers", tiers)
	want = "was read as Windows-1252"
	assert.True(t, code == cli.ExitOK && strings.Contains(out, want), "got exit code %d, %s and a review without %q:\n%s",
		code, errs, want, out)
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
