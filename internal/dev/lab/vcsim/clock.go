// The time of a vCenter: it passes only when a test advances it.

package vcsim

import (
	"sync"
	"time"
)

// Epoch is the time at which every clock starts.
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

// Now is the time that vCenter reports, by which accounts stay locked and changes reach linked vCenters.
func (v *VCenter) Now() time.Time { return v.clock.now() }

// Advance lets time pass, for linked vCenters alike.
func (v *VCenter) Advance(d time.Duration) {
	v.clock.mu.Lock()
	defer v.clock.mu.Unlock()
	v.clock.passed += d
}
