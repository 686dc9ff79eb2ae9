package migration_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/migration"
)

// TestVMotion_stop checks that the remaining memory, the round trip and the resume time together exceed neither the
// goal nor one second. Sending 8e9 bytes at 1 Gbit/s takes 64 s. The dirty rate is a tenth of the link rate, so rounds
// of 6.4, 0.64, 0.064 and 0.0064 s follow.
func TestVMotion_stop(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		goal, rtt, resume float64
		rounds            int64
		stop              float64
		met               bool
	}{
		"goal alone":                       {500, 0, 0, 3, 0.064, true},
		"a goal that is just reached":      {64, 0, 0, 3, 0.064, true},
		"the round trip counts":            {64, 1, 0, 4, 0.0074, true},
		"resume counts":                    {500, 0, 0.45, 4, 0.4564, true},
		"at most a second":                 {10000, 0, 0, 2, 0.64, true},
		"at most a second with a resume":   {10000, 0, 0.4, 3, 0.464, true},
		"the round trip reaches the goal":  {100, 100, 0, 3, 0.164, false},
		"resume alone is above the second": {2000, 0, 1.2, 2, 1.84, false},
	} {
		in := bytes(8e9, 125e6, 12.5e6)
		in.SwitchoverGoalMs = test.goal
		in.RTTMs = test.rtt
		in.ResumeSeconds = test.resume
		// Raise the goal of 64 ms slightly, because the stop time of 0.064 s can differ in the last bit.
		if test.goal == 64 {
			in.SwitchoverGoalMs *= 1 + 1e-12
		}
		r := vmotion(t, in)
		assert.Equal(t, test.rounds, *r.PrecopyRounds, name)
		assert.InDelta(t, test.stop, *r.SwitchoverSeconds, 1e-9, name)
		assert.Equal(t, test.met, r.MeetsSwitchoverGoal, name)
	}
}

// TestVMotion_stopEqualToTheGoal checks that sending the remaining memory in 0.1 s and a round trip of 0.2 s meet a
// goal of 300 ms despite rounding errors.
func TestVMotion_stopEqualToTheGoal(t *testing.T) {
	t.Parallel()
	in := migration.VMotionDefaults()
	in.MemoryDirtyMbps = new(0.0)
	// The memory of 100 * 10^6 bit takes 0.1 s at 1,000 Mbit/s.
	in.MemoryGiB = 100e6 / 8 / (1 << 30)
	in.ThroughputMbps = 1000
	in.RTTMs = 200
	in.SwitchoverGoalMs = 300
	r := vmotion(t, in)
	assert.True(t, r.MeetsSwitchoverGoal)
	assert.Zero(t, *r.PrecopyRounds)
}

func TestVMotion_slowedGuest(t *testing.T) {
	t.Parallel()
	in := bytes(8e9, 125e6, 250e6) // memory is dirtied at twice the link rate
	r := vmotion(t, in)
	// The guest is slowed until it dirties memory at 80% of the 1 Gbit/s link rate, or 0.8 Gbit/s. This is 40% of its
	// normal dirty rate of 2 Gbit/s.
	assert.True(t, r.SDPSExpected, "%+v", r)
	assert.InDelta(t, 40.0, r.GuestSpeedPercent, 1e-9)
	assert.True(t, r.MeetsSwitchoverGoal, "%+v", r)
	// 0.8^21 * 64 s = 0.590 s and 0.8^22 * 64 s = 0.472 s, so 22 rounds reach the goal of 0.5 s.
	require.EqualValues(t, 22, *r.PrecopyRounds)
	assert.InDelta(t, 64*math.Pow(0.8, 22), *r.SwitchoverSeconds, 1e-9)
	// The rounds take 64 s * (1 - 0.8^22) / (1 - 0.8). Including the remaining memory, they send 8e9 bytes * (1 -
	// 0.8^23) / (1 - 0.8).
	assert.InDelta(t, 64*(1-math.Pow(0.8, 22))/0.2, *r.MemoryCopySeconds, 1e-9)
	assert.InDelta(t, 8e9*(1-math.Pow(0.8, 23))/0.2/gib, *r.TransferredGiB, 1e-9)
	// The dirty rate of 2 Gbit/s is 80% of 2.5 Gbit/s, the lowest link rate at which the guest is not slowed.
	assert.InDelta(t, 2500.0, *r.MinThroughputMbps, 1e-6)
}
