package calculator

import (
	"context"
	"fmt"
	"maps"
	"math"
)

// Answer contains the input and the result of a calculation.
type Answer[I, R any] struct {
	Input  I
	Result R
	// NoInput is the error that occurred when Input was decoded, for example because the document is the result of a
	// function and therefore does not contain the inputs. It is nil if Input is known.
	NoInput error
}

// Read returns the Answer contained in a document, with the types of the calculator's definition.
func (c *Calculator) Read(values map[string]any) (any, error) { return c.read(values) }

// tolerance is the maximum relative difference between results in a document and recomputed results. Documents contain
// rounded decimal numbers.
const tolerance = 1e-9

// DifferenceError reports that a result in a document differs from the recomputed result.
type DifferenceError struct {
	Name string
	// Document is the value in the document; nil if it is missing. Again is the recomputed value.
	Document any
	Again    float64
}

// Error returns the name and both values.
func (e *DifferenceError) Error() string {
	return fmt.Sprintf("%s is %v in the document, but %v when recomputed", e.Name, e.Document, e.Again)
}

// Again recomputes the answer contained in a document. It returns nil if the calculation is too slow, and a
// *DifferenceError if a result differs. Inputs whose default is computed are recomputed as well; their values in the
// document are used only if a result would otherwise differ.
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

func (d Definition[I, R]) answer(values map[string]any) (Answer[I, R], error) {
	a := Answer[I, R]{Input: d.Default()}
	a.NoInput = d.Inputs.decode(&a.Input, values, nil, fromFile).Err()
	return a, d.explained().read(&a.Result, values, nil)
}

// Decode returns the input contained in the result of a Terraform plan or state. It skips computed values. The error is
// a plan.InputErrors.
func (d Definition[I, R]) Decode(values map[string]any) (I, error) {
	a, _ := d.answer(values)
	return a.Input, a.NoInput
}

// Given returns the input that a user gives. The error is a plan.InputErrors, also for names that are no inputs.
func (d Definition[I, R]) Given(values map[string]any) (I, error) {
	in := d.Default()
	err := d.Inputs.decode(&in, values, nil, fromUser).Err()
	return in, err
}

// Encode returns the values of an input, by name, without those that equal the defaults.
func (d Definition[I, R]) Encode(in I) map[string]any {
	defaults := d.Default()
	return d.Inputs.Encode(&in, &defaults)
}

// Document computes the result of an input. It also returns the values of the data source: those of Encode and the
// results. It stops when ctx is cancelled.
func (d Definition[I, R]) Document(ctx context.Context, in I) (R, map[string]any, error) {
	r, err := d.evaluate(ctx, in)
	if err != nil {
		return r, nil, err
	}
	values := d.Encode(in)
	maps.Copy(values, overlay(d.Calculator().Fields, values, d.explained().values(&r)))
	return r, values, nil
}

// Values returns the values of a result, by name.
func (d Definition[I, R]) Values(r *R) map[string]any { return d.Results.values(r) }
