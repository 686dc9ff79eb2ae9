package cli_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/cli"
)

func run(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = cli.Run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

var published = []string{
	"estimate",
	"replication",
	"--vm-count",
	"15",
	"--vm-size-gib",
	"100",
	"--daily-change-percent",
	"5",
	"--rpo-minutes",
	"15",
}

func TestRun_table(t *testing.T) {
	t.Parallel()
	code, out, errs := run(t, "", append(published, "--throughput-mbps=901")...)
	// 15 * 100 GiB at 901 Mbit/s are 14,300.668 s, and 5 % of it 715.033 s.
	want := `15 VMs of 100 GiB are 1,500 GiB; the initial sync takes 3h 58m 21s, and a cycle's 75 GiB of changes 11m 55s at 901 Mbit/s: ` +
		`within the RPO of 15 minutes but not within half of it, so each cycle violates it for 8m 50s. The smallest RPO that always holds is 24 minutes; one of 15 minutes needs 1,431.7 Mbit/s.

- One cycle's changes take 11m 55s to send, longer than half the RPO (7m 30s): a recovery point is as old as its sync's start, so the next one lands 23m 50s after it.

batch_vm_count                  -
change_assumption               whole_day
changed_gib_per_cycle           75
daily_link_use_percent          0.828
initial_sync_caught_up_seconds  14,420.006 (4h 0m 20s)
initial_sync_seconds            14,300.668 (3h 58m 21s)
limited_by                      link
max_daily_change_percent        3.147
max_vm_count                    9
meets_rpo                       true
min_rpo_minutes                 24
months_until_at_risk            -
months_until_miss               -
ongoing_sync_seconds            715.033 (11m 55s)
reasons                         cycle_exceeds_half_rpo
rpo_used_percent                79.448
throughput_for_rpo_mbps         715.828
throughput_violation_free_mbps  1,431.656
total_gib                       1,500
verdict                         at_risk
violation_free                  false
`
	if code != cli.ExitOK || out != want || errs != "" {
		t.Errorf("ends with %d and %q, prints\n%s\nwant\n%s", code, errs, out, want)
	}
}

func TestRun_exitCodes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args  []string
		stdin string
		code  int
		out   string
		errs  string
	}{
		"a miss":              {append(published, "--throughput-mbps", "440"), "", cli.ExitMiss, "misses", ""},
		"unsupported":         {[]string{"estimate", "vmotion", "--memory-gib", "8", "--throughput-mbps", "100"}, "", cli.ExitMiss, "below_250_mbps", ""},
		"better together":     {[]string{"estimate", "latency", "-"}, `{"users":5,"think_seconds":0.02,"rtt_before_ms":0,"rtt_after_ms":40,"throughput_before":65,"throughput_after":10}`, cli.ExitMiss, "move_together", ""},
		"beyond limits":       {[]string{"estimate", "limits", "-"}, `{"product":"vcenter","version":"6.5","counts":{"hosts":2001}}`, cli.ExitMiss, "hosts", ""},
		"a link":              {[]string{"estimate", "link", "--bandwidth-mbps", "1000", "--rtt-ms", "100", "--window-kib", "64"}, "", cli.ExitOK, "5.243", ""},
		"a plan":              {[]string{"estimate", "migration", "-"}, `{"virtual_machines":{"a":{"memory_gib":8}},"throughput_mbps":1000}`, cli.ExitOK, "1 entries", ""},
		"a schedule":          {[]string{"estimate", "schedule", "--throughput-mbps", "10", "-"}, `{"throughput_mbps":1000,"groups":{"a":{"vm_count":9,"vm_size_gib":100,"daily_change_percent":50,"rpo_minutes":15}}}`, cli.ExitMiss, "misses", ""},
		"out of range":        {append(published, "--throughput-mbps", "0"), "", cli.ExitUsage, "", "throughput_mbps must be between"},
		"no number":           {append(published, "--throughput-mbps", "fast"), "", cli.ExitUsage, "", `must be a number, got "fast"`},
		"missing":             {published, "", cli.ExitUsage, "", `throughput_mbps is required`},
		"unknown flag":        {append(published, "--speed", "1"), "", cli.ExitUsage, "", "-speed"},
		"unknown attribute":   {[]string{"estimate", "link", "-"}, `{"bandwidth_mbps":1,"speed":2}`, cli.ExitUsage, "", `speed is not an input`},
		"no object":           {[]string{"estimate", "link", "-"}, `[1]`, cli.ExitUsage, "", "not a JSON object"},
		"stray word":          {[]string{"estimate", "link", "fast"}, "", cli.ExitUsage, "", `"fast" is not a flag`},
		"unknown calculator":  {[]string{"estimate", "weather"}, "", cli.ExitUsage, "", `no calculator "weather"`},
		"no calculator":       {[]string{"estimate"}, "", cli.ExitUsage, "Calculators:", ""},
		"help":                {[]string{"--help"}, "", cli.ExitOK, "Calculators:", ""},
		"help of estimate":    {[]string{"estimate", "--help"}, "", cli.ExitOK, "Exit codes:", ""},
		"help of a command":   {[]string{"estimate", "schedule", "--help"}, "", cli.ExitOK, "In a JSON object on standard input only: groups", ""},
		"null is not there":   {[]string{"estimate", "link", "-"}, `{"bandwidth_mbps":1000,"rtt_ms":null}`, cli.ExitOK, "1,000", ""},
		"a boolean from text": {[]string{"estimate", "schedule", "--start-in-sync", "maybe", "-"}, `{"throughput_mbps":1000,"groups":{}}`, cli.ExitUsage, "", "must be true or false"},
	} {
		code, out, errs := run(t, test.stdin, test.args...)
		if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(errs, test.errs) ||
			(test.errs == "" && errs != "") ||
			(test.errs != "" && out != "") {
			t.Errorf(
				"%s: ends with %d, prints %q and %q; want %d, %q, %q",
				name,
				code,
				out,
				errs,
				test.code,
				test.out,
				test.errs,
			)
		}
	}
}

