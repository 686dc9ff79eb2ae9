package registry_test

import (
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/registry"
)

// need describes a printed number that must be sufficient when entered as an input.
type need struct {
	command, input string
	// sentence is a pattern that captures the number and its unit. The unit is omitted if it is the unit of the input.
	sentence string
	fixed    map[string]any
	// result is the name of a result that contains a rate, used instead of a sentence.
	result string
	// enough reports whether a result is sufficient. If it is nil, the new result must no longer contain the sentence.
	enough func(result map[string]any) bool
	count  int
}

func has(result string, values ...any) func(map[string]any) bool {
	return func(r map[string]any) bool {
		return slices.Contains(values, r[result])
	}
}

var windows = map[string]any{"window_hours": 0.01, "window_start_hour": nil, "window_weekdays": nil}

var needs = []need{
	{
		command:  "replication",
		input:    "throughput_mbps",
		sentence: `The link needs ([0-9.,]+ \w+/s)`,
		fixed:    map[string]any{"configured_rpo_minutes": nil},
		enough:   has("holds_by", "bound", "vendor_rule"),
		count:    60,
	},
	{
		command:  "replication",
		input:    "throughput_mbps",
		sentence: `is met with ([0-9.,]+ \w+/s)`,
		enough:   has("deadline_met", true),
		count:    50,
	},
	{
		command:  "replication",
		input:    "vm_count",
		sentence: `batch of at most ([0-9,]+) VM`,
		fixed:    map[string]any{"vm_count": 1e4},
		enough:   has("deadline_met", true),
		count:    50,
	},
	{
		command:  "link",
		input:    "streams",
		sentence: `([0-9,]+) streams? would fill the usable`,
		enough:   has("limited_by", "bandwidth"),
		count:    100,
	},
	{
		command: "vmotion",
		input:   "throughput_mbps",
		result:  "min_throughput_mbps",
		enough:  has("sdps_expected", false),
		count:   50,
	},
	{
		command:  "migration",
		input:    "window_hours",
		sentence: `element0 requires ([0-9.,]+) hours`,
		fixed:    windows,
		count:    70,
	},
}

func TestCalculators_needsAsPrinted(t *testing.T) {
	t.Parallel()
	for _, n := range needs {
		t.Run(n.command+" "+n.sentence+n.result, func(t *testing.T) {
			t.Parallel()
			c, ok := registry.OfCommand(n.command)
			require.True(t, ok, "there is no calculator %s", n.command)
			inputs := rapid.Custom(func(t *rapid.T) map[string]any { return plantest.Input(t, c) })
			printed := regexp.MustCompile(n.sentence)
			for seed, entered := 0, 0; entered < n.count; seed++ {
				require.LessOrEqual(t, seed, 100*n.count, entered)
				in := inputs.Example(seed)
				maps.Copy(in, n.fixed)
				if seed%2 == 0 {
					figures(in)
				}
				before, err := c.Evaluate(in)
				text := sentences(before, err)
				found := printed.FindStringSubmatch(text)
				if rate, ok := before[n.result].(float64); ok {
					found = []string{"", quantity.CeilMbps(rate)}
				} else if n.sentence == "" || found == nil {
					continue
				}
				value, field := typed(t, n.input, found[1]), input(c, n.input)
				if field.Range.Check(value) != nil {
					continue
				}
				entered++
				in[n.input] = value
				after, err := c.Evaluate(in)
				said := sentences(after, err)
				enough := !printed.MatchString(said)
				if n.enough != nil {
					enough = n.enough(after)
				}
				require.True(t, enough, "%s of %v is not enough for %q: got verdict %v, %q, with %v",
					n.input, value, text, after["verdict"], said, in)
			}
		})
	}
}

func input(c *calculator.Calculator, name string) calculator.Field {
	f, _ := c.Field(name)
	return f
}

func figures(in map[string]any) {
	for name, v := range in {
		if v, ok := v.(float64); ok && v != math.Trunc(v) {
			in[name], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 2, 64), 64)
		}
	}
}

