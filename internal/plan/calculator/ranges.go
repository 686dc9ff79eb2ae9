package calculator

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// Ends are the bounds of an uncertain input.
type Ends struct{ Low, High float64 }

// rangeEnd is wider than the range of any input, which is checked as well.
var rangeEnd = plan.Range{Min: 0, Max: 1e12}

var endRows = Inputs[Ends]{
	Required("low", rangeEnd, "Least value.", func(e *Ends) *float64 { return &e.Low }).
		WithExample(1.0).Either("the worse end depends on the input"),
	Required("high", rangeEnd, "Largest value.", func(e *Ends) *float64 { return &e.High }).
		WithExample(10.0).Either("the worse end depends on the input"),
}

// Ranges is a map of the bounds of uncertain numeric inputs, by name. Only inputs with a direction are accepted,
// because it determines the worse bound. The input itself is the likely value, between the bounds.
func Ranges[I any](rows Inputs[I], at func(*I) *map[string]Ends) Input[I] {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row Input[I]) bool {
		return row.number == nil || (row.Direction != Lower && row.Direction != Higher)
	})
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.Name
	}
	each := Each("ranges", "Ranges of uncertain inputs, by name: `{ NAME = { low = 5, high = 20 } }`. The input "+
		"itself is the likely value. Allowed for `"+strings.Join(names, "`, `")+"`.", endRows,
		func() Ends { return Ends{} }, at).OrNone().Better(Lower)
	each.OneOf = names
	each.check = func(in *I, path plan.Path) plan.InputErrors {
		var errs plan.InputErrors
		for _, name := range slices.Sorted(maps.Keys(*at(in))) {
			i := slices.Index(names, name)
			if i < 0 {
				errs = errs.With(path.Key(name), fmt.Errorf("is not an input that may have a range: must be one of %s",
					strings.Join(names, ", ")))
				continue
			}
			errs = append(errs, rows[i].checkEnds(in, (*at(in))[name], path.Key(name))...)
		}
		return errs
	}
	return each
}

// checkEnds returns an error if a bound is out of the input's range or the bounds exclude the input's value.
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
		return errs.With(at, fmt.Errorf("needs %s, the likely value", row.Name))
	}
	if e.Low > e.High {
		return errs.With(at.Attr("low"), fmt.Errorf("must be at most high, %s, got %s", plan.Number(e.High),
			plan.Number(e.Low)))
	}
	return Spread{Low: e.Low, Likely: *likely, High: e.High}.checkOrder(at)
}

// Worse returns the worse bound, according to the direction of the input.
func (row Input[I]) Worse(e Ends) float64 {
	if row.Direction == Lower {
		return e.High
	}
	return e.Low
}
