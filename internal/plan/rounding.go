// Rounding of printed values.

package plan

import "math"

// Rounding is the direction in which a number is rounded at its last printed digit.
type Rounding int

// The directions. A need is rounded up and an allowance down, so that each holds when it is entered as printed.
const (
	Nearest Rounding = iota
	Up
	Down
)

// Round returns a number with so many digits after the point: Up no less than v, Down no more.
func (r Rounding) Round(v float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	n := math.Round(v * unit)
	switch {
	case r == Up && n/unit < v:
		n++
	case r == Down && n/unit > v:
		n--
	}
	return n / unit
}
