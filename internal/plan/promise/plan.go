// Package promise answers whether promises to tiers of VMs hold on the links and targets that they share. It
// simulates every VM individually.
package promise

import (
	"context"
	"maps"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
)

// Plan describes the promises to tiers of VMs, and the links and targets that they share.
type Plan struct {
	// Links are the links by name, at least one. Each is for one direction.
	Links map[string]Link
	// Targets are the storages of the replicas by name; several links may lead to one.
	Targets map[string]Target
	// Tiers are the promises by name, at least one.
	Tiers map[string]Tier
	// GrowthPercentPerYear is the annual growth of data and change; nil for none. HorizonMonths is the time horizon
	// of the growth.
	GrowthPercentPerYear *float64
	HorizonMonths        float64
	// Days and Runs are length and number of the simulations; nil chooses them by the number of syncs.
	Days, Runs *float64
	// JitterPercent is the random shift of starts in percent of the RPO.
	JitterPercent float64
	// MaxConcurrentSyncs is the number of concurrent syncs on each link; nil for no limit.
	MaxConcurrentSyncs *float64
	// SourceReadMbps is the read rate of the source's storage for all syncs together, in 10^6 bit/s of uncompressed
	// data; nil for no limit.
	SourceReadMbps *float64

	watch Watch
}

// Link is a network link in one direction.
type Link struct {
	// ThroughputMbps is its throughput in 10^6 bit/s; nil with HourlyThroughputMbps, which has 24 numbers from
	// midnight, or with Network, from which it is computed.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	Network              *link.Input
	// EfficiencyPercent is the usable share of the throughput.
	EfficiencyPercent float64
	// ThroughputBasis is one of plan.Bases; empty if unknown.
	ThroughputBasis string
	// OutageMinutes is the duration of an outage, OutageStartHours after the start; nil for none.
	OutageMinutes    *float64
	OutageStartHours float64
	// HourlyMovesPercent is the share for migrations in each hour of the day, 24 numbers; nil for none.
	HourlyMovesPercent []float64
	// Ranges are the bounds of uncertain inputs by name; the input itself is the likely value.
	Ranges map[string]calculator.Ends
}

// Target is the storage of replicas.
type Target struct {
	// FreeGiB is its free space; nil if unknown.
	FreeGiB *float64
	// WriteMbps is the write rate in 10^6 bit/s of uncompressed data; nil for no limit.
	WriteMbps *float64
	// WriteFactor is the number of writes per received byte.
	WriteFactor float64
}

// Tier is a group of VMs with one promise.
type Tier struct {
	// VirtualMachines are the VMs by name; nil if VMCount identical VMs of VMSizeGiB are given.
	VirtualMachines    map[string]VM
	VMCount, VMSizeGiB *float64
	// Link and Target are names; an empty Link selects the only one, an empty Target none.
	Link, Target string
	// TargetCompliancePercent is the promised share of time within the RPO for each VM; nil selects the documented
	// limits of a verdict.
	TargetCompliancePercent *float64
	// DeadlineHours is the time from a cold start of all tiers until the initial sync of the tier must be complete;
	// nil for no deadline.
	DeadlineHours *float64
	// DailyChangePercent is the daily change of VMs without their own; nil with a ChangeCurve, and if each VM has
	// one.
	DailyChangePercent *float64
	// PerSyncMbps is the largest rate of one sync; nil for no limit except link and target.
	PerSyncMbps *float64
	// PointInTime describes the recovery points kept in addition to the newest; nil for none.
	PointInTime *replication.PointInTime
	// Ranges are the bounds of uncertain inputs by name; the input itself is the likely value.
	Ranges map[string]calculator.Ends
	// Group holds the inputs of a schedule's group, except for number, size and change of its VMs: RPOMinutes is the
	// promise.
	replication.Group
}

// VM is a VM of a tier.
type VM struct {
	// SizeGiB is its data, in GiB (2^30 bytes); nil if unknown, which makes the promise of its tier unknown.
	SizeGiB *float64
	// DailyChangePercent and SeededPercent default to those of the tier.
	DailyChangePercent, SeededPercent *float64
}

