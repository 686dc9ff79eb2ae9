package registry_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// example is a line of testdata/examples/CALCULATOR.txt:
//
//	INPUT {CHANGES} RESULT = ARITHMETIC
//
// CHANGES is a JSON merge patch (RFC 7396) that is applied to the preceding line "given". RESULT must depend on INPUT.
// The operator can also be < or >, and ARITHMETIC can also be the name of another result. The word "unchanged" in place
// of RESULT = ARITHMETIC marks an input that has no effect.
type example struct {
	line                 string
	given, changes       map[string]any
	input, result        string
	operator, arithmetic string
}

func TestCalculators_examples(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *calculator.Calculator) {
		t.Helper()
		path := filepath.Join("testdata", "examples", c.Name+".txt")
		var shown []string
		for _, e := range readExamples(t, path) {
			shown = append(shown, e.input)
			checkExample(t, c, e)
		}
		for _, name := range formulas("", c.Inputs()) {
			if !slices.Contains(shown, name) {
				t.Errorf("the input %s has no example: add a line to internal/plan/registry/%s, such as\n"+
					`%[1]s {"%[1]s": VALUE} RESULT = ARITHMETIC`+"\nwith a value that changes the result, and the "+
					"arithmetic by which the result follows from the numbers", name, path)
			}
		}
		for _, name := range shown {
			assert.Contains(t, formulas("", c.Inputs()), name, path)
		}
	})
}

func formulas(prefix string, fields []calculator.Field) []string {
	var names []string
	for _, f := range fields {
		if f.Input && !f.Lifted {
			names = append(names, prefix+f.Name)
			names = append(names, formulas(prefix+f.Name+".", f.Fields)...)
		}
	}
	return names
}

func readExamples(t *testing.T, path string) []example {
	t.Helper()
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	var given map[string]any
	var all []example
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		decoder := json.NewDecoder(strings.NewReader(rest))
		var values map[string]any
		require.NoError(t, decoder.Decode(&values), "%v, %v", path, line)
		if name == "given" {
			given = values
			continue
		}
		words := strings.SplitN(strings.TrimSpace(rest[decoder.InputOffset():]), " ", 3)
		e := example{line: line, given: given, changes: values, input: name, result: words[0]}
		if len(words) == 3 {
			e.operator, e.arithmetic = words[1], words[2]
		} else if words[0] != "unchanged" {
			t.Fatalf("%s: %s: want RESULT = ARITHMETIC, or unchanged", path, line)
		}
		all = append(all, e)
	}
	return all
}

func exampleInputs(t *testing.T, c *calculator.Calculator) []map[string]any {
	t.Helper()
	var inputs []map[string]any
	for _, e := range readExamples(t, filepath.Join("testdata", "examples", c.Name+".txt")) {
		inputs = append(inputs, merge(e.given, e.changes))
	}
	return inputs
}

// worseExample generates one of the examples, with up to two values changed for the worse. Unlike a random input with
// many parts, it is usually valid. If there are no examples, the input is random.
func worseExample(t *rapid.T, c *calculator.Calculator, examples []map[string]any) map[string]any {
	if len(examples) == 0 {
		return plantest.Input(t, c)
	}
	in := rapid.SampledFrom(examples).Draw(t, "example")
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		if worse, _, ok := plantest.Worse(t, c.Inputs(), in); ok {
			in = worse
		}
	}
	return in
}

func checkExample(t *testing.T, c *calculator.Calculator, e example) {
	t.Helper()
	in := merge(e.given, e.changes)
	with, err := c.Evaluate(in)
	if err != nil {
		t.Errorf("%s\n%v", e.line, err)
		return
	}
	other := merge(e.given, without(e.changes, strings.Split(e.input, ".")))
	before, err := c.Evaluate(other)
	if e.operator == "" {
		require.NoError(t, err, e.line)
		assert.Equal(t, before, with, e.line)
		return
	}
	got := at(with, e.result)
	assert.True(t, holds(t, e, with), "%s\ngot %v, want %s %s", e.line, got, e.operator, e.arithmetic)
	if err != nil {
		return // without the input, there is no result to compare
	}
	if got := at(before, e.result); holds(t, e, before) {
		t.Errorf("%s\ngot %v without %s too, want a result that depends on it", e.line, got, e.input)
	}
	checkEffect(t, c, e, [2]any{at(other, e.input), at(in, e.input)}, [2]map[string]any{before, with})
}

