package plan

import "math"

// Rounding is a direction for rounding the last printed digit.
type Rounding int

// The directions. Requirements are rounded up and allowances down, so that the printed values still hold when
// entered.
const (
	Nearest Rounding = iota
	Up
	Down
)

// Round rounds v to a number of decimals: Up never returns less than v, Down never more.
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
