package gateway_test

import (
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func TestClock(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	if got := l.Now(); got != time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) {
		t.Errorf("it begins at %v", got)
	}
	l.Advance(90 * time.Minute)
	if got := l.Now(); got != time.Date(2024, 1, 1, 1, 30, 0, 0, time.UTC) {
		t.Errorf("it is %v", got)
	}
}

// TestClock_scaled: sixty seconds for each of the real clock, and Advance on top.
func TestClock_scaled(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	start := time.Date(2030, 5, 6, 7, 8, 9, 0, time.UTC)
	l := connect(t, gateway.Config{Scale: 60, Real: func() time.Time { return start.Add(time.Duration(passed.Load())) }})
	if l.Now() != gateway.Epoch {
		t.Errorf("it begins at %v", l.Now())
	}
	passed.Store(int64(2 * time.Second))
	if got := l.Now().Sub(gateway.Epoch); got != 2*time.Minute {
		t.Errorf("after 2 s it is %v on", got)
	}
	l.Advance(time.Hour)
	passed.Store(int64(3 * time.Second))
	if got := l.Now().Sub(gateway.Epoch); got != time.Hour+3*time.Minute {
		t.Errorf("after 3 s and an hour it is %v on", got)
	}
}
