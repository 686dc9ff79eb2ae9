package migration

import (
	"cmp"
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
	most := limitRate(in.PerMigrationMbps)
	return pathLimits{
		pathNFC:     min(most, nfcMbps*quantity.BitsPerMbit),
		pathVMotion: min(most, limitRate(in.ThreadsMbps)),
		pathOther:   most,
	}
}

// limitRate returns a limit in bit/s; infinite if there is none.
func limitRate(mbps *float64) float64 { return *cmp.Or(mbps, new(math.Inf(1))) * quantity.BitsPerMbit }

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
	needs      []slotNeed
	// minBits is the minimum number of bits to send, and soloSeconds is the minimum duration if the migration has the
	// whole link. slotSeconds is the part of the duration during which the migration uses slots and counts towards
	// max_concurrent.
	minBits, soloSeconds, slotSeconds float64
}

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
		minutes := *cmp.Or(in.SyncIntervalMinutes, new(float64(defaultSyncMinutes)))
		m.interval, m.syncsOnline = minutes*quantity.SecondsPerMinute, in.OnlineSyncFirst
		m.noDowntime = v.DailyChangePercent == nil
		if !m.noDowntime {
			m.changeRate = m.disk * *v.DailyChangePercent / quantity.Percent / quantity.SecondsPerDay
		}
	case MethodVMotion:
		m.path = pathVMotion
		m.memory, m.dirtyRate = v.MemoryGiB*quantity.BitsPerGiB, quantity.BitsPerSecond(v.MemoryDirtyMbps)
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
		m.needs = append(m.needs, slotNeed{resource: resource{LimitedByNetwork, ""}, slots: network})
	}
	return m
}

func (m *migration) addSlots(kind string, slots int, source, target string) {
	if source == target {
		target = ""
	}
	for _, name := range []string{source, target} {
		if slots > 0 && name != "" {
			m.needs = append(m.needs, slotNeed{resource: resource{kind, name}, slots: slots})
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

// delta returns the size, in bits, of the first delta that a replicated VM sends after its copy. since is the time
// since the start of the migration in seconds.
func (m *migration) delta(since float64) float64 {
	return min(m.changeRate*min(m.interval, since), m.disk)
}

// deltas returns the sizes, in bits, of the two deltas that a replicated VM sends after its copy: the one before the
// power-off (0 unless syncsOnline is set), and the last one, while the VM is off. since is the time since the start of
// the migration in seconds; rate is in bit/s.
func (m *migration) deltas(since, rate float64) (before, last float64) {
	last = m.delta(since)
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
