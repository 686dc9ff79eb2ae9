package migration

type load struct {
	minBits, maxBits float64 // in bits, at the best and at the worst rate
	idleSeconds      float64 // maximum time in seconds during which a migration does not use its full share
	hasCopies        bool    // whether copies, which minBits and maxBits do not include, share the link
}

// load returns the load of a migration within the given number of seconds.
func (r *runner) load(seconds, weight float64) load {
	switch {
	case r.phase == waiting:
		return load{maxBits: r.changeRate * seconds}
	case r.method == MethodReplication && r.phase < waiting:
		return load{hasCopies: true}
	}
	least, most := r.bounds(seconds, weight)
	idle := r.stop.fixed + most/r.limit
	switch {
	case r.method != MethodVMotion && r.phase == switching:
		idle += r.left
	case r.method != MethodVMotion:
		idle += r.switchover
	}
	if r.phase == settingUp {
		idle += r.left
	}
	return load{minBits: least, maxBits: most, idleSeconds: idle}
}

func (l load) plus(other load) load {
	return load{
		minBits:     l.minBits + other.minBits,
		maxBits:     l.maxBits + other.maxBits,
		idleSeconds: max(l.idleSeconds, other.idleSeconds),
		hasCopies:   l.hasCopies || other.hasCopies,
	}
}

// bounds returns the minimum and the maximum number of bits that a migration still has to send within the given number
// of seconds.
func (r *runner) bounds(seconds, weight float64) (float64, float64) {
	switch r.phase {
	case settingUp:
		return r.minBits, r.disk + r.maxRoundBits(r.memory, seconds*weight)
	case copying:
		return r.left + r.minBits - r.disk, r.left + r.maxRoundBits(r.memory, seconds*weight)
	case round:
		most := min((r.dirtied+sdpsDirtyShare*r.left)/(1-sdpsDirtyShare), r.dirtied+r.dirtyRate*seconds*weight)
		return r.left + r.dirtied, r.left + most
	case syncing:
		return r.left + r.dirtied, r.left + r.dirtied + r.changeRate*seconds
	case rest, lastSync:
		return r.left, r.left
	default:
		return 0, 0
	}
}
