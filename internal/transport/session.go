package transport

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Credentials are a user name and password. Logins are serialized and never repeated after a refusal, because vCenter
// locks an account after five failures within three minutes.
type Credentials struct {
	turn *semaphore.Weighted // not a mutex, so that a waiting caller can be canceled
	*refusal
}

// refusal caches the error of a refused login.
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
	return &Credentials{turn: semaphore.NewWeighted(1), refusal: new(refusal)}
}

// Nested returns the same credentials for use within a login with them: both share a refusal, but neither waits for
// the other.
func (c *Credentials) Nested() *Credentials {
	return &Credentials{turn: semaphore.NewWeighted(1), refusal: c.refusal}
}

// Session is the result of a login. The zero value of S means that there is no session. Sessions of different
// protocols may share credentials.
type Session[S comparable] struct {
	credentials *Credentials

	mu      sync.Mutex
	current S
}

// NewSession returns a session that is not open yet.
func NewSession[S comparable](c *Credentials) *Session[S] { return &Session[S]{credentials: c} }

// Open returns the current session, or logs in. Concurrent callers share one login. Callers do not block if a session
// is open.
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

// Renew replaces an expired session with the result of renew. If another caller has already replaced it, Renew returns
// the current session. Concurrent calls of Open wait for it.
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

// Close logs out if a session is open.
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

// Current returns the session, or the zero value.
func (s *Session[S]) Current() S {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Drop forgets a session and reports whether it was current.
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

// open logs in. The caller must hold the semaphore. A login continues after cancellation, because Close needs the id
// of a session that the server may have created.
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
