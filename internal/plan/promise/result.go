// Results: one answer for each promise, one need for each link.

package promise

import "terraform-provider-vsla/internal/plan/calculator"

// The verdicts, from best to worst.
const (
	VerdictMeets   = "meets"
	VerdictAtRisk  = "at_risk"
	VerdictUnknown = "unknown"
	VerdictMisses  = "misses"
)

// Result is the answer to a plan.
type Result struct {
	// Verdict is the worst of the promises.
	Verdict string
	// Promises are the answers by tier, Links and Targets those by name.
	Promises map[string]Promise
	Links    map[string]LinkResult
	Targets  map[string]TargetResult
	// DaysSimulated is the length of a run, Runs their number. Converged: the halves of the first run agree.
	DaysSimulated, Runs int64
	Converged           bool
	// NotCounted are the inputs whose absence may hide a miss, sorted: "not in this verdict".
	NotCounted []string
	calculator.Explanation
}

// Promise is the answer to the promise of a tier.
type Promise struct {
	// Verdict is that of the plan: both ends of its ranges. LikelyVerdict is that of the inputs as given, WorseEndVerdict
	// that with every range at its worse end; nil without one.
	Verdict, LikelyVerdict string
	WorseEndVerdict        *string
	// MovesVerdict is that of the inputs as given while migrations take their part of the links, MovesWithinRPOPercent
	// the share that decides it; nil without moves.
	MovesVerdict          *string
	MovesWithinRPOPercent *float64
	// VMCount is the number of VMs, TotalGiB their data.
	VMCount  int64
	TotalGiB float64
	// WithinRPOPercent is the least share of time within the RPO over its VMs, the runs and their second halves: the
	// share that decides; nil if unknown. DecidedBy names its VM, run and half.
	WithinRPOPercent *float64
	DecidedBy        string
	// WorseEndWithinRPOPercent is the same at the worse end; nil without one.
	WorseEndWithinRPOPercent *float64
	// CompliancePercent is the share of VM-time within the RPO of the first run.
	CompliancePercent *float64
	// LateVMCount is the number of VMs whose own share is below the one that is promised, LateVirtualMachines the worst of
	// them, MaxLateNames at most.
	LateVMCount         int64
	LateVirtualMachines []LateVM
	// Violations and Alarms are those of the first run; DaysPerAlarm is the mean number of days between two alarms of a
	// VM, nil without one.
	Violations, Alarms        int64
	DaysPerAlarm              *float64
	WorstRecoveryPointMinutes *float64
	P95SyncSeconds            *float64
	// ChangeMbps is the mean rate of its change on the wire, BusiestChangeMbps the one of its busiest hour.
	ChangeMbps, BusiestChangeMbps float64
	// InitialSyncMinutes is when its last VM is in sync, from a cold start of all tiers; nil beyond the run. DeadlineMet
	// is nil without a deadline.
	InitialSyncMinutes *float64
	DeadlineMet        *bool
	// TargetGiB is the space of its replicas.
	TargetGiB *float64
	// MonthsUntilAtRisk and MonthsUntilMiss are the first months in which growth makes the verdict that or worse; nil
	// without growth and beyond the horizon.
	MonthsUntilAtRisk, MonthsUntilMiss *int64
	// Remedies are what makes it hold, each computed, all else as given.
	Remedies []Remedy
	calculator.Explanation
}

// LateVM is a VM that misses its promise.
type LateVM struct {
	Name string
	// SizeGiB is its data, WithinRPOPercent its least share of time within the RPO over runs and second halves.
	SizeGiB, WithinRPOPercent float64
	// OldestRecoveryPointMinutes is the greatest age that its newest recovery point reached.
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
	// Kind is one of the kinds, the name of the input that changes.
	Kind string
	// At is the link, target or tier to change.
	At string
	// Value is the new value; nil for RemedyWithout and RemedyMeasure.
	Value *float64
	// VirtualMachines are the VMs to leave out.
	VirtualMachines []string
	Sentence        string
}

// What limits a link whose throughput does not help.
const (
	LimitedByTarget    = "target"
	LimitedByPerSync   = "per_sync"
	LimitedByOverhead  = "overhead"
	LimitedByOtherLink = "other_link"
	LimitedBySource    = "source_read"
	// LimitedByMoves: migrations take the link.
	LimitedByMoves = "moves"
	// LimitedByUnknown: a promise on the link cannot be judged, such as one with a VM of unknown size.
	LimitedByUnknown = "unknown"
)

// LinkResult is what a link carries and needs.
type LinkResult struct {
	// ThroughputMbps is the mean of the day as given or as computed from its network.
	ThroughputMbps float64
	// UsePercent is the part of its usable throughput that is used, BusiestHourPercent the same of the busiest hour.
	UsePercent, BusiestHourPercent float64
	// HourlyUsePercent is the mean use of each hour of the day, 24 numbers.
	HourlyUsePercent []float64
	// ThroughputNeededMbps is the least throughput with which every promise on the link meets, at the worse end; nil with
	// NeededLimitedBy.
	ThroughputNeededMbps *float64
	NeededLimitedBy      *string
	// HeadroomPercent is the part of the throughput above the need; nil without a need, negative below it.
	HeadroomPercent *float64
	// Promises are the names of the tiers on it, sorted.
	Promises []string
}

// TargetResult is the space and the writes of a target.
type TargetResult struct {
	// NeededGiB is the space of all replicas, FreeAfterGiB the rest; nil if the free space is unknown.
	NeededGiB    float64
	FreeAfterGiB *float64
	// MonthsUntilFull is when growth has used the space; nil without growth and beyond the horizon.
	MonthsUntilFull *float64
	// BusiestWritePercent is the part of its write throughput in the busiest hour; nil without one.
	BusiestWritePercent *float64
	// Promises are the names of the tiers on it, sorted.
	Promises []string
}
