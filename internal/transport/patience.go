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

// patience is what is left of PatientTime.
type patience struct {
	mu   sync.Mutex
	left time.Duration
}

// Patient returns a context for a change, whose requests wait PatientTime in all for a service that is starting.
func Patient(ctx context.Context) context.Context {
	return context.WithValue(ctx, patienceKey{}, &patience{left: PatientTime})
}

// wait waits for d, and reports whether the patience of the context allowed it. Without Patient there is none.
func wait(ctx context.Context, sleep func(context.Context, time.Duration) error, d time.Duration) bool {
	p, ok := ctx.Value(patienceKey{}).(*patience)
	if !ok {
		return false
	}
	p.mu.Lock()
	allowed := d <= p.left
	if allowed {
		p.left -= d
	}
	p.mu.Unlock()
	return allowed && sleep(ctx, d) == nil
}