func TestRun_json(t *testing.T) {
	t.Parallel()
	code, out, _ := run(t, "", append(published, "--throughput-mbps", "901", "--json")...)
	var result struct {
		Initial float64  `json:"initial_sync_seconds"`
		Verdict string   `json:"verdict"`
		Reasons []string `json:"reasons"`
		Meets   bool     `json:"meets_rpo"`
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	if code != cli.ExitOK || math.Abs(result.Initial-14300.7) > 0.05 || result.Verdict != "at_risk" || !result.Meets ||
		len(result.Reasons) != 1 {
		t.Errorf("%d: %+v", code, result)
	}
}

// full is a writer without room.
type full struct{}

// Write fails.
func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestRun_outputLost(t *testing.T) {
	t.Parallel()
	for _, extra := range []string{"--json=true", "--json=false"} {
		var errs strings.Builder
		args := append(append([]string{}, published...), "--throughput-mbps", "901", extra)
		if code := cli.Run(
			t.Context(),
			args,
			strings.NewReader(""),
			full{},
			&errs,
		); code != cli.ExitError ||
			!strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: ends with %d, %q", extra, code, errs.String())
		}
	}
}

func TestIsCommand(t *testing.T) {
	t.Parallel()
	for first, want := range map[string]bool{"estimate": true, "--help": true, "help": true, "-debug": false, "serve": false} {
		if got := cli.IsCommand([]string{first}); got != want {
			t.Errorf("%s: %v", first, got)
		}
	}
	if cli.IsCommand(nil) {
		t.Error("without arguments it is the plugin")
	}
}

// TestReadme_shellExample runs what the README shows.
func TestReadme_shellExample(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(readme), "\\\n", "")
	examples := regexp.MustCompile(`(?m)^build/terraform-provider-vsla (.*)$`).FindAllStringSubmatch(text, -1)
	if len(examples) < 2 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, example := range examples {
		if code, out, errs := run(t, "", strings.Fields(example[1])...); code != cli.ExitOK || out == "" || errs != "" {
			t.Errorf("%s ends with %d, %q", example[0], code, errs)
		}
	}
}
