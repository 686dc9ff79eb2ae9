package calculator_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

type shop struct {
	Count    float64
	Discount *float64
	Fast     bool
	Colour   string
	Hours    []float64
	Prices   map[string]float64
	Box      *box
	Items    map[string]item
	Curve    map[float64]float64
	Single   float64
}

type box struct{ Width float64 }

type item struct{ Weight, Price, cost float64 }

type sale struct {
	total  float64
	rebate *float64
	pieces int64
	spare  *int64
	open   bool
	lucky  *bool
	names  []string
	prices map[string]float64
	labels map[string]string
	items  map[string]item
	boxes  []box
	why    calculator.Explanation
}

var (
	count    = plan.Range{Min: 1, Max: 10, Whole: true, Unit: "pieces"}
	share    = plan.Range{Min: 0, Max: 100, Unit: "percent"}
	cheap    = calculator.Reason{Code: "cheap", Sentence: "It costs %s."}
	itemRows = calculator.Inputs[item]{
		calculator.Required("weight", share, "Weight.", func(i *item) *float64 { return &i.Weight }),
		calculator.Optional("price", share, "Price.", func(i *item) *float64 { return &i.Price }),
	}
	definition = calculator.Definition[shop, sale]{
		Names:   calculator.Names{Name: "shop", Command: "shop"},
		Default: func() shop { return shop{Colour: "red", Fast: true} },
		Inputs: calculator.Inputs[shop]{
			calculator.Required("count", count, "Pieces.", func(s *shop) *float64 { return &s.Count }),
			calculator.Absent("discount_percent", share, "Discount.", func(s *shop) **float64 { return &s.Discount }),
			calculator.Switch("fast", "Fast.", func(s *shop) *bool { return &s.Fast }),
			calculator.Choice("colour", false, []string{"red", "blue"}, "Colour.",
				func(s *shop) *string { return &s.Colour }),
			calculator.HourList("hours", share, "Hours.", func(s *shop) *[]float64 { return &s.Hours }),
			calculator.Map("prices", share, "Prices.", func(s *shop) *map[string]float64 { return &s.Prices }),
			calculator.Nested("box", "Box.", calculator.Inputs[box]{
				calculator.Required("width", share, "Width.", func(b *box) *float64 { return &b.Width }),
			}, func() box { return box{} }, func(s *shop) **box { return &s.Box }),
			calculator.Required("single", share, "Single.",
				func(s *shop) *float64 { return &s.Single }).OrElse("curve"),
			calculator.Points("curve", share, share, "Curve.", func(s *shop) *map[float64]float64 { return &s.Curve }),
			calculator.Each("items", "Items.", itemRows, func() item { return item{Price: 5} },
				func(s *shop) *map[string]item { return &s.Items }),
		},
		Results: calculator.Outputs[sale]{
			calculator.Result("total", "Total.", func(r *sale) *float64 { return &r.total }),
			calculator.Result("discount_percent", "Discount.", func(r *sale) **float64 { return &r.rebate }),
			calculator.Result("pieces", "Pieces.", func(r *sale) *int64 { return &r.pieces }),
			calculator.Result("spare", "Spare.", func(r *sale) **int64 { return &r.spare }),
			calculator.Result("open", "Open.", func(r *sale) *bool { return &r.open }),
			calculator.Result("lucky", "Lucky.", func(r *sale) **bool { return &r.lucky }),
			calculator.Result("names", "Names.", func(r *sale) *[]string { return &r.names }),
			calculator.Result("price_of", "Prices.", func(r *sale) *map[string]float64 { return &r.prices }),
			calculator.Result("labels", "Labels.", func(r *sale) *map[string]string { return &r.labels }),
			calculator.ResultEach("items", "", calculator.Outputs[item]{
				calculator.Result("cost", "Cost.", func(i *item) *float64 { return &i.cost }),
			}, func(r *sale) *map[string]item { return &r.items }),
			calculator.ResultList("boxes", "Boxes.", calculator.Outputs[box]{
				calculator.Result("width", "Width.", func(b *box) *float64 { return &b.Width }),
			}, func(r *sale) *[]box { return &r.boxes }),
		},
		Flag: &calculator.Flag{Name: "open", Good: true},
		// Two reasons can have the same code.
		Reasons: []calculator.Reason{cheap, {Code: cheap.Code, Sentence: "It costs almost %s."}},
		Explain: func(r *sale) *calculator.Explanation { return &r.why },
	}
)

