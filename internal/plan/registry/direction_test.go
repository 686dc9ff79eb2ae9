package registry_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// levels are ordered from best to worst.
var levels = []calculator.Level{calculator.Holds, calculator.AtRisk, calculator.Misses}

// TestCalculators_monotone checks that a worse input never improves the verdict or a directed result.
func TestCalculators_monotone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *calculator.Calculator) {
		t.Helper()
		if plantest.Simulated(c, nil) && !slices.ContainsFunc(c.Results(), isDirected) {
			return // schedules are not monotone: examples cover their directions
		}
		compared := 0
		rapid.Check(t, func(t *rapid.T) {
			in := plantest.Input(t, c)
			worse, name, ok := plantest.Worse(t, c.Inputs(), in)
			if !ok {
				return
			}
			before, err := c.Evaluate(in)
			after, problem := c.Evaluate(worse)
			if err != nil || problem != nil {
				return
			}
			compared++
			was, judged := c.Judge(before)
			is, both := c.Judge(after)
			assert.False(t, judged && both && !plantest.Simulated(c, in) && slices.Index(levels, is) < slices.Index(levels, was),
				"a worse %s turns the verdict from %s to %s:\n%s\n%s", name, was, is, before["summary"], after["summary"])
			for _, f := range c.Results() {
				// The search for the smallest RPO starts at one minute if rpo_minutes is below five, else at five.
				if f.Name == "min_rpo_minutes" && name == "rpo_minutes" {
					continue
				}
				assert.False(t, !f.Input && plantest.IsBetter(f, after[f.Name], before[f.Name]),
					"a worse %s turns %s from %v to %v", name, f.Name, before[f.Name], after[f.Name])
			}
		})
		if compared == 0 && !testing.Short() { // short tests draw too few for a migration plan
			t.Error("no two results were compared")
		}
	})
}

// TestCalculators_boundaries checks that the test of a boundary result holds for its value, but not for the next
// worse one.
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

func isDirected(f calculator.Field) bool { return f.Direction != "" && !f.Input }

func checkBoundary(t *rapid.T, c *calculator.Calculator, f calculator.Field) {
	in := plantest.Input(t, c)
	r, err := c.Evaluate(in)
	if err != nil {
		return
	}
	input, _ := c.Field(f.Boundary.Input)
	// holds evaluates the test with a value; valid is false if the input rejects it.
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
		assert.False(t, valid && least != most, "%s is null, and %s decides about %s", f.Name, input.Name, f.Boundary.Test)
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
	assert.False(t, valid && !passes, "%s is %v, with which %s is false", f.Name, boundary, f.Boundary.Test)
	if passes, _ := holds(worse); passes {
		t.Errorf("%s is %v, and %s is true with %v too", f.Name, boundary, f.Boundary.Test, worse)
	}
}
