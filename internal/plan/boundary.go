// Boundaries: the inverse of a calculation, found with the calculation itself.

package plan

import "math"

// SmallestFloat returns the smallest number in [low, high] for which holds is true, where holds stays true once it is
// true and both bounds are not negative; false when it holds nowhere. It bisects over the bits of the floating-point
// numbers, so the answer is exact: its neighbour below does not hold. It asks at most 65 times.
func SmallestFloat(low, high float64, holds func(float64) bool) (float64, bool) {
	if !holds(high) {
		return 0, false
	}
	// The bits of non-negative floating-point numbers are in the order of the numbers.
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

// LargestFloat returns the largest number in [low, high] for which holds is true, where holds stays false once it is
// false; false when it holds nowhere. It is as exact as SmallestFloat.
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

// SmallestInt returns the smallest whole number in [low, high] for which holds is true; see SmallestFloat.
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

// LargestInt returns the largest whole number in [low, high] for which holds is true; see LargestFloat.
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
