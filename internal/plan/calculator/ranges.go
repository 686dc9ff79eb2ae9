package calculator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// Set sets a numeric input to a number.
func (row Input[I]) Set(in *I, v float64) { _ = row.decode(in, v, nil, fromUser) }

// Of adapts an input for a calculator whose input type O contains a value of type I. The function at returns a pointer
// to that value.
func Of[O, I any](row Input[I], at func(*O) *I) Input[O] {
	lifted := Input[O]{
		Field: row.Field,
		decode: func(in *O, v any, path plan.Path, from source) plan.InputErrors {
			return row.decode(at(in), v, path, from)
		},
	}
	lifted.Lifted = true
	if row.check != nil {
		lifted.check = func(in *O, path plan.Path) plan.InputErrors { return row.check(at(in), path) }
	}
	if row.value != nil {
		lifted.value = func(in *O) any { return row.value(at(in)) }
	}
	if row.number != nil {
		lifted.number = func(in *O) *float64 { return row.number(at(in)) }
	}
	if row.clear != nil {
		lifted.clear = func(in *O) { row.clear(at(in)) }
	}
	return lifted
}

// Ends are the bounds of an uncertain input.
type Ends struct{ Low, High float64 }

var rangeEnd = plan.Range{Min: 0, Max: 1e12}

var endRows = Inputs[Ends]{
	Required("low", rangeEnd, "Smallest value.", func(e *Ends) *float64 { return &e.Low }).
		Either("the worse end depends on the input"),
	Required("high", rangeEnd, "Largest value.", func(e *Ends) *float64 { return &e.High }).
		Either("the worse end depends on the input"),
}

// Ranges returns a map input with the bounds of uncertain numeric inputs, by name. It accepts only inputs that have a
// direction, because the direction determines which bound is worse. The input itself is the likely value between the
// bounds.
func Ranges[I any](rows Inputs[I], at func(*I) *map[string]Ends) Input[I] {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row Input[I]) bool {
		return row.number == nil || (row.Direction != Lower && row.Direction != Higher)
	})
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.Name
	}
	each := Each("ranges", "Ranges of uncertain inputs, by name, such as `{ NAME = { low = 5, high = 20 } }`. The "+
		"value of the input itself is the most likely value. Supported inputs: `"+strings.Join(names, "`, `")+"`.",
		endRows, func() Ends { return Ends{} }, at).OrNone().Better(Lower)
	each.OneOf = names
	each.check = func(in *I, path plan.Path) plan.InputErrors {
		var errs plan.InputErrors
		for _, name := range slices.Sorted(maps.Keys(*at(in))) {
			i := slices.Index(names, name)
			if i < 0 {
				errs = errs.With(path.Key(name), fmt.Errorf("does not support a range: must be one of %s",
					strings.Join(names, ", ")))
				continue
			}
			errs = append(errs, rows[i].checkEnds(in, (*at(in))[name], path.Key(name))...)
		}
		return errs
	}
	return each
}

func (row Input[I]) checkEnds(in *I, e Ends, at plan.Path) plan.InputErrors {
	var errs plan.InputErrors
	for i, v := range []float64{e.Low, e.High} {
		changed := *in
		row.Set(&changed, v)
		errs = append(errs, row.check(&changed, at.Attr(endRows[i].Name))...)
	}
	if len(errs) > 0 {
		return errs
	}
	likely := row.number(in)
	if likely == nil {
		return errs.With(at, fmt.Errorf("requires %s, the likely value", row.Name))
	}
	if e.Low > e.High {
		return errs.With(at.Attr("low"), fmt.Errorf("must be at most high (%s), got %s", plan.Number(e.High),
			plan.Number(e.Low)))
	}
	if e.Low > *likely {
		errs = errs.With(at.Attr("low"), fmt.Errorf(
			"must be at most the likely value (%s), got %s", plan.Number(*likely), plan.Number(e.Low)))
	}
	if e.High < *likely {
		errs = errs.With(at.Attr("high"), fmt.Errorf(
			"must be at least the likely value (%s), got %s", plan.Number(*likely), plan.Number(e.High)))
	}
	return errs
}

// Worse returns the worse bound, according to the direction of the input.
func (row Input[I]) Worse(e Ends) float64 {
	if row.Direction == Lower {
		return e.High
	}
	return e.Low
}

// number converts a number or a numeric text to float64. Numbers too large for float64 become infinite and are rejected
// by every input range.
func number(v any) (float64, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case json.Number:
		return parse(v.String())
	case string:
		return parse(v)
	}
	return 0, fmt.Errorf("must be a number, got %s", kindOf(v))
}

func parse(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	// Terraform accepts only decimal notation, not "0x10", "1_000", "inf" or "nan".
	if !jsonNumber(text) || (err != nil && n == 0) {
		return 0, fmt.Errorf("must be a number, got %q", text)
	}
	return n, nil
}

func jsonNumber(text string) bool {
	var n json.Number
	return json.Unmarshal([]byte(text), &n) == nil && n.String() == text
}

func text(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", fmt.Errorf("must be a string, got %s", kindOf(v))
}

func object(v any) (map[string]any, error) {
	if m, ok := v.(map[string]any); ok {
		return m, nil
	}
	return nil, fmt.Errorf("must be an object or a map, got %s", kindOf(v))
}

func texts(v any, at plan.Path) ([]string, plan.InputErrors) {
	elements, ok := v.([]any)
	if !ok {
		return nil, plan.InputErrors{}.With(at, fmt.Errorf("must be a list of strings, got %s", kindOf(v)))
	}
	var errs plan.InputErrors
	list := make([]string, len(elements))
	for i, e := range elements {
		var err error
		list[i], err = text(e)
		errs = errs.With(at.Index(i), err)
	}
	return list, errs
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return strconv.Quote(v)
	case float64, json.Number:
		return fmt.Sprint("the number ", v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("a %T", v)
}
