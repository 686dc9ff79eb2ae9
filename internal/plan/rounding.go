package plan

import "math"

// Rounding is the direction in which the last printed digit is rounded.
type Rounding int

// Rounding directions. Requirements are rounded up and allowances down, so that the printed values remain valid when
// entered as inputs.
const (
	Nearest Rounding = iota
	Up
	Down
)

// Round rounds v to the given number of decimals. Up never returns less than v, and Down never returns more.
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