func newShop() *calculator.Calculator {
	d := definition
	d.Compute = func(s shop) (sale, error) {
		if err := d.Inputs.Check(&s, nil).Err(); err != nil {
			return sale{}, err
		}
		for name, i := range s.Items {
			i.cost = i.Price * i.Weight
			s.Items[name] = i
		}
		r := sale{
			total:  s.Count,
			pieces: 7,
			open:   s.Fast,
			names:  []string{s.Colour},
			prices: s.Prices,
			labels: map[string]string{"a": "b"},
			items:  s.Items,
			boxes:  []box{{Width: 3}},
			why:    calculator.Explanation{Findings: []plan.Finding{cheap.Finding("1")}, Summary: "Sold."},
		}
		if s.Count > 5 {
			nine := int64(9)
			yes := true
			half := 50.0
			r.spare = &nine
			r.lucky = &yes
			r.rebate = &half
		}
		return r, nil
	}
	return d.Calculator()
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v map[string]any
	require.NoError(t, decoder.Decode(&v))
	return v
}

func TestCalculator_evaluate(t *testing.T) {
	t.Parallel()
	c := newShop()
	for _, test := range []struct{ in, want string }{
		{
			`{"single": 1, "count": 2, "items": {"a": {"weight": 3}}}`,
			`{"total": 2, "discount_percent": null, "pieces": 7, "spare": null, "open": true, "lucky": null,
			  "names": ["red"], "price_of": {}, "labels": {"a": "b"}, "boxes": [{"width": 3}],
			  "items": {"a": {"cost": 15, "weight": 3, "price": null}},
			  "reasons": ["cheap"], "explanations": ["It costs 1."], "summary": "Sold."}`,
		},
		{
			// Text is converted to numbers and booleans as in Terraform. Given values override computed values.
			`{"curve": {"5": 1}, "count": "6", "discount_percent": "10", "fast": "false", "colour": "blue",
			"prices": {"x": "4"},
			  "box": {"width": 1}, "hours": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],
			  "items": {"a": {"weight": 3, "price": 2}}}`,
			`{"total": 6, "discount_percent": 10, "pieces": 7, "spare": 9, "open": false, "lucky": true,
			  "names": ["blue"], "price_of": {"x": 4}, "labels": {"a": "b"}, "boxes": [{"width": 3}],
			  "items": {"a": {"cost": 6, "weight": 3, "price": 2}},
			  "reasons": ["cheap"], "explanations": ["It costs 1."], "summary": "Sold."}`,
		},
	} {
		result, err := c.Evaluate(decoded(t, test.in))
		require.NoError(t, err)
		text, err := json.Marshal(result)
		require.NoError(t, err)
		got, want := decoded(t, string(text)), decoded(t, test.want)
		assert.Equal(t, want, got)
	}
}

