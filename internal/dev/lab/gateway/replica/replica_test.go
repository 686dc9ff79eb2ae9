package replica_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
)

const link = 12.5e6

func near(t *testing.T, got time.Duration, seconds float64) {
	t.Helper()
	d := got.Seconds() - seconds
	require.LessOrEqual(t, d, 0.01, "the end is %.4f s, want %.2f s", got.Seconds(), seconds)
	assert.GreaterOrEqual(t, d, -0.01, "the end is %.4f s, want %.2f s", got.Seconds(), seconds)
}

func running(e *replica.Engine, spec replica.Spec) *replica.Replica {
	spec.Powered = true
	r := e.Add(spec)
	r.Activate()
	return r
}

func last(t *testing.T, r *replica.Replica) replica.Sync {
	t.Helper()
	s, ok := r.LastSync()
	require.True(t, ok, "there was no sync")
	return s
}

func TestLink_stopped(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := running(e, replica.Spec{RPO: time.Hour, Full: 100 * link})
	e.Advance(40 * time.Second)
	e.SetLink(0)
	e.Advance(1000 * time.Second)
	p, ok := r.Progress()
	require.True(t, ok, "without a link: %+v", p)
	assert.EqualValues(t, 40, p.Percent)
	e.SetLink(2 * link)
	e.Advance(1100 * time.Second)
	// At twice the bandwidth, the remaining data takes 30 s instead of 60 s.
	near(t, last(t, r).End, 1030)
}

func TestSeeds(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	// Comparing 10 GB at 100 MB/s takes 100 s and does not use the link. Sending 1 GB then takes 80 s.
	r := running(e, replica.Spec{RPO: time.Hour, Full: 80 * link, Checksum: 10e9, ChecksumRate: 100e6})
	e.Advance(50 * time.Second)
	// After 50 s, 5 GB of 10 GB have been compared and 0 GB of 1 GB have been sent: 5 / 11 = 45.45%.
	p, _ := r.Progress()
	assert.True(t, p.Percent == 45 && p.ChecksumDone == 5e9 && p.TransferDone == 0 && e.Running() == 0,
		"%+v, %d transfers", p, e.Running())
	e.Advance(time.Hour)
	near(t, r.Syncs()[0].End, 180)
}

func TestPower(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := e.Add(replica.Spec{RPO: time.Hour, Full: 100 * link, ChangeRate: link / 10})
	assert.Equal(t, replica.Configuring, r.State())
	r.Activate()
	e.Advance(time.Hour)
	assert.True(t, r.State() == replica.NotActive && r.Overdue() == 0 && r.Count() == 0, "off: %s", r.State())
	r.SetPower(true)
	assert.Equal(t, replica.InitialSync, r.State())
	e.Advance(time.Hour + 200*time.Second)
	r.SetPower(false)
	e.Advance(3 * time.Hour)
	// The newest instance is from 1:00, so the deadline was 2:00. No sync runs while the VM is powered off.
	require.Equal(t, replica.NotActive, r.State())
	assert.Equal(t, time.Hour, r.Overdue())
	r.SetPower(true)
	// The VM did not change while powered off. It changed for 200 s at a tenth of the link's bandwidth.
	p, ok := r.Progress()
	require.True(t, ok, "on again: %+v", p)
	assert.EqualValues(t, 20*link, p.TransferTotal)
}

func TestFail(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := running(e, replica.Spec{RPO: time.Hour, Full: 10 * link})
	e.Advance(time.Minute)
	r.Fail(replica.Fault{Message: "the disk is full"})
	assert.True(t, r.State() == replica.Failed && !r.SyncNow() && r.Fault().Message == "the disk is full",
		"got %s, %v, want a failed replica with its fault", r.State(), r.Fault())
	e.Advance(2 * time.Hour)
	assert.Equal(t, 1, r.Count())
	r.Clear()
	e.Advance(2*time.Hour + time.Second)
	assert.True(t, r.State() == replica.OK && r.Count() == 2 && r.Fault() == nil,
		"mended: %s, %d syncs", r.State(), r.Count())
}

func TestAddFull(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := running(e, replica.Spec{RPO: 24 * time.Hour, Full: 10 * link, ChangeRate: link / 100})
	e.Advance(100 * time.Second)
	r.AddFull(50 * link)
	// Sending the added data takes 50 s. Sending the changes of 100 s, at 1% of the link's bandwidth, takes another 1 s.
	if p, _ := r.Progress(); r.State() != replica.FullSync || p.TransferTotal != 51*link {
		t.Errorf("got %s, %+v, want a full sync of 51 s of the link", r.State(), p)
	}
	e.Advance(200 * time.Second)
	near(t, last(t, r).End, 151)
}

func TestMove(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := running(e, replica.Spec{RPO: time.Hour, Full: 100 * link})
	e.Advance(50 * time.Second)
	r.Move(time.Minute)
	require.Equal(t, replica.Moving, r.State())
	assert.Equal(t, 0, e.Running())
	e.Advance(110 * time.Second)
	assert.Equal(t, replica.InitialSync, r.State())
	e.Advance(200 * time.Second)
	near(t, last(t, r).End, 160)
}

