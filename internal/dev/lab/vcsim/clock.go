package vcsim

import (
	"sync"
	"time"
)

// Epoch is the start time of every clock.
var Epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

type clock struct {
	mu     sync.Mutex
	passed time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Epoch.Add(c.passed)
}

// Now returns the time of the vCenter, which applies to lockouts and linked vCenters.
func (v *VCenter) Now() time.Time { return v.clock.now() }

// Advance advances the time, also of linked vCenters.
func (v *VCenter) Advance(d time.Duration) {
	v.clock.mu.Lock()
	defer v.clock.mu.Unlock()
	v.clock.passed += d
}
