package link_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/link"
)

func TestThroughput_cubicIsNeverBelowReno(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		delay := draw("rtt", 0.1, 300)
		lost := draw("loss", 1e-6, 50)
		more := draw("more", 1, 2)
		mbps := func(law string, lost float64) float64 {
			r, err := link.Throughput(input(1e6, rtt(delay), loss(lost), control(law)))
			require.NoError(t, err)
			return *r.ThroughputMbps
		}
		reno, cubic := mbps(link.Reno, lost), mbps(link.Cubic, lost)
		assert.GreaterOrEqual(t, cubic, reno, "at a loss of %v %%", lost)
		assert.LessOrEqual(t, mbps(link.Reno, lost*more), reno, "at a loss of %v %%", lost)
		assert.LessOrEqual(t, mbps(link.Cubic, lost*more), cubic, "at a loss of %v %%", lost)
		few := min(lost, 24.9/more)
		less := mbps(link.Linux, few*more)
		assert.LessOrEqual(t, less, mbps(link.Linux, few),
			"linux at a loss of %v %%: %v Mbit/s, more than at %v %%", few*more, less, few)
	})
}