func checkEffect(t *testing.T, c *calculator.Calculator, e example, values [2]any, results [2]map[string]any) {
	t.Helper()
	f, nested := c.Field(e.input)
	if !nested {
		return
	}
	if values[0] == nil {
		values[0] = f.Default
	}
	better, worse := results[0], results[1]
	switch {
	case plantest.IsBetter(f, values[1], values[0]):
		better, worse = worse, better
	case !plantest.IsBetter(f, values[0], values[1]):
		return
	}
	one, two := c.Judge(better), c.Judge(worse)
	if one != plan.Neutral && two != plan.Neutral {
		assert.GreaterOrEqual(t, plan.Rank(two), plan.Rank(one),
			"%s\na worse %s turns the verdict from %s to %s", e.line, e.input, one, two)
	}
	for _, result := range c.Results() {
		is, was := worse[result.Name], better[result.Name]
		assert.False(t, isBetter(result, is, was), "%s\na worse %s turns %s from %v to %v",
			e.line, e.input, result.Name, was, is)
	}
}

func holds(t *testing.T, e example, r map[string]any) bool {
	t.Helper()
	got := at(r, e.result)
	if other, ok := r[e.arithmetic].(float64); ok {
		e.arithmetic = plan.Number(other)
	}
	var exact any
	if json.Unmarshal([]byte(e.arithmetic), &exact) == nil {
		if _, ok := exact.(float64); !ok {
			return got == exact
		}
	}
	want, err := plantest.Arithmetic(e.arithmetic)
	require.NoError(t, err, e.line)
	n, ok := got.(float64)
	switch e.operator {
	case "<":
		return ok && n < want
	case ">":
		return ok && n > want
	}
	return ok && math.Abs(n-want) <= 5e-6*math.Abs(want)
}

func at(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		if list, ok := v.([]any); ok {
			n, err := strconv.Atoi(step)
			if err != nil || n >= len(list) {
				return nil
			}
			v = list[n]
			continue
		}
		m, _ := v.(map[string]any)
		v = m[step]
	}
	return v
}

func without(changes map[string]any, path []string) map[string]any {
	rest := maps.Clone(changes)
	if len(path) == 1 {
		delete(rest, path[0])
		return rest
	}
	members, _ := rest[path[0]].(map[string]any)
	if _, ok := members[path[1]]; ok {
		rest[path[0]] = without(members, path[1:])
		return rest
	}
	all := make(map[string]any, len(members))
	for key, e := range members {
		element, _ := e.(map[string]any)
		all[key] = without(element, path[1:])
	}
	rest[path[0]] = all
	return rest
}

func merge(given, changes map[string]any) map[string]any {
	merged := maps.Clone(given)
	for key, v := range changes {
		patch, ok := v.(map[string]any)
		target, isObject := merged[key].(map[string]any)
		switch {
		case v == nil:
			delete(merged, key)
		case ok && isObject:
			merged[key] = merge(target, patch)
		default:
			merged[key] = v
		}
	}
	return merged
}

// dependsOnRPO lists the results that a shorter RPO can improve. The search for the shortest RPO starts at one minute
// if rpo_minutes is less than five, and at five minutes otherwise. Shorter cycles transfer less data.
var dependsOnRPO = map[string]bool{
	"min_rpo_minutes":         true,
	"ongoing_sync_seconds_80": true,
	"ongoing_sync_seconds_90": true,
}