func sentences(result map[string]any, err error) string {
	if err != nil {
		return err.Error()
	}
	text, _ := result["summary"].(string)
	words := []string{text}
	explanations, _ := result["explanations"].([]any)
	for _, e := range explanations {
		sentence, _ := e.(string)
		words = append(words, sentence)
	}
	return strings.Join(words, " ")
}

func typed(t *testing.T, input, text string) float64 {
	t.Helper()
	text = strings.ReplaceAll(text, ",", "")
	number, unit, _ := strings.Cut(text, " ")
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case strings.HasSuffix(unit, "/s"):
		r, problem := quantity.ParseRate(text)
		v, err = r.Mbps(), problem
	case unit != "":
		s, problem := quantity.ParseSize(text)
		v, err = s.GiB(), problem
	}
	require.NoError(t, err, "%v, %v", input, text)
	return v
}

// formula is a line "NAME = EXPRESSION" in a code block of the guide.
type formula struct {
	name, expression string
	checked          int
}

// TestCalculators_formulas evaluates the formulas in the guide for every example of a calculator. A code block begins
// with the name of its calculator, optionally followed by an input that must be absent. The name on the left-hand side
// is a result, or a term used in subsequent lines.
func TestCalculators_formulas(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "templates", "guides", "how-vsla-computes.md"))
	require.NoError(t, err)
	pattern := regexp.MustCompile("(?s)```text\n# (\\w+)(?: without (\\w+))?\n(.*?)```")
	blocks := pattern.FindAllStringSubmatch(string(page), -1)
	found := make(map[string]bool)
	for _, block := range blocks {
		found[block[1]] = true
		t.Run(block[1], func(t *testing.T) {
			t.Parallel()
			at := slices.IndexFunc(
				registry.Calculators(),
				func(c *calculator.Calculator) bool { return c.Name == block[1] },
			)
			require.GreaterOrEqual(t, at, 0, "no calculator has this name")
			c := registry.Calculators()[at]
			lines := readFormulas(t, block[3])
			examples := readExamples(t, filepath.Join("testdata", "examples", c.Name+".txt"))
			var without map[string]any
			for _, e := range examples {
				if v, ok := e.changes[block[2]]; ok && v == nil {
					without = e.changes
				}
			}
			for _, e := range examples {
				in := merge(merge(e.given, without), e.changes)
				delete(in, block[2])
				checkFormulas(t, c, lines, in)
			}
			assert.NotEqual(t, 0, lines[len(lines)-1].checked)
		})
	}
	for _, name := range []string{"replication_estimate", "latency_impact", "energy_cost"} {
		assert.True(t, found[name], "the page has no formula of %s", name)
	}
}

func readFormulas(t *testing.T, block string) []*formula {
	t.Helper()
	var lines []*formula
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, " ") {
			lines[len(lines)-1].expression += " " + strings.TrimSpace(line)
			continue
		}
		name, expression, ok := strings.Cut(strings.TrimSpace(line), "=")
		require.True(t, ok, "%q is no formula", line)
		lines = append(lines, &formula{name: strings.TrimSpace(name), expression: strings.TrimSpace(expression)})
	}
	return lines
}

func checkFormulas(t *testing.T, c *calculator.Calculator, lines []*formula, in map[string]any) {
	t.Helper()
	results, err := c.Evaluate(in)
	if err != nil {
		t.Errorf("%v: %v", in, err)
		return
	}
	values := make(map[string]float64)
	number := func(name string, v any) {
		switch n := v.(type) {
		case float64:
			values[name] = n
		case map[string]any:
			for key, v := range n {
				if n, ok := v.(float64); ok {
					values[name+"_"+key] = n
				}
			}
		}
	}
	for _, f := range c.Inputs() {
		number(f.Name, f.Default)
		number(f.Name, in[f.Name])
	}
	for _, line := range lines {
		want, err := plantest.Formula(line.expression, values)
		if errors.Is(err, plantest.ErrAbsent) {
			continue
		}
		require.NoError(t, err)
		values[line.name] = want
		got, ok := results[line.name].(float64)
		if !ok {
			continue
		}
		line.checked++
		assert.InDelta(t, want, got, 1e-5*math.Abs(want), "%v, %v, %v", in, line.name, line.expression)
	}
}