// Ends are the bounds of an uncertain input.
type Ends = calculator.Ends

// Defaults returns the default plan.
func Defaults() Plan {
	schedule := replication.ScheduleDefaults()
	return Plan{JitterPercent: schedule.JitterPercent, HorizonMonths: schedule.HorizonMonths}
}

// LinkDefaults returns the default link.
func LinkDefaults() Link {
	return Link{
		EfficiencyPercent: quantity.Percent, OutageStartHours: replication.ScheduleDefaults().OutageStartHours,
	}
}

// TargetDefaults returns the default target: each received byte is written twice.
func TargetDefaults() Target { return Target{WriteFactor: 2} }

// TierDefaults returns the default tier.
func TierDefaults() Tier { return Tier{Group: replication.GroupDefaults()} }

// LinkInputs returns the rows of a link.
func LinkInputs() calculator.Inputs[Link] { return linkInputs }

// TargetInputs returns the rows of a target.
func TargetInputs() calculator.Inputs[Target] { return targetInputs }

// TierInputs returns the rows of a tier.
func TierInputs() calculator.Inputs[Tier] { return tierInputs() }

// Watch follows a computation.
type Watch struct {
	// Runs is called after each run of the simulation with the number of runs that have ended and of all; nil for none.
	Runs func(done, all int)
	// Partial is called by Compute with the verdicts, before needs, growth and remedies, and again with the needs; nil for
	// none.
	Partial func(Result)
}

// Watched returns the plan with a watch on its computation.
func (p Plan) Watched(w Watch) Plan {
	p.watch = w
	return p
}

func (a *answer) told() {
	if a.plan.watch.Partial == nil {
		return
	}
	early := *a
	early.result.Promises, early.result.Links = maps.Clone(a.result.Promises), maps.Clone(a.result.Links)
	early.explain()
	a.plan.watch.Partial(early.result)
}

// Needs is Verdicts with the needs of the links.
func Needs(ctx context.Context, p Plan) (Result, error) {
	a, err := p.answer(ctx)
	if err != nil {
		return Result{}, err
	}
	if err := a.needs(ctx); err != nil {
		return Result{}, err
	}
	a.explain()
	return a.result, nil
}

// MeanMbps returns the mean throughput of a link in Mbit/s; 0 for a link that Check refuses.
func (l Link) MeanMbps() float64 {
	if l.check(nil).Err() != nil {
		return 0
	}
	return l.capacity().mean()
}

// Moves is a migration beside a plan of promises.
type Moves struct {
	Input migration.PlanInput
	// Link is the link whose usable throughput the moves take; empty if Input has its own.
	Link string
	// SharePercent is the part of the throughput that they take.
	SharePercent float64
}

// On returns the migration on the links of a checked plan.
func (m Moves) On(p Plan) migration.PlanInput {
	in, share := m.Input, m.SharePercent/quantity.Percent
	hours := in.HourlyThroughputMbps
	switch {
	case m.Link != "":
		l := p.Links[m.Link]
		hours = make([]float64, hoursPerDay)
		for h, bits := range p.simulatedLink(Link{
			ThroughputMbps: l.ThroughputMbps, HourlyThroughputMbps: l.HourlyThroughputMbps, Network: l.Network,
			EfficiencyPercent: l.EfficiencyPercent,
		}, asGiven).Hourly {
			hours[h] = bits / quantity.BitsPerMbit * share
		}
		if l.HourlyThroughputMbps != nil {
			in.HourlyThroughputMbps = hours
		} else {
			in.ThroughputMbps = &hours[0]
		}
	case hours != nil:
		in.HourlyThroughputMbps = make([]float64, len(hours))
		for h, mbps := range hours {
			in.HourlyThroughputMbps[h] = mbps * share
		}
	case in.ThroughputMbps != nil:
		in.ThroughputMbps = new(*in.ThroughputMbps * share)
	}
	return in
}
