// Answers: inputs and results of a document, with their Go types.

package calculator

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Answer is an input with its result.
type Answer[I, R any] struct {
	Input  I
	Result R
	// NoInput is the reason why the input is not known: a function's result has none. It is nil otherwise.
	NoInput error
}

func (d Definition[I, R]) answer(values map[string]any) (Answer[I, R], error) {
	a := Answer[I, R]{Input: d.Default()}
	a.NoInput = d.Inputs.decode(&a.Input, values, nil, fromFile).Err()
	rows := slices.Concat(d.Results, ExplanationRows(d.Explain, d.Reasons))
	return a, rows.read(&a.Result, values, nil)
}

// Decode returns the input that the values of a result in a plan or a state were computed from; results among them are
// skipped. The error is a plan.InputErrors.
func (d Definition[I, R]) Decode(values map[string]any) (I, error) {
	a, _ := d.answer(values)
	return a.Input, a.NoInput
}

// Values returns a result as plain values.
func (d Definition[I, R]) Values(r *R) map[string]any { return d.Results.values(r) }

// Read returns the Answer in the values of a document, an Answer of the types of the calculator's definition.
func (c *Calculator) Read(values map[string]any) (any, error) { return c.read(values) }

// tolerance is how far a figure may be off when it is computed again: documents have decimal digits.
const tolerance = 1e-9

// DifferenceError reports a figure of a document that its inputs do not give.
type DifferenceError struct {
	Name string
	// Document and Again are the figure in the document, nil without one, and the one that was computed.
	Document any
	Again    float64
}

// Error returns the name with both figures.
func (e *DifferenceError) Error() string {
	return fmt.Sprintf("%s is %v in the document and %v when it is computed again", e.Name, e.Document, e.Again)
}

// Again computes the answer in a document again. It returns nil for a calculator whose results take long, and a
// *DifferenceError if a figure of the document is another one. An input that is computed unless it is given counts as
// given only if the document has another value than the computed one.
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
