package migration_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
)

const gib = 1 << 30

// bytes returns an input for a memory size given in bytes, and for link and dirty rates given in bytes per second.
func bytes(memory, rate, dirty float64) migration.VMotionInput {
	in := migration.VMotionDefaults()
	in.MemoryGiB = memory / gib
	in.ThroughputMbps = rate * 8 / 1e6
	in.MemoryDirtyMbps = new(dirty * 8 / 1e6)
	return in
}

// failing is the subset of testing.TB that rapid.T also implements.
type failing interface {
	require.TestingT
	Helper()
}

func vmotion(t failing, in migration.VMotionInput) migration.VMotionResult {
	t.Helper()
	r, err := migration.VMotion(in)
	require.NoError(t, err)
	return r
}

func TestVMotion_workedChecks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in           migration.VMotionInput
		rounds       int64
		memory, stop float64
	}{
		// Rounds of 8e9 / 112.5e6 = 71.1111 s, 71.1111 * 20 / 112.5 = 12.6420 s and 2.2475 s add up to 86.0005 s. The
		// remaining 44,945,588 bytes take 0.3995 s.
		"8 GB at 900 Mbit/s":  {bytes(8e9, 112.5e6, 20e6), 3, 86.0005, 0.3995},
		"64 GB at 10 Gbit/s":  {bytes(64e9, 1.25e9, 0.25e9), 3, 63.4880, 0.4096},
		"256 GB at 10 Gbit/s": {bytes(256e9, 1.25e9, 1e9), 27, 1021.5241, 0.4952},
	} {
		r := vmotion(t, test.in)
		assert.Equal(t, test.rounds, *r.PrecopyRounds, name)
		assert.InDelta(t, test.memory, *r.MemoryCopySeconds, 5e-5, name)
		assert.InDelta(t, test.stop, *r.SwitchoverSeconds, 5e-5, name)
		assert.Equal(t, plan.Meets, r.Verdict, name)
		assert.Empty(t, r.Findings, name)
		assert.False(t, r.SDPSExpected, name)
		assert.Equal(t, 100.0, r.GuestSpeedPercent, name)
		assert.True(t, r.MeetsSwitchoverGoal, name)
	}
	r := vmotion(t, bytes(8e9, 112.5e6, 20e6))
	require.InDelta(t, 86.4001, *r.DurationSeconds, 5e-5)
	assert.InDelta(t, 9720010974.0, *r.TransferredGiB*gib, 1)
	// The first round sends 8e9 bytes. Each subsequent round sends 20 / 112.5 times as much as the previous one.
	const part = 20 / 112.5
	want := []migration.Round{
		{8e9 / gib, 71.1111},
		{8e9 * part / gib, 12.6420},
		{8e9 * part * part / gib, 2.2475},
		{8e9 * part * part * part / gib, 0.3995},
	}
	require.Len(t, r.Rounds, len(want))
	for i, round := range r.Rounds {
		assert.InDelta(t, want[i].Seconds, round.Seconds, 5e-5, i)
		assert.InDelta(t, want[i].SentGiB, round.SentGiB, 1e-6, i)
	}
}

// TestVMotion_measured compares the estimate with the published migration of a VM with 8 GB of memory and a 40 GB disk
// on a shared link of 500 to 900 Mbit/s with a round-trip time of 40 ms. The migration took 415 s in one direction and
// 382 s in the other. At 900 Mbit/s, that is 46.7 GB and 43.0 GB, less than the full 48 GB, so the disk must have been
// thin-provisioned. If 28 GB of it is used, 36 GB is sent in total, and the estimate is 320 s at 900 Mbit/s and 576 s
// at 500 Mbit/s. Both measurements lie between these estimates.
func TestVMotion_measured(t *testing.T) {
	t.Parallel()
	at := func(mbps float64) float64 {
		in := bytes(8e9, mbps/8*1e6, 0)
		in.DiskGiB, in.RTTMs = 28e9/gib, 40
		return *vmotion(t, in).DurationSeconds
	}
	fast, slow := at(900), at(500)
	require.InDelta(t, 320.04, fast, 0.01)
	assert.InDelta(t, 576.04, slow, 0.01)
	for _, measured := range []float64{415, 382} {
		require.GreaterOrEqual(t, measured, fast)
		assert.LessOrEqual(t, measured, slow)
	}
	in := bytes(8e9, 112.5e6, 0)
	in.DiskGiB = 40e9 / gib
	assert.GreaterOrEqual(t, (*vmotion(t, in).DurationSeconds), 415.0)
}

