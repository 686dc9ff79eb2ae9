package migration

type phase int

const (
	settingUp phase = iota
	copying         // sends disks
	round           // sends memory while the guest runs
	rest            // sends memory while the guest is stopped
	resuming        // the guest is stopped and nothing is sent
	waiting         // waits for a window in which to switch over
	syncing         // sends the changes of a replicated VM
	lastSync        // sends changes while the VM is off
	switching       // the VM is off and nothing is sent
	arrived
)

type runner struct {
	*migration

	phase phase
	// left is the remaining part of the phase, in bits if the phase sends data and in seconds otherwise. dirtied is the
	// size of the next round in bits.
	left, dirtied float64
	wave          int
	// stopped is the time at which the guest stopped.
	start, stopped float64
	// canOutpace reports whether there is a time at which the migration's unit, running alone, would send faster than
	// its guests dirty memory. It is false if there are no hourly weights. slotsFreed reports whether the slots have
	// been released. refusedAt is the value that scheduler.progress had when a switchover was last refused.
	canOutpace, slotsFreed bool
	refusedAt              int
}

func (r *runner) isSending() bool {
	return r.phase == copying || r.phase == round || r.phase == rest || r.phase == syncing || r.phase == lastSync
}

func (r *runner) isConcurrent() bool { return r.phase < waiting }

func (r *runner) needsWindow() bool { return r.method != MethodReplication || r.phase > waiting }

// decidesStop reports whether the next phase depends on the rate, which determines whether the guest stops or another
// round follows.
func (r *runner) decidesStop() bool {
	return r.method == MethodVMotion && (r.phase == copying || r.phase == round)
}

func (r *runner) changeLoad() float64 {
	if r.phase == copying {
		return r.changeRate
	}
	return 0
}

func (r *runner) remainingSeconds(rate float64) float64 {
	if r.isSending() && r.left > 0 {
		return r.left / max(rate-r.changeLoad(), 0)
	}
	return r.left
}

// advance simulates the given number of seconds within a phase. weight is the ratio of the dirty rate to its mean.
func (r *runner) advance(seconds, rate, weight float64) {
	if !r.isSending() {
		r.left -= seconds
		return
	}
	r.left -= max(rate-r.changeLoad(), 0) * seconds
	if r.phase == round {
		r.dirtied = min(r.dirtied+min(r.dirtyRate*weight, sdpsDirtyShare*rate)*seconds, r.memory)
	}
	if r.phase == syncing {
		r.dirtied = min(r.dirtied+r.changeRate*seconds, r.disk)
	}
}

func (r *runner) nextPhase(rate, now float64) {
	switch r.phase {
	case settingUp:
		r.phase, r.left = copying, r.disk
	case copying, round:
		r.endSending(rate)
	case rest:
		r.phase, r.left = resuming, r.stop.fixed
	case syncing:
		r.phase, r.left = lastSync, r.dirtied
	case lastSync:
		r.phase, r.left = switching, r.switchover
	default:
		r.phase, r.left = arrived, 0
	}
	if r.phase == rest || r.phase == lastSync {
		r.stopped = now
	}
}

func (r *runner) startSwitchover(now float64) {
	r.phase, r.left = syncing, r.delta(now-r.start)
	if !r.syncsOnline {
		r.phase, r.stopped = lastSync, now
	}
}

func (r *runner) endSending(rate float64) {
	switch r.method {
	case MethodCold:
		r.phase, r.left = switching, r.switchover
		return
	case MethodReplication:
		r.phase, r.left = waiting, 0
		return
	}
	left := r.dirtied
	if r.phase == copying {
		left = r.memory
	}
	r.phase = round
	r.left = left
	r.dirtied = 0
	if left == 0 || (rate > 0 && r.stop.canStop(left, rate)) {
		r.phase = rest
	}
}

func (u *unit) runners(wave int, now float64) []runner {
	list := make([]runner, len(u.members))
	for i, m := range u.members {
		list[i] = runner{migration: m, left: m.setup, wave: wave, start: now, stopped: now, refusedAt: -1}
	}
	return list
}

// maxRoundBits returns the maximum total number of bits sent in all rounds if the first round sends the given number of
// bits. Each round is at most sdpsDirtyShare times as large as the previous one, and the guest dirties no more in total
// than its dirty rate allows within the given number of seconds.
func (r *runner) maxRoundBits(bits, seconds float64) float64 {
	return min(bits/(1-sdpsDirtyShare), bits+r.dirtyRate*seconds)
}
