// Package replication estimates vSphere Replication for a group of VMs: the duration of the initial sync, the time to
// send the changes of a cycle, and whether a promised recovery point objective (RPO) can be kept.
//
// The test that VMware published requires that the changes of one cycle can be sent within the RPO. The vendor's rule
// requires that they can be sent within half the configured RPO. Both are reported as facts. The verdict is that of a
// plan with one tier (package promise).
//
// Sources: the published example is from the VMware performance blog on vSphere Replication 6.0; the vendor's rule is
// from the vSphere Replication documentation, "How the Recovery Point Objective Affects Replication Scheduling" (5.5 to
// 9.0).
package replication

import (
	"context"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// leastPlainRPOMinutes is the shortest RPO without enhanced replication.
	leastPlainRPOMinutes = 5
	// leastRPOMinutes is the shortest RPO with enhanced replication.
	leastRPOMinutes = 1
	maxRPOMinutes   = 1440
)

// Input describes identical VMs that share one link.
type Input struct {
	// VMCount is the number of VMs, a whole number in RangeVMCount.
	VMCount float64
	// VMSizeGiB is the size of the replicated data of each VM in GiB (2^30 bytes).
	VMSizeGiB float64
	// DailyChangePercent is the daily change as a percentage of the data. It is ignored if ChangeCurve is set.
	DailyChangePercent float64
	// ChangeCurve maps an interval in minutes to the amount of data, in GiB, that changes on one VM during the
	// interval. If it is nil, DailyChangePercent applies.
	ChangeCurve map[float64]float64
	// ThroughputMbps is the sustained replication throughput in 10^6 bit/s.
	ThroughputMbps float64
	// RPOMinutes is the promised maximum age of the newest recovery point. ConfiguredRPOMinutes is the RPO that vSphere
	// Replication is configured with; nil if it is to be chosen, at least MinConfiguredRPOMinutes.
	RPOMinutes              float64
	ConfiguredRPOMinutes    *float64
	MinConfiguredRPOMinutes float64
	// AssumedInputs names inputs whose values a tool has filled in.
	AssumedInputs []string
	// PeakFactor is the ratio of the busiest cycle's change to the daily mean; 1 means that the change is spread
	// evenly. If it is nil, the published test assumes that the whole daily change occurs in one cycle, and the verdict
	// rests on promise.LikelyPeakFactor and the worse peak factor of promise.
	PeakFactor *float64
	// EfficiencyPercent is the usable share of ThroughputMbps. Use 100 for a measured throughput; 70 is a common
	// planning value for the nominal rate of a link.
	EfficiencyPercent float64
	// CompressionRatio is the ratio of the original size to the size on the wire; 1 for no compression.
	CompressionRatio float64
	// SeededPercent is the share of the data that is already at the target before the initial sync.
	SeededPercent float64
	// OverheadSeconds is the fixed time that each sync takes for snapshots and control traffic.
	OverheadSeconds float64
	// GrowthPercentPerYear is the annual growth of data and change; nil for none.
	GrowthPercentPerYear *float64
	// HorizonMonths limits how far growth is projected.
	HorizonMonths float64
	// ChecksumMbps is the rate at which seeded data is compared, for all VMs together, in 10^6 bit/s; nil for no
	// comparison.
	ChecksumMbps *float64
	// SourceReadMbps and TargetWriteMbps are the storage rates in 10^6 bit/s of uncompressed data; nil for no limit.
	// TargetWriteFactor is the number of times that the target writes (or reads) each replicated byte.
	SourceReadMbps, TargetWriteMbps *float64
	TargetWriteFactor               float64
	// DeadlineHours is the time within which all VMs must be in sync; nil for no deadline.
	DeadlineHours *float64
	// ThroughputBasis states how ThroughputMbps was determined. It is one of plan.Bases, or empty if unknown.
	ThroughputBasis string
	// Mechanism is one of Mechanisms. The default is vSphere Replication.
	Mechanism string
}

const defaultHorizonMonths = 36

// Defaults returns the default input.
func Defaults() Input {
	return Input{
		EfficiencyPercent:       quantity.Percent,
		CompressionRatio:        1,
		HorizonMonths:           defaultHorizonMonths,
		TargetWriteFactor:       2,
		MinConfiguredRPOMinutes: promise.TierDefaults().MinConfiguredRPOMinutes,
	}
}

