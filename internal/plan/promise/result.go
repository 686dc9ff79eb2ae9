package promise

import "terraform-provider-vsla/internal/plan/calculator"

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
