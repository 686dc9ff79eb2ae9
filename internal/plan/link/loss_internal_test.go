package link

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSegments checks mean windows in segments. For CUBIC at a round-trip time of 100 ms and a loss of 10^-5, the
// window is (0.4 * 3.7 / 1.2)^(1/4) * (10^4)^(3/4) = 1.05383 * 1,000 = 1,053.83. For fast recovery at a loss of 10^-3,
// it is (999 + 52.624) / 27.312 = 38.504.
func TestSegments(t *testing.T) {
	t.Parallel()
	assert.InDelta(t, 1053.83, cubicSegments(1e-5, 0.1), 0.005)
	assert.InDelta(t, 38.5043, fastRecoverySegments(1e-3), 0.00005)
}
