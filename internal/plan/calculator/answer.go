package calculator

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Answer is the input and the result of a calculation.
type Answer[I, R any] struct {
	Input  I
	Result R
	// NoInput is the error of an input that is not known, such as in the result of a function; nil otherwise.
	NoInput error
}

func (d Definition[I, R]) answer(values map[string]any) (Answer[I, R], error) {
	a := Answer[I, R]{Input: d.Default()}
	a.NoInput = d.Inputs.decode(&a.Input, values, nil, fromFile).Err()
	rows := slices.Concat(d.Results, ExplanationRows(d.Explain, d.Reasons))
	return a, rows.read(&a.Result, values, nil)
}

// Decode returns the input of a result in a plan or a state; computed values are skipped. The error is a
// plan.InputErrors.
func (d Definition[I, R]) Decode(values map[string]any) (I, error) {
	a, _ := d.answer(values)
	return a.Input, a.NoInput
}

// Values returns a result as plain values.
func (d Definition[I, R]) Values(r *R) map[string]any { return d.Results.values(r) }

// Read returns the Answer in the values of a document, typed as in the calculator's definition.
func (c *Calculator) Read(values map[string]any) (any, error) { return c.read(values) }

// tolerance is the relative difference allowed in recomputed results: documents have decimal digits.
const tolerance = 1e-9

// DifferenceError reports a result in a document that differs from the recomputed one.
type DifferenceError struct {
	Name string
	// Document is the value in the document, nil if it is missing; Again is the recomputed value.
	Document any
	Again    float64
}

// Error returns the name and both values.
func (e *DifferenceError) Error() string {
	return fmt.Sprintf("%s is %v in the document, but %v when recomputed", e.Name, e.Document, e.Again)
}

// Again recomputes the answer in a document. It returns nil for a calculator that is too slow, and a *DifferenceError
// if a result differs. For an optional input with a computed default, the document's value counts as given only if it
// differs from the default.
func (c *Calculator) Again(values map[string]any) (any, error) {
	without := maps.Clone(values)
	candidates := []map[string]any{without}
	for _, f := range c.Fields {
		if f.Input && f.Result {
			delete(without, f.Name)
			one := maps.Clone(values)
			delete(one, f.Name)
			candidates = append(candidates, one)
		}
	}
	var answer any
	var err error
	for _, inputs := range append(candidates, values) {
		if answer, err = c.confirmed(inputs, values); err == nil {
			break
		}
	}
	return answer, err
}

func (c *Calculator) confirmed(inputs, document map[string]any) (any, error) {
	answer, figures, err := c.again(inputs)
	if err != nil || answer == nil {
		return nil, err
	}
	for _, f := range c.Fields {
		v, computed := figures[f.Name].(float64)
		if !computed {
			continue
		}
		given, ok := document[f.Name].(float64)
		if !ok || math.Abs(given-v) > tolerance*math.Max(1, math.Abs(v)) {
			return nil, &DifferenceError{f.Name, document[f.Name], v}
		}
	}
	return answer, nil
}