func TestVMotion_bounds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change           func(*migration.VMotionInput)
		verdict, reasons string
	}{
		"four share 1 Gbit/s": {
			func(in *migration.VMotionInput) { in.ConcurrentMigrations = 4 },
			plan.Meets,
			"",
		},
		"five share it": {
			func(in *migration.VMotionInput) { in.ConcurrentMigrations = 5 },
			migration.VerdictUnsupported,
			"below_250_mbps_per_migration",
		},
		"150 ms": {
			func(in *migration.VMotionInput) { in.RTTMs = 150 },
			plan.Meets,
			"",
		},
		"151 ms": {
			func(in *migration.VMotionInput) { in.RTTMs = 151 },
			migration.VerdictUnsupported,
			"rtt_above_150_ms",
		},
		"dirties faster": {
			func(in *migration.VMotionInput) { in.MemoryDirtyMbps = new(2000.0) },
			plan.AtRisk,
			"sdps_expected",
		},
		"small working set": {
			func(in *migration.VMotionInput) { in.MemoryDirtyMbps, in.WorkingSetGiB = new(2000.0), new(0.01) },
			plan.Meets,
			"",
		},
		"large working set": {
			func(in *migration.VMotionInput) { in.MemoryDirtyMbps, in.WorkingSetGiB = new(2000.0), new(10.0) },
			plan.AtRisk,
			"sdps_expected",
		},
		"resumes in 1.5 s": {
			func(in *migration.VMotionInput) { in.ResumeSeconds = 1.5 },
			plan.AtRisk,
			"switchover_above_1_second,switchover_goal_missed",
		},
		"disk never ends": {
			func(in *migration.VMotionInput) { in.DiskGiB, in.DiskWriteMbps = 40, 1000 },
			migration.VerdictUnsupported,
			"disk_writes_exceed_throughput",
		},
		"dirties at 80 %": {
			func(in *migration.VMotionInput) { in.MemoryDirtyMbps = new(800.0) },
			plan.Meets,
			"",
		},
		"dirties at 80.1 %": {
			func(in *migration.VMotionInput) { in.MemoryDirtyMbps = new(801.0) },
			plan.AtRisk,
			"sdps_expected",
		},
	} {
		in := bytes(8e9, 125e6, 0)
		test.change(&in)
		r := vmotion(t, in)
		assert.Equal(t, test.verdict, r.Verdict, name)
		assert.Equal(t, test.reasons, strings.Join(plan.Codes(r.Findings), ","), name)
		assert.NotEmpty(t, r.Summary, name)
	}
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

func TestVMotion_disks(t *testing.T) {
	t.Parallel()
	in := bytes(8e9, 125e6, 0)
	in.DiskGiB = 40e9 / gib
	in.DiskWriteMbps = 200
	in.SetupSeconds = 10
	r := vmotion(t, in)
	// The disk writes of 25 MB/s leave 800 Mbit/s. Disks take 320e9 / 800e6 = 400 s and memory takes 64e9 / 800e6 = 80
	// s.
	assert.InDelta(t, 400.0, *r.DiskCopySeconds, 1e-6)
	assert.InDelta(t, 80.0, *r.MemoryCopySeconds, 1e-6)
	assert.InDelta(t, 490.0, *r.DurationSeconds, 1e-6)
	assert.InDelta(t, (48e9+25e6*480)/gib, *r.TransferredGiB, 1e-6)
	in.DiskWriteMbps = 1000
	r = vmotion(t, in)
	assert.Nil(t, r.DurationSeconds)
	assert.Nil(t, r.SwitchoverSeconds)
	assert.Nil(t, r.PrecopyRounds)
	assert.Nil(t, r.TransferredGiB)
	assert.False(t, r.MeetsSwitchoverGoal)
}

func TestVMotion_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := plausible(t)
		r := vmotion(t, in)
		faster := in
		faster.ThroughputMbps *= 1 + rapid.Float64Range(0.01, 3).Draw(t, "growth")
		f := vmotion(t, faster)
		if r.DurationSeconds != nil {
			assert.LessOrEqual(t, *f.DurationSeconds, *r.DurationSeconds*(1+1e-9), "from %v to %v Mbit/s",
				in.ThroughputMbps, faster.ThroughputMbps)
		}
		// The rounds converge at the resulting throughput. At the next lower floating-point number, they do not
		// converge or the rate is below 250 Mbit/s per migration.
		if v := r.MinThroughputMbps; v != nil && *v > 250*in.ConcurrentMigrations {
			at, below := in, in
			at.ThroughputMbps, below.ThroughputMbps = *v, math.Nextafter(*v, 0)
			a, b := vmotion(t, at), vmotion(t, below)
			assert.False(t, a.SDPSExpected, "at %v Mbit/s", *v)
			assert.NotNil(t, a.DurationSeconds, "at %v Mbit/s", *v)
			converges := !b.SDPSExpected && b.DurationSeconds != nil
			assert.False(t, converges, "below %v Mbit/s", *v)
		}
		// k concurrent migrations on a link that is k times as fast take as long as one migration. If all amounts of
		// data and all rates are multiplied by k, the duration does not change either. The results are exact if k is a
		// power of two.
		k := math.Ldexp(1, rapid.IntRange(1, 6).Draw(t, "k"))
		many, scaled := in, in
		scaled.MemoryDirtyMbps = new(*in.MemoryDirtyMbps)
		many.ConcurrentMigrations *= k
		many.ThroughputMbps *= k
		for _, field := range []*float64{
			&scaled.MemoryGiB, scaled.MemoryDirtyMbps, &scaled.DiskGiB, &scaled.DiskWriteMbps, &scaled.ThroughputMbps,
		} {
			*field *= k
		}
		if in.WorkingSetGiB != nil {
			scaled.WorkingSetGiB = new(*in.WorkingSetGiB * k)
		}
		m, s := vmotion(t, many), vmotion(t, scaled)
		assert.Equal(t, []any{r.DurationSeconds, r.PrecopyRounds, r.SwitchoverSeconds, r.GuestSpeedPercent},
			[]any{s.DurationSeconds, s.PrecopyRounds, s.SwitchoverSeconds, s.GuestSpeedPercent})
		// these refer to the whole link, so they differ by the factor k
		r.MinThroughputMbps, m.MinThroughputMbps = nil, nil
		assert.Equal(t, m, r)
	})
}

