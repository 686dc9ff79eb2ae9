package assignment

import (
	"context"
	"slices"

	"golang.org/x/sync/semaphore"
)

// exclusiveWeight is the weight of a lock that all shared locks together do not reach.
const exclusiveWeight = 1 << 30

// Lock locks tags and their SINGLE categories. Callers that set shared do not block each other. The caller must call
// unlock.
func (l *Ledger) Lock(ctx context.Context, shared bool, tags []Tag) (unlock func(), err error) {
	weight := int64(exclusiveWeight)
	if shared {
		weight = 1
	}
	keys := make([]string, 0, 2*len(tags))
	for _, tag := range tags {
		keys = append(keys, tag.ID)
		if tag.Single {
			keys = append(keys, tag.CategoryID)
		}
	}
	slices.Sort(keys) // a common order prevents deadlocks
	var locked []*semaphore.Weighted
	unlock = func() {
		for _, lock := range locked {
			lock.Release(weight)
		}
	}
	for _, key := range slices.Compact(keys) {
		lock := l.lock(key)
		if err := lock.Acquire(ctx, weight); err != nil {
			unlock()
			return nil, err
		}
		locked = append(locked, lock)
	}
	return unlock, nil
}

// lock returns the lock of a tag or category.
func (l *Ledger) lock(key string) *semaphore.Weighted {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.locks == nil {
		l.locks = make(map[string]*semaphore.Weighted)
	}
	if l.locks[key] == nil {
		l.locks[key] = semaphore.NewWeighted(exclusiveWeight)
	}
	return l.locks[key]
}
