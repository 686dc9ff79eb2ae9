package calculator

import (
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan"
)

// Spread is a triangular distribution of a number, from Low to High with its mode at Likely.
type Spread struct{ Low, Likely, High float64 }

// At returns the quantile u of the distribution.
func (s Spread) At(u float64) float64 {
	width, left := s.High-s.Low, s.Likely-s.Low
	if width == 0 {
		return s.Likely
	}
	if u < left/width {
		return s.Low + math.Sqrt(u*width*left)
	}
	return s.High - math.Sqrt((1-u)*width*(s.High-s.Likely))
}

func (s Spread) checkOrder(at plan.Path) plan.InputErrors {
	var errs plan.InputErrors
	if s.Low > s.Likely {
		errs = errs.With(at.Attr("low"), fmt.Errorf(
			"must be at most the likely %s, got %s", plan.Number(s.Likely), plan.Number(s.Low)))
	}
	if s.High < s.Likely {
		errs = errs.With(at.Attr("high"), fmt.Errorf(
			"must be at least the likely %s, got %s", plan.Number(s.Likely), plan.Number(s.High)))
	}
	return errs
}

// Set assigns a number to a numeric input.
func (row Input[I]) Set(in *I, v float64) { _ = row.decode(in, v, nil, fromUser) }

// Of lifts an input of one calculator into another one, whose input type contains the first one's.
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

// SpreadOf lifts a numeric input into another calculator and accepts a Spread as well. The field then holds the
// likely value, and spreads holds the Spread by the name of the input.
func SpreadOf[O, I any](row Input[I], at func(*O) *I, spreads func(*O) *map[string]Spread) Input[O] {
	lifted := Of(row, at)
	lifted.Kind = NumberOrSpread
	members := Inputs[Spread]{
		Required("low", *row.Range, "Least value.", func(s *Spread) *float64 { return &s.Low }),
		Required("likely", *row.Range, "Likeliest value.", func(s *Spread) *float64 { return &s.Likely }),
		Required("high", *row.Range, "Largest value.", func(s *Spread) *float64 { return &s.High }),
	}
	lifted.decode = func(in *O, v any, path plan.Path, from source) plan.InputErrors {
		values, ok := v.(map[string]any)
		if !ok {
			return row.decode(at(in), v, path, from)
		}
		var s Spread
		if errs := members.decode(&s, values, path, from); len(errs) > 0 {
			return errs
		}
		all := spreads(in)
		if *all == nil {
			*all = make(map[string]Spread)
		}
		(*all)[row.Name] = s
		return row.decode(at(in), s.Likely, path, from)
	}
	lifted.check = func(in *O, path plan.Path) plan.InputErrors {
		s, ok := (*spreads(in))[row.Name]
		if !ok {
			return row.check(at(in), path)
		}
		if errs := members.Check(&s, path); len(errs) > 0 {
			return errs
		}
		return s.checkOrder(path)
	}
	return lifted
}