func TestCalculator_badInput(t *testing.T) {
	t.Parallel()
	c := newShop()
	for in, want := range map[string]string{
		`{}`: "count is required\nsingle is required unless curve is set\nitems is required",
		`{"single": 1, "curve": {}, "count": 1, "items": {}}`: "curve must not be set together with single",
		`{"curve": {"5": 101}, "count": 1, "items": {}}`: `curve["5"] must be between 0 and 100 percent, ` +
			`got 101`,
		`{"curve": {"x": 1}, "count": 1, "items": {}}`:           `curve["x"] must be a number, got "x"`,
		`{"curve": {"5": 1, "5.0": 1}, "count": 1, "items": {}}`: `curve["5.0"] duplicates another key`,
		`{"curve": {"500": 1}, "count": 1, "items": {}}`: `curve["500"] has an invalid key: it must be between 0 ` +
			`and 100 ` +
			"percent, got 500",
		`{"curve": 5, "count": 1, "items": {}}`: "curve must be an object or a map, " +
			"got the number 5",
		`{"single": 1, "count": 1.5, "items": {}}`: "count must be a whole number " +
			"(between 1 and 10 pieces), got 1.5",
		`{"single": 1, "count": 1e999, "items": {}}`: "count must be between 1 and 10 " +
			"pieces, got a number that is too large",
		`{"single": 1, "count": "0x2", "items": {}}`: `count must be a number, got "0x2"`,
		`{"single": 1, "count": true, "items": {}}`:  "count must be a number, got true",
		`{"single": 1, "count": 1, "items": 5}`: "items must be an object or a map, " +
			"got the number 5",
		`{"single": 1, "count": 1, "items": {"a": 5}}`: `items["a"] must be an object or a ` +
			`map, got the number 5`,
		`{"single": 1, "count": 1, "items": {"a": {}}}`: `items["a"].weight is required`,
		`{"single": 1, "count": 1, "items": {"a": {"weight": -1}}}`: `items["a"].weight must be between ` +
			`0 and 100 percent, got -1`,
		`{"single": 1, "count": 1, "items": {"a": {"weight": 1, "cost": 2}}}`: `items["a"].cost is not a valid ` +
			`input; valid inputs are price, weight`,
		`{"single": 1, "count": 1, "items": {}, "fast": "maybe"}`: `fast must be true or false, got ` +
			`"maybe"`,
		`{"single": 1, "count": 1, "items": {}, "colour": "green"}`: `colour must be one of red, blue, ` +
			`got "green"`,
		`{"single": 1, "count": 1, "items": {}, "colour": [1]}`: "colour must be a string, got a list",
		`{"single": 1, "count": 1, "items": {}, "hours": [1]}`: "hours must have 24 numbers, one " +
			"for each hour from midnight, got 1",
		`{"single": 1, "count": 1, "items": {}, "hours": 1}`: "hours must be a list of numbers, " +
			"got the number 1",
		`{"single": 1, "count": 1, "items": {}, "hours": ["x"]}`: `hours[0] must be a number, got "x"`,
		`{"single": 1, "count": 1, "items": {}, "prices": {"x": 101}}`: `prices["x"] must be between 0 and ` +
			`100 percent, got 101`,
		`{"single": 1, "count": 1, "items": {}, "prices": []}`: "prices must be an object or a map, " +
			"got a list",
		`{"single": 1, "count": 1, "items": {}, "box": {"width": 101}}`: "box.width must be between 0 and " +
			"100 percent, got 101",
		`{"single": 1, "count": 1, "items": {}, "box": true}`: "box must be an object or a map, " +
			"got true",
		`{"single": 1, "count": 1, "items": {}, "discount_percent": {"a": 1}}`: "discount_percent must be a number, " +
			"got an object",
		`{"single": 1, "count": 1, "items": {}, "total": 5}`: "total is not a valid input; valid inputs are box, " +
			"colour, count, curve, " +
			"discount_percent, fast, hours, items, prices, single",
		`{"single": 1, "count": 1, "items": {}, "hours": [0` + strings.Repeat(",0", 23) + `]}`: "hours must not be " +
			"0 in every hour",
	} {
		_, err := c.Evaluate(decoded(t, in))
		_, ok := errors.AsType[plan.InputErrors](err)
		require.True(t, ok, "%s: %v\nwant %s", in, err, want)
		assert.Equal(t, want, err.Error(), in)
	}
}

func TestDefinition_decode(t *testing.T) {
	t.Parallel()
	in, err := definition.Decode(
		decoded(t, `{"single": 2, "count": 3, "total": 5, "items": {"a": {"weight": 1, "cost": 9}}}`),
	)
	want := shop{Count: 3, Single: 2, Colour: "red", Fast: true, Items: map[string]item{"a": {Weight: 1, Price: 5}}}
	require.NoError(t, err)
	assert.Equal(t, want, in)
	_, err = definition.Decode(decoded(t, `{"single": 1, "items": {}}`))
	require.Error(t, err)
	assert.Equal(t, "count is required", err.Error())
	r := sale{total: 2, boxes: []box{{Width: 1}}}
	v := definition.Values(&r)
	require.Equal(t, 2.0, v["total"], "got %v, want a total of 2 and no spare", v)
	assert.Nil(t, v["spare"])
}

