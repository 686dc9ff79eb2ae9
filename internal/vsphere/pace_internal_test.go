package vsphere

import (
	"testing"
	"time"

	"golang.org/x/time/rate"
)

func TestPace_slowsDown(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	p := newPace(0, func() time.Time { return now }, nil)
	if d := p.delay(); d != 0 || p.limiter.Limit() != rate.Inf {
		t.Errorf("before any refusal: delay %s, limit %v", d, p.limiter.Limit())
	}
	// Ten requests of one crowd are refused, one of them with a time.
	for range 9 {
		p.refused(0)
	}
	p.refused(7 * time.Second)
	if d := p.delay(); d != 7*time.Second || p.limiter.Limit() != 300 {
		t.Errorf("after the first refusals: delay %s, limit %v; want 7s and 300", d, p.limiter.Limit())
	}
	now = now.Add(7 * time.Second)
	if d := p.delay(); d != 0 {
		t.Errorf("delay %s after the time that the service named", d)
	}
	// Further refusals halve the rate, down to 5 a second: 150, 75, 37.5, 18.75, 9.375, 5, 5.
	for _, want := range []rate.Limit{150, 75, 37.5, 18.75, 9.375, 5, 5} {
		p.refused(0)
		if got := p.limiter.Limit(); got != want {
			t.Errorf("limit %v, want %v", got, want)
		}
		now = now.Add(time.Second)
	}
}
