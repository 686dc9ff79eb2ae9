// Package simulation simulates the syncs of vSphere Replication in virtual time, decides whether each VM meets its RPO
// promise, and searches for the smallest throughput that suffices.
//
//   - A sync sends all changes between the start of the previous sync and its own start; the age of its recovery point
//     counts from its start.
//   - The next sync starts as late as the RPO allows for the predicted duration, 1.2 * mean of the last 15 durations,
//     or at once if it is too late.
//   - Transfers share links, targets and the source's storage by max-min fairness: all rates on the wire rise equally
//     until a link, a target or their own limit is full.
//   - A VM is in violation while its newest recovery point is older than its RPO, ignoring violations of up to a
//     second.
//
// Sources: vSphere Replication documentation on RPO scheduling, and the VMware vSphere blog of June 2014; Bertsekas
// and Gallager, Data Networks, 6.5.2, on max-min fairness.
//
// All rates are in bit/s. Amounts are in GiB (2^30 bytes) of uncompressed data unless stated otherwise. Callers
// validate the input.
package simulation

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// HoursPerDay is the number of hourly rates of a link.
const HoursPerDay = 24

// The limits of an estate.
const (
	// MaxVMs limits the memory of a run, MaxSyncs the work of a run and MaxRunSyncs the work of all runs.
	MaxVMs      = 200_000
	MaxSyncs    = 2e7
	MaxRunSyncs = 2e8
)

// Estate describes VMs whose syncs share links, targets and the source's storage.
type Estate struct {
	// Links has at least one link. Targets are the storages of the replicas.
	Links   []Link
	Targets []Target
	// Tiers are groups of VMs with the same promise. Simultaneous syncs are ordered by RPO, then by tier.
	Tiers []Tier
	// SourceRead is the rate at which all syncs together read uncompressed data, 0 for no limit. Checksum is the rate
	// at which seeded data is compared; 0 ignores the comparison.
	SourceRead, Checksum float64
	// ColdStart starts with the initial sync of every VM. Otherwise each VM starts with a recovery point.
	// StartTogether starts the first syncs of a tier at the same time instead of spread evenly over the RPO.
	ColdStart, StartTogether bool
	// JitterPercent is the largest random shift of a start in percent of the RPO. The first start is shifted later,
	// all others earlier.
	JitterPercent float64
	// DeadlineHours is the time from a cold start until all VMs must be in sync; 0 for no deadline.
	DeadlineHours float64
}

// Link is a network link in one direction.
type Link struct {
	// Hourly is the usable rate on the wire in each hour from midnight.
	Hourly [HoursPerDay]float64
	// OutageFrom and OutageTo are the start and end of an outage in seconds; equal for no outage.
	OutageFrom, OutageTo float64
	// MaxSyncs is the number of concurrent syncs; 0 for no limit. Other syncs wait in the order of their deadlines.
	MaxSyncs int
}

// Target is the storage of replicas. A transfer uses its rate on the wire times WriteFactor times the compression
// ratio of Write.
type Target struct {
	// Write is the write rate of uncompressed data; 0 for no limit.
	Write, WriteFactor float64
}

// Tier is a group of VMs with one promise.
type Tier struct {
	// Name seeds the random numbers of the VMs.
	Name string
	// Link is the index of the tier's link, Target the index of its target; nil for none.
	Link   int
	Target *int
	// RPOMinutes is the promised RPO. TargetPercent is the promised share of time within the RPO for each VM; nil
	// selects MeetsPercent and MissesPercent.
	RPOMinutes    float64
	TargetPercent *float64
	// OverheadSeconds is the fixed duration of each sync except the initial one, before data is sent.
	OverheadSeconds float64
	// CompressionRatio is the original size divided by the size on the wire.
	CompressionRatio float64
	// PerSync is the largest rate of one sync on the wire; 0 for no limit.
	PerSync float64
	// Curve maps an interval in minutes to the GiB of one VM that change in it. If it is nil, the daily change of each
	// VM is used.
	Curve map[float64]float64
	// HourlyWeights distributes the daily change proportionally over 24 hours from midnight. Alternatively, the change
	// occurs at PeakFactor times its mean rate, from PeakStartHour until the daily change is complete. If both are
	// unset, the change is even.
	HourlyWeights             []float64
	PeakFactor, PeakStartHour float64
	// VMs are simulated individually.
	VMs []VM
}

// VM describes one VM, or several identical ones.
type VM struct {
	// SizeGiB is the size of the data, DailyChangePercent its daily change, SeededPercent the share that is already at
	// the target before the initial sync.
	SizeGiB, DailyChangePercent, SeededPercent float64
	// Count is the number of identical VMs; 0 means one.
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

// Mean returns the mean rate of the day.
func (l Link) Mean() float64 { return Mean(l.Hourly[:]) }

// Scaled returns the link with all rates multiplied by a factor.
func (l Link) Scaled(factor float64) Link {
	for h := range l.Hourly {
		l.Hourly[h] *= factor
	}
	return l
}

// Grown returns the estate after some months of growth. Data and change are multiplied by (1 + growth)^(months / 12).
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

// MeanChange returns the mean change rate of the tiers on a link, on the wire. With a curve it is the rate for one
// sync per RPO, the smallest possible rate.
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
		k := t.kind(v)
		bits += float64(v.count()) * k.changed(t.RPOMinutes) / (t.RPOMinutes * quantity.SecondsPerMinute)
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

func (e Estate) hasEvent() bool {
	return e.ColdStart || slices.ContainsFunc(e.Links, Link.fails)
}

func (l Link) fails() bool { return l.OutageTo > l.OutageFrom }

// Overloaded reports for each tier whether the mean change on its link, its target or the source exceeds the rate.
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
		over[i] = links[t.Link] > e.Links[t.Link].Mean() || e.SourceRead > 0 && source > e.SourceRead
		if t.Target != nil {
			write := e.Targets[*t.Target].Write
			over[i] = over[i] || write > 0 && targets[*t.Target] > write
		}
	}
	return over
}

func (e Estate) parts() []int {
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
			if same || t.Link == other.Link || e.SourceRead > 0 {
				join(j, i)
			}
		}
	}
	return part
}

// FirstMonth returns the first failing month, or nil if the horizon does not fail. It bisects, and then checks the
// three months before, because verdicts are not strictly monotone.
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
