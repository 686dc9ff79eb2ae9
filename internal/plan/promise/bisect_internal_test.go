package promise

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBisect_smallest verifies that the search ends for bounds whose product is below the smallest number.
func TestBisect_smallest(t *testing.T) {
	t.Parallel()
	const want = 1e-250
	got, err := bisect(1e-295, 1e-100, 0.01, func(v float64) (bool, error) { return v >= want, nil })
	require.NoError(t, err)
	assert.GreaterOrEqual(t, got, want)
	assert.LessOrEqual(t, got, want*1.01)
}
