// Package simulation simulates the syncs of vSphere Replication in virtual time and determines how old the recovery
// points of each VM can get.
//
//   - A sync sends all changes made between the start of the previous sync and its own start.
//   - Each sync starts at most the configured RPO after the start of the previous sync, or at its end if that is later.
//     The start of a sync within these limits is not documented, so the age that counts is the greatest possible one:
//     when a sync of duration T ends, the recovery point that it replaces is at most max(N, T') + T old, where N is the
//     configured RPO and T' is the duration of the previous sync.
//   - Transfers share links, targets and the source storage by max-min fairness: the rates of all transfers rise
//     equally until a link, a target or the transfer's own limit is reached.
//
// Sources: vSphere Replication documentation, "How the Recovery Point Objective Affects Replication Scheduling" (5.5 to
// 9.0); Bertsekas and Gallager, Data Networks, 6.5.2, on max-min fairness.
//
// All rates are in bit/s. Amounts are in GiB (2^30 bytes) of uncompressed data unless stated otherwise. Callers must
// validate the input.
package simulation

import (
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// HoursPerDay is the number of hourly rates of a link.
const HoursPerDay = 24

// Limits on the size of an estate.
const (
	// MaxVMs limits the memory used by a run. MaxSyncs is the maximum number of syncs in one run.
	MaxVMs   = 200_000
	MaxSyncs = 3e8
)

// Estate describes VMs whose syncs share links, targets and the source storage.
type Estate struct {
	// Links contains at least one link. Targets contains the storage that holds the replicas.
	Links   []Link
	Targets []Target
	// Tiers contains groups of VMs that share a promise.
	Tiers []Tier
	// SourceReadRate is the rate at which all syncs together can read uncompressed data; 0 for no limit. ChecksumRate
	// is the rate at which seeded data is compared; 0 for no comparison.
	SourceReadRate, ChecksumRate float64
	// JitterPercent is the maximum share of the configured RPO by which a sync starts early, in percent.
	JitterPercent float64
}

// Link is a network link in one direction.
type Link struct {
	// HourlyRates contains the usable rate on the wire for each hour, starting at midnight.
	HourlyRates [HoursPerDay]float64
	// OutageFrom and OutageTo are the start and end of an outage, in seconds from the start of Outage's run. They are
	// equal if there is no outage. All other runs ignore the outage.
	OutageFrom, OutageTo float64
	// MaxSyncs is the maximum number of concurrent syncs; 0 for no limit. Further syncs wait and start in order of
	// their deadlines.
	MaxSyncs int
}

// Target is the storage that holds replicas. The write rate of a transfer is its rate on the wire * the compression
// ratio * WriteFactor.
type Target struct {
	// WriteRate is the maximum write rate of uncompressed data; 0 for no limit.
	WriteRate, WriteFactor float64
}

// Tier is a group of VMs that share a promise and a configured RPO.
type Tier struct {
	// Name seeds the random number generators of the VMs.
	Name string
	// Link is the index of the tier's link. Target is the index of the tier's target; nil for none.
	Link   int
	Target *int
	// PromisedMinutes is the RPO that is promised. ConfiguredMinutes is the RPO that vSphere Replication is configured
	// with.
	PromisedMinutes, ConfiguredMinutes float64
	// OverheadSeconds is the fixed delay before a sync starts to send data. Initial syncs start without this delay.
	OverheadSeconds float64
	// CompressionRatio is the ratio of the original size to the size on the wire.
	CompressionRatio float64
	// PerSyncRate is the maximum rate of one sync on the wire; 0 for no limit.
	PerSyncRate float64
	// Curve maps an interval in minutes to the amount of data, in GiB, that changes on one VM during the interval. If
	// it is nil, the daily change of each VM applies.
	Curve map[float64]float64
	// HourlyWeights contains 24 weights, one for each hour of the day, starting at midnight. The daily change is
	// distributed over the hours in proportion to these weights. Alternatively, the change occurs at PeakFactor times
	// its mean rate, starting at PeakStartHour, until the whole daily change has occurred. If neither is set, the
	// change is evenly distributed.
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

// Mean returns the mean of values.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// WithSettings returns the estate with a configured RPO, in minutes, for each tier.
func (e Estate) WithSettings(minutes []float64) Estate {
	e.Tiers = slices.Clone(e.Tiers)
	for i, n := range minutes {
		e.Tiers[i].ConfiguredMinutes = n
	}
	return e
}

// Scaled returns the estate with all data and change multiplied by a factor.
func (e Estate) Scaled(factor float64) Estate {
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

// Merged returns the estate with a single VM in each tier without a curve, which changes as much as all its VMs.
func (e Estate) Merged() Estate {
	e.Tiers = slices.Clone(e.Tiers)
	for i := range e.Tiers {
		t := &e.Tiers[i]
		if t.Curve != nil {
			continue
		}
		sum := 0.0
		for _, v := range t.VMs {
			sum += float64(v.count()) * v.SizeGiB * v.DailyChangePercent / quantity.Percent
		}
		t.VMs = []VM{{SizeGiB: sum, DailyChangePercent: quantity.Percent}}
	}
	return e
}

// Growth returns the factor by which data and change grow within the given number of months: (1 + growth)^(months /
// 12).
func Growth(percentPerYear float64, months int64) float64 {
	return plan.Pow(1+percentPerYear/quantity.Percent, float64(months)/quantity.MonthsPerYear)
}

// MeanBits returns the mean change rate of the tier, on the wire. For a tier with a curve, it assumes one sync per
// promised RPO.
func (t Tier) MeanBits() float64 {
	bits := 0.0
	for _, v := range t.VMs {
		g := t.newVMGroup(v)
		bits += float64(v.count()) * g.changedBits(t.PromisedMinutes)
	}
	return bits / (t.PromisedMinutes * quantity.SecondsPerMinute)
}

// BusiestBits returns the greatest amount that all VMs of the tier together change within any interval of the given
// length, in bits on the wire.
func (t Tier) BusiestBits(minutes float64) float64 {
	bits, busiest := 0.0, t.busiestMinutes(minutes)
	for _, v := range t.VMs {
		g := t.newVMGroup(v)
		bits += float64(v.count()) * g.changedBits(busiest)
	}
	return bits
}

// BusiestRate returns the change rate of the tier in its busiest interval, on the wire: the rate of the peak or of the
// busiest hour, or, with a curve, the mean rate over the busiest interval of the length of the promised RPO.
func (t Tier) BusiestRate() float64 {
	minutes := 1.0
	if t.Curve != nil {
		minutes = t.PromisedMinutes
	}
	return t.BusiestBits(minutes) / (minutes * quantity.SecondsPerMinute)
}

// busiestMinutes returns the length of an interval in which, on average, as much data changes as in the busiest
// interval of the given length.
func (t Tier) busiestMinutes(minutes float64) float64 {
	switch {
	case t.PeakFactor > 0:
		return min(quantity.MinutesPerDay, t.PeakFactor*minutes)
	case t.HourlyWeights == nil:
		return minutes
	}
	ts := newTierState(t, Estate{})
	most := 0.0
	// The change of an interval is linear in its start as long as neither end crosses a full hour.
	for h := range HoursPerDay {
		start := float64(h) * quantity.SecondsPerHour
		length := minutes * quantity.SecondsPerMinute
		most = max(most, ts.changeMinutes(start+length)-ts.changeMinutes(start),
			ts.changeMinutes(start)-ts.changeMinutes(start-length))
	}
	return most
}

// vms returns the number of VMs of all tiers.
func (e Estate) vms() int {
	n := 0
	for _, t := range e.Tiers {
		n += t.Count()
	}
	return n
}

func (l Link) hasOutage() bool { return l.OutageTo > l.OutageFrom }

func (l Link) maxRate() float64 { return slices.Max(l.HourlyRates[:]) }

// Syncs returns the greatest number of syncs in one run, if no sync takes longer than the configured RPO.
func (e Estate) Syncs() float64 {
	sum := 0.0
	for _, t := range e.Tiers {
		sum += float64(t.Count()) * quantity.MinutesPerDay / t.ConfiguredMinutes
	}
	return sum * (warmUpDays + MeasuredDays) / math.Max(1-e.JitterPercent/quantity.Percent, 0.5)
}

// FirstMonth returns the first failing month, or nil if the last month of the horizon does not fail.
func FirstMonth(horizon int64, fails func(month int64) bool) *int64 {
	if month, ok := plan.SmallestInt(0, horizon, fails); ok {
		return &month
	}
	return nil
}

// MonthsOfGrowth returns the number of months until an amount grows to a limit, or nil if that takes longer than the
// horizon. The amount must not exceed the limit.
func MonthsOfGrowth(amount, limit, percentPerYear, horizon float64) *float64 {
	growth := math.Log1p(percentPerYear / quantity.Percent)
	if amount <= 0 || growth == 0 {
		return nil
	}
	months := max(0, quantity.MonthsPerYear*plan.Log(limit/amount)/growth)
	if months > horizon {
		return nil
	}
	return &months
}
