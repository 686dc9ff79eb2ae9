package registry_test

import (
	"errors"
	"maps"
	"math"
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

func each(t *testing.T, test func(t *testing.T, c *calculator.Calculator)) {
	t.Helper()
	for _, c := range registry.Calculators() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

func TestCalculators_names(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, c := range registry.Calculators() {
		for kind, name := range map[string]string{"name": c.Name, "command": c.Command, "title": c.Title} {
			require.NotEmpty(t, name, c.Name)
			assert.False(t, seen[kind+name], "%s: the %s %q is empty or taken", c.Name, kind, name)
			seen[kind+name] = true
		}
		assert.Regexp(t, `[^.]$`, c.Summary, c.Name)
		assert.NotEmpty(t, c.Description, c.Name)
		found, ok := registry.OfDataSource(c.DataSource())
		require.NotEqual(t, c.NoDataSource, ok)
		if ok {
			assert.Same(t, c, found, c.Name)
		}
		found, _ = registry.OfCommand(c.Command)
		assert.Same(t, c, found, c.Name)
		documented(t, c.Name, c.Fields)
	}
	_, ok := registry.OfCommand("tag")
	assert.False(t, ok, "tag is taken for a calculator")
	if _, ok := registry.OfDataSource("vsla_tag"); ok {
		t.Error("vsla_tag is taken for a calculator")
	}
}

func documented(t *testing.T, at string, fields []calculator.Field) {
	t.Helper()
	seen := make(map[string]bool)
	for _, f := range fields {
		require.NotEmpty(t, f.Doc, at)
		assert.True(
			t,
			strings.HasSuffix(f.Doc, "."),
			"%s.%s: the documentation %q must be a sentence",
			at,
			f.Name,
			f.Doc,
		)
		assert.False(t, seen[f.Name], "%s.%s stands twice", at, f.Name)
		seen[f.Name] = true
		if f.Input && f.Kind == calculator.Number {
			assert.NotNil(t, f.Range, "%s.%s: a number without a range", at, f.Name)
		}
		checkDirection(t, at, f)
		documented(t, at+"."+f.Name, f.Fields)
	}
}

func checkDirection(t *testing.T, at string, f calculator.Field) {
	t.Helper()
	directed := f.Direction == calculator.Lower || f.Direction == calculator.Higher
	switch {
	case f.Input && f.Direction == "":
		t.Errorf("%s.%s has no direction: add .Better(calculator.Lower) or .Better(calculator.Higher), "+
			"or .Either(reason) or .Neutral(reason), to its row in description.go", at, f.Name)
	case f.Direction != "" && !directed && f.Why == "":
		t.Errorf("%s.%s has no reason why it is %s", at, f.Name, f.Direction)
	}
}

func TestCalculators_results(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *calculator.Calculator) {
		t.Helper()
		examples := exampleInputs(t, c)
		computed := 0
		rapid.Check(t, func(t *rapid.T) {
			in := plantest.Corner(t, c)
			if rapid.Bool().Draw(t, "common") {
				in = plantest.Input(t, c)
			}
			if checkEvaluation(t, c, in) || checkEvaluation(t, c, worseExample(t, c, examples)) {
				computed++
			}
		})
		assert.NotZero(t, computed, "no input was valid")
	})
}

func checkEvaluation(t *rapid.T, c *calculator.Calculator, in map[string]any) (valid bool) {
	result, err := c.Evaluate(in)
	if problems, ok := errors.AsType[plan.InputErrors](err); ok {
		for _, e := range problems {
			f, ok := c.Field(e.Path[0].Name)
			require.True(t, ok, "%v names no input", e)
			assert.True(t, f.Input, "%v names no input", e)
		}
		return false
	}
	require.NoError(t, err)
	checkResult(t, c, result)
	again, err := c.Evaluate(in)
	require.NoError(t, err, "again: got %[2]v, error %[3]v; want %[1]v", result, again, err)
	assert.Equal(t, again, result, "again: got %[2]v, error %[3]v; want %[1]v", result, again, err)
	return true
}

func checkResult(t *rapid.T, c *calculator.Calculator, result map[string]any) {
	names := make([]string, 0, len(result))
	for _, f := range c.Results() {
		names = append(names, f.Name)
		checkValue(t, f.Name, f, result[f.Name])
	}
	slices.Sort(names)
	assert.Equal(t, names, slices.Sorted(maps.Keys(result)))
	if len(c.Verdicts) > 0 {
		described := func(v calculator.Verdict) bool { return v.Code == result["verdict"] }
		assert.True(t, slices.ContainsFunc(c.Verdicts, described), "verdict %v is not described", result["verdict"])
	}
	reasons, _ := result["reasons"].([]any)
	explanations, _ := result["explanations"].([]any)
	assert.Len(t, reasons, len(explanations))
	for _, code := range reasons {
		assert.True(t, slices.ContainsFunc(c.Reasons, func(r calculator.Reason) bool { return r.Code == code }),
			"reason %v is not described", code)
	}
}

