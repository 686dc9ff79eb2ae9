package migration

import (
	"math"

	"terraform-provider-vsla/internal/plan/quantity"
)

// nfcMbps is the maximum rate of Network File Copy, which copies powered-off VMs with a single thread (VMware, vSphere
// vMotion Unified Data Transport, checked 2026-11-23).
const nfcMbps = 1300

// Slots that a migration uses on each resource, called resource costs in vCenter (vSphere 6.7 documentation, limits on
// simultaneous migrations).
const (
	hostCost, hostCostStorage           = 1, 4
	datastoreCost, datastoreCostStorage = 1, 16
	networkCost                         = 1
)

type path int

const (
	pathNFC path = iota
	pathVMotion
	pathOther
	paths
)

// pathLimits contains the maximum rate of one migration for each path, in bit/s.
type pathLimits [paths]float64

func (in PlanInput) pathLimits() pathLimits {
	most := math.Inf(1)
	if in.PerMigrationMbps != nil {
		most = *in.PerMigrationMbps * quantity.BitsPerMbit
	}
	l := pathLimits{min(most, nfcMbps*quantity.BitsPerMbit), most, most}
	if in.ThreadsMbps != nil {
		l[pathVMotion] = min(most, *in.ThreadsMbps*quantity.BitsPerMbit)
	}
	return l
}

type migration struct {
	name, method string
	path         path
	limit        float64
	// Sizes of disks and memory are in bits, the guest's dirty rate is in bit/s, and fixed times are in seconds.
	disk, memory, dirtyRate float64
	setup, switchover       float64
	// changeRate is the change rate of a replicated VM until it is powered off, in bit/s. interval is the maximum time
	// between two syncs, in seconds. syncsOnline adds a sync before the power-off.
	changeRate, interval float64
	syncsOnline          bool
	// noDowntime means that there is no downtime to report, because the VM is powered off or its change rate is
	// unknown.
	noDowntime bool
	stop       stopCondition
	slotNeeds  []slotNeed
	// minBits is the minimum number of bits to send, and soloSeconds is the minimum duration if the migration has the
	// whole link. slotSeconds is the part of the duration during which the migration uses slots and counts towards
	// max_concurrent.
	minBits, soloSeconds, slotSeconds float64
}

type slotNeed struct {
	resource
	slots int
}

type resource struct{ kind, name string }

func (in PlanInput) newMigration(name string, v VM, l pathLimits) *migration {
	m := &migration{
		name:       name,
		method:     v.Method,
		path:       pathOther,
		disk:       v.DiskGiB * quantity.BitsPerGiB,
		setup:      in.setupSeconds(),
		switchover: v.SwitchoverMinutes * quantity.SecondsPerMinute,
		noDowntime: v.PoweredOff,
	}
	host := 0
	store := 0
	network := 0
	switch v.Method {
	case MethodCold:
		host = hostCost
		if v.Transport == TransportNFC {
			m.path = pathNFC
		}
	case MethodReplication:
		m.interval, m.syncsOnline = in.syncInterval(), in.OnlineSyncFirst
		m.noDowntime = v.DailyChangePercent == nil
		if !m.noDowntime {
			m.changeRate = m.disk * *v.DailyChangePercent / quantity.Percent / quantity.SecondsPerDay
		}
	case MethodVMotion:
		m.path = pathVMotion
		m.memory, m.dirtyRate = v.MemoryGiB*quantity.BitsPerGiB, dirtyRate(v.MemoryDirtyMbps)
		m.stop = newStopCondition(in.SwitchoverGoalMs, in.RTTMs, in.ResumeSeconds, v.MemoryDirtyMbps)
		host, store = hostCost, datastoreCost
		if v.DiskGiB > 0 {
			host, store = hostCostStorage, datastoreCostStorage
		}
		if v.MemoryGiB > 0 {
			network = networkCost
		}
	}
	m.limit = l[m.path]
	m.addSlots(LimitedByHost, host, v.Host, v.TargetHost)
	m.addSlots(LimitedByDatastore, store, v.Datastore, v.TargetDatastore)
	m.addSlots(LimitedByNetwork, network, v.Host, v.TargetHost)
	if network > 0 && v.Host == "" {
		// VMs whose host is unknown share one network adapter.
		m.slotNeeds = append(m.slotNeeds, slotNeed{resource{LimitedByNetwork, ""}, network})
	}
	return m
}

func (m *migration) addSlots(kind string, slots int, source, target string) {
	if source == target {
		target = ""
	}
	for _, name := range []string{source, target} {
		if slots > 0 && name != "" {
			m.slotNeeds = append(m.slotNeeds, slotNeed{resource{kind, name}, slots})
		}
	}
}

// computeAt computes the amount of data and the duration for a constant rate and dirty rate, both in bit/s.
func (m *migration) computeAt(rate, dirty float64) {
	m.minBits = m.disk
	left := m.memory
	for m.method == MethodVMotion && !m.stop.canStop(left, rate) {
		m.minBits += left
		left = min(min(dirty, sdpsDirtyShare*rate)*(left/rate), m.memory)
	}
	m.minBits += left
	copied, deltas := 0.0, 0.0
	if m.minBits > 0 {
		copied = m.minBits / max(rate-m.changeRate, 0)
		before, last := m.deltas(m.setup+copied, rate)
		deltas = before + last
	}
	m.soloSeconds = m.setup + copied + deltas/rate + m.stop.fixed + m.switchover
	m.minBits += deltas
	m.slotSeconds = m.soloSeconds - m.switchover - deltas/rate
}

// deltas returns the sizes, in bits, of the two deltas that a replicated VM sends after its copy: the one before the
// power-off (0 unless syncsOnline is set), and the last one, while the VM is off. since is the time since the start of
// the migration in seconds; rate is in bit/s.
func (m *migration) deltas(since, rate float64) (before, last float64) {
	last = min(m.changeRate*min(m.interval, since), m.disk)
	if !m.syncsOnline {
		return 0, last
	}
	return last, min(m.changeRate*last/rate, m.disk)
}

// maxDowntime returns the maximum downtime of a replicated VM in seconds, at the given rate in bit/s.
func (m *migration) maxDowntime(rate float64) float64 {
	_, last := m.deltas(math.Inf(1), rate)
	return last/rate + m.switchover
}

func (m *migration) limitedRate(rate float64) float64 { return min(rate, m.limit) }

func (m *migration) converges(rate float64) bool { return m.changeRate < m.limitedRate(rate) }

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

func (r *runner) sendsChanges() bool { return r.phase == waiting }

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
	r.left, _ = r.deltas(now-r.start, 1)
	r.phase, r.dirtied = syncing, 0
	if !r.syncsOnline {
		_, r.left = r.deltas(now-r.start, 1)
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
