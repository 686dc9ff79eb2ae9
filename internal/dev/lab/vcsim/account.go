package vcsim

import (
	"sync"
	"time"
)

// vCenter's default lockout policy.
const (
	lockoutFailures = 5
	lockoutWithin   = 180 * time.Second
	lockoutFor      = 900 * time.Second
)

type account struct {
	user, password string
	now            func() time.Time

	mu       sync.Mutex
	failures []time.Time // times of the most recent failed logins
	until    time.Time   // end of the lockout
}

// login returns true if the credentials are valid and the account is not locked. It does not reveal which check failed.
func (a *account) login(user, password string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	if now.Before(a.until) {
		return false
	}
	if user != a.user {
		return false
	}
	if password == a.password {
		a.failures = nil
		return true
	}
	a.failures = append(a.failures, now)
	if len(a.failures) > lockoutFailures {
		a.failures = a.failures[1:]
	}
	if len(a.failures) == lockoutFailures && now.Sub(a.failures[0]) <= lockoutWithin {
		a.until = now.Add(lockoutFor)
		a.failures = nil
	}
	return false
}

func (a *account) locked() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now().Before(a.until)
}

// Locked reports whether failed logins have locked the account.
func (v *VCenter) Locked() bool { return v.sessions.account.locked() }
