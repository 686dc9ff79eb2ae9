package promise

import (
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/limits"
	"terraform-provider-vsla/internal/plan/replication"
)

// The verdicts, from best to worst.
const (
	VerdictMeets   = "meets"
	VerdictAtRisk  = "at_risk"
	VerdictUnknown = "unknown"
	VerdictMisses  = "misses"
)

// Result is the result of a plan.
type Result struct {
	// Verdict is the worst verdict of the promises.
	Verdict string
	// Promises are the results by tier, Links and Targets those by name.
	Promises map[string]Promise
	Links    map[string]LinkResult
	Targets  map[string]TargetResult
	// DaysSimulated is the length of a run, Runs their number. Converged reports whether the halves of the first run
	// agree.
	DaysSimulated, Runs int64
	Converged           bool
	// NotCounted lists the omitted inputs that may hide a miss, sorted.
	NotCounted []string
	calculator.Explanation
}

// Promise is the result of a tier's promise.
type Promise struct {
	// Verdict applies to both ends of the ranges. LikelyVerdict applies to the inputs as given, WorseEndVerdict to
	// the worse end of every range; nil without ranges.
	Verdict, LikelyVerdict string
	WorseEndVerdict        *string
	// MovesVerdict applies to the inputs as given while migrations use the links, MovesWithinRPOPercent is its
	// deciding share; nil without moves.
	MovesVerdict          *string
	MovesWithinRPOPercent *float64
	// VMCount is the number of VMs, TotalGiB their data.
	VMCount  int64
	TotalGiB float64
	// WithinRPOPercent is the deciding share: the smallest share of time within the RPO over the VMs, the runs and
	// their second halves; nil if unknown. DecidedBy names its VM, run and half.
	WithinRPOPercent *float64
	DecidedBy        string
	// WorseEndWithinRPOPercent is the same at the worse end; nil without one.
	WorseEndWithinRPOPercent *float64
	// CompliancePercent is the share of VM-time within the RPO in the first run.
	CompliancePercent *float64
	// LateVMCount is the number of VMs below the promised share, LateVirtualMachines lists the worst of them, at most
	// MaxLateNames.
	LateVMCount         int64
	LateVirtualMachines []LateVM
	// Violations and Alarms are from the first run; DaysPerAlarm is the mean number of days between two alarms of a
	// VM, nil without alarms.
	Violations, Alarms        int64
	DaysPerAlarm              *float64
	WorstRecoveryPointMinutes *float64
	P95SyncSeconds            *float64
	// ChangeMbps is the mean change rate on the wire, BusiestChangeMbps that of the busiest hour.
	ChangeMbps, BusiestChangeMbps float64
	// InitialSyncMinutes is the time from a cold start of all tiers until the last VM is in sync; nil beyond the run.
	// DeadlineMet is nil without a deadline.
	InitialSyncMinutes *float64
	DeadlineMet        *bool
	// TargetGiB is the space of the replicas.
	TargetGiB *float64
	// MonthsUntilAtRisk and MonthsUntilMiss are the first months in which growth makes the verdict at_risk or worse,
	// and misses; nil without growth and beyond the horizon.
	MonthsUntilAtRisk, MonthsUntilMiss *int64
	// Remedies are single changes for which the promise holds, each computed.
	Remedies []Remedy
	calculator.Explanation
}

// LateVM is a VM that misses its promise.
type LateVM struct {
	Name string
	// SizeGiB is its data, WithinRPOPercent its smallest share of time within the RPO over runs and second halves.
	SizeGiB, WithinRPOPercent float64
	// OldestRecoveryPointMinutes is the largest age of its newest recovery point.
	OldestRecoveryPointMinutes float64
}

// The kinds of remedies.
const (
	RemedyThroughput = "throughput_mbps"
	RemedyRPO        = "rpo_minutes"
	RemedyWithout    = "without_virtual_machines"
	RemedyDeadline   = "deadline_hours"
	RemedyFree       = "free_gib"
	RemedyMeasure    = "throughput_basis"
	RemedyMoves      = "hourly_moves_percent"
)

var remedyKinds = []string{
	RemedyThroughput, RemedyMoves, RemedyRPO, RemedyWithout, RemedyDeadline, RemedyFree, RemedyMeasure,
}

// Remedy is a change of the plan for which a promise holds.
type Remedy struct {
	// Kind is the name of the input to change.
	Kind string
	// At is the link, target or tier to change.
	At string
	// Value is the new value; nil for RemedyWithout and RemedyMeasure.
	Value *float64
	// VirtualMachines are the VMs to remove.
	VirtualMachines []string
	Sentence        string
}

// The limits of a link for which more throughput does not help.
const (
	LimitedByTarget    = "target"
	LimitedByPerSync   = "per_sync"
	LimitedByOverhead  = "overhead"
	LimitedByOtherLink = "other_link"
	LimitedBySource    = "source_read"
	// LimitedByMoves means that migrations use the link.
	LimitedByMoves = "moves"
	// LimitedByUnknown means that a promise on the link cannot be judged, for example because of a VM of unknown
	// size.
	LimitedByUnknown = "unknown"
)

// LinkResult is the use and the need of a link.
type LinkResult struct {
	// ThroughputMbps is the mean of the day, as given or as computed from the network.
	ThroughputMbps float64
	// UsePercent is the used share of the usable throughput, BusiestHourPercent that of the busiest hour.
	UsePercent, BusiestHourPercent float64
	// HourlyUsePercent is the mean use in each hour of the day, 24 numbers.
	HourlyUsePercent []float64
	// ThroughputNeededMbps is the smallest throughput for which every promise on the link meets, at the worse end;
	// nil with NeededLimitedBy.
	ThroughputNeededMbps *float64
	NeededLimitedBy      *string
	// HeadroomPercent is the share of the throughput above the need, negative below it; nil without a need.
	HeadroomPercent *float64
	// Promises are the sorted names of the tiers on the link.
	Promises []string
}

