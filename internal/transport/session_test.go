package transport_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport"
)

// logins returns a new session for each login.
type logins struct{ n int }

func (l *logins) open(context.Context) (int, error) {
	l.n++
	return l.n, nil
}

func TestSession_sharesOneLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := transport.NewSession[int](transport.NewCredentials())
		var (
			l     logins
			group sync.WaitGroup
		)
		answer := make(chan struct{})
		for range 10 {
			group.Go(func() {
				got, err := s.Open(t.Context(), func(ctx context.Context) (int, error) { <-answer; return l.open(ctx) })
				require.Equal(t, 1, got)
				assert.NoError(t, err)
			})
		}
		synctest.Wait()
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Open(cancelled, l.open)
		assert.ErrorIs(t, err, context.Canceled)
		close(answer)
		group.Wait()
	})
}

func TestSession_renewAndClose(t *testing.T) {
	t.Parallel()
	var l logins
	s := transport.NewSession[int](transport.NewCredentials())
	err := s.Close(t.Context(),
		func(context.Context, int) error { return errors.New("nothing to close") })
	assert.NoError(t, err)
	got, _ := s.Open(t.Context(), l.open)
	require.Equal(t, 1, got)
	if got, err := s.Renew(t.Context(), 1, l.open); got != 2 || err != nil {
		t.Errorf("renewed: session %d, %v", got, err)
	}
	// Another caller also failed with session 1 and gets the replacement.
	if got, err := s.Renew(t.Context(), 1, l.open); got != 2 || err != nil {
		t.Errorf("renewed by another caller: session %d, %v", got, err)
	}
	var closed []int
	for range 2 {
		err := s.Close(t.Context(), func(_ context.Context, id int) error { closed = append(closed, id); return nil })
		assert.NoError(t, err)
	}
	assert.Equal(t, "[2]", fmt.Sprint(closed))
	if got, _ := s.Open(t.Context(), l.open); got != 3 {
		t.Errorf("after closing: session %d", got)
	}
}

// TestSession_cancelled verifies that a canceled login completes so that Close can log out, that it ends after
// LoginTime without a response, and that no login starts after cancellation.
func TestSession_cancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, open := range []func(*transport.Session[int], context.Context, func(context.Context) (int, error)) error{
			func(s *transport.Session[int], ctx context.Context, login func(context.Context) (int, error)) error {
				_, err := s.Open(ctx, login)
				return err
			},
			func(s *transport.Session[int], ctx context.Context, login func(context.Context) (int, error)) error {
				_, err := s.Renew(ctx, 0, login)
				return err
			},
		} {
			s := transport.NewSession[int](transport.NewCredentials())
			ctx, cancel := context.WithCancel(t.Context())
			began := time.Now() //nolint:forbidigo // the bubble's clock
			err := open(s, ctx, func(ctx context.Context) (int, error) {
				cancel()
				<-ctx.Done()
				return 0, ctx.Err()
			})
			took := time.Since(began) //nolint:forbidigo // the bubble's clock
			require.ErrorIs(t, err, context.Canceled)
			assert.Equal(t, transport.LoginTime, took)
			var l logins
			require.ErrorIs(t, open(s, ctx, l.open), context.Canceled)
			assert.LessOrEqual(t, l.n, 0)
			ctx, cancel = context.WithCancel(t.Context())
			_ = open(s, ctx, func(ctx context.Context) (int, error) {
				cancel()
				return 7, ctx.Err()
			})
			closed := 0
			err = s.Close(t.Context(), func(_ context.Context, id int) error { closed = id; return nil })
			require.NoError(t, err)
			assert.Equal(t, 7, closed)
		}
	})
}

// TestCredentials_refused verifies that a refused login is not repeated with the same credentials and that other
// errors are not cached.
func TestCredentials_refused(t *testing.T) {
	t.Parallel()
	credentials := transport.NewCredentials()
	one, other := transport.NewSession[int](credentials), transport.NewSession[int](credentials)
	n := 0
	login := func(err error) func(context.Context) (int, error) {
		return func(context.Context) (int, error) { n++; return 0, err }
	}
	for range 2 {
		_, err := one.Open(t.Context(), login(transport.ErrUnavailable))
		assert.ErrorIs(t, err, transport.ErrUnavailable)
	}
	assert.Equal(t, 2, n)
	kinds := transport.NewKinds()
	for range 3 {
		for _, s := range []*transport.Session[int]{one, other} {
			_, err := s.Open(t.Context(), login(fmt.Errorf("wrapped: %w", kinds.Login)))
			assert.ErrorIs(t, err, kinds.Login)
		}
	}
	assert.Equal(t, 3, n)
}

// TestSession_openDoesNotWait verifies that callers with an open session do not wait for other logins.
func TestSession_openDoesNotWait(t *testing.T) {
	t.Parallel()
	credentials := transport.NewCredentials()
	open, opening := transport.NewSession[int](credentials), transport.NewSession[int](credentials)
	var l logins
	if _, err := open.Open(t.Context(), l.open); err != nil {
		t.Fatal(err)
	}
	_, err := opening.Open(t.Context(), func(ctx context.Context) (int, error) {
		got, err := open.Open(ctx, l.open) // would block forever
		assert.Equal(t, 1, got)
		return 1, err
	})
	assert.NoError(t, err)
}

// TestCredentials_nested verifies that a nested login does not deadlock and that both logins share a refusal.
func TestCredentials_nested(t *testing.T) {
	t.Parallel()
	outer := transport.NewCredentials()
	local, remote := transport.NewSession[int](outer), transport.NewSession[int](outer.Nested())
	tried := 0
	_, err := remote.Open(t.Context(), func(ctx context.Context) (int, error) {
		if _, err := local.Open(ctx, func(context.Context) (int, error) { return 1, nil }); err != nil {
			return 0, err
		}
		tried++
		return 0, transport.ErrLogin
	})
	assert.ErrorIs(t, err, transport.ErrLogin)
	again := transport.NewSession[int](outer)
	_, err = again.Open(t.Context(), func(context.Context) (int, error) { tried++; return 2, nil })
	require.ErrorIs(t, err, transport.ErrLogin)
	assert.Equal(t, 1, tried)
}
