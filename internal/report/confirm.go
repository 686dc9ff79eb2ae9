// Results that are computed again from the inputs in the file, for what a chart needs beyond the results in it.

package report

import (
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan/calculator"
)

// tolerance is how far a figure may be off when it is computed again: the file has decimal digits.
const tolerance = 1e-9

// confirmed computes a result again. The error names the figure of the file that differs; a figure that compute leaves
// out is not compared.
func confirmed[I, R any](
	in *instance, d calculator.Definition[I, R], compute func(I) (R, error),
) (input I, result R, err error) {
	if input, err = d.Decode(in.values); err != nil {
		return input, result, err
	}
	if result, err = compute(input); err != nil {
		return input, result, err
	}
	for name, v := range d.Values(&result) {
		again, computed := v.(float64)
		if !computed {
			continue
		}
		if file, ok := in.number(name); !ok || math.Abs(file-again) > tolerance*math.Max(1, math.Abs(again)) {
			return input, result, fmt.Errorf(
				"%s is %s in the file, and %s when it is computed again", name, in.format(name), format(name, again))
		}
	}
	return input, result, nil
}

// notDrawn is the note in place of a chart.
func notDrawn(err error) string {
	return "A chart is left out, because its figures could not be confirmed: " + clean(err.Error()) + "."
}