// Result is the estimate. Pointers are nil if a value does not exist.
type Result struct {
	// TotalGiB is the total size of all VMs.
	TotalGiB float64
	// InitialSyncSeconds is the duration of the initial sync of all VMs.
	InitialSyncSeconds float64
	// ChangedGiBPerCycle is the change in the busiest cycle, in GiB before compression.
	ChangedGiBPerCycle float64
	// OngoingSyncSeconds is the time to send the change of the busiest cycle, including the overhead.
	OngoingSyncSeconds float64
	// RPOUsedPercent is OngoingSyncSeconds as a percentage of the RPO.
	RPOUsedPercent float64
	// MeetsRPO is the result of the published test: OngoingSyncSeconds <= RPO.
	MeetsRPO bool
	// ViolationFree is the result of the vendor's rule for a configured RPO of RPOMinutes: OngoingSyncSeconds <= RPO /
	// 2.
	ViolationFree bool
	// ChangeAssumption states how the change of the busiest cycle is determined: AssumeWholeDay, AssumePeakFactor or
	// AssumeCurve.
	ChangeAssumption string
	// LimitedBy is the limiting resource: LimitedByLink, LimitedBySourceRead or LimitedByTargetWrite.
	LimitedBy string
	// InitialSyncCaughtUpSeconds is the time until all VMs are in sync, including the changes made during the initial
	// sync; nil if replication never catches up.
	InitialSyncCaughtUpSeconds *float64
	// DeadlineMet reports whether all VMs, if started together, are in sync within DeadlineHours; nil if there is no
	// deadline.
	DeadlineMet *bool
	// BatchVMCount is the largest number of VMs that, if started together, are in sync within DeadlineHours. It is 0 if
	// a single VM takes longer, and nil if there is no deadline.
	BatchVMCount *int64
	// BatchesHours is the total time of consecutive batches of BatchVMCount VMs. It is nil if there is no deadline, if
	// BatchVMCount is 0, or if the last batch never catches up with the changes of all VMs.
	BatchesHours *float64
	// The fields ending in 80 and 90 are the durations within which 4 of 5 and 9 of 10 comparable transfers completed,
	// respectively. They are nil if they are unknown for the ThroughputBasis, if ChangeCurve is set, or if storage is
	// the limit.
	InitialSyncSeconds80 *float64
	InitialSyncSeconds90 *float64
	OngoingSyncSeconds80 *float64
	OngoingSyncSeconds90 *float64
	// Verdict is a plan.Level. HoldsBy, SuggestedRPOMinutes, ThroughputNeededMbps and the maxima are those of
	// promise.Promise and promise.LinkResult.
	Verdict                                     plan.Level
	HoldsBy                                     *string
	SuggestedRPOMinutes                         *float64
	ThroughputNeededMbps                        *float64
	MaxDailyChangePercent, MaxPeakFactor        *float64
	MaxDailyChangeRPOMinutes, MaxPeakRPOMinutes *float64
	// MinRPOMinutes is the shortest violation-free RPO in whole minutes up to 1,440; nil if there is none. The shortest
	// RPO considered is 5 minutes, or 1 minute if RPOMinutes is below 5. With a peak factor p and no curve, only RPOs
	// up to 1,440 / p are considered. In longer cycles, the change would be capped at the change of a whole day.
	MinRPOMinutes *int64
	// ThroughputForRPOMbps and ThroughputViolationFreeMbps are the lowest values of ThroughputMbps that pass MeetsRPO
	// and ViolationFree: changed / compression / efficiency, divided by RPO - overhead and RPO / 2 - overhead,
	// respectively. They are nil if no value in RangeThroughputMbps passes, and the lower bound of that range if there
	// is nothing to send.
	ThroughputForRPOMbps, ThroughputViolationFreeMbps *float64
	// MaxVMCount is the largest number of VMs for which ViolationFree is true. It is 0 if ViolationFree is false even
	// for a single VM, and nil if it is true for every number in RangeVMCount.
	MaxVMCount *int64
	// MonthsUntilAtRisk is the number of months until growth breaks the promise at the worse end of uncertain inputs.
	// It is 0 if the promise does not hold, and nil if there is no growth or if the promise still holds at the horizon.
	MonthsUntilAtRisk *float64
	// DailyLinkUsePercent is the daily change on the wire, as a percentage of the link's daily capacity.
	DailyLinkUsePercent float64
	calculator.Explanation
}

