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
	assert.EqualValues(t, 45, p.Percent)
	assert.EqualValues(t, 5e9, p.ChecksumDone)
	assert.Zero(t, p.TransferDone)
	assert.Zero(t, e.Running())
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
	assert.Equal(t, replica.NotActive, r.State(), "off")
	assert.Zero(t, r.Overdue(), "off")
	assert.Zero(t, r.Count(), "off")
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
	assert.Equal(t, replica.Failed, r.State())
	assert.False(t, r.SyncNow(), "got %s, %v, want a failed replica with its fault", r.State(), r.Fault())
	assert.Equal(t, "the disk is full", r.Fault().Message)
	e.Advance(2 * time.Hour)
	assert.Equal(t, 1, r.Count())
	r.Clear()
	e.Advance(2*time.Hour + time.Second)
	assert.Equal(t, replica.OK, r.State(), "mended")
	assert.Equal(t, 2, r.Count(), "mended")
	assert.Nil(t, r.Fault(), "mended")
}

func TestAddFull(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := running(e, replica.Spec{RPO: 24 * time.Hour, Full: 10 * link, ChangeRate: link / 100})
	e.Advance(100 * time.Second)
	r.AddFull(50 * link)
	// Sending the added data takes 50 s. Sending the changes of 100 s, at 1% of the link's bandwidth, takes another 1
	// s.
	p, _ := r.Progress()
	assert.Equal(t, replica.FullSync, r.State())
	assert.EqualValues(t, 51*link, p.TransferTotal)
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
	assert.Zero(t, r.Count())
	assert.Zero(t, e.Running())
	assert.Equal(t, 1, called)
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
