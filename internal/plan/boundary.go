package plan

import "math"

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
