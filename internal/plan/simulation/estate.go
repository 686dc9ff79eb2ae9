// Package simulation simulates the syncs of vSphere Replication in virtual time, judges whether the promise to each VM
// holds, and searches the least throughput with which it does.
//
//   - A sync sends all that changed from the start of the previous sync to its own start; the age of its recovery point
//     counts from its start.
//   - The next sync starts as late as the RPO allows by the predicted duration, 1.2 * mean of the last 15 durations,
//     and at once if that has passed.
//   - Transfers share links, targets and the source's storage by max-min fairness: all get the same rate on the wire,
//     raised together, until a link, a target or their own limit is full.
//   - A VM is in violation while its newest recovery point is older than its RPO, if that takes more than a second.
//
// Sources: vSphere Replication documentation on RPO scheduling, and the VMware vSphere blog of June 2014; Bertsekas and
// Gallager, Data Networks, 6.5.2, on max-min fairness.
//
// All rates are in bit/s. Amounts are in GiB (2^30 bytes) of uncompressed data if not stated otherwise. Callers check
// what they pass.
package simulation

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// HoursPerDay is the number of hours that a link's rates are given for.
const HoursPerDay = 24

// The most that a caller may ask for.
const (
	// MaxVMs bounds the memory of a run, MaxSyncs the work of a run and MaxRunSyncs the work of all runs.
	MaxVMs      = 200_000
	MaxSyncs    = 2e7
	MaxRunSyncs = 2e8
)

// Estate is VMs whose syncs share links, targets and the storage that they are read from.
type Estate struct {
	// Links are the links, at least one. Targets are the storages of the replicas.
	Links   []Link
	Targets []Target
	// Tiers are the VMs by promise. Syncs of the same moment go by RPO and then by this order.
	Tiers []Tier
	// SourceRead is the rate of uncompressed data that all syncs read together, Checksum the one at which seeded data is
	// compared; 0 for no limit, and for a comparison that is not counted.
	SourceRead, Checksum float64
	// ColdStart begins with the initial sync of every VM; otherwise each has a recovery point. StartTogether begins the
	// first syncs of a tier at once; otherwise they are spread evenly over the RPO.
	ColdStart, StartTogether bool
	// JitterPercent is the part of the RPO by which starts vary: the first one of each VM later, all others earlier.
	JitterPercent float64
	// DeadlineHours is the time from a cold start in which all VMs have to be in sync; 0 for no deadline.
	DeadlineHours float64
}

// Link is a capacity in one direction.
type Link struct {
	// Hourly is the usable rate on the wire in each hour from midnight.
	Hourly [HoursPerDay]float64
	// OutageFrom and OutageTo are the seconds from the start between which the link carries nothing; equal for no outage.
	OutageFrom, OutageTo float64
	// MaxSyncs is the number of syncs that run at a time; 0 for no limit. The others wait, the nearest deadline first.
	MaxSyncs int
}

// Target is the storage of replicas. A transfer at a rate on the wire takes this rate times WriteFactor times the
// compression ratio of Write.
type Target struct {
	// Write is its rate of uncompressed data; 0 for no limit.
	Write, WriteFactor float64
}

// Tier is VMs with one promise.
type Tier struct {
	// Name names the pseudo-random numbers of its VMs.
	Name string
	// Link is the index of its link, Target the one of its target; nil for none.
	Link   int
	Target *int
	// RPOMinutes is the promise. TargetPercent is the share of time within the RPO that each VM is promised; nil for
	// MeetsPercent and MissesPercent.
	RPOMinutes    float64
	TargetPercent *float64
	// OverheadSeconds is the fixed cost of each sync but the initial one, before its data is sent.
	OverheadSeconds float64
	// CompressionRatio is the ratio of original size to size on the wire.
	CompressionRatio float64
	// PerSync is the most that one sync gets on the wire; 0 for no limit but those that are shared.
	PerSync float64
	// Curve has the GiB of one VM that change in a number of minutes; nil for the change of each VM.
	Curve map[float64]float64
	// HourlyWeights are 24 numbers in proportion to which the day's change is spread, from midnight. In their place,
	// PeakFactor times the mean change happens from PeakStartHour on until the day's change has, and nothing in the rest.
	// Nil and 0 are evenly.
	HourlyWeights             []float64
	PeakFactor, PeakStartHour float64
	// VMs are its VMs, each simulated as itself.
	VMs []VM
}

// VM is one VM, or equal ones.
type VM struct {
	// SizeGiB is its data, DailyChangePercent the part that changes in a day, SeededPercent the part of the initial sync
	// that is at the target already.
	SizeGiB, DailyChangePercent, SeededPercent float64
	// Count is the number of VMs like this one; 0 is one.
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

// Mean returns the mean rate of a day.
func (l Link) Mean() float64 { return Mean(l.Hourly[:]) }

// Scaled returns the link with every rate times a factor.
func (l Link) Scaled(factor float64) Link {
	for h := range l.Hourly {
		l.Hourly[h] *= factor
	}
	return l
}

// Grown returns the estate after so many months: data, and with it its change, times (1 + growth)^(months / 12).
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

// MeanChange returns the mean rate at which data of the tiers on a link changes, on the wire. With a curve it is that
// of one sync for each RPO, the least that is possible.
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

// vmsOn returns the number of VMs on a link.
func (e Estate) vmsOn(link int) int {
	n := 0
	for _, t := range e.Tiers {
		if t.Link == link {
			n += t.Count()
		}
	}
	return n
}

// hasEvent reports whether the run begins cold or has an outage.
func (e Estate) hasEvent() bool {
	return e.ColdStart || slices.ContainsFunc(e.Links, Link.fails)
}

func (l Link) fails() bool { return l.OutageTo > l.OutageFrom }

// Overloaded returns, by tier, whether more changes on average than its link, its target or the source carries.
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

// parts numbers the tiers by the part of the estate that they are in: those in different parts share nothing.
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
