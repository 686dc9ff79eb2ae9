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

// Result contains the results for a plan.
type Result struct {
	// Verdict is the worst of the verdicts on the promises.
	Verdict string
	// Promises, Links and Targets are keyed by the names of the tiers, links and targets.
	Promises map[string]Promise
	Links    map[string]LinkResult
	Targets  map[string]TargetResult
	// DaysSimulated is the length of a run in days, and Runs is the number of runs. Converged reports whether the
	// halves of the first run agree.
	DaysSimulated, Runs int64
	Converged           bool
	// NotCounted lists omitted inputs that could hide a miss, sorted.
	NotCounted []string
	calculator.Explanation
}

// Promise is the result for a tier's promise.
type Promise struct {
	// Verdict considers both ends of the ranges. LikelyVerdict is the verdict for the inputs as given. WorseEndVerdict
	// is the verdict for the worse end of every range; nil if there are no ranges.
	Verdict, LikelyVerdict string
	WorseEndVerdict        *string
	// MovesVerdict is the verdict for the inputs as given while migrations use the links. MovesWithinRPOPercent is the
	// percentage on which it is based. Both are nil if there are no migrations.
	MovesVerdict          *string
	MovesWithinRPOPercent *float64
	// TotalGiB is the total size of the VMs' data.
	VMCount  int64
	TotalGiB float64
	// WithinRPOPercent is the percentage on which the verdict is based: the smallest share of time within the RPO of
	// any VM in any run or second half of a run; nil if unknown. DecidedBy names the VM, the run and the half.
	WithinRPOPercent *float64
	DecidedBy        string
	// WorseEndWithinRPOPercent is WithinRPOPercent at the worse end; nil if there are no ranges.
	WorseEndWithinRPOPercent *float64
	// CompliancePercent is the share of all VM time within the RPO in the first run.
	CompliancePercent *float64
	// LateVMCount is the number of VMs below the promised percentage. LateVirtualMachines lists the worst of them, at
	// most MaxLateNames.
	LateVMCount         int64
	LateVirtualMachines []LateVM
	// Violations and Alarms are counted in the first run. DaysPerAlarm is the mean number of days between two alarms of
	// a VM; nil if there are no alarms.
	Violations, Alarms        int64
	DaysPerAlarm              *float64
	WorstRecoveryPointMinutes *float64
	P95SyncSeconds            *float64
	// ChangeMbps is the mean change rate on the wire. BusiestChangeMbps is the change rate in the busiest RPO interval.
	ChangeMbps, BusiestChangeMbps float64
	// InitialSyncMinutes is the time from a cold start of all tiers until the last VM is in sync; nil if it exceeds 31
	// days. DeadlineMet is nil if there is no deadline.
	InitialSyncMinutes *float64
	DeadlineMet        *bool
	// TargetGiB is the space that the replicas need.
	TargetGiB *float64
	// MonthsUntilAtRisk is the first month in which growth worsens the verdict to VerdictAtRisk or worse. MonthsUntilMiss
	// is the first month with VerdictMisses. Each is nil if there is no growth or the month is beyond the horizon.
	MonthsUntilAtRisk, MonthsUntilMiss *int64
	// Remedies are single changes that allow the promise to be met, each confirmed by a computation.
	Remedies []Remedy
	calculator.Explanation
}

// LateVM is a VM that misses its promise.
type LateVM struct {
	Name string
	// SizeGiB is the size of the data. WithinRPOPercent is the VM's smallest share of time within the RPO in any run or
	// second half of a run.
	SizeGiB, WithinRPOPercent float64
	// OldestRecoveryPointMinutes is the maximum age that the VM's newest recovery point reaches.
	OldestRecoveryPointMinutes float64
}

// Kinds of remedies.
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

// Remedy is a change to the plan that allows a promise to be met.
type Remedy struct {
	// Kind is the name of the input to change.
	Kind string
	// At is the name of the link, target or tier to change.
	At string
	// Value is the new value; nil for RemedyWithout and RemedyMeasure.
	Value *float64
	// VirtualMachines are the VMs to remove.
	VirtualMachines []string
	Sentence        string
}

// Reasons why more throughput on a link does not help.
const (
	LimitedByTarget    = "target"
	LimitedByPerSync   = "per_sync"
	LimitedByOverhead  = "overhead"
	LimitedByOtherLink = "other_link"
	LimitedBySource    = "source_read"
	// LimitedByMoves means that migrations use too much of the link.
	LimitedByMoves = "moves"
	// LimitedByUnknown means that a promise on the link cannot be judged, for example because the size of a VM is unknown.
	LimitedByUnknown = "unknown"
)

// LinkResult contains the utilization of a link and the throughput that it needs.
type LinkResult struct {
	// ThroughputMbps is the mean throughput over the day, as given or computed from the network.
	ThroughputMbps float64
	// UsePercent is the mean utilization of the usable throughput. BusiestHourPercent is the utilization in the busiest
	// hour.
	UsePercent, BusiestHourPercent float64
	// HourlyUsePercent is the mean utilization by hour of the day (24 numbers).
	HourlyUsePercent []float64
	// ThroughputNeededMbps is the lowest throughput at which every promise on the link is met at the worse end; nil if
	// NeededLimitedBy is set.
	ThroughputNeededMbps *float64
	NeededLimitedBy      *string
	// HeadroomPercent is the difference between the throughput and the need, as a percentage of the throughput. It is
	// negative if the throughput is below the need, and nil if the need is unknown.
	HeadroomPercent *float64
	// Promises are the sorted names of the tiers on the link.
	Promises []string
}

