package replica_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
)

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
		// Documented example: with an RPO of 15 minutes and a sync from 12:00 to 12:05, the next sync must start by
		// 12:10.
		{"five of fifteen minutes", 15 * m, []time.Duration{5 * m}, 1.0 / 3, 10 * m},
		// The next sync must start 15 - 10 = 5 minutes after the start of the last one, which is before the last one
		// ends.
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
	// When the instance from 12:00 arrived, it was 20 minutes old, which is 5 minutes more than the RPO. The next sync
	// is empty and ends the violation immediately.
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
		{0, 0},
		{999 * time.Microsecond, 0},
		{time.Millisecond, time.Millisecond},
		{time.Second, time.Second},
	} {
		e.Advance(15*time.Minute + test.late)
		got := r.Overdue()
		require.Equal(t, test.overdue, got)
		assert.Equal(t, got > 0, len(r.Violations()) > 0)
	}
}
