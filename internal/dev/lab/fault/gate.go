package fault

import (
	"net/http"
	"sync"
)

// Gate blocks matching requests until a test opens it. Use Hold as the Before function of a Rule.
type Gate struct {
	arrived chan struct{}
	open    chan struct{}
	arrive  sync.Once
	release sync.Once
}

// NewGate returns a closed gate.
func NewGate() *Gate { return &Gate{arrived: make(chan struct{}), open: make(chan struct{})} }

// Hold blocks until the gate is opened or the request is canceled.
func (g *Gate) Hold(r *http.Request) {
	g.arrive.Do(func() { close(g.arrived) })
	select {
	case <-g.open:
	case <-r.Context().Done():
	}
}

// Arrived returns a channel that is closed when the first request reaches the gate.
func (g *Gate) Arrived() <-chan struct{} { return g.arrived }

// Open unblocks all requests.
func (g *Gate) Open() { g.release.Do(func() { close(g.open) }) }
