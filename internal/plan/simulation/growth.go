package simulation

// FirstMonth returns the first failing month; nil if the horizon does not fail. Verdicts are not strictly monotone,
// so it bisects, and then checks the three months before.
func FirstMonth(horizon int64, fails func(month int64) bool) *int64 {
	const before = 3
	holding, failing := int64(0), horizon
	switch {
	case fails(0):
		return new(int64)
	case !fails(horizon):
		return nil
	}
	for failing-holding > 1 {
		if middle := (holding + failing) / 2; fails(middle) {
			failing = middle
		} else {
			holding = middle
		}
	}
	first := failing
	for month := failing - 1; month >= max(1, failing-before); month-- {
		if fails(month) {
			first = month
		}
	}
	return &first
}
