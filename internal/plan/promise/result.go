package promise

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// Result contains the results for a plan.
type Result struct {
	// Verdict is the worst of the verdicts on the promises. It ignores tiers without VMs unless all tiers have none.
	Verdict plan.Level
	// Promises, Links and Targets are keyed by the names of the tiers, links and targets.
	Promises map[string]Promise
	Links    map[string]LinkResult
	Targets  map[string]TargetResult
	// DaysSimulated is the length of a run in days, without its warm-up. Runs is the number of runs of the part of the
	// plan with the fewest runs.
	DaysSimulated, Runs int64
	// Assumed lists the inputs that are not known.
	Assumed []plan.Assumption
	// NotCounted lists omitted inputs that limit nothing, although they could turn a verdict into plan.Misses, sorted.
	NotCounted []string
	calculator.Explanation
}

// Promise is the result for a tier's promise. All ages of recovery points are the greatest possible ones.
type Promise struct {
	// Verdict considers both ends of uncertain inputs. LikelyVerdict is the verdict for likely inputs. WorseEndVerdict
	// is the verdict for the worse end of every uncertain input; nil if there are none.
	Verdict, LikelyVerdict plan.Level
	WorseEndVerdict        *string
	// MovesVerdict is the verdict for likely inputs while migrations use the links. MovesWithinRPOPercent is the
	// percentage on which it is based. Both are nil if there are no migrations.
	MovesVerdict          *string
	MovesWithinRPOPercent *float64
	// HoldsBy is ByBound, ByVendorRule or ByShare; nil if the promise does not hold with likely inputs.
	HoldsBy *string
	// SuggestedRPOMinutes is the longest configured RPO that keeps the promise; nil if there is none.
	SuggestedRPOMinutes *float64
	// TotalGiB is the total size of the VMs of known size; nil if there is none.
	VMCount  int64
	TotalGiB *float64
	// WithinRPOPercent is the smallest share of time within the RPO of any VM, as the mean over the runs; nil if
	// unknown. WorseEndWithinRPOPercent is the same at the worse end, also during
	// migrations.
	WithinRPOPercent, WorseEndWithinRPOPercent *float64
	// LateVMCount is the number of VMs below the promised percentage. LateVirtualMachines lists the worst of them, at
	// most MaxLateNames.
	LateVMCount         int64
	LateVirtualMachines []LateVM
	// OldestRecoveryPointMinutes is the greatest age of a recovery point, and WorstVirtualMachine is the VM that has
	// it. LongestSyncMinutes is the longest duration of a sync.
	OldestRecoveryPointMinutes, LongestSyncMinutes *float64
	WorstVirtualMachine                            string
	// The fields beginning with Together describe the recovery after all syncs start together, and those beginning with
	// Outage the recovery from the outage of the link: the greatest age of a recovery point, and the minutes until all
	// are within the RPO again; nil if they are not by the end of the simulation.
	TogetherOldestRecoveryPointMinutes, TogetherWithinRPOAfterMinutes *float64
	OutageOldestRecoveryPointMinutes, OutageWithinRPOAfterMinutes     *float64
	// ChangeMbps is the mean change rate on the wire. BusiestChangeMbps is the change rate in the busiest interval of
	// the length of the promised RPO.
	ChangeMbps, BusiestChangeMbps *float64
	// InitialSyncMinutes is the time from a cold start of all tiers until the last VM is in sync; nil if it exceeds 31
	// days. DeadlineMet is nil if there is no deadline.
	InitialSyncMinutes *float64
	DeadlineMet        *bool
	// TargetGiB is the space that the replicas need.
	TargetGiB *float64
	// MaxDailyChangePercent and MaxPeakFactor are the largest values with which the promises hold, with the settings
	// MaxDailyChangeRPOMinutes and MaxPeakRPOMinutes. They are nil if there is no such value or no limit, or if the
	// promises hold only by their share of time.
	MaxDailyChangePercent    *float64
	MaxDailyChangeRPOMinutes *float64
	MaxPeakFactor            *float64
	MaxPeakRPOMinutes        *float64
	// MonthsUntilAtRisk is the first month in which growth of all tiers breaks the promise at the worse end outside
	// migrations, and MonthsUntilMiss the first in which it breaks it with likely inputs. Each is nil if there is no
	// growth or the month is beyond the horizon.
	MonthsUntilAtRisk, MonthsUntilMiss *int64
	// Remedies are single changes with which the promise holds, each confirmed by a computation.
	Remedies []Remedy
	calculator.Explanation

	// judgedMinutes is the configured RPO on which the verdict is based.
	judgedMinutes float64
	// worseOldestMinutes is OldestRecoveryPointMinutes at the worse end if the promise
	// holds there; 0 otherwise.
	worseOldestMinutes float64
	// worseInitialMinutes is InitialSyncMinutes at the worse end; nil if it is not computed or longer than 31 days.
	worseInitialMinutes      *float64
	missesDeadlineAtWorseEnd bool
	// suggestionHoldsWorse reports whether SuggestedRPOMinutes keeps the promise at the worse end, too.
	suggestionHoldsWorse bool
	// movesWorseEndPercent is the smallest share of time within the RPO at the worse end during migrations, if only
	// those break the promise there; nil otherwise.
	movesWorseEndPercent *float64
	// waitMinutes is the time to send the busiest change if it takes so long that syncs wait for each other, so that
	// the age of a recovery point has no limit; nil otherwise.
	waitMinutes *float64
	// isClosed reports whether the ages are bounds of the closed form, and not only the greatest in the simulated days.
	isClosed bool
	// holds reports whether the verdict is plan.Meets, apart from inputs that a tool has filled in.
	holds bool
	// knownVerdict is the verdict on the VMs of known size; empty if there are none.
	knownVerdict plan.Level
	// decidedBy names the unknown inputs because of which the promise does not hold at the worse end.
	decidedBy []string
	// obstacle explains why there is no remedy.
	obstacle string
}

