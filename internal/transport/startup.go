package transport

import (
	"context"
	"sync"
	"time"
)

// MaxStartupWait limits how long a change keeps waiting for a service after Attempts attempts have failed. vCenter
// services take one to three minutes to restart, and waiting is better than failing in the middle of an apply.
const MaxStartupWait = 3 * time.Minute

type startupBudgetKey struct{}

type startupBudget struct {
	mu        sync.Mutex
	remaining time.Duration
}

// WithStartupWait returns a context for a change. While a service is starting, requests with this context wait up to
// MaxStartupWait in total.
func WithStartupWait(ctx context.Context) context.Context {
	return context.WithValue(ctx, startupBudgetKey{}, &startupBudget{remaining: MaxStartupWait})
}

func (p *startupBudget) spend(d time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d > p.remaining {
		return false
	}
	p.remaining -= d
	return true
}

// startupProbe lets one change at a time probe a service that is starting. All other changes wait for the result of the
// probe.
type startupProbe struct {
	mu     sync.Mutex
	prober *startupBudget
	probed chan struct{} // closed when the probe ends
}

// wait waits for d or until the probe ends, and reports whether to send the request. It returns false immediately if
// the context was not created by WithStartupWait.
func (s *startupProbe) wait(
	ctx context.Context, sleep func(context.Context, time.Duration) error, d time.Duration,
) bool {
	p, ok := ctx.Value(startupBudgetKey{}).(*startupBudget)
	if !ok {
		return false
	}
	for p.spend(d) {
		probed := s.join(p)
		if probed == nil {
			return sleep(ctx, d) == nil
		}
		sleepCtx, cancel := context.WithCancel(ctx)
		go func() {
			select {
			case <-probed:
				cancel()
			case <-sleepCtx.Done():
			}
		}()
		_ = sleep(sleepCtx, d)
		cancel()
		if ctx.Err() != nil {
			return false
		}
		select {
		case <-probed:
			return true
		default:
		}
	}
	return false
}

// join makes p the prober if there is none. It returns nil for the prober. For all others, it returns a channel that is
// closed when the probe ends.
func (s *startupProbe) join(p *startupBudget) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prober == nil {
		s.prober = p
		s.probed = make(chan struct{})
	}
	if s.prober == p {
		return nil
	}
	return s.probed
}

// finish ends the probe if the context belongs to its prober.
func (s *startupProbe) finish(ctx context.Context) {
	p, ok := ctx.Value(startupBudgetKey{}).(*startupBudget)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok && s.prober == p {
		s.prober = nil
		close(s.probed)
	}
}