// TargetResult is the space and the write rate of a target.
type TargetResult struct {
	// NeededGiB is the space of all replicas, FreeAfterGiB the rest; nil if the free space is unknown.
	NeededGiB    float64
	FreeAfterGiB *float64
	// MonthsUntilFull is the time until growth has used the space; nil without growth and beyond the horizon.
	MonthsUntilFull *float64
	// BusiestWritePercent is the used share of the write rate in the busiest hour; nil without a limit.
	BusiestWritePercent *float64
	// Promises are the sorted names of the tiers on the target.
	Promises []string
}

type unknown struct {
	// sizeless are the VMs of unknown size, twice the VMs that are also in another tier.
	sizeless, twice []string
	// others are the tiers on the same link or target with an unknown load.
	others []string
	// empty reports that the tier has no VMs.
	empty bool
}

// unknown returns the tiers that cannot be judged: without VMs, with a VM of unknown size or in two tiers, and tiers
// that share a link or a target with a VM of unknown size.
func (p Plan) unknown() map[string]unknown {
	all := make(map[string]unknown)
	tiersOf := make(map[string]int)
	var sizeless []string
	for _, name := range names(p.Tiers) {
		t := p.Tiers[name]
		for vm := range t.VirtualMachines {
			tiersOf[vm]++
		}
		if len(t.vmNames()) < len(t.VirtualMachines) {
			sizeless = append(sizeless, name)
		}
	}
	for _, name := range names(p.Tiers) {
		t := p.Tiers[name]
		u := t.unknown(tiersOf)
		for _, other := range sizeless {
			if other != name && p.together(t, p.Tiers[other]) {
				u.others = append(u.others, other)
			}
		}
		if u.empty || len(u.sizeless)+len(u.twice)+len(u.others) > 0 {
			all[name] = u
		}
	}
	return all
}

// unknown returns the reasons of a single tier; tiersOf is the number of tiers by VM.
func (t Tier) unknown(tiersOf map[string]int) unknown {
	u := unknown{empty: t.count() == 0}
	for _, vm := range names(t.VirtualMachines) {
		if t.VirtualMachines[vm].SizeGiB == nil {
			u.sizeless = append(u.sizeless, vm)
		}
		if tiersOf[vm] > 1 {
			u.twice = append(u.twice, vm)
		}
	}
	return u
}

func (p Plan) together(a, b Tier) bool {
	return p.linkOf(a) == p.linkOf(b) || (a.Target != "" && a.Target == b.Target)
}

const (
	productReplication = "vsphere_replication"
	// quiescedMinutes is the smallest RPO with quiescing that vSphere Replication supports.
	quiescedMinutes = 15
	// frequentMinutes is the RPO with a separate limit on the number of replications.
	frequentMinutes = 5
)

func maxima() (version string, figures map[string]float64) {
	versions := limits.Versions(productReplication)
	version = versions[len(versions)-1]
	r, err := limits.Check(limits.Input{Product: productReplication, Version: version})
	if err != nil {
		return version, nil
	}
	return version, r.Limits
}

func (t Tier) replicated() bool { return t.Mechanism != replication.MechanismGroup }

func (p Plan) replicas(is func(Tier) bool) float64 {
	n := 0
	for _, t := range p.Tiers {
		if t.replicated() && is(t) {
			n += t.count()
		}
	}
	return float64(n)
}

func (t Tier) frequent() bool { return t.RPOMinutes <= frequentMinutes }

func (t Tier) quiescedTooOften() bool { return t.QuiesceSeconds > 0 && t.RPOMinutes < quiescedMinutes }

func (p Plan) exceeded(name string) []string {
	t := p.Tiers[name]
	if !t.replicated() {
		return nil
	}
	_, figures := maxima()
	var codes []string
	if t.frequent() && p.replicas(Tier.frequent) > figures["replications_at_min_rpo"] {
		codes = append(codes, reasonAbove500.Code)
	}
	if p.replicas(func(Tier) bool { return true }) > figures["replications"] {
		codes = append(codes, reasonAppliance.Code)
	}
	if t.quiescedTooOften() {
		codes = append(codes, reasonQuiesced.Code)
	}
	return codes
}

func (p Plan) aboveMaximum(name string) bool { return len(p.exceeded(name)) > 0 }

func (p Plan) notCounted() []string {
	absent := map[string]bool{"source_read_mbps": p.SourceReadMbps == nil}
	for _, t := range p.Tiers {
		l := p.Links[p.linkOf(t)]
		absent["per_sync_mbps"] = absent["per_sync_mbps"] || p.perSync(t, asGiven) == 0
		absent["peak_factor"] = absent["peak_factor"] || (t.PeakFactor == nil && t.HourlyWeights == nil)
		absent["overhead_seconds"] = absent["overhead_seconds"] || t.OverheadSeconds == 0
		absent["throughput_basis"] = absent["throughput_basis"] ||
			(l.ThroughputBasis == "" && l.capacity().worse == 1 && (l.Network == nil || l.Network.ThroughputBasis == ""))
		target, ok := p.Targets[t.Target]
		absent["write_mbps"] = absent["write_mbps"] || !ok || target.WriteMbps == nil
		absent["free_gib"] = absent["free_gib"] || !ok || target.FreeGiB == nil
	}
	return slices.DeleteFunc(names(absent), func(name string) bool { return !absent[name] })
}
