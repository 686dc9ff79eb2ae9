package migration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
