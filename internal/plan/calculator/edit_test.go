package calculator_test

import (
	"maps"
	"slices"
	"strings"
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
		"count": 2.0, "discount_percent": 10.0, "fast": false, "colour": "blue",
		"hours": slices.Repeat([]any{1.0}, calculator.HoursPerDay), "prices": map[string]any{"apple": 3.0},
		"box": map[string]any{"width": 4.0}, "curve": map[string]any{"0.5": 1.0},
		"items": map[string]any{"a": map[string]any{"weight": 3.0}, "b": map[string]any{"weight": 1.0, "price": 7.0}},
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

// TestSpread_At compares quantiles with values computed by hand. For a distribution from 400 to 901 with its mode at
// 700, the cumulative probability is 300 / 501 at the mode, a quarter of that at 550 (the midpoint of the left side),
// and 1 - 201 / 501 / 4 at 800.5 (the midpoint of the right side).
func TestSpread_At(t *testing.T) {
	t.Parallel()
	s := calculator.Spread{Low: 400, Likely: 700, High: 901}
	for u, want := range map[float64]float64{
		0: 400, 300.0 / 501: 700, 1: 901, 75.0 / 501: 550, 1 - 201.0/501/4: 800.5,
	} {
		assert.InDelta(t, want, s.At(u), 1e-9, u)
	}
	for _, test := range []struct {
		s       calculator.Spread
		u, want float64
	}{
		{calculator.Spread{Low: 5, Likely: 5, High: 5}, 0.3, 5},
		{calculator.Spread{Low: 0, Likely: 0, High: 10}, 0.75, 5},
		{calculator.Spread{Low: 0, Likely: 10, High: 10}, 0.25, 5},
	} {
		assert.Equal(t, test.want, test.s.At(test.u))
	}
}

func TestWithUnit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       float64
		given      bool
	}{
		{"throughput_mbps", "1 Gbit/s", 1000, true},
		{"throughput_mbps", "1Gbps", 1000, true},
		{"throughput_mbps", "125 MB/s", 1000, true},
		{"throughput_mbps", "1000", 0, false},
		{"throughput_mbps", "1e3", 0, false},
		{"throughput_mbps", "fast", 0, false},
		{"vm_size_gib", "1.5TiB", 1536, true},
		{"window_kib", "1 MiB", 1024, true},
		{"rpo_minutes", "4h", 240, true},
		{"rpo_minutes", "1d 2h 30m", 1590, true}, // 1440 + 120 + 30
		{"rpo_minutes", "1h30min", 90, true},
		{"rpo_minutes", "15 min", 15, true},
		{"deadline_hours", "90 min", 1.5, true},
		{"overhead_seconds", "2m", 120, true},
		{"rtt_ms", "0.5 s", 500, true},
		{"rtt_ms", "20ms", 20, true},
		{"daily_change_percent", "5 %", 5, true},
		{"vm_count", "15 VMs", 0, false},
	} {
		got, given, err := calculator.WithUnit(test.name, test.text)
		assert.True(t, got == test.want && given == test.given && err == nil,
			"%s %q: got %v, %v, %v, want %v, %v", test.name, test.text, got, given, err, test.want, test.given)
	}
	for name, text := range map[string]string{
		"throughput_mbps": "4h", "rpo_minutes": "1 Gbit/s", "vm_size_gib": "5%", "daily_change_percent": "5 GB",
		"rtt_ms": "1h 5", "deadline_hours": "4 fortnights",
	} {
		got, given, err := calculator.WithUnit(name, text)
		assert.True(t, err != nil && given && strings.Contains(err.Error(), text),
			"%s %q: got %v, %v, %v, want an error that quotes it", name, text, got, given, err)
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