// TestVMotion_leastAndLongest checks the minimum throughput and the longest acceptable duration. A VM with 64 GiB and a
// dirty rate of 100 Mbit/s would converge at 100 / 0.8 = 125 Mbit/s, but vSphere requires 250 Mbit/s per migration.
// Sending 10,995 GiB at 1,000 Mbit/s takes 94,446 s, more than a day.
func TestVMotion_leastAndLongest(t *testing.T) {
	t.Parallel()
	in := migration.VMotionDefaults()
	in.MemoryGiB = 64
	in.ThroughputMbps = 1000
	in.MemoryDirtyMbps = new(100.0)
	for concurrent, want := range map[float64]float64{1: 250, 3: 750} {
		in.ConcurrentMigrations = concurrent
		r := vmotion(t, in)
		require.NotNil(t, r.MinThroughputMbps, "%+v", concurrent)
		assert.Equal(t, want, *r.MinThroughputMbps, concurrent)
	}
	in.ConcurrentMigrations, in.MemoryDirtyMbps = 1, new(0.0)
	for disk, want := range map[float64]string{9900: "", 10995: "longer_than_a_day"} {
		in.DiskGiB = disk
		r := vmotion(t, in)
		require.Equal(t, want, strings.Join(plan.Codes(r.Findings), " "), "%+v", disk)
		assert.Equal(t, want != "", r.Verdict == plan.AtRisk, "%+v", disk)
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

func TestVMotion_band(t *testing.T) {
	t.Parallel()
	in := migration.VMotionDefaults()
	in.MemoryGiB = 8
	in.ThroughputMbps = 1000
	in.ThroughputBasis = plan.BasisTransfer
	in.DiskWriteMbps = 100
	r := vmotion(t, in)
	require.NotNil(t, r.DurationSeconds80)
	require.NotNil(t, r.DurationSeconds90)
	assert.InDelta(t, 1.14**r.DurationSeconds, *r.DurationSeconds80, 1e-9)
	assert.InDelta(t, 1.32**r.DurationSeconds, *r.DurationSeconds90, 1e-9)
	dirty, copied := in, in
	dirty.MemoryDirtyMbps, copied.DiskGiB = new(1.0), 40
	for name, in := range map[string]migration.VMotionInput{"memory": dirty, "disk": copied} {
		r := vmotion(t, in)
		assert.Nil(t, r.DurationSeconds80, name)
		assert.Nil(t, r.DurationSeconds90, name)
	}
}

func plausible(t *rapid.T) migration.VMotionInput {
	in := migration.VMotionDefaults()
	in.MemoryGiB = rapid.Float64Range(0.25, 24000).Draw(t, "memory_gib")
	in.MemoryDirtyMbps = new(rapid.Float64Range(0, 50000).Draw(t, "memory_dirty_mbps"))
	in.DiskGiB = rapid.Float64Range(0, 64000).Draw(t, "disk_gib")
	in.DiskWriteMbps = rapid.Float64Range(0, 5000).Draw(t, "disk_write_mbps")
	in.ThroughputMbps = rapid.Float64Range(100, 100000).Draw(t, "throughput_mbps")
	in.RTTMs = rapid.Float64Range(0, 300).Draw(t, "rtt_ms")
	in.ConcurrentMigrations = float64(rapid.IntRange(1, 8).Draw(t, "concurrent_migrations"))
	if rapid.Bool().Draw(t, "with working_set_gib") {
		in.WorkingSetGiB = new(rapid.Float64Range(0, 24000).Draw(t, "working_set_gib"))
	}
	return in
}

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
