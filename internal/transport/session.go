package transport

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Credentials coordinates the logins of one account. Only one login runs at a time, and a rejected login is never
// repeated, because vCenter locks an account after five failed logins within three minutes.
type Credentials struct {
	loginLock *semaphore.Weighted // not a mutex, because waiting for a mutex cannot be canceled
	*refusal
}

type refusal struct {
	mu  sync.Mutex
	err error
}

func (r *refusal) get() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *refusal) set(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// NewCredentials returns unused credentials.
func NewCredentials() *Credentials {
	return &Credentials{loginLock: semaphore.NewWeighted(1), refusal: new(refusal)}
}

// Nested returns credentials for a login that runs within another login. The two logins do not wait for each other, but
// a rejection of either applies to both.
func (c *Credentials) Nested() *Credentials {
	return &Credentials{loginLock: semaphore.NewWeighted(1), refusal: c.refusal}
}

// Session holds the result of a login. The zero value of S means that there is no session. Sessions of different
// protocols can share credentials.
type Session[S comparable] struct {
	credentials *Credentials

	mu      sync.Mutex
	current S
}

// NewSession returns a session that has not been opened.
func NewSession[S comparable](c *Credentials) *Session[S] { return &Session[S]{credentials: c} }

// Open returns the current session or logs in. Concurrent callers share one login. If a session is open, Open does not
// block.
func (s *Session[S]) Open(ctx context.Context, login func(context.Context) (S, error)) (S, error) {
	var none S
	if current := s.Current(); current != none {
		return current, nil
	}
	if err := s.credentials.loginLock.Acquire(ctx, 1); err != nil {
		return none, err
	}
	defer s.credentials.loginLock.Release(1)
	if current := s.Current(); current != none {
		return current, nil
	}
	return s.open(ctx, login)
}

// Renew replaces the expired session stale with the result of renew. If another caller has already replaced it, Renew
// returns the current session. Concurrent calls of Open wait for Renew.
func (s *Session[S]) Renew(ctx context.Context, stale S, renew func(context.Context) (S, error)) (S, error) {
	var none S
	if err := s.credentials.loginLock.Acquire(ctx, 1); err != nil {
		return none, err
	}
	defer s.credentials.loginLock.Release(1)
	if !s.Drop(stale) {
		return s.Current(), nil
	}
	return s.open(ctx, renew)
}

// Close logs out if a session is open.
func (s *Session[S]) Close(ctx context.Context, logout func(context.Context, S) error) error {
	if err := s.credentials.loginLock.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.credentials.loginLock.Release(1)
	var none S
	current := s.Current()
	if current == none {
		return nil
	}
	s.Drop(current)
	return logout(ctx, current)
}

// Current returns the current session, or the zero value.
func (s *Session[S]) Current() S {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Drop forgets the session stale and reports whether it was the current one.
func (s *Session[S]) Drop(stale S) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var none S
	if s.current != stale {
		return false
	}
	s.current = none
	return true
}

// open logs in unless an earlier login was refused. The caller must hold loginLock. The login can continue for
// LoginGracePeriod after cancellation, because the server might otherwise keep a session that Close cannot log out.
func (s *Session[S]) open(ctx context.Context, login func(context.Context) (S, error)) (S, error) {
	var none S
	if refused := s.credentials.get(); refused != nil {
		return none, refused
	}
	if err := ctx.Err(); err != nil {
		return none, err
	}
	graceful, cancel := withGrace(ctx, LoginGracePeriod)
	defer cancel()
	opened, err := login(graceful)
	if errors.Is(err, ErrLogin) {
		s.credentials.set(err)
	}
	if err != nil {
		return none, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = opened
	return opened, nil
}