func TestCalculators_monotone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *calculator.Calculator) {
		t.Helper()
		if plantest.Simulated(c, nil) && !slices.ContainsFunc(c.Results(), isDirected) {
			return // simulations are not monotone; examples cover their directions
		}
		examples := exampleInputs(t, c)
		compared := 0
		rapid.Check(t, func(t *rapid.T) {
			in := plantest.Input(t, c)
			before, err := c.Evaluate(in)
			if err != nil {
				in = worseExample(t, c, examples)
				before, err = c.Evaluate(in)
			}
			worse, name, ok := plantest.Worse(t, c.Inputs(), in)
			if !ok {
				return
			}
			after, problem := c.Evaluate(worse)
			if err != nil || problem != nil {
				return
			}
			compared++
			was, is := c.Judge(before), c.Judge(after)
			// Below 15,000 Mbit/s, a vMotion does not require threads_mbps, so a lower throughput removes this reason.
			reasons, _ := before["reasons"].([]any)
			judged := was != plan.Neutral && is != plan.Neutral
			if judged && !plantest.Simulated(c, in) && !slices.Contains(reasons, any("one_thread")) {
				assert.GreaterOrEqual(
					t,
					plan.Rank(is),
					plan.Rank(was),
					"a worse %s turns the verdict from %s to %s:\n%s\n%s",
					name,
					was,
					is,
					before["summary"],
					after["summary"],
				)
			}
			for _, f := range c.Results() {
				if name == "rpo_minutes" && dependsOnRPO[f.Name] {
					continue
				}
				assert.False(t, isBetter(f, after[f.Name], before[f.Name]),
					"a worse %s turns %s from %v to %v", name, f.Name, before[f.Name], after[f.Name])
			}
		})
		assert.NotZero(t, compared, "no two results were compared")
	})
}

func TestCalculators_boundaries(t *testing.T) {
	t.Parallel()
	for _, c := range registry.Calculators() {
		for _, f := range c.Results() {
			if f.Boundary == nil {
				continue
			}
			t.Run(c.Name+"."+f.Name, func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(t *rapid.T) { checkBoundary(t, c, f) })
			})
		}
	}
}

// isBetter reports whether a result, which is no input as well, is better.
func isBetter(f calculator.Field, is, was any) bool { return !f.Input && plantest.IsBetter(f, is, was) }

func isDirected(f calculator.Field) bool { return f.Direction != "" && !f.Input }

func checkBoundary(t *rapid.T, c *calculator.Calculator, f calculator.Field) {
	in := plantest.Input(t, c)
	r, err := c.Evaluate(in)
	if err != nil {
		return
	}
	input, _ := c.Field(f.Boundary.Input)
	// holds returns the result of the boundary's test for a value of the input. valid is false if the calculator
	// rejects the value.
	holds := func(v float64) (passes, valid bool) {
		changed := maps.Clone(in)
		changed[input.Name] = v
		r, err := c.Evaluate(changed)
		passes, _ = r[f.Boundary.Test].(bool)
		return passes, err == nil
	}
	boundary, ok := r[f.Name].(float64)
	if !ok {
		least, valid := holds(input.Range.Min)
		most, _ := holds(input.Range.Max)
		if valid {
			assert.Equal(t, least, most, "%s is null, and %s decides about %s", f.Name, input.Name, f.Boundary.Test)
		}
		return
	}
	worse := math.Nextafter(boundary, math.Inf(-1))
	switch {
	case f.Kind == calculator.Integer && input.Direction == calculator.Higher:
		worse = boundary - 1
	case f.Kind == calculator.Integer:
		worse = boundary + 1
	case input.Direction == calculator.Lower:
		worse = math.Nextafter(boundary, math.Inf(1))
	}
	passes, valid := holds(boundary)
	if valid {
		assert.True(t, passes, "%s is %v, with which %s is false", f.Name, boundary, f.Boundary.Test)
	}
	if passes, _ := holds(worse); passes {
		t.Errorf("%s is %v, and %s is true with %v too", f.Name, boundary, f.Boundary.Test, worse)
	}
}