func TestRemove(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := running(e, replica.Spec{RPO: time.Hour, Full: 10 * link})
	called := 0
	r.WhenIdle(func() { called++ })
	e.Advance(time.Second)
	r.Remove()
	e.Advance(24 * time.Hour)
	assert.True(t, r.Count() == 0 && e.Running() == 0 && called == 1,
		"%d syncs, %d transfers, %d calls", r.Count(), e.Running(), called)
	r.WhenIdle(func() { called++ })
	assert.Equal(t, 2, called, "an idle replication lets wait")
}

func TestEngine_order(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	var got []int
	for i, second := range []int{3, 1, 2, 1, 3, 1} {
		e.At(time.Duration(second)*time.Second, func() { got = append(got, i) })
	}
	e.At(-time.Second, func() { got = append(got, 6) })
	e.Advance(2 * time.Second)
	e.Advance(time.Second) // must not move the clock back
	require.Equal(t, []int{6, 1, 3, 5, 2}, got)
	assert.Equal(t, 2*time.Second, e.Now())
}

func TestPause_delta(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := running(e, replica.Spec{RPO: 24 * time.Hour, ChangeRate: link / 10, MinDelta: 1000})
	e.Advance(600 * time.Second)
	r.SyncNow() // sending 600 s of changes takes 60 s
	e.Advance(630 * time.Second)
	r.Pause()
	e.Advance(700 * time.Second)
	r.Resume()
	// 700 s of changes since the first instance, plus MinDelta (1,000 B) once
	p, ok := r.Progress()
	require.True(t, ok, "got %+v, want 70 s of the link and 1,000 B", p)
	assert.EqualValues(t, 70*link+1000, p.TransferTotal)
}

// clock returns a time relative to 12:00, as in the examples in the vendor's documentation.
func clock(hour, minute int) time.Duration {
	return time.Duration(hour-12)*time.Hour + time.Duration(minute)*time.Minute
}

func TestNextStart(t *testing.T) {
	t.Parallel()
	m := time.Minute
	for _, test := range []struct {
		name     string
		rpo      time.Duration
		measured []time.Duration
		load     float64
		want     time.Duration
	}{
		// Documented example: with an RPO of 15 minutes and a sync from 12:00 to 12:05, the next sync must start by 12:10.
		{"five of fifteen minutes", 15 * m, []time.Duration{5 * m}, 1.0 / 3, 10 * m},
		// The next sync must start 15 - 10 = 5 minutes after the start of the last one, which is before the last one ends.
		{"ten of fifteen minutes", 15 * m, []time.Duration{10 * m}, 1, 5 * m},
		{"the longest counts", 15 * m, []time.Duration{2 * m, 9 * m, 3 * m}, 0.1, 6 * m},
		// 15 / (1 + 0.5) = 10 minutes
		{"the load counts", 15 * m, []time.Duration{m}, 0.5, 10 * m},
		{"nothing is known", 60 * m, nil, 1, 30 * m},
		{"it cannot be kept", 15 * m, []time.Duration{20 * m}, 2, 0},
	} {
		assert.Equal(t, test.want, replica.NextStart(test.rpo, test.measured, test.load))
	}
}

func TestRPO_overrun(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := running(e, replica.Spec{RPO: 15 * time.Minute, Full: 20 * 60 * link}) // from 12:00 to 12:20
	e.Advance(clock(12, 19))
	require.EqualValues(t, 0, r.Overdue(), "a violation before the first instance")
	assert.Empty(t, r.Violations(), "a violation before the first instance")
	e.Advance(clock(12, 20))
	// When the instance from 12:00 arrived, it was 20 minutes old, which is 5 minutes more than the RPO. The next sync is
	// empty and ends the violation immediately.
	want := []replica.Violation{{Start: clock(12, 20), End: clock(12, 20)}}
	require.Equal(t, want, r.Violations())
	assert.Equal(t, 2, r.Count())
}

func TestRPO_changed(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := running(e, replica.Spec{RPO: 4 * time.Hour, Full: 60 * link})
	e.Advance(clock(13, 0))
	r.Pause()
	r.SetRPO(30 * time.Minute)
	assert.Equal(t, 30*time.Minute, r.Overdue())
	e.Advance(clock(13, 10))
	r.SetRPO(2 * time.Hour)
	want := []replica.Violation{{Start: clock(13, 0), End: clock(13, 10)}}
	require.Equal(t, want, r.Violations())
	assert.EqualValues(t, 0, r.Overdue())
	e.Advance(clock(14, 5))
	want = append(want, replica.Violation{Start: clock(14, 0)})
	assert.Equal(t, want, r.Violations())
	r.Resume()
	e.Advance(clock(14, 6))
	assert.Equal(t, clock(14, 5), r.Violations()[1].End)
}

func TestRPO_resolution(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := running(e, replica.Spec{RPO: 15 * time.Minute})
	e.Advance(time.Second)
	r.Pause()
	for _, test := range []struct{ late, overdue time.Duration }{
		{0, 0}, {999 * time.Microsecond, 0}, {time.Millisecond, time.Millisecond}, {time.Second, time.Second},
	} {
		e.Advance(15*time.Minute + test.late)
		got := r.Overdue()
		require.Equal(t, test.overdue, got)
		assert.Equal(t, got > 0, len(r.Violations()) > 0)
	}
}