func checkValue(t *rapid.T, at string, f calculator.Field, v any) {
	switch v := v.(type) {
	case nil:
	case float64:
		assert.False(t, math.IsNaN(v), at)
		assert.False(t, math.IsInf(v, 0), at)
		assert.Contains(t, []calculator.Kind{calculator.Number, calculator.Integer}, f.Kind, at)
	case string:
		require.Equal(t, calculator.Text, f.Kind, at)
		assert.NotContains(t, v, "%!", at)
		if f.Result && len(f.OneOf) > 0 {
			assert.Contains(t, f.OneOf, v, at)
		}
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok {
				assert.NotContains(t, s, "%!", at)
			}
			checkMembers(t, at, f, e)
		}
	case map[string]any:
		for key, e := range v {
			checkMembers(t, at+"."+key, f, e)
		}
	}
}

func checkMembers(t *rapid.T, at string, f calculator.Field, v any) {
	object, ok := v.(map[string]any)
	for _, member := range f.Fields {
		if value, there := object[member.Name]; ok && member.Result {
			assert.True(t, there, "%s.%s is missing", at, member.Name)
			checkValue(t, at+"."+member.Name, member, value)
		}
	}
}

func TestCalculators_badInput(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *calculator.Calculator) {
		t.Helper()
		refusesAll(t, c, nil, c.Inputs(), func(in map[string]any) map[string]any { return in })
		_, err := c.Evaluate(map[string]any{"speed": 5.0})
		require.Error(t, err)
		assert.Contains(t, err.Error(), "speed is not a valid input")
	})
}

func refusesAll(
	t *testing.T, c *calculator.Calculator, at plan.Path, fields []calculator.Field,
	whole func(map[string]any) map[string]any,
) {
	t.Helper()
	for _, f := range fields {
		if !f.Input {
			continue
		}
		path := at.Attr(f.Name)
		with := func(v any) map[string]any {
			in := least(fields)
			for _, other := range fields {
				if other.Or == f.Name {
					delete(in, other.Name)
				}
			}
			for _, other := range fields {
				if other.With != "" && in[other.With] == nil {
					delete(in, other.Name)
				}
			}
			in[f.Name] = v
			return whole(in)
		}
		for what, v := range badValues(f) {
			_, err := c.Evaluate(with(v))
			problems, ok := errors.AsType[plan.InputErrors](err)
			require.True(t, ok, "%s with %s: got %v, want an error at it", path, what, err)
			assert.True(t, slices.ContainsFunc(problems, func(e *plan.InputError) bool {
				return strings.HasPrefix(e.Path.String(), path.String())
			}), "%s with %s: got %v, want an error at it", path, what, err)
		}
		switch f.Kind {
		case calculator.Object:
			refusesAll(t, c, path, f.Fields, func(in map[string]any) map[string]any { return with(in) })
		case calculator.Objects:
			key := append(slices.Clone(f.OneOf), "one")[0]
			refusesAll(t, c, path.Key(key), f.Fields, func(in map[string]any) map[string]any {
				return with(map[string]any{key: in})
			})
		default:
		}
	}
}

func badValues(f calculator.Field) map[string]any {
	bad := map[string]any{"the type": []any{map[string]any{}}}
	if f.Required {
		bad["nothing"] = nil
	}
	hours := func(change func(list []any)) []any {
		list := slices.Repeat([]any{f.Range.Max}, calculator.HoursPerDay)
		change(list)
		return list
	}
	switch f.Kind {
	case calculator.Number:
		bad["above"], bad["below"] = f.Range.Max*2+1, f.Range.Min-1
		bad["infinity"] = math.Inf(1)
		bad["no number"] = math.NaN()
		bad["text"] = "many"
		if f.Range.Whole {
			bad["a fraction"] = f.Range.Min + 0.5
		}
	case calculator.Numbers:
		if f.Hours {
			bad["23 hours"] = hours(func([]any) {})[1:]
			bad["zeros"] = hours(func(list []any) {
				for h := range list {
					list[h] = 0.0
				}
			})
		} else {
			bad["empty"] = []any{}
		}
		bad["below"] = hours(func(list []any) { list[5] = f.Range.Min - 1 })
	case calculator.Texts:
		bad["a text"] = f.OneOf[0]
		bad["another"] = []any{"another"}
		bad["twice"] = []any{f.OneOf[0], f.OneOf[0]}
	case calculator.NumberMap:
		bad["above"] = map[string]any{"60": f.Range.Max*2 + 1}
		if f.Keys != nil {
			long := make(map[string]any)
			for i := range 1001 {
				long[strconv.Itoa(i+1)] = f.Range.Max
			}
			bad["1,001 points"] = long
		}
	default:
	}
	return bad
}

func least(fields []calculator.Field) map[string]any {
	in := make(map[string]any)
	for _, f := range fields {
		switch {
		case !f.Required && f.Or == "" && f.With == "":
		case f.Kind == calculator.Number:
			in[f.Name] = f.Range.Min
		case f.Kind == calculator.Text:
			in[f.Name] = append(slices.Clone(f.OneOf), "8.0")[0]
		case f.Kind == calculator.Objects:
			in[f.Name] = map[string]any{"one": least(f.Fields)}
		}
	}
	return in
}
