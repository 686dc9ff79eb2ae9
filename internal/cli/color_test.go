package cli_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
)

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
		"misses":  {args: published + " --throughput-mbps 20", out: red + "misses" + uncolored, code: cli.ExitMiss},
		"a flag": {
			args: "estimate latency -",
			code: cli.ExitMiss,
			out:  red + "true" + uncolored,
			stdin: `{"users":5,"think_seconds":0.02,"rtt_before_ms":0,"rtt_after_ms":40,"throughput_before":65,` +
				`"throughput_after":10}`,
		},
		"a review": {
			args:  "review -",
			stdin: verdict("misses"),
			errs:  red + "The result with a verdict does not hold." + uncolored,
		},
		"in a pipe":      {args: published + " --throughput-mbps 20", elsewhere: true, code: cli.ExitMiss},
		"a review there": {args: "review -", stdin: verdict("misses"), elsewhere: true},
		"NO_COLOR": {
			args: published + " --throughput-mbps 20",
			env:  map[string]string{"NO_COLOR": "0"},
			code: cli.ExitMiss,
		},
		"NO_COLOR, empty": {
			args: published + " --throughput-mbps 20",
			env:  map[string]string{"NO_COLOR": ""},
			out:  red + "misses" + uncolored,
			code: cli.ExitMiss,
		},
		"a dumb terminal": {args: "review -", stdin: verdict("misses"), env: map[string]string{"TERM": "dumb"}},
		"for programs":    {args: published + " --throughput-mbps 20 --json", code: cli.ExitMiss},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := cli.Program{In: strings.NewReader(test.stdin), Getenv: environment(test.env)}
			p.After = func(time.Duration) <-chan time.Time { return nil }
			p.ProgressLines = test.elsewhere
			if !test.elsewhere {
				p.Columns = 80
			}
			code, out, errs := start(t, p, strings.Fields(test.args)...)
			assert.Equal(t, test.code, code)
			for _, printed := range []struct{ got, want string }{
				{out, test.out},
				{errs, test.errs},
			} {
				require.Contains(t, printed.got, printed.want)
				if printed.want == "" {
					assert.NotContains(t, printed.got, "\x1b")
				}
			}
		})
	}
}
