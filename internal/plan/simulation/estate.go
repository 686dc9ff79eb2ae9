// Package simulation simulates the syncs of vSphere Replication in virtual time, determines whether each VM meets its
// RPO promise, and searches for the lowest throughput at which the promises are met.
//
//   - A sync sends all changes made between the start of the previous sync and its own start. The age of its recovery
//     point is measured from its own start.
//   - The next sync starts as late as the RPO allows, given its predicted duration (1.2 times the mean of the last 15
//     durations), or immediately if that time has passed.
//   - Transfers share links, targets and the source storage by max-min fairness: the rates of all transfers rise
//     equally until a link, a target or the transfer's own limit is reached.
//   - A VM is in violation while its newest recovery point is older than its RPO. Violations of up to one second are
//     ignored.
//
// Sources: vSphere Replication documentation on RPO scheduling, and the VMware vSphere blog of June 2014; Bertsekas and
// Gallager, Data Networks, 6.5.2, on max-min fairness.
//
// All rates are in bit/s. Amounts are in GiB (2^30 bytes) of uncompressed data unless stated otherwise. Callers must
// validate the input.
package simulation

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// HoursPerDay is the number of hourly rates of a link.
const HoursPerDay = 24

// Limits on the size of an estate.
const (
	// MaxVMs limits the memory used by a run. MaxSyncs and MaxRunSyncs are the maximum numbers of syncs in one run and in
	// all runs together.
	MaxVMs      = 200_000
	MaxSyncs    = 2e7
	MaxRunSyncs = 2e8
)

// Estate describes VMs whose syncs share links, targets and the source storage.
type Estate struct {
	// Links contains at least one link. Targets contains the storage that holds the replicas.
	Links   []Link
	Targets []Target
	// Tiers contains groups of VMs that share a promise. Simultaneous syncs are ordered by RPO, then by tier.
	Tiers []Tier
	// SourceReadRate is the rate at which all syncs together can read uncompressed data; 0 for no limit. ChecksumRate is
	// the rate at which seeded data is compared; 0 for no comparison.
	SourceReadRate, ChecksumRate float64
	// ColdStart starts the simulation with an initial sync of every VM. Otherwise, each VM starts with a recovery point.
	// StartTogether starts the first syncs of a tier at the same time instead of spreading them evenly over the RPO.
	ColdStart, StartTogether bool
	// JitterPercent is the maximum random shift of a sync start, in percent of the RPO. The first start is delayed, and
	// all subsequent starts are brought forward.
	JitterPercent float64
	// DeadlineHours is the time within which all VMs must be in sync after a cold start; 0 for no deadline.
	DeadlineHours float64
}

// Link is a network link in one direction.
type Link struct {
	// HourlyRates contains the usable rate on the wire for each hour, starting at midnight.
	HourlyRates [HoursPerDay]float64
	// OutageFrom and OutageTo are the start and end of an outage, in seconds from the start of the run. They are equal if
	// there is no outage.
	OutageFrom, OutageTo float64
	// MaxSyncs is the maximum number of concurrent syncs; 0 for no limit. Further syncs wait and start in order of their
	// deadlines.
	MaxSyncs int
}

// Target is the storage that holds replicas. The write rate of a transfer is its rate on the wire * the compression
// ratio * WriteFactor.
type Target struct {
	// WriteRate is the maximum write rate of uncompressed data; 0 for no limit.
	WriteRate, WriteFactor float64
}

// Tier is a group of VMs that share a promise.
type Tier struct {
	// Name seeds the random number generators of the VMs.
	Name string
	// Link is the index of the tier's link. Target is the index of the tier's target; nil for none.
	Link   int
	Target *int
	// RPOMinutes is the promised RPO. TargetPercent is the promised share of time during which each VM is within its RPO.
	// If it is nil, MeetsPercent and MissesPercent apply.
	RPOMinutes    float64
	TargetPercent *float64
	// OverheadSeconds is the fixed delay before a sync starts to send data. Initial syncs start without this delay.
	OverheadSeconds float64
	// CompressionRatio is the ratio of the original size to the size on the wire.
	CompressionRatio float64
	// PerSyncRate is the maximum rate of one sync on the wire; 0 for no limit.
	PerSyncRate float64
	// Curve maps an interval in minutes to the amount of data, in GiB, that changes on one VM during the interval. If it
	// is nil, the daily change of each VM applies.
	Curve map[float64]float64
	// HourlyWeights contains 24 weights, one for each hour of the day, starting at midnight. The daily change is
	// distributed over the hours in proportion to these weights. Alternatively, the change occurs at PeakFactor times its
	// mean rate, starting at PeakStartHour, until the whole daily change has occurred. If neither is set, the change is
	// evenly distributed.
	HourlyWeights             []float64
	PeakFactor, PeakStartHour float64
	// VMs contains the VMs of the tier. Each VM is simulated individually.
	VMs []VM
}

