package registry_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// formula is a line "NAME = EXPRESSION" of a block in the guide.
type formula struct {
	name, expression string
	// checked is the number of examples in which NAME is a result of the calculator.
	checked int
}

// TestCalculators_formulas evaluates the formulas of the guide for every example of a calculator. A block begins with
// the name of its calculator, optionally with an input that must be absent; the name on the left is a result, or a
// term of the lines below.
func TestCalculators_formulas(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "templates", "guides", "formulas.md"))
	require.NoError(t, err)
	pattern := regexp.MustCompile("(?s)```text\n# (\\w+)(?: without (\\w+))?\n(.*?)```")
	blocks := pattern.FindAllStringSubmatch(string(page), -1)
	found := make(map[string]bool)
	for _, block := range blocks {
		found[block[1]] = true
		t.Run(block[1], func(t *testing.T) {
			t.Parallel()
			at := slices.IndexFunc(registry.Calculators(), func(c *calculator.Calculator) bool { return c.Name == block[1] })
			require.GreaterOrEqual(t, at, 0, "no calculator has this name")
			c := registry.Calculators()[at]
			lines := readFormulas(t, block[3])
			for _, e := range readExamples(t, filepath.Join("testdata", "examples", c.Name+".txt")) {
				if in := merge(e.given, e.changes); in[block[2]] == nil {
					checkFormulas(t, c, lines, in)
				}
			}
			assert.NotEqual(t, 0, lines[len(lines)-1].checked)
		})
	}
	for _, name := range []string{"replication_estimate", "replica_storage", "latency_impact", "energy_cost"} {
		assert.True(t, found[name], "the page has no formula of %s", name)
	}
}

func readFormulas(t *testing.T, block string) []*formula {
	t.Helper()
	var lines []*formula
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, " ") { // continued line
			lines[len(lines)-1].expression += " " + strings.TrimSpace(line)
			continue
		}
		name, expression, ok := strings.Cut(strings.TrimSpace(line), "=")
		require.True(t, ok, "%q is no formula", line)
		lines = append(lines, &formula{name: strings.TrimSpace(name), expression: strings.TrimSpace(expression)})
	}
	return lines
}

// checkFormulas compares results with their formulas. Formulas with an absent input are skipped.
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
