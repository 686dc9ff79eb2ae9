package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// asked asks n times and returns the number of answers.
func (l *lab) asked(t *testing.T, n int) int {
	t.Helper()
	answered := 0
	for range n {
		if a := l.get(t, "/session"); a.status == http.StatusOK {
			answered++
		} else if a.status != http.StatusTooManyRequests {
			t.Fatalf("%d %s", a.status, a.raw)
		}
	}
	return answered
}

// TestLimiter: windows of 60 s on the virtual clock, for each tier.
func TestLimiter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		limits gateway.Limits
		want   int // of 200 requests, behind one login
	}{
		{"none", gateway.Limits{}, 200},
		{"documented", gateway.DefaultLimits(), 50}, // by the session
		{"address", gateway.Limits{IP: 100}, 99},    // the login counts
		{"service", gateway.Limits{Service: 120}, 119},
		{"session", gateway.Limits{Session: 10, Service: 120}, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, gateway.Config{Switches: gateway.Switches{SessionTTL: -1, SessionIdle: -1, Limits: test.limits}})
			l.Advance(30 * time.Second)
			l.login(t)
			if got := l.asked(t, 200); got != test.want {
				t.Errorf("%d were answered, want %d", got, test.want)
			}
			l.Advance(29 * time.Second) // still the window that began at 0
			if got := l.asked(t, 1); got != 0 && test.want < 200 {
				t.Error("the window ended too early")
			}
			l.Advance(time.Second)
			if got := l.asked(t, 5); got != 5 {
				t.Errorf("in the next window %d of 5 were answered", got)
			}
		})
	}
}

// TestLimiter_sessions: each session has a count of its own, and logging in does not help with the address.
func TestLimiter_sessions(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Config{Switches: gateway.Switches{Limits: gateway.Limits{IP: 25, Session: 10}}})
	total := 0
	for range 3 {
		l.session = ""
		a := l.send(t, http.MethodPost, "/session", nil, basic(l.User(), l.Password()))
		if a.status != http.StatusOK {
			continue
		}
		l.session = a.text(t, "session_id")
		total += l.asked(t, 12)
	}
	// Of the address's 25 the first login and its 12 take 13, of which 10 are answered. The second login leaves 11, of
	// which its session may use 10. There is no third login.
	if total != 20 {
		t.Errorf("%d were answered", total)
	}
}

func TestLimiter_answer(t *testing.T) {
	t.Parallel()
	l := startLab(
		t,
		gateway.Config{
			Switches: gateway.Switches{Limits: gateway.Limits{Session: 1, RetryAfter: true, Window: 10 * time.Second}},
		},
	)
	l.login(t)
	l.Advance(2500 * time.Millisecond)
	l.asked(t, 1)
	a := l.get(t, "/session").want(t, http.StatusTooManyRequests)
	if a.header.Get("Retry-After") != "8" { // 7.5 s, rounded up
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	other := startLab(t, gateway.Config{Switches: gateway.Switches{Limits: gateway.Limits{Session: 1, Status: 503}}})
	other.login(t)
	other.asked(t, 1)
	if a := other.get(t, "/session").want(t, http.StatusServiceUnavailable); a.header.Get("Retry-After") != "" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
}
