// The virtual clock, and the ids that follow from the seed.

package gateway

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// Now is the virtual time.
func (g *Gateway) Now() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	return Epoch.Add(g.engine.Now())
}

// Advance lets virtual time pass. What vCenter shows now, such as power states, holds from now on.
func (g *Gateway) Advance(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	g.engine.Advance(g.engine.Now() + d)
	g.notice()
}

// StepPerPoll lets each question after tasks advance the clock before it is answered, so that who waits for a task need
// not sleep.
func (g *Gateway) StepPerPoll(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.step = d
}

// tick looks at vCenter and brings a scaled clock up to date.
func (g *Gateway) tick() {
	g.observe()
	if g.config.Real == nil || g.config.Scale == 0 {
		return
	}
	passed := time.Duration(float64(g.config.Real().Sub(g.realStart)) * g.config.Scale)
	if more := passed - g.scaled; more > 0 {
		g.scaled = passed
		g.engine.Advance(g.engine.Now() + more)
		g.notice()
	}
}

// millis returns a time in the API's form.
func millis(t time.Duration) int64 { return Epoch.Add(t).UnixMilli() }

// uuid draws a random UUID, of version 4, from the seed.
func (g *Gateway) uuid() string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], g.random.Uint64())
	binary.BigEndian.PutUint64(id[8:], g.random.Uint64())
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}
