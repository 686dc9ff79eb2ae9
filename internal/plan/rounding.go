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

// Log returns the natural logarithm, identical to the last digit on every platform. math.Log is written in assembly on
// some processors, where its last digit differs.
func Log(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction, exponent = fraction*2, exponent-1
	}
	return float64(float64(exponent)*math.Ln2) + math.Log1p(fraction-1)
}

// largestExponent caps exponents. Beyond it, every power is 0, 1 or infinite.
const largestExponent = 1 << 62

// Pow returns x to the power of y for a non-negative x. Like Log, it returns the same digits on every platform.
func Pow(x, y float64) float64 {
	if y < 0 {
		return 1 / Pow(x, -y)
	}
	whole, part := math.Modf(y)
	if part > 0.5 {
		whole, part = whole+1, part-1
	}
	power := 1.0
	switch part {
	case 0:
	case 0.5:
		power = math.Sqrt(x)
	default:
		// Expm1 of a large negative exponent is close to -1 and loses digits. Invert the positive power instead.
		if exponent := part * Log(x); exponent < 0 {
			power = 1 / (math.Expm1(-exponent) + 1)
		} else {
			power = math.Expm1(exponent) + 1
		}
	}
	for n := int64(min(whole, largestExponent)); n > 0; n >>= 1 {
		if n&1 == 1 {
			power *= x
		}
		x *= x
	}
	return power
}

// SmallestFloat returns the smallest number in [low, high] for which holds returns true, or false if there is no such
// number. holds must be monotone and the bounds non-negative. The result is exact: SmallestFloat bisects over the bits
// of the numbers, with at most 65 calls to holds.
func SmallestFloat(low, high float64, holds func(float64) bool) (float64, bool) {
	if !holds(high) {
		return 0, false
	}
	// Non-negative floating-point numbers have the same order as their bit patterns.
	from, to := math.Float64bits(low), math.Float64bits(high)
	for from < to {
		middle := from + (to-from)/2
		if holds(math.Float64frombits(middle)) {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return math.Float64frombits(from), true
}

// LargestFloat returns the largest number in [low, high] for which holds returns true, or false if there is no such
// number. holds must be monotone. The result is exact, as with SmallestFloat.
func LargestFloat(low, high float64, holds func(float64) bool) (float64, bool) {
	if !holds(low) {
		return 0, false
	}
	fails, ok := SmallestFloat(low, high, func(v float64) bool { return !holds(v) })
	if !ok {
		return high, true
	}
	return math.Nextafter(fails, math.Inf(-1)), true
}

// SmallestInt returns the smallest whole number in [low, high] for which holds returns true, or false if there is no
// such number. holds must be monotone.
func SmallestInt(low, high int64, holds func(int64) bool) (int64, bool) {
	if !holds(high) {
		return 0, false
	}
	for low < high {
		middle := low + (high-low)/2
		if holds(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, true
}

// LargestInt returns the largest whole number in [low, high] for which holds returns true, or false if there is no such
// number. holds must be monotone.
func LargestInt(low, high int64, holds func(int64) bool) (int64, bool) {
	if !holds(low) {
		return 0, false
	}
	fails, ok := SmallestInt(low, high, func(v int64) bool { return !holds(v) })
	if !ok {
		return high, true
	}
	return fails - 1, true
}
