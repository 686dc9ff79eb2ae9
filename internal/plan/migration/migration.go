// One migration: its phases, and what it sends at the share of each moment.

package migration

import "terraform-provider-vsla/internal/plan/quantity"

// vCenter's resource costs (vSphere 6.7 documentation, limits on simultaneous migrations): a migration takes this
// many of the slots of each resource that it touches.
const (
	hostCost, hostCostStorage           = 1, 4
	datastoreCost, datastoreCostStorage = 1, 16
	networkCost                         = 1
)

// migration is the plan of a VM's move before it starts.
type migration struct {
	name, method string
	// bits of disks and memory, the guest's dirty rate in bit/s, fixed times in seconds.
	disk, memory, dirty float64
	setup, switchover   float64
	// change is the change rate of a replicated VM while it is copied and waits, in bit/s.
	change float64
	end    stop
	needs  []need
	// bits and alone are what it sends and how long it takes with the link to itself: the least possible.
	bits, alone float64
}

// need is a number of slots of a resource.
type need struct {
	resource
	slots int
}

// resource is what has slots: a host, its vMotion network adapter, or a datastore.
type resource struct{ kind, name string }

func newMigration(name string, v VM, setup float64, end stop) *migration {
	m := &migration{
		name:       name,
		method:     v.Method,
		disk:       v.DiskGiB * quantity.BitsPerGiB,
		setup:      setup,
		switchover: v.SwitchoverMinutes * 60,
	}
	host, store, network := 0, 0, 0
	if v.Method == MethodReplication && v.DailyChangePercent != nil {
		m.change = m.disk * *v.DailyChangePercent / quantity.Percent / quantity.SecondsPerDay
	}
	switch v.Method {
	case MethodCold:
		host = hostCost
	case MethodVMotion:
		m.memory, m.dirty, m.end = v.MemoryGiB*quantity.BitsPerGiB, v.MemoryDirtyMbps*quantity.BitsPerMbit, end
		host, store = hostCost, datastoreCost
		if v.DiskGiB > 0 {
			host, store = hostCostStorage, datastoreCostStorage
		}
		if v.MemoryGiB > 0 {
			network = networkCost
		}
	}
	m.need(LimitedByHost, host, v.Host, v.TargetHost)
	m.need(LimitedByDatastore, store, v.Datastore, v.TargetDatastore)
	m.need(LimitedByNetwork, network, v.Host, v.TargetHost)
	if network > 0 && v.Host == "" {
		// VMs whose host is not known share one adapter.
		m.needs = append(m.needs, need{resource{LimitedByNetwork, ""}, network})
	}
	return m
}

// need charges both ends; once where they are the same.
func (m *migration) need(kind string, slots int, source, target string) {
	if source == target {
		target = ""
	}
	for _, name := range []string{source, target} {
		if slots > 0 && name != "" {
			m.needs = append(m.needs, need{resource{kind, name}, slots})
		}
	}
}

// atRate returns what it sends at a constant rate in bit/s, and how long it takes.
func (m *migration) atRate(rate float64) (float64, float64) {
	bits := m.disk
	left := m.memory
	for m.method == MethodVMotion && !m.end.ends(left, rate) {
		bits += left
		left = min(min(m.dirty, sdpsDirtyShare*rate)*(left/rate), m.memory)
	}
	bits += left
	if bits == 0 {
		return 0, m.setup + m.end.fixed + m.switchover
	}
	return bits, m.setup + bits/max(rate-m.change, 0) + m.end.fixed + m.switchover
}

// phase is the current step of a migration.
type phase int

const (
	settingUp phase = iota
	copying         // disks
	round           // memory, while the guest runs
	rest            // memory, while the guest stops
	resuming        // the guest stops, and nothing is sent
	waiting         // for a window to switch in
	switching       // the stop of a replicated VM
	arrived
)

// runner is a migration that has started.
type runner struct {
	*migration

	phase phase
	// left is the rest of the phase: bits where it sends, else seconds. dirtied is the size of the next round.
	left, dirtied float64
	wave          int
	start         float64
}

func (r *runner) sends() bool { return r.phase == copying || r.phase == round || r.phase == rest }

// counts reports whether it counts for max_concurrent.
func (r *runner) counts() bool { return r.phase < waiting }

// needsWindow reports whether it must not run outside a window.
func (r *runner) needsWindow() bool { return r.method != MethodReplication || r.phase == switching }

// decides reports whether the next phase depends on the rate: the guest stops, or there is one more round.
func (r *runner) decides() bool {
	return r.method == MethodVMotion && (r.phase == copying || r.phase == round)
}

// changes reports whether what it changes is sent, apart from its copy.
func (r *runner) changes() bool { return r.phase == waiting || r.phase == switching }

// seconds is how long the phase still takes at a rate.
func (r *runner) seconds(rate float64) float64 {
	if r.sends() && r.left > 0 {
		return r.left / max(rate-r.change, 0)
	}
	return r.left
}

// advance lets time pass within a phase.
func (r *runner) advance(seconds, rate float64) {
	if !r.sends() {
		r.left -= seconds
		return
	}
	r.left -= max(rate-r.change, 0) * seconds
	if r.phase == round {
		r.dirtied = min(r.dirtied+min(r.dirty, sdpsDirtyShare*rate)*seconds, r.memory)
	}
}

// next begins the phase after one that has ended, at a rate.
func (r *runner) next(rate float64) {
	switch r.phase {
	case settingUp:
		r.phase, r.left = copying, r.disk
	case copying, round:
		r.afterSending(rate)
	case rest:
		r.phase, r.left = resuming, r.end.fixed
	case waiting:
		r.phase, r.left = switching, r.switchover
	default:
		r.phase, r.left = arrived, 0
	}
}

func (r *runner) afterSending(rate float64) {
	switch r.method {
	case MethodCold:
		r.phase, r.left = arrived, 0
		return
	case MethodReplication:
		r.phase, r.left = waiting, 0
		return
	}
	left := r.dirtied
	if r.phase == copying {
		left = r.memory
	}
	r.phase, r.left, r.dirtied = round, left, 0
	if left == 0 || (rate > 0 && r.end.ends(left, rate)) {
		r.phase = rest
	}
}
