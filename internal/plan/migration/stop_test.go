package migration_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/plan/migration"
)

// TestVMotion_dirtiesAsFastAsSent checks a slowed guest: 64 GiB at 1,000 Mbit/s dirtied at 999 are 549.756 s * 0.8^n:
// 0.5445 s after 31 rounds, 0.4356 s after 32. The rounds take 549.756 * (1 - 0.8^32) / 0.2 = 2,746.60 s and, with
// the rest, send 64 * (1 - 0.8^33) / 0.2 = 319.80 GiB. The guest runs at 800 / 999 = 80.08 % of its speed.
func TestVMotion_dirtiesAsFastAsSent(t *testing.T) {
	t.Parallel()
	in := migration.VMotionDefaults()
	in.MemoryGiB, in.ThroughputMbps, in.MemoryDirtyMbps = 64, 1000, 999
	r := vmotion(t, in)
	if *r.PrecopyRounds != 32 || math.Abs(*r.MemoryCopySeconds-2746.60) > 5e-3 ||
		math.Abs(*r.SwitchoverSeconds-0.4356) > 5e-5 || math.Abs(*r.TransferredGiB-319.80) > 5e-3 ||
		math.Abs(r.GuestSpeedPercent-80.08) > 5e-3 || !r.SDPSExpected || r.Verdict != migration.VerdictAtRisk {
		t.Errorf("%d rounds, %v s, stop %v s, %v GiB, %v %%, %s", *r.PrecopyRounds, *r.MemoryCopySeconds,
			*r.SwitchoverSeconds, *r.TransferredGiB, r.GuestSpeedPercent, r.Verdict)
	}
	// A guest that dirties one Mbit/s more takes as long.
	in.MemoryDirtyMbps = 1000
	assert.Equal(t, *r.DurationSeconds, *vmotion(t, in).DurationSeconds)
}

// TestVMotion_stop checks that the rest of the memory, the round trip and the resume time are within the goal and one
// second. 8e9 bytes at 1 Gbit/s are 64 s, dirtied at a tenth of the rate: 6.4, 0.64, 0.064, 0.0064 s.
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
		in.SwitchoverGoalMs, in.RTTMs, in.ResumeSeconds = test.goal, test.rtt, test.resume
		// The bound of 64 ms is 0.064 up to the last bit.
		if test.goal == 64 {
			in.SwitchoverGoalMs *= 1 + 1e-12
		}
		r := vmotion(t, in)
		if *r.PrecopyRounds != test.rounds || math.Abs(*r.SwitchoverSeconds-test.stop) > 1e-9 ||
			r.MeetsSwitchoverGoal != test.met {
			t.Errorf("%s: %d rounds, %v s, %v; want %d, %v, %v", name, *r.PrecopyRounds, *r.SwitchoverSeconds,
				r.MeetsSwitchoverGoal, test.rounds, test.stop, test.met)
		}
	}
}
