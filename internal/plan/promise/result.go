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
	// Promises are the results by tier, Links and Targets the results by their names.
	Promises map[string]Promise
	Links    map[string]LinkResult
	Targets  map[string]TargetResult
	// DaysSimulated is the length of a run, Runs the number of runs. Converged reports whether the halves of the first
	// run agree.
	DaysSimulated, Runs int64
	Converged           bool
	// NotCounted lists the omitted inputs that may hide a miss, sorted.
	NotCounted []string
	calculator.Explanation
}

// Promise is the result of a tier's promise.
type Promise struct {
	// Verdict considers both ends of the ranges. LikelyVerdict is the verdict for the inputs as given, WorseEndVerdict
	// for the worse end of every range; nil without ranges.
	Verdict, LikelyVerdict string
	WorseEndVerdict        *string
	// MovesVerdict is the verdict for the inputs as given while migrations use the links, MovesWithinRPOPercent its
	// deciding share; nil without moves.
	MovesVerdict          *string
	MovesWithinRPOPercent *float64
	// VMCount is the number of VMs, TotalGiB the size of their data.
	VMCount  int64
	TotalGiB float64
	// WithinRPOPercent is the deciding share, the smallest share of time within the RPO over the VMs, the runs and
	// their second halves; nil if unknown. DecidedBy names its VM, run and half.
	WithinRPOPercent *float64
	DecidedBy        string
	// WorseEndWithinRPOPercent is the deciding share at the worse end; nil without ranges.
	WorseEndWithinRPOPercent *float64
	// CompliancePercent is the share of VM-time within the RPO in the first run.
	CompliancePercent *float64
	// LateVMCount is the number of VMs below the promised share. LateVirtualMachines lists the worst of them, at most
	// MaxLateNames.
	LateVMCount         int64
	LateVirtualMachines []LateVM
	// Violations and Alarms are numbers of the first run. DaysPerAlarm is the mean number of days between two alarms
	// of a VM; nil without alarms.
	Violations, Alarms        int64
	DaysPerAlarm              *float64
	WorstRecoveryPointMinutes *float64
	P95SyncSeconds            *float64
	// ChangeMbps is the mean change rate on the wire, BusiestChangeMbps the change rate in the busiest RPO.
	ChangeMbps, BusiestChangeMbps float64
	// InitialSyncMinutes is the time from a cold start of all tiers until the last VM is in sync; nil if it takes
	// longer than the run. DeadlineMet is nil without a deadline.
	InitialSyncMinutes *float64
	DeadlineMet        *bool
	// TargetGiB is the space of the replicas.
	TargetGiB *float64
	// MonthsUntilAtRisk is the first month in which growth makes the verdict at_risk or worse, MonthsUntilMiss the
	// first with the verdict misses; nil without growth or beyond the horizon.
	MonthsUntilAtRisk, MonthsUntilMiss *int64
	// Remedies are single changes with which the promise holds, each confirmed by a computation.
	Remedies []Remedy
	calculator.Explanation
}

// LateVM is a VM that misses its promise.
type LateVM struct {
	Name string
	// SizeGiB is the size of the data. WithinRPOPercent is the VM's smallest share of time within the RPO, over runs
	// and second halves.
	SizeGiB, WithinRPOPercent float64
	// OldestRecoveryPointMinutes is the largest age of the VM's newest recovery point.
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

// Remedy is a change of the plan with which a promise holds.
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

// The limits of a link that more throughput does not fix.
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

// LinkResult holds the use and the need of a link.
type LinkResult struct {
	// ThroughputMbps is the mean throughput of the day, as given or computed from the network.
	ThroughputMbps float64
	// UsePercent is the used share of the usable throughput, BusiestHourPercent the share in the busiest hour.
	UsePercent, BusiestHourPercent float64
	// HourlyUsePercent is the mean use by hour of the day, 24 numbers.
	HourlyUsePercent []float64
	// ThroughputNeededMbps is the smallest throughput for which every promise on the link meets at the worse end; nil
	// if NeededLimitedBy is set.
	ThroughputNeededMbps *float64
	NeededLimitedBy      *string
	// HeadroomPercent is the share of the throughput above the need; negative if the throughput is below, nil without
	// a need.
	HeadroomPercent *float64
	// Promises are the sorted names of the tiers on the link.
	Promises []string
}

// TargetResult holds the space and the write rate of a target.
type TargetResult struct {
	// NeededGiB is the space of all replicas. FreeAfterGiB is the remaining space; nil if the free space is unknown.
	NeededGiB    float64
	FreeAfterGiB *float64
	// MonthsUntilFull is the number of months until growth fills the free space; nil without growth or beyond the
	// horizon.
	MonthsUntilFull *float64
	// BusiestWritePercent is the used share of the write rate in the busiest hour; nil without a limit.
	BusiestWritePercent *float64
	// Promises are the sorted names of the tiers on the target.
	Promises []string
}

type unknown struct {
	// sizeless are the VMs of unknown size, twice the VMs that also belong to another tier.
	sizeless, twice []string
	// others are the tiers on the same link or target with an unknown load.
	others []string
	// empty reports whether the tier has no VMs.
	empty bool
}

// unknown returns the tiers that cannot be judged: tiers without VMs, with a VM of unknown size or in two tiers, and
// tiers that share a link or a target with a VM of unknown size.
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

// unknown returns the reasons why a single tier cannot be judged. tiersOf is the number of tiers by VM.
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
	// frequentMinutes is the RPO for which the number of replications has a separate limit.
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