// LateVM is a VM that misses its promise.
type LateVM struct {
	Name string
	// SizeGiB is the size of the data. WithinRPOPercent is the VM's share of time within the RPO.
	SizeGiB, WithinRPOPercent float64
	// OldestRecoveryPointMinutes is the greatest age of its recovery points.
	OldestRecoveryPointMinutes float64
}

// MaxLateNames is the maximum number of late VMs that are listed by name.
const MaxLateNames = 20

// Kinds of remedies.
const (
	RemedySetting    = "configured_rpo_minutes"
	RemedyThroughput = "throughput_mbps"
	RemedyPerSync    = "per_sync_mbps"
	RemedySource     = "source_read_mbps"
	RemedyWrite      = "write_mbps"
	RemedyFree       = "free_gib"
	RemedyMoves      = "hourly_moves_percent"
	RemedyPeak       = inputPeak
	RemedyMeasure    = inputBasis
	RemedyDeadline   = "deadline_hours"
	RemedyRPO        = "rpo_minutes"
	RemedyWithout    = "without_virtual_machines"
)

// Remedy is a change to the plan with which a promise holds.
type Remedy struct {
	// Kind is the name of the input to change.
	Kind string
	// At is the name of the link, target or tier to change.
	At string
	// Value is the new value; nil for RemedyWithout and RemedyMeasure.
	Value *float64
	// ConfiguredRPOMinutes are the settings, by tier, that the change needs; nil for none.
	ConfiguredRPOMinutes map[string]float64
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
	LimitedByHours     = "hours"
	LimitedBySetting   = "min_configured_rpo"
	// LimitedByUnknown means that a promise on the link cannot be judged, for example because the size of a VM is
	// unknown.
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
	// ThroughputNeededMbps is the lowest throughput at which every promise on the link holds at the worse end, outside
	// migrations, with the configured RPOs NeededConfiguredRPOMinutes, by tier. It is nil if NeededLimitedBy is set.
	ThroughputNeededMbps       *float64
	NeededConfiguredRPOMinutes map[string]float64
	NeededLimitedBy            *string
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
	// MonthsUntilFull is the number of months until growth fills the free space. It is nil if there is no growth or if
	// the free space lasts beyond the horizon.
	MonthsUntilFull *float64
	// BusiestWritePercent is the utilization of the write rate in the busiest hour; nil if the write rate is unlimited.
	BusiestWritePercent *float64
	// Promises are the sorted names of the tiers on the target.
	Promises []string
}

type unknownReasons struct {
	unsized, inSeveralTiers []string
	// unsizedNeighbors are tiers, on the same link or target, without a VM of known size.
	unsizedNeighbors []string
}

// unknownReasons returns, by tier name, the reasons why tiers cannot be judged. A tier cannot be judged if it contains
// a VM of unknown size or a VM that also belongs to another tier, or shares a link or target with a tier that has no VM
// of known size.
func (p Plan) unknownReasons() map[string]unknownReasons {
	all := make(map[string]unknownReasons)
	tiersOf := make(map[string]int)
	var sizeless []string
	for _, name := range names(p.Tiers) {
		t := p.Tiers[name]
		for vm := range t.VirtualMachines {
			tiersOf[vm]++
		}
		if len(t.VirtualMachines) > 0 && len(t.vmNames()) == 0 {
			sizeless = append(sizeless, name)
		}
	}
	for _, name := range names(p.Tiers) {
		t := p.Tiers[name]
		u := unknownReasons{unsized: t.unsized()}
		for _, vm := range names(t.VirtualMachines) {
			if tiersOf[vm] > 1 {
				u.inSeveralTiers = append(u.inSeveralTiers, vm)
			}
		}
		for _, other := range sizeless {
			if other != name && t.count() > 0 && p.shareResource(t, p.Tiers[other]) {
				u.unsizedNeighbors = append(u.unsizedNeighbors, other)
			}
		}
		if len(u.unsized)+len(u.inSeveralTiers)+len(u.unsizedNeighbors) > 0 {
			all[name] = u
		}
	}
	return all
}

// unsized returns the VMs of unknown size.
func (t Tier) unsized() []string {
	return slices.DeleteFunc(names(t.VirtualMachines), func(vm string) bool {
		return t.VirtualMachines[vm].SizeGiB != nil
	})
}

func (p Plan) shareResource(a, b Tier) bool {
	return p.linkOf(a) == p.linkOf(b) || (a.Target != "" && a.Target == b.Target)
}