func TestCalculator_fields(t *testing.T) {
	t.Parallel()
	c := newShop()
	for name, want := range map[string]string{
		"count":            "Pieces. Must be between 1 and 10 pieces.",
		"discount_percent": "Discount. Must be between 0 and 100 percent.",
		"fast":             "Fast. Defaults to true.",
		"colour":           "Colour. Defaults to `red`.",
		"total":            "Total.",
		"reasons":          "Codes of the findings, sorted. Possible values: `cheap`.",
	} {
		f, ok := c.Field(name)
		require.True(t, ok, "%s is documented as %q", name, f.Documentation())
		assert.Equal(t, want, f.Documentation(), name)
	}
	items, _ := c.Field("items")
	require.Len(t, items.Fields, 3)
	assert.False(t, items.Result, "got %+v, want three fields with documentation", items)
	assert.True(t, items.HasResult(), "got %+v, want three fields with documentation", items)
	assert.Equal(t, "Price. Defaults to 5. Must be between 0 and 100 percent.", items.Fields[1].Documentation())
	assert.Equal(t, "vsla_shop", c.DataSource())
	assert.Len(t, c.Inputs(), 10)
	assert.Len(t, c.Results(), 14)
	_, ok := c.Field("colours")
	assert.False(t, ok, "a field that is not there is found")
}

func TestCalculator_judge(t *testing.T) {
	t.Parallel()
	flagged := newShop()
	verdicts := []calculator.Verdict{
		{Code: "fine", Level: plan.Meets, Doc: "when fine"},
		{Code: "bad", Level: plan.Misses, Doc: "otherwise"},
	}
	judged := &calculator.Calculator{Verdicts: verdicts}
	row := calculator.VerdictRow(verdicts, func(*sale) *string { return new(string) })
	require.Equal(t, "Result of the evaluation: `fine` when fine. `bad` otherwise.", row.Doc)
	assert.Len(t, row.OneOf, 2)
	for _, test := range []struct {
		c      *calculator.Calculator
		result map[string]any
		want   plan.Level
	}{
		{flagged, map[string]any{"open": true}, plan.Meets},
		{flagged, map[string]any{"open": false}, plan.Misses},
		{flagged, map[string]any{"open": nil}, plan.Neutral},
		{judged, map[string]any{"verdict": "fine"}, plan.Meets},
		{judged, map[string]any{"verdict": "bad"}, plan.Misses},
		{judged, map[string]any{"verdict": "other"}, plan.Neutral},
	} {
		assert.Equal(t, test.want, test.c.Judge(test.result))
	}
}

func TestUnitOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		bare string
		unit calculator.Unit
	}{
		"vm_size_gib":       {"vm_size", calculator.GiB},
		"throughput_mbps":   {"throughput", calculator.Mbps},
		"rtt_ms":            {"rtt", calculator.Millis},
		"months_until_miss": {"months_until_miss", ""},
		"vm_count":          {"vm_count", ""},
	} {
		bare, unit := calculator.UnitOf(name)
		require.Equal(t, want.bare, bare, name)
		assert.Equal(t, want.unit, unit, name)
	}
}

func TestRoundingOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]plan.Rounding{
		"throughput_needed_mbps": plan.Up,
		"min_throughput_mbps":    plan.Up,
		"target_gib":             plan.Up,
		"months_until_full":      plan.Down,
		"within_rpo_percent":     plan.Down,
		"compliance_percent":     plan.Down,
		"throughput_gib":         plan.Nearest,
		"vm_count":               plan.Nearest,
	} {
		assert.Equal(t, want, calculator.RoundingOf(name), name)
	}
}

func TestField_Documentation(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]calculator.Field{
		"Text.": {},
		"Text. Defaults to 1,500. Must be between 1 and 9,000 VMs.": {
			Input:   true,
			Default: 1500.0,
			Range:   &plan.Range{Min: 1, Max: 9000, Unit: "VMs"},
		},
		"Text. Defaults to true.":                            {Input: true, Default: true},
		"Text. Defaults to false.":                           {Input: true, Default: false},
		"Text. Defaults to `a`.":                             {Input: true, Default: "a"},
		"Text. Exactly one of this and `other` is required.": {Input: true, Or: "other"},
		"Text. Must be set together with `other`.":           {Input: true, With: "other"},
	} {
		f.Doc = "Text."
		assert.Equal(t, want, f.Documentation())
	}
}
