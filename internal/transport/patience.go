package transport

import (
	"context"
	"sync"
	"time"
)

// PatientTime limits the delays of one change beyond those of Attempts: a restart of vCenter's services takes one to
// three minutes, and a change that fails in the middle of an apply is worse than one that waits.
const PatientTime = 3 * time.Minute

type patienceKey struct{}

type patience struct {
	mu   sync.Mutex
	left time.Duration
}

// Patient returns a context for a change, whose requests wait PatientTime in all for a service that is starting.
func Patient(ctx context.Context) context.Context {
	return context.WithValue(ctx, patienceKey{}, &patience{left: PatientTime})
}

func (p *patience) spend(d time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d > p.left {
		return false
	}
	p.left -= d
	return true
}

// startup lets one change at a time probe a service that is starting. All other changes wait for its response.
type startup struct {
	mu      sync.Mutex
	prober  *patience
	settled chan struct{} // closed when the prober is done
}

// wait waits for d, or until the prober is done, and reports whether the request should be sent. Without Patient there
// is no wait.
func (s *startup) wait(ctx context.Context, sleep func(context.Context, time.Duration) error, d time.Duration) bool {
	p, ok := ctx.Value(patienceKey{}).(*patience)
	if !ok {
		return false
	}
	for p.spend(d) {
		settled := s.join(p)
		if settled == nil {
			return sleep(ctx, d) == nil
		}
		waiting, cancel := context.WithCancel(ctx)
		go func() {
			select {
			case <-settled:
				cancel()
			case <-waiting.Done():
			}
		}()
		_ = sleep(waiting, d)
		cancel()
		if ctx.Err() != nil {
			return false
		}
		select {
		case <-settled:
			return true
		default:
		}
	}
	return false
}

// join makes p the prober if there is none. It returns nil for the prober, and otherwise the channel that its end
// closes.
func (s *startup) join(p *patience) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prober == nil {
		s.prober, s.settled = p, make(chan struct{})
	}
	if s.prober == p {
		return nil
	}
	return s.settled
}

func (s *startup) done(ctx context.Context) {
	p, ok := ctx.Value(patienceKey{}).(*patience)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok && s.prober == p {
		s.prober = nil
		close(s.settled)
	}
}
