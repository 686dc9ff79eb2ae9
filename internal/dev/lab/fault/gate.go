package fault

import (
	"net/http"
	"sync"
)

// Gate holds the requests of a rule until a test opens it: use Hold as the rule's Before.
type Gate struct {
	arrived chan struct{}
	open    chan struct{}
	arrive  sync.Once
	release sync.Once
}

// NewGate returns a closed gate.
func NewGate() *Gate { return &Gate{arrived: make(chan struct{}), open: make(chan struct{})} }

// Hold waits until the gate is opened or the request is cancelled.
func (g *Gate) Hold(r *http.Request) {
	g.arrive.Do(func() { close(g.arrived) })
	select {
	case <-g.open:
	case <-r.Context().Done():
	}
}

// Arrived returns a channel that is closed when the first request waits.
func (g *Gate) Arrived() <-chan struct{} { return g.arrived }

// Open lets all requests pass, now and later.
func (g *Gate) Open() { g.release.Do(func() { close(g.open) }) }
