package vcsim

import (
	"sync"
	"time"

	_ "github.com/vmware/govmomi/pbm/simulator"
	_ "github.com/vmware/govmomi/vapi/simulator"
)

// Epoch is the start time of every vCenter clock.
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

// Now returns the time of the vCenter clock. The clock controls when lockouts end and when linked vCenters exchange
// changes.
func (v *VCenter) Now() time.Time { return v.clock.now() }

// Advance advances the vCenter clock, which linked vCenters share.
func (v *VCenter) Advance(d time.Duration) {
	v.clock.mu.Lock()
	defer v.clock.mu.Unlock()
	v.clock.passed += d
}
