package simulation_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/simulation"
)

func TestFirstMonth(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fails []int64
		want  int64
	}{
		"today": {[]int64{0, 1, 2, 3, 4, 5, 6, 7, 8}, 0},
		"later": {[]int64{5, 6, 7, 8}, 5},
		// The bisection tests the months 0, 8, 4, 6 and 7, and returns month 7. Of the preceding months 6, 5 and 4, only
		// month 5 fails.
		"not one after the other": {[]int64{5, 7, 8}, 5},
		"too far before":          {[]int64{2, 7, 8}, 7},
		"beyond the horizon":      {[]int64{5, 7}, -1},
	} {
		got := simulation.FirstMonth(8, func(month int64) bool { return slices.Contains(test.fails, month) })
		require.Equal(t, test.want < 0, got == nil, name)
		assert.False(t, got != nil && *got != test.want, "%s: %v, want %d", name, got, test.want)
	}
}
