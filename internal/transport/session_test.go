package transport_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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

// clock advances only when a caller sleeps. If the field during is set, the function is called in the middle of the
// next sleep.
type clock struct {
	now    time.Time
	during func()
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d / 2)
	if f := c.during; f != nil {
		c.during = nil
		f()
	}
	c.now = c.now.Add(d - d/2)
	return ctx.Err()
}

func newRateLimiter(change func(*transport.RateLimiterConfig)) (*clock, *transport.RateLimiter) {
	c := &clock{now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
	config := transport.RateLimiterConfig{
		Now:   func() time.Time { return c.now },
		Sleep: c.sleep,
		Burst: 10,
		Pause: time.Second,
	}
	change(&config)
	return c, transport.NewRateLimiter(config)
}

func wantDelay(t *testing.T, p *transport.RateLimiter, want time.Duration) {
	t.Helper()
	got, err := p.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestRateLimiter_bucket(t *testing.T) {
	t.Parallel()
	_, p := newRateLimiter(func(c *transport.RateLimiterConfig) {
		c.PerSecond = 2
		c.Burst = 3
	})
	for range 3 {
		wantDelay(t, p, 0)
	}
	for range 3 {
		wantDelay(t, p, 500*time.Millisecond) // two requests per second
	}
}

func TestRateLimiter_pause(t *testing.T) {
	t.Parallel()
	_, p := newRateLimiter(func(*transport.RateLimiterConfig) {})
	wantDelay(t, p, 0)
	p.Throttle(0)
	wantDelay(t, p, time.Second)
	p.Throttle(7 * time.Second)
	p.Throttle(0)
	wantDelay(t, p, 7*time.Second)
	wantDelay(t, p, 0)
}

func TestRateLimiter_pauseBeginsMeanwhile(t *testing.T) {
	t.Parallel()
	c, p := newRateLimiter(func(c *transport.RateLimiterConfig) {
		c.PerSecond = 0.5
		c.Burst = 1
	})
	wantDelay(t, p, 0)
	c.during = func() { p.Throttle(9 * time.Second) }
	// The token bucket delays the request by 2 s. After 1 s, the service requests a pause of 9 s. At the end of the
	// pause, 9 s later, the bucket is full.
	wantDelay(t, p, 10*time.Second)
}

func TestRateLimiter_slowsDown(t *testing.T) {
	t.Parallel()
	c, p := newRateLimiter(func(c *transport.RateLimiterConfig) {
		c.Burst = 1
		c.ThrottledPerSecond = 16
		c.MinPerSecond = 5
	})
	for range 100 {
		wantDelay(t, p, 0)
	}
	for range 10 {
		p.Throttle(0)
	}
	// The rate drops from 16 to 8 requests per second, and then to the minimum of 5.
	for _, want := range []time.Duration{62.5e6, 125e6, 200e6, 200e6} {
		wantDelay(t, p, time.Second) // after the pause, the bucket is full
		wantDelay(t, p, want)
		c.now = c.now.Add(time.Second)
		p.Throttle(0)
	}
}

func TestRateLimiter_waitWhileDelayed(t *testing.T) {
	t.Parallel()
	c, p := newRateLimiter(func(*transport.RateLimiterConfig) {})
	begin := c.now
	p.WaitWhileDelayed(t.Context(), time.Second, 3) // no request is waiting
	assert.True(t, c.now.Equal(begin), "waited for %s although no request is delayed", c.now.Sub(begin))
	p.Throttle(time.Minute)
	var took time.Duration
	c.during = func() {
		before := c.now
		p.WaitWhileDelayed(t.Context(), time.Second, 3)
		took = c.now.Sub(before)
	}
	wantDelay(t, p, time.Minute)
	assert.Equal(t, 3*time.Second, took)
}

func TestRateLimiter_cancelled(t *testing.T) {
	t.Parallel()
	_, p := newRateLimiter(func(*transport.RateLimiterConfig) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Wait(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

// TestAwaitRetry_oneProbe verifies that ten concurrent changes send one request every 8 seconds while a service starts
// for two minutes, that all of them continue after the first response, and that five continue even if the other five
// are canceled.
//
// Each of the ten changes makes five attempts within 3.75 to 7.5 s. For the rest of the two minutes (at most 116.25 s),
// one change at a time sends a probe every 8 s, so at most 14 probes fail. The 15th probe succeeds, and the other nine
// changes retry. This makes at most 50 + 15 + 9 = 74 requests. Without shared probes, each change would send 20
// requests, 200 in total.
func TestAwaitRetry_oneProbe(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cancelled int
		finished  int32
	}{"all": {0, 10}, "five are cancelled": {5, 5}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var settings transport.Settings
				require.NoError(t, settings.Complete())
				starting := &transport.APIError{Status: 503, Kind: transport.NewKinds().Unavailable}
				begin := settings.Now()
				var requests, finished atomic.Int32
				change := func(ctx context.Context) {
					defer settings.EndProbe(ctx)
					for attempt := 1; ; attempt++ {
						requests.Add(1)
						if settings.Now().Sub(begin) > 2*time.Minute {
							finished.Add(1)
							return
						}
						if !settings.AwaitRetry(ctx, starting, 0, attempt) {
							return
						}
					}
				}
				var group sync.WaitGroup
				for i := range 10 {
					ctx, cancel := context.WithCancel(transport.WithStartupWait(t.Context()))
					if i < test.cancelled {
						time.AfterFunc(time.Minute, cancel)
					}
					group.Go(func() {
						change(ctx)
						cancel()
					})
				}
				group.Wait()
				assert.Equal(t, test.finished, finished.Load())
				assert.LessOrEqual(t, requests.Load(), int32(74))
				assert.Less(t, settings.Now().Sub(begin), 2*time.Minute+8*time.Second)
			})
		})
	}
}
