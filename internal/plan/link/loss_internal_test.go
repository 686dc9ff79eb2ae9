package link

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSegments checks windows in segments. CUBIC at 100 ms and a loss of 10^-5: (0.4 * 3.7 / 1.2)^(1/4) * 10^4^(3/4) =
// 1.05383 * 1,000. Fast recovery at a loss of 10^-3: (999 + 52.624) / 27.312 = 38.504.
func TestSegments(t *testing.T) {
	t.Parallel()
	assert.InDelta(t, 1053.83, cubicSegments(1e-5, 0.1), 0.005)
	assert.InDelta(t, 38.5043, fastRecoverySegments(1e-3), 0.00005)
}
