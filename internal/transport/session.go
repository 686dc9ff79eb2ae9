// Sessions: one login for all callers.

package transport

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Credentials are one user and password. Logins with them happen one at a time, and a refused one is not repeated:
// vCenter locks an account after five failures within three minutes.
type Credentials struct {
	turn *semaphore.Weighted // not a mutex, so that a caller who waits for another's login can be cancelled
	*refusal
}

// refusal is the error of a login that was refused.
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

// NewCredentials returns credentials that have not been used.
func NewCredentials() *Credentials {
	return &Credentials{turn: semaphore.NewWeighted(1), refusal: new(refusal)}
}

// Nested returns the same credentials for logins in which another login with them may happen: a refusal counts for
// both, and neither waits for the other.
func (c *Credentials) Nested() *Credentials {
	return &Credentials{turn: semaphore.NewWeighted(1), refusal: c.refusal}
}

// Session is the result of a login with the credentials. The zero value of S means that there is none. Several
// sessions, such as those of two protocols, may share credentials.
type Session[S comparable] struct {
	credentials *Credentials

	mu      sync.Mutex
	current S
}

// NewSession returns a session that is not open.
func NewSession[S comparable](c *Credentials) *Session[S] { return &Session[S]{credentials: c} }

// Open returns the session, after logging in where there is none. Concurrent callers share one login. A caller that
// finds an open session does not wait for anything.
func (s *Session[S]) Open(ctx context.Context, login func(context.Context) (S, error)) (S, error) {
	var none S
	if current := s.Current(); current != none {
		return current, nil
	}
	if err := s.credentials.turn.Acquire(ctx, 1); err != nil {
		return none, err
	}
	defer s.credentials.turn.Release(1)
	if current := s.Current(); current != none {
		return current, nil
	}
	return s.open(ctx, login)
}

// Renew replaces a session that has, or seems to have, ended by the one that renew returns. When another caller has
// replaced it already, Renew returns that one, or none where it was closed. Open waits until then.
func (s *Session[S]) Renew(ctx context.Context, stale S, renew func(context.Context) (S, error)) (S, error) {
	var none S
	if err := s.credentials.turn.Acquire(ctx, 1); err != nil {
		return none, err
	}
	defer s.credentials.turn.Release(1)
	if !s.Drop(stale) {
		return s.Current(), nil
	}
	return s.open(ctx, renew)
}

// Close ends the session where there is one, by logout.
func (s *Session[S]) Close(ctx context.Context, logout func(context.Context, S) error) error {
	if err := s.credentials.turn.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.credentials.turn.Release(1)
	var none S
	current := s.Current()
	if current == none {
		return nil
	}
	s.Drop(current)
	return logout(ctx, current)
}

// Current returns the session, or none.
func (s *Session[S]) Current() S {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Drop forgets a session and reports whether it was the current one.
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

// open logs in; the caller has the turn. A login that is under way when its caller is cancelled is completed: the
// server may have opened the session, and only the answer has the id by which Close can end it.
func (s *Session[S]) open(ctx context.Context, login func(context.Context) (S, error)) (S, error) {
	var none S
	if refused := s.credentials.get(); refused != nil {
		return none, refused
	}
	if err := ctx.Err(); err != nil {
		return none, err
	}
	graceful, cancel := grace(ctx, LoginTime)
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
