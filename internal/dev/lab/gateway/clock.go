package gateway

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// Now returns the virtual time.
func (g *Gateway) Now() time.Time {
	defer g.lock()()
	g.tick()
	return Epoch.Add(g.engine.Now())
}

// Advance advances the virtual clock.
func (g *Gateway) Advance(d time.Duration) {
	defer g.lock()()
	g.tick()
	g.engine.Advance(g.engine.Now() + d)
	g.detectViolations()
}

// StepPerPoll advances the virtual clock by d whenever a task is polled, so that clients can wait for a task without
// sleeping.
func (g *Gateway) StepPerPoll(d time.Duration) {
	defer g.lock()()
	g.step = d
}

func (g *Gateway) tick() {
	g.syncVMStates()
	if g.config.Real == nil || g.config.Scale == 0 {
		return
	}
	passed := time.Duration(float64(g.config.Real().Sub(g.realStart)) * g.config.Scale)
	if more := passed - g.scaled; more > 0 {
		g.scaled = passed
		g.engine.Advance(g.engine.Now() + more)
		g.detectViolations()
	}
}

func millis(t time.Duration) int64 { return Epoch.Add(t).UnixMilli() }

func (g *Gateway) uuid() string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], g.random.Uint64())
	binary.BigEndian.PutUint64(id[8:], g.random.Uint64())
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}
