package link

import (
	"math"
	"testing"
)

// TestSegments checks windows at 100 ms by hand: CUBIC at 10^-5 is (0.4 * 3.7 / 1.2)^(1/4) * 10^4^(3/4) = 1.05383 *
// 1,000, without timeouts at 10^-3 (999 + 52.624) / 27.312.
func TestSegments(t *testing.T) {
	t.Parallel()
	if got := cubicSegments(1e-5, 0.1); math.Abs(got-1053.83) > 0.005 {
		t.Errorf("cubic: got %v segments, want 1,053.83", got)
	}
	if got := fastRecoverySegments(1e-3); math.Abs(got-38.5043) > 0.00005 {
		t.Errorf("fast recovery: got %v segments, want 38.5043", got)
	}
}
