package replica_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
)

// clock counts minutes from 12:00, as the examples of the product's documentation do.
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
		// The documentation's example: RPO 15, a sync from 12:00 to 12:05; the next has to start by 12:10.
		{"five of fifteen minutes", 15 * m, []time.Duration{5 * m}, 1.0 / 3, 10 * m},
		// Ten minutes for each of ten: 15 - 10 = 5 minutes behind the start, which is before the sync has ended.
		{"ten of fifteen minutes", 15 * m, []time.Duration{10 * m}, 1, 5 * m},
		{"the longest counts", 15 * m, []time.Duration{2 * m, 9 * m, 3 * m}, 0.1, 6 * m},
		// 15 / (1 + 0.5): ten minutes of changes take five.
		{"the load counts", 15 * m, []time.Duration{m}, 0.5, 10 * m},
		{"nothing is known", 60 * m, nil, 1, 30 * m},
		{"it cannot be kept", 15 * m, []time.Duration{20 * m}, 2, 0},
	} {
		assert.Equal(t, test.want, replica.NextStart(test.rpo, test.measured, test.load))
	}
}

// TestRPO_overrun: a sync that is itself older than the RPO when it ends does not end the violation.
func TestRPO_overrun(t *testing.T) {
	t.Parallel()
	e := replica.New(link)
	r := running(e, replica.Spec{RPO: 15 * time.Minute, Full: 20 * 60 * link}) // 12:00 to 12:20
	e.Advance(clock(12, 19))
	require.EqualValues(t, 0, r.Overdue(), "a violation before the first instance")
	assert.Empty(t, r.Violations(), "a violation before the first instance")
	e.Advance(clock(12, 20))
	// The instance of 12:00 was 5 minutes too old when it came. The next has nothing to send and ends the violation.
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

// TestRPO_resolution: the API counts milliseconds, so a shorter excess is no violation.
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