// Estimate computes
//
//	total    = VMCount * VMSizeGiB
//	rate     = min(ThroughputMbps * EfficiencyPercent * CompressionRatio, SourceReadMbps,
//	               TargetWriteMbps / TargetWriteFactor)
//	initial  = max(total * (1 - SeededPercent) / rate, total * SeededPercent / ChecksumMbps)
//	share    = 1, or min(1, PeakFactor * RPO / 1 day)
//	changed  = total * DailyChangePercent * share, or VMCount * U(min(1 day, PeakFactor * RPO)) with the ChangeCurve U
//	ongoing  = OverheadSeconds + changed / rate
//
// The storage limits follow Broadcom KB 317503: each replicated byte is written, read and written again at the target.
// The error is a plan.InputErrors.
func Estimate(in Input) (Result, error) {
	errs := inputs.Check(&in, nil)
	errs = append(errs, changerate.CheckCurve(in.ChangeCurve, plan.Attr("change_curve"))...)
	p := in.Plan()
	errs = append(errs, p.Tiers[tierName].CheckAssumed(nil)...)
	if err := errs.Err(); err != nil {
		return Result{}, err
	}
	rpo := in.RPOMinutes * quantity.SecondsPerMinute
	r := Result{
		TotalGiB:           in.totalGiB(),
		ChangedGiBPerCycle: in.changedGiB(),
		OngoingSyncSeconds: in.ongoing(),
		MeetsRPO:           in.meetsRPO(),
		ViolationFree:      in.violationFree(),
		ChangeAssumption:   in.assumption(),
	}
	_, r.LimitedBy = in.rate()
	r.InitialSyncSeconds = in.initial()
	r.RPOUsedPercent = r.OngoingSyncSeconds / rpo * quantity.Percent
	dailySeconds := in.dailyGiB() * quantity.BitsPerGiB / in.linkRate()
	r.DailyLinkUsePercent = dailySeconds / quantity.SecondsPerDay * quantity.Percent
	of, on, err := promise.Single(context.Background(), p)
	if err != nil {
		return Result{}, err
	}
	r.Verdict = of.Verdict
	r.HoldsBy = of.HoldsBy
	r.SuggestedRPOMinutes = of.SuggestedRPOMinutes
	r.ThroughputNeededMbps = on.ThroughputNeededMbps
	r.MaxDailyChangePercent = of.MaxDailyChangePercent
	r.MaxDailyChangeRPOMinutes = of.MaxDailyChangeRPOMinutes
	r.MaxPeakFactor, r.MaxPeakRPOMinutes = of.MaxPeakFactor, of.MaxPeakRPOMinutes
	in.invert(&r)
	in.grow(&r)
	in.catchUp(&r)
	in.band(&r)
	in.explain(&r, of.Explanation)
	return r, nil
}

// Names of the parts of Plan.
const (
	tierName   = "vms"
	targetName = "target"
)

// Plan returns the plan with one tier that makes the same promise.
func (in Input) Plan() promise.Plan {
	p := promise.Defaults()
	l := promise.LinkDefaults()
	l.ThroughputMbps = &in.ThroughputMbps
	l.EfficiencyPercent = in.EfficiencyPercent
	l.ThroughputBasis = in.ThroughputBasis
	p.Links = map[string]promise.Link{promise.DefaultLinkName: l}
	t := promise.TierDefaults()
	t.VMCount = &in.VMCount
	t.VMSizeGiB = &in.VMSizeGiB
	t.ChangeCurve = in.ChangeCurve
	t.PeakFactor = in.PeakFactor
	if in.ChangeCurve == nil {
		t.DailyChangePercent = &in.DailyChangePercent
	}
	t.RPOMinutes, t.ConfiguredRPOMinutes = in.RPOMinutes, in.ConfiguredRPOMinutes
	t.MinConfiguredRPOMinutes, t.AssumedInputs = in.MinConfiguredRPOMinutes, in.AssumedInputs
	t.CompressionRatio = in.CompressionRatio
	t.OverheadSeconds = in.OverheadSeconds
	t.Mechanism = in.Mechanism
	if in.TargetWriteMbps != nil {
		t.Target = targetName
		p.Targets = map[string]promise.Target{
			targetName: {WriteMbps: in.TargetWriteMbps, WriteFactor: in.TargetWriteFactor},
		}
	}
	p.Tiers = map[string]promise.Tier{tierName: t}
	p.SourceReadMbps = in.SourceReadMbps
	return p
}

var inputs = append(GroupInputs(), assumptionInputs()...)
