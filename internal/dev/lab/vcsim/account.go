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
	expired  bool
	failures []time.Time // the most recent ones
	until    time.Time   // end of the lockout
}

// login reports whether the credentials are valid and the account is not locked. Callers cannot distinguish the two.
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
	if password == a.password && !a.expired {
		a.failures = nil
		return true
	}
	a.failures = append(a.failures, now)
	if len(a.failures) > lockoutFailures {
		a.failures = a.failures[1:]
	}
	if len(a.failures) == lockoutFailures && now.Sub(a.failures[0]) <= lockoutWithin {
		a.until, a.failures = now.Add(lockoutFor), nil
	}
	return false
}

func (a *account) locked() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now().Before(a.until)
}

func (a *account) outdated() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.expired
}

// ExpirePassword expires the password: logins are refused, with the reason in SOAP, and count as failures.
func (v *VCenter) ExpirePassword() {
	v.sessions.account.mu.Lock()
	defer v.sessions.account.mu.Unlock()
	v.sessions.account.expired = true
}

// Locked reports whether failed logins have locked the account.
func (v *VCenter) Locked() bool { return v.sessions.account.locked() }
