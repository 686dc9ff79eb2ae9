package calculator_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/calculator"
)

// TestInputs_encode checks that Encode returns the values from which an input was decoded, omitting defaults such as
// the price of 5 per item.
func TestInputs_encode(t *testing.T) {
	t.Parallel()
	values := map[string]any{
		"count":            2.0,
		"discount_percent": 10.0,
		"fast":             false,
		"colour":           "blue",
		"hours":            slices.Repeat([]any{1.0}, calculator.HoursPerDay),
		"prices":           map[string]any{"apple": 3.0},
		"box":              map[string]any{"width": 4.0},
		"curve":            map[string]any{"0.5": 1.0},
		"items": map[string]any{
			"a": map[string]any{"weight": 3.0},
			"b": map[string]any{"weight": 1.0, "price": 7.0},
		},
	}
	in, err := definition.Decode(values)
	require.NoError(t, err)
	defaults := definition.Default()
	assert.Equal(t, values, definition.Inputs.Encode(&in, &defaults))
	given := map[string]any{"count": 2.0, "items": map[string]any{}, "single": 3.0}
	in, err = definition.Decode(given)
	require.NoError(t, err)
	assert.Equal(t, given, definition.Inputs.Encode(&in, &defaults))
}

func TestInput_put(t *testing.T) {
	t.Parallel()
	defaults := definition.Default()
	in := shop{Count: 2, Discount: new(10.0), Colour: "blue", Items: map[string]item{"a": {}}}
	for _, test := range []struct {
		name    string
		v, want any
		err     string
	}{
		{"count", 4.0, 4.0, ""},
		{"count", 11.0, nil, "count must be between 1 and 10 pieces"},
		{"count", "many", nil, "count must be a number"},
		{"discount_percent", 20.0, 20.0, ""},
		{"discount_percent", nil, nil, ""},
		{"fast", nil, true, ""},
		{"colour", nil, "red", ""},
		{"colour", "green", nil, `colour must be one of red, blue, got "green"`},
		{"box", map[string]any{"width": 1.0}, map[string]any{"width": 1.0}, ""},
		{"items", nil, nil, "items is required"},
	} {
		row := definition.Inputs[slices.IndexFunc(definition.Inputs, func(row calculator.Input[shop]) bool {
			return row.Name == test.name
		})]
		changed := in
		err := row.Put(&changed, &defaults, test.v)
		if test.err != "" {
			require.ErrorContains(t, err, test.err)
			continue
		}
		require.NoError(t, err, test.name)
		assert.Equal(t, test.want, row.Given(&changed), test.name)
	}
}

func TestCalculator_again(t *testing.T) {
	t.Parallel()
	c := newShop()
	document := map[string]any{"single": 1.0, "count": 6.0, "items": map[string]any{"a": map[string]any{"weight": 3.0}}}
	result, err := c.Evaluate(document)
	require.NoError(t, err)
	result["items"] = map[string]any{"a": map[string]any{"weight": 3.0, "cost": 15.0}}
	result["discount_percent"] = 50.0
	maps.Copy(document, result)
	for name, read := range map[string]func(map[string]any) (any, error){"Read": c.Read, "Again": c.Again} {
		v, err := read(document)
		require.NoError(t, err, name)
		answer, ok := v.(calculator.Answer[shop, sale])
		require.True(t, ok, name)
		assert.InDelta(t, 6, answer.Result.total, 0, name)
		assert.Equal(t, []box{{Width: 3}}, answer.Result.boxes, name)
		assert.InDelta(t, 15, answer.Result.items["a"].cost, 0, name)
	}
	assert.False(t, c.Slow(document))
	document["total"] = 7.0
	_, err = c.Again(document)
	var different *calculator.DifferenceError
	require.ErrorAs(t, err, &different)
	assert.Equal(t, "total is 7 in the document, but 6 when recomputed", different.Error())
	document["boxes"] = []any{map[string]any{"width": "wide"}}
	_, err = c.Read(document)
	require.ErrorContains(t, err, "boxes[0].width has a wrong type")
}
