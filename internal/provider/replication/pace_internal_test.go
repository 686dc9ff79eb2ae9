package replication

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/vr"
)

// TestWarnMinutes verifies the warning thresholds at 45 requests per minute and 4 requests per replication. In 5
// minutes, 5 * 45 / 4 = 56.25 replications can be changed, so the 57th triggers the first warning. In 10 minutes, 112.5
// can be changed, so the 113th triggers the second one.
func TestWarnMinutes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ number, perMinute, want int }{
		{1, 45, 0},
		{56, 45, 0},
		{57, 45, 5},
		{58, 45, 0},
		{112, 45, 0},
		{113, 45, 10},
		{114, 45, 0},
		{225, 45, 20},
		{57, 0, 0},
		{374, 0, 0},
		{375, 0, 5}, // 375 * 8 s / 10 at a time
		{750, 0, 10},
		{1050, 0, 0},
		{6, 5, 0},
		{7, 5, 5},
	} {
		assert.Equal(t, test.want, warnMinutes(test.number, test.perMinute))
	}
	var l changeCounter
	for i, key := range []string{"a", "b", "a"} {
		number, added := l.add(key)
		require.Equal(t, []int{1, 2, 2}[i], number)
		assert.NotEqual(t, i == 2, added)
	}
}

func TestChangeCounter_sampleComplete(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		can  vr.Capability
		want bool
	}{
		"usual":        {vr.Capability{MinRPOMinutes: 15, AutoReplicate: true}, true},
		"a long RPO":   {vr.Capability{MinRPOMinutes: 16, AutoReplicate: true}, false},
		"no new disks": {vr.Capability{MinRPOMinutes: 5}, false},
	} {
		var l changeCounter
		assert.False(t, l.sampleComplete(sampleSize), "%s: the fifth VM before the first check", name)
		assert.True(t, l.sampleComplete(sampleSize+1), "%s: the sixth VM before the first check", name)
		l.recordCapability(test.can)
		l.recordCapability(vr.Capability{MinRPOMinutes: 5, AutoReplicate: true})
		assert.Equal(t, test.want, l.sampleComplete(sampleSize+1), name)
	}
}
