// A gate holds requests until a test opens it.

package fault

import (
	"net/http"
	"sync"
)

// Gate holds the requests of a rule: set its Hold as the rule's Before.
type Gate struct {
	arrived chan struct{}
	open    chan struct{}
	arrive  sync.Once
	release sync.Once
}

// NewGate makes a closed gate.
func NewGate() *Gate { return &Gate{arrived: make(chan struct{}), open: make(chan struct{})} }

// Hold waits until the gate is opened or the request is canceled.
func (g *Gate) Hold(r *http.Request) {
	g.arrive.Do(func() { close(g.arrived) })
	select {
	case <-g.open:
	case <-r.Context().Done():
	}
}

// Arrived is closed when the first request waits.
func (g *Gate) Arrived() <-chan struct{} { return g.arrived }

// Open lets all requests pass, now and later.
func (g *Gate) Open() { g.release.Do(func() { close(g.open) }) }
