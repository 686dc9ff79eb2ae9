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
				got, err := s.Open(t.Context(), func(ctx context.Context) (int, error) {
					<-answer
					return l.open(ctx)
				})
				assert.Equal(t, 1, got)
				assert.NoError(t, err)
			})
		}
		synctest.Wait()
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Open(cancelled, l.open)
		require.ErrorIs(t, err, context.Canceled)
		close(answer)
		group.Wait()
	})
}

func TestSession_renewAndClose(t *testing.T) {
	t.Parallel()
	var l logins
	s := transport.NewSession[int](transport.NewCredentials())
	nothing := errors.New("nothing to close")
	require.NoError(t, s.Close(t.Context(), func(context.Context, int) error { return nothing }))
	got, _ := s.Open(t.Context(), l.open)
	require.Equal(t, 1, got)
	for range 2 { // the second caller also failed with session 1 and receives the replacement
		got, err := s.Renew(t.Context(), 1, l.open)
		assert.Equal(t, 2, got, "renewed")
		require.NoError(t, err, "renewed")
	}
	var closed []int
	for range 2 {
		err := s.Close(t.Context(), func(_ context.Context, id int) error {
			closed = append(closed, id)
			return nil
		})
		require.NoError(t, err)
	}
	assert.Equal(t, "[2]", fmt.Sprint(closed))
	got, _ = s.Open(t.Context(), l.open)
	assert.Equal(t, 3, got, "after closing: session %d", got)
}

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
			began := time.Now() //nolint:forbidigo // the fake clock of synctest
			err := open(s, ctx, func(ctx context.Context) (int, error) {
				cancel()
				<-ctx.Done()
				return 0, ctx.Err()
			})
			took := time.Since(began) //nolint:forbidigo // the fake clock of synctest
			require.ErrorIs(t, err, context.Canceled)
			assert.Equal(t, transport.LoginGracePeriod, took)
			var l logins
			require.ErrorIs(t, open(s, ctx, l.open), context.Canceled)
			assert.LessOrEqual(t, l.n, 0)
			ctx, cancel = context.WithCancel(t.Context())
			_ = open(s, ctx, func(ctx context.Context) (int, error) {
				cancel()
				return 7, ctx.Err()
			})
			closed := 0
			err = s.Close(t.Context(), func(_ context.Context, id int) error {
				closed = id
				return nil
			})
			require.NoError(t, err)
			assert.Equal(t, 7, closed)
		}
	})
}

func TestCredentials_refused(t *testing.T) {
	t.Parallel()
	credentials := transport.NewCredentials()
	one := transport.NewSession[int](credentials)
	other := transport.NewSession[int](credentials)
	n := 0
	login := func(err error) func(context.Context) (int, error) {
		return func(context.Context) (int, error) {
			n++
			return 0, err
		}
	}
	for range 2 {
		_, err := one.Open(t.Context(), login(transport.ErrUnavailable))
		require.ErrorIs(t, err, transport.ErrUnavailable)
	}
	assert.Equal(t, 2, n)
	kinds := transport.NewKinds()
	for range 3 {
		for _, s := range []*transport.Session[int]{one, other} {
			_, err := s.Open(t.Context(), login(fmt.Errorf("wrapped: %w", kinds.Login)))
			require.ErrorIs(t, err, kinds.Login)
		}
	}
	assert.Equal(t, 3, n)
}

func TestSession_openDoesNotWait(t *testing.T) {
	t.Parallel()
	credentials := transport.NewCredentials()
	open := transport.NewSession[int](credentials)
	opening := transport.NewSession[int](credentials)
	var l logins
	_, err := open.Open(t.Context(), l.open)
	require.NoError(t, err)
	_, err = opening.Open(t.Context(), func(ctx context.Context) (int, error) {
		got, err := open.Open(ctx, l.open) // would otherwise block forever
		assert.Equal(t, 1, got)
		return 1, err
	})
	assert.NoError(t, err)
}

func TestCredentials_nested(t *testing.T) {
	t.Parallel()
	outer := transport.NewCredentials()
	local := transport.NewSession[int](outer)
	remote := transport.NewSession[int](outer.Nested())
	tried := 0
	_, err := remote.Open(t.Context(), func(ctx context.Context) (int, error) {
		if _, err := local.Open(ctx, func(context.Context) (int, error) { return 1, nil }); err != nil {
			return 0, err
		}
		tried++
		return 0, transport.ErrLogin
	})
	require.ErrorIs(t, err, transport.ErrLogin)
	again := transport.NewSession[int](outer)
	_, err = again.Open(t.Context(), func(context.Context) (int, error) {
		tried++
		return 2, nil
	})
	require.ErrorIs(t, err, transport.ErrLogin)
	assert.Equal(t, 1, tried)
}