// TargetResult contains the space that a target needs and the utilization of its write rate.
type TargetResult struct {
	// NeededGiB is the space that all replicas need. FreeAfterGiB is the remaining space; nil if the free space is
	// unknown.
	NeededGiB    float64
	FreeAfterGiB *float64
	// MonthsUntilFull is the number of months until growth fills the free space. It is nil if there is no growth or if the
	// free space lasts beyond the horizon.
	MonthsUntilFull *float64
	// BusiestWritePercent is the utilization of the write rate in the busiest hour; nil if the write rate is unlimited.
	BusiestWritePercent *float64
	// Promises are the sorted names of the tiers on the target.
	Promises []string
}

type unknownReasons struct {
	unsized, inSeveralTiers []string
	unsizedNeighbors        []string
	noVMs                   bool
}

// unknownReasons returns, by tier name, the reasons why tiers cannot be judged. A tier cannot be judged if it has no
// VMs, contains a VM of unknown size or a VM that also belongs to another tier, or shares a link or target with a tier
// that contains a VM of unknown size.
func (p Plan) unknownReasons() map[string]unknownReasons {
	all := make(map[string]unknownReasons)
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
		u := t.unknownReasons(tiersOf)
		for _, other := range sizeless {
			if other != name && p.shareResource(t, p.Tiers[other]) {
				u.unsizedNeighbors = append(u.unsizedNeighbors, other)
			}
		}
		if u.noVMs || len(u.unsized)+len(u.inSeveralTiers)+len(u.unsizedNeighbors) > 0 {
			all[name] = u
		}
	}
	return all
}

func (t Tier) unknownReasons(tiersOf map[string]int) unknownReasons {
	u := unknownReasons{noVMs: t.count() == 0}
	for _, vm := range names(t.VirtualMachines) {
		if t.VirtualMachines[vm].SizeGiB == nil {
			u.unsized = append(u.unsized, vm)
		}
		if tiersOf[vm] > 1 {
			u.inSeveralTiers = append(u.inSeveralTiers, vm)
		}
	}
	return u
}

func (p Plan) shareResource(a, b Tier) bool {
	return p.linkOf(a) == p.linkOf(b) || (a.Target != "" && a.Target == b.Target)
}

const (
	productReplication = "vsphere_replication"
	// quiescedMinutes is the shortest RPO that vSphere Replication supports with quiescing.
	quiescedMinutes = 15
	// frequentMinutes is the longest RPO to which a separate limit on the number of replications applies.
	frequentMinutes = 5
)

func replicationLimits() (version string, figures map[string]float64) {
	versions := limits.Versions(productReplication)
	version = versions[len(versions)-1]
	r, err := limits.Check(limits.Input{Product: productReplication, Version: version})
	if err != nil {
		return version, nil
	}
	return version, r.Limits
}

func (t Tier) isVSphereReplication() bool { return t.Mechanism != replication.MechanismGroup }

func (p Plan) countReplicas(is func(Tier) bool) float64 {
	n := 0
	for _, t := range p.Tiers {
		if t.isVSphereReplication() && is(t) {
			n += t.count()
		}
	}
	return float64(n)
}

func (t Tier) isFrequent() bool { return t.RPOMinutes <= frequentMinutes }

func (t Tier) quiescedTooOften() bool { return t.QuiesceSeconds > 0 && t.RPOMinutes < quiescedMinutes }

func (p Plan) exceededLimits(name string) []string {
	t := p.Tiers[name]
	if !t.isVSphereReplication() {
		return nil
	}
	_, figures := replicationLimits()
	var codes []string
	if t.isFrequent() && p.countReplicas(Tier.isFrequent) > figures["replications_at_min_rpo"] {
		codes = append(codes, reasonAbove500.Code)
	}
	if p.countReplicas(func(Tier) bool { return true }) > figures["replications"] {
		codes = append(codes, reasonAppliance.Code)
	}
	if t.quiescedTooOften() {
		codes = append(codes, reasonQuiesced.Code)
	}
	return codes
}

func (p Plan) exceedsLimits(name string) bool { return len(p.exceededLimits(name)) > 0 }

func (t Tier) hasSeeds() bool {
	return t.SeededPercent > 0 || slices.ContainsFunc(names(t.VirtualMachines), func(name string) bool {
		p := t.VirtualMachines[name].SeededPercent
		return p != nil && *p > 0
	})
}

func (p Plan) notCounted() []string {
	absent := map[string]bool{"source_read_mbps": p.SourceReadMbps == nil}
	for _, t := range p.Tiers {
		l := p.Links[p.linkOf(t)]
		absent["per_sync_mbps"] = absent["per_sync_mbps"] || p.perSyncMbps(t, asGiven) == 0
		absent["peak_factor"] = absent["peak_factor"] || (t.PeakFactor == nil && t.HourlyWeights == nil)
		absent["overhead_seconds"] = absent["overhead_seconds"] || t.OverheadSeconds == 0
		absent["throughput_basis"] = absent["throughput_basis"] ||
			(l.ThroughputBasis == "" && l.capacity().worseShare == 1 && (l.Network == nil || l.Network.ThroughputBasis == ""))
		target := p.Targets[t.Target] // without limits if the tier has no target
		absent["write_mbps"] = absent["write_mbps"] || target.WriteMbps == nil
		absent["free_gib"] = absent["free_gib"] || target.FreeGiB == nil
		absent["checksum_mbps"] = absent["checksum_mbps"] || (p.ChecksumMbps == nil && t.hasSeeds())
	}
	return slices.DeleteFunc(names(absent), func(name string) bool { return !absent[name] })
}
