// Package promise answers whether the promise to each VM holds: tiers of VMs with their RPOs, on links and targets that
// they share. It simulates every VM as itself, and judges it once.
package promise

import (
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
)

// Plan is the promises to tiers of VMs, and the links and targets that they share.
type Plan struct {
	// Links are the links by name, at least one. A link is a capacity in one direction.
	Links map[string]Link
	// Targets are the storages of the replicas by name; several links may lead to one.
	Targets map[string]Target
	// Tiers are the promises by name, at least one.
	Tiers map[string]Tier
	// GrowthPercentPerYear is the growth of all data, and of its change; nil for none. HorizonMonths bounds the months
	// for which it is followed.
	GrowthPercentPerYear *float64
	HorizonMonths        float64
	// Days and Runs are the length and the number of the simulations; nil chooses both by the number of syncs.
	Days, Runs *float64
	// JitterPercent is the part of the RPO by which starts vary.
	JitterPercent float64
	// MaxConcurrentSyncs is the number of syncs that run at a time on each link; nil for no limit.
	MaxConcurrentSyncs *float64
	// SourceReadMbps is what the storage of the VMs reads for all syncs together, in 10^6 bit/s of uncompressed data; nil
	// for no limit.
	SourceReadMbps *float64
}

// Link is a capacity in one direction.
type Link struct {
	// ThroughputMbps is its throughput in 10^6 bit/s; nil with HourlyThroughputMbps, which has 24 numbers from midnight,
	// and with Network, from which it is computed.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	Network              *link.Input
	// EfficiencyPercent is the usable part of it.
	EfficiencyPercent float64
	// ThroughputBasis is one of plan.Bases, or empty if unknown.
	ThroughputBasis string
	// OutageMinutes is how long the link carries nothing, from OutageStartHours after the start on; nil for no outage.
	OutageMinutes    *float64
	OutageStartHours float64
	// HourlyMovesPercent is the part of it that migrations take in each hour of the day, 24 numbers; nil for none.
	HourlyMovesPercent []float64
	// Ranges are the ends of inputs that are not known exactly, by name; the input itself is the likely value.
	Ranges map[string]calculator.Ends
}

// Target is the storage of replicas.
type Target struct {
	// FreeGiB is its free space; nil if unknown.
	FreeGiB *float64
	// WriteMbps is its throughput in 10^6 bit/s of uncompressed data; nil for no limit.
	WriteMbps *float64
	// WriteFactor is the number of writes for each byte that arrives.
	WriteFactor float64
}

// Tier is VMs with one promise.
type Tier struct {
	// VirtualMachines are the VMs by name; nil with VMCount equal VMs of VMSizeGiB each.
	VirtualMachines    map[string]VM
	VMCount, VMSizeGiB *float64
	// Link and Target are names; an empty Link is the only one, an empty Target none.
	Link, Target string
	// TargetCompliancePercent is the least share of time within the RPO of each VM; nil for the documented shares of a
	// verdict.
	TargetCompliancePercent *float64
	// DeadlineHours is the time in which the initial sync of the tier has to end, from a cold start of all tiers; nil for
	// no deadline.
	DeadlineHours *float64
	// DailyChangePercent is the change of a day, for VMs without their own; nil with a ChangeCurve, and if each has one.
	DailyChangePercent *float64
	// PerSyncMbps is the most that one sync gets; nil for no limit but link and target.
	PerSyncMbps *float64
	// PointInTime is the recovery points that are kept in addition to the newest; nil for none.
	PointInTime *replication.PointInTime
	// Ranges are the ends of inputs that are not known exactly, by name; the input itself is the likely value.
	Ranges map[string]calculator.Ends
	// Group has what a group of the schedule has too, but for number, size and change of its VMs: RPOMinutes is the
	// promise.
	replication.Group
}

// VM is one VM of a tier.
type VM struct {
	// SizeGiB is its data, in GiB (2^30 bytes); nil if unknown, which makes the promise of its tier unknown.
	SizeGiB *float64
	// DailyChangePercent and SeededPercent are those of the tier if nil.
	DailyChangePercent, SeededPercent *float64
}

// Ends are the least and the largest value of an input that is not known exactly.
type Ends = calculator.Ends

// Defaults returns a plan with the documented defaults.
func Defaults() Plan {
	schedule := replication.ScheduleDefaults()
	return Plan{JitterPercent: schedule.JitterPercent, HorizonMonths: schedule.HorizonMonths}
}

// LinkDefaults returns a link with the documented defaults.
func LinkDefaults() Link {
	return Link{
		EfficiencyPercent: quantity.Percent, OutageStartHours: replication.ScheduleDefaults().OutageStartHours,
	}
}

// TargetDefaults returns a target with the documented defaults: each byte that arrives is written twice.
func TargetDefaults() Target { return Target{WriteFactor: 2} }

// TierDefaults returns a tier with the documented defaults.
func TierDefaults() Tier { return Tier{Group: replication.GroupDefaults()} }
