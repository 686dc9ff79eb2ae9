package migration

import (
	"math"
)

// outcome is what is known of a plan when all its migrations have ended.
type outcome struct {
	moves              map[string]Move
	waves              []Wave
	slowestVMotion     float64 // lowest rate of a vMotion, in bit/s
	fastestVMotion     float64 // highest rate of a vMotion, in bit/s
	ticks              int     // number of hours and windows that have passed
	unbounded          bool    // whether the plan has too many ticks or never ends
	concurrencyLimited bool    // whether max_concurrent delayed a unit
	// stuckVMs contains replicated VMs that change at least as fast as they are copied.
	stuckVMs []*migration
}

func newOutcome() outcome { return outcome{moves: map[string]Move{}, slowestVMotion: math.Inf(1)} }

// progress changes whenever a switchover that was refused might be possible.
func (o *outcome) progress() int { return len(o.moves) + len(o.stuckVMs) + o.ticks }