// VM describes one VM or several identical VMs.
type VM struct {
	// SizeGiB is the size of the data. DailyChangePercent is the share of it that changes per day. SeededPercent is the
	// share of it that is already at the target before the initial sync.
	SizeGiB, DailyChangePercent, SeededPercent float64
	// Count is the number of identical VMs; 0 counts as 1.
	Count int
}

func (v VM) count() int { return max(1, v.Count) }

// Count returns the number of VMs.
func (t Tier) Count() int {
	n := 0
	for _, v := range t.VMs {
		n += v.count()
	}
	return n
}

// Mean returns the mean rate over the day.
func (l Link) Mean() float64 { return Mean(l.HourlyRates[:]) }

// Grown returns the estate after the given number of months of growth. Data and change are multiplied by (1 +
// growth)^(months / 12).
func (e Estate) Grown(percentPerYear float64, months int64) Estate {
	factor := plan.Pow(1+percentPerYear/quantity.Percent, float64(months)/quantity.MonthsPerYear)
	e.Tiers = slices.Clone(e.Tiers)
	for i := range e.Tiers {
		t := &e.Tiers[i]
		t.VMs = slices.Clone(t.VMs)
		for j := range t.VMs {
			t.VMs[j].SizeGiB *= factor
		}
		if t.Curve == nil {
			continue
		}
		curve := make(map[float64]float64, len(t.Curve))
		for minutes, gib := range t.Curve {
			curve[minutes] = gib * factor
		}
		t.Curve = curve
	}
	return e
}

// MeanChange returns the total mean change rate, on the wire, of all tiers on a link. For a tier with a curve, it
// assumes one sync per RPO, which results in the lowest possible rate.
func (e Estate) MeanChange(link int) float64 {
	bits := 0.0
	for _, t := range e.Tiers {
		if t.Link == link {
			bits += t.meanChange()
		}
	}
	return bits
}

func (t Tier) meanChange() float64 {
	bits := 0.0
	for _, v := range t.VMs {
		g := t.newVMGroup(v)
		bits += float64(v.count()) * g.changedBits(t.RPOMinutes) / (t.RPOMinutes * quantity.SecondsPerMinute)
	}
	return bits
}

func (e Estate) vmsOn(link int) int {
	n := 0
	for _, t := range e.Tiers {
		if t.Link == link {
			n += t.Count()
		}
	}
	return n
}

func (e Estate) hasDisruption() bool {
	return e.ColdStart || slices.ContainsFunc(e.Links, Link.hasOutage)
}

func (l Link) hasOutage() bool { return l.OutageTo > l.OutageFrom }

// Overloaded reports, for each tier, whether the mean change rate exceeds the available rate of its link, its target or
// the source.
func (e Estate) Overloaded() []bool {
	links, targets, source := make([]float64, len(e.Links)), make([]float64, len(e.Targets)), 0.0
	for _, t := range e.Tiers {
		bits := t.meanChange()
		links[t.Link] += bits
		source += bits * t.CompressionRatio
		if t.Target != nil {
			targets[*t.Target] += bits * t.CompressionRatio * e.Targets[*t.Target].WriteFactor
		}
	}
	over := make([]bool, len(e.Tiers))
	for i, t := range e.Tiers {
		over[i] = links[t.Link] > e.Links[t.Link].Mean() || e.SourceReadRate > 0 && source > e.SourceReadRate
		if t.Target != nil {
			write := e.Targets[*t.Target].WriteRate
			over[i] = over[i] || write > 0 && targets[*t.Target] > write
		}
	}
	return over
}

func (e Estate) resourceGroups() []int {
	part := make([]int, len(e.Tiers))
	for i := range part {
		part[i] = i
	}
	join := func(a, b int) {
		for i, from, to := 0, part[b], part[a]; i < len(part); i++ {
			if part[i] == from {
				part[i] = to
			}
		}
	}
	for i, t := range e.Tiers {
		for j, other := range e.Tiers[:i] {
			same := t.Target != nil && other.Target != nil && *t.Target == *other.Target
			if same || t.Link == other.Link || e.SourceReadRate > 0 {
				join(j, i)
			}
		}
	}
	return part
}

// FirstMonth returns the first failing month, or nil if the last month of the horizon does not fail. It bisects, and
// then checks the three months before the result, because verdicts are not strictly monotone.
func FirstMonth(horizon int64, fails func(month int64) bool) *int64 {
	const before = 3
	holding, failing := int64(0), horizon
	switch {
	case fails(0):
		return new(int64)
	case !fails(horizon):
		return nil
	}
	for failing-holding > 1 {
		if middle := (holding + failing) / 2; fails(middle) {
			failing = middle
		} else {
			holding = middle
		}
	}
	first := failing
	for month := failing - 1; month >= max(1, failing-before); month-- {
		if fails(month) {
			first = month
		}
	}
	return &first
}
