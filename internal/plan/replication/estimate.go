// Package replication estimates vSphere Replication for a group of VMs: the duration of the initial sync and of a
// cycle's changes, and whether a recovery point objective (RPO) holds.
//
// Two tests are reported. The published test requires that the changes of one cycle can be sent within the RPO.
// vSphere Replication's scheduling rule requires half the RPO: a recovery point is as old as the start of its sync,
// and data is up to twice the sync's duration old when the next recovery point arrives.
//
// Sources: the published example is from VMware's performance blog on vSphere Replication 6.0; the scheduling rule
// from the vSphere Replication documentation, "How the Recovery Point Objective Affects Replication Scheduling" (5.5
// to 9.0).
package replication

import (
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// leastPlainRPOMinutes is the smallest RPO without enhanced replication.
	leastPlainRPOMinutes = 5
	// leastRPOMinutes is the smallest RPO with enhanced replication.
	leastRPOMinutes = 1
	// maxRPOMinutes is the largest RPO of vSphere Replication.
	maxRPOMinutes = 1440
)

// Input describes identical VMs on one link.
type Input struct {
	// VMCount is the number of VMs: a whole number in RangeVMCount.
	VMCount float64
	// VMSizeGiB is the size of the replicated data of each VM, in GiB (2^30 bytes).
	VMSizeGiB float64
	// DailyChangePercent is the daily change of that data; unused with a ChangeCurve.
	DailyChangePercent float64
	// ChangeCurve maps an interval in minutes to the GiB of one VM that change in it. If it is nil, DailyChangePercent
	// is used.
	ChangeCurve map[float64]float64
	// ThroughputMbps is the sustained replication throughput, in 10^6 bit/s.
	ThroughputMbps float64
	// RPOMinutes is the maximum age of the newest recovery point.
	RPOMinutes float64
	// PeakFactor is the change of the busiest cycle relative to the daily mean; 1 for even change. Nil selects the
	// worst case and the published method: the whole daily change in one cycle.
	PeakFactor *float64
	// EfficiencyPercent is the usable share of ThroughputMbps: 100 for a measured throughput; 70 is a common planning
	// value for the nominal rate of a link.
	EfficiencyPercent float64
	// CompressionRatio is the original size divided by the size on the wire; 1 without compression.
	CompressionRatio float64
	// SeededPercent is the share of the data that is already at the target before the initial sync.
	SeededPercent float64
	// OverheadSeconds is the fixed duration of each sync for snapshots and control traffic.
	OverheadSeconds float64
	// GrowthPercentPerYear is the annual growth of data and change; nil for none.
	GrowthPercentPerYear *float64
	// HorizonMonths is the time horizon of the growth.
	HorizonMonths float64
	// ChecksumMbps is the rate at which seeded data is compared, for all VMs together, in 10^6 bit/s; nil ignores the
	// comparison.
	ChecksumMbps *float64
	// SourceReadMbps and TargetWriteMbps are the rates of the storage, in 10^6 bit/s of uncompressed data; nil for no
	// limit. TargetWriteFactor is the number of times that the target writes (or reads) each replicated byte.
	SourceReadMbps, TargetWriteMbps *float64
	TargetWriteFactor               float64
	// DeadlineHours is the time in which all VMs must be in sync; nil for none.
	DeadlineHours *float64
	// ThroughputBasis is one of plan.Bases; empty if the source of ThroughputMbps is unknown.
	ThroughputBasis string
	// Mechanism is one of Mechanisms; empty selects vSphere Replication.
	Mechanism string
}

// Defaults returns the default input.
func Defaults() Input {
	return Input{
		EfficiencyPercent: quantity.Percent,
		CompressionRatio:  1,
		HorizonMonths:     defaultHorizonMonths,
		TargetWriteFactor: 2,
	}
}

// Result is the estimate. Pointers are nil if a value does not exist.
type Result struct {
	// TotalGiB is the data of all VMs.
	TotalGiB float64
	// InitialSyncSeconds is the duration of the initial sync of all VMs, in seconds.
	InitialSyncSeconds float64
	// ChangedGiBPerCycle is the change in the busiest cycle, in GiB before compression.
	ChangedGiBPerCycle float64
	// OngoingSyncSeconds is the time to send that change, including the overhead.
	OngoingSyncSeconds float64
	// RPOUsedPercent is OngoingSyncSeconds in percent of the RPO.
	RPOUsedPercent float64
	// MeetsRPO is the published test: OngoingSyncSeconds <= RPO.
	MeetsRPO bool
	// ViolationFree is the scheduling rule: OngoingSyncSeconds <= RPO / 2.
	ViolationFree bool
	// ChangeAssumption describes the change of the busiest cycle: AssumeWholeDay, AssumePeakFactor or AssumeCurve.
	ChangeAssumption string
	// LimitedBy is the limiting resource: LimitedByLink, LimitedBySourceRead or LimitedByTargetWrite.
	LimitedBy string
	// InitialSyncCaughtUpSeconds is the duration of the initial sync including the changes during it; nil if it never
	// catches up.
	InitialSyncCaughtUpSeconds *float64
	// DeadlineMet reports whether all VMs are in sync within DeadlineHours if started together; nil without a
	// deadline.
	DeadlineMet *bool
	// BatchVMCount is the largest number of VMs that are in sync within DeadlineHours if started together: 0 if a
	// single VM is not, nil without a deadline.
	BatchVMCount *int64
	// BatchesHours is the total time of consecutive batches of BatchVMCount; nil without a deadline, if BatchVMCount
	// is 0, or if the last batch never catches up with the changes of all VMs.
	BatchesHours *float64
	// The bands are durations that 4 of 5, and 9 of 10, comparable transfers did not exceed. They are nil if they are
	// unknown for the ThroughputBasis, with a ChangeCurve, and if storage is the limit.
	InitialSyncSeconds80, InitialSyncSeconds90, OngoingSyncSeconds80, OngoingSyncSeconds90 *float64
	// Verdict is one of VerdictMeets, VerdictAtRisk and VerdictMisses.
	Verdict string
	// MinRPOMinutes is the smallest violation-free RPO in whole minutes, from 5, or from 1 if the RPO is below 5, up
	// to 1,440; nil if there is none. With a peak factor p and no curve, only RPOs up to 1,440 / p are considered,
	// because longer cycles contain the change of a whole day.
	MinRPOMinutes *int64
	// ThroughputForRPOMbps and ThroughputViolationFreeMbps are the smallest ThroughputMbps that pass each test: delta
	// / compression / efficiency divided by the RPO, or RPO / 2, minus the overhead. They are nil if no throughput in
	// RangeThroughputMbps passes, and the lower bound of that range if there is nothing to send.
	ThroughputForRPOMbps, ThroughputViolationFreeMbps *float64
	// MaxVMCount is the largest violation-free number of VMs: 0 if a single VM is not violation-free, nil if every
	// number in RangeVMCount is.
	MaxVMCount *int64
	// MaxDailyChangePercent is the largest violation-free daily change in RangeDailyChangePercent; nil with a
	// ChangeCurve, or if the overhead alone is too long.
	MaxDailyChangePercent *float64
	// MonthsUntilAtRisk and MonthsUntilMiss are the months until growth breaks ViolationFree and MeetsRPO: 0 if the
	// test fails today, nil without growth or if the test passes up to the horizon.
	MonthsUntilAtRisk, MonthsUntilMiss *float64
	// DailyLinkUsePercent is the daily change on the wire in percent of the link's daily capacity.
	DailyLinkUsePercent float64
	// Explanation holds the findings and a summary of one or two sentences.
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
// The storage limits follow Broadcom KB 317503: each replicated byte is written, read and written again at the
// target. The error is a plan.InputErrors.
func Estimate(in Input) (Result, error) {
	errs := inputs.Check(&in, nil)
	errs = append(errs, checkCurve(in.ChangeCurve, plan.Attr("change_curve"))...)
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
	r.DailyLinkUsePercent = in.dailyGiB() * quantity.BitsPerGiB / in.linkRate() / quantity.SecondsPerDay * quantity.Percent
	switch {
	case r.ViolationFree:
		r.Verdict = VerdictMeets
	case r.MeetsRPO:
		r.Verdict = VerdictAtRisk
	default:
		r.Verdict = VerdictMisses
	}
	in.invert(&r)
	in.grow(&r)
	in.catchUp(&r)
	in.band(&r)
	explain(in, &r)
	return r, nil
}

var inputs = append(GroupInputs(), assumptionInputs()...)

func (in Input) totalGiB() float64 { return in.VMCount * in.VMSizeGiB }

// linkRate returns the throughput of the link, in bit/s of uncompressed data.
func (in Input) linkRate() float64 {
	return in.ThroughputMbps * quantity.BitsPerMbit * in.EfficiencyPercent / quantity.Percent * in.CompressionRatio
}

// rate returns the throughput in bit/s of uncompressed data, and the limiting resource.
func (in Input) rate() (float64, string) {
	rate, limit := in.linkRate(), LimitedByLink
	if in.SourceReadMbps != nil && *in.SourceReadMbps*quantity.BitsPerMbit < rate {
		rate, limit = *in.SourceReadMbps*quantity.BitsPerMbit, LimitedBySourceRead
	}
	if in.TargetWriteMbps != nil && *in.TargetWriteMbps*quantity.BitsPerMbit/in.TargetWriteFactor < rate {
		rate, limit = *in.TargetWriteMbps*quantity.BitsPerMbit/in.TargetWriteFactor, LimitedByTargetWrite
	}
	return rate, limit
}

func (in Input) transfer(gib float64) float64 {
	rate, _ := in.rate()
	return gib * quantity.BitsPerGiB / rate
}

// initial returns the duration of the initial sync in seconds: the longer of transfer and comparison.
func (in Input) initial() float64 {
	seeded := in.totalGiB() * in.SeededPercent / quantity.Percent
	sent := in.transfer(in.totalGiB() * (quantity.Percent - in.SeededPercent) / quantity.Percent)
	if in.ChecksumMbps == nil {
		return sent
	}
	return max(sent, seeded*quantity.BitsPerGiB/(*in.ChecksumMbps*quantity.BitsPerMbit))
}

func (in Input) assumption() string {
	switch {
	case in.ChangeCurve != nil:
		return AssumeCurve
	case in.PeakFactor != nil:
		return AssumePeakFactor
	}
	return AssumeWholeDay
}

// curve returns the change curve of one VM. It is linear without a ChangeCurve.
func (in Input) curve() changerate.Curve {
	if in.ChangeCurve == nil {
		return changerate.Linear(in.DailyChangePercent, in.VMSizeGiB, math.Inf(1))
	}
	return changerate.NewCurve(in.ChangeCurve, in.VMSizeGiB)
}

// ChangedPerVM returns the GiB of one VM that change in the given minutes.
func (in Input) ChangedPerVM(minutes float64) float64 { return in.curve().At(minutes) }

// BusiestMinutes returns the minutes in which the mean change equals that of the busiest cycle.
func (in Input) BusiestMinutes() float64 {
	switch {
	case in.PeakFactor != nil:
		return min(quantity.MinutesPerDay, *in.PeakFactor*in.RPOMinutes)
	case in.ChangeCurve != nil:
		return in.RPOMinutes
	}
	return quantity.MinutesPerDay
}

func (in Input) changedGiB() float64 { return in.VMCount * in.curve().At(in.BusiestMinutes()) }

// dailyGiB returns the data sent by all cycles of a day. Without a curve it is the daily change.
func (in Input) dailyGiB() float64 {
	return quantity.MinutesPerDay / in.RPOMinutes * in.VMCount * in.curve().At(in.RPOMinutes)
}

func (in Input) ongoing() float64 { return in.OverheadSeconds + in.transfer(in.changedGiB()) }

func (in Input) meetsRPO() bool { return in.ongoing() <= in.RPOMinutes*quantity.SecondsPerMinute }

func (in Input) violationFree() bool {
	return in.ongoing() <= in.RPOMinutes*quantity.SecondsPerMinute/2
}

// band sets the durations that 4 of 5, and 9 of 10, comparable transfers did not exceed.
func (in Input) band(r *Result) {
	if in.ChangeCurve != nil || r.LimitedBy != LimitedByLink {
		return
	}
	if in.ThroughputBasis == plan.BasisNominal {
		in.EfficiencyPercent = math.Min(in.EfficiencyPercent, plan.NominalEfficiencyPercent)
	}
	fourOfFive, nineOfTen := plan.BandFactors(in.ThroughputBasis)
	if fourOfFive > 0 {
		r.InitialSyncSeconds80, r.OngoingSyncSeconds80 = new(fourOfFive*in.initial()), new(fourOfFive*in.ongoing())
	}
	if nineOfTen > 0 {
		r.InitialSyncSeconds90, r.OngoingSyncSeconds90 = new(nineOfTen*in.initial()), new(nineOfTen*in.ongoing())
	}
}

// invert sets the limits of each input by searching with the forward calculation. Its tests are monotone: more
// throughput never lengthens a cycle, more VMs or change never shorten it. With a peak factor the delta grows with the
// RPO, but at most proportionally.
func (in Input) invert(r *Result) {
	if least, longest := in.rangeOfRPO(); least <= longest {
		if v, ok := plan.SmallestInt(least, longest, func(minutes int64) bool {
			changed := in
			changed.RPOMinutes = float64(minutes)
			return changed.violationFree()
		}); ok {
			r.MinRPOMinutes = &v
		}
	}
	r.ThroughputForRPOMbps = in.smallestThroughput(Input.meetsRPO)
	r.ThroughputViolationFreeMbps = in.smallestThroughput(Input.violationFree)

	largest := int64(RangeVMCount.Max)
	count, _ := plan.LargestInt(0, largest, func(n int64) bool {
		changed := in
		changed.VMCount = float64(n)
		return n == 0 || changed.violationFree()
	})
	if count < largest {
		r.MaxVMCount = &count
	}
	if in.ChangeCurve != nil {
		return
	}
	if v, ok := plan.LargestFloat(RangeDailyChangePercent.Min, RangeDailyChangePercent.Max, func(change float64) bool {
		changed := in
		changed.DailyChangePercent = change
		return changed.violationFree()
	}); ok {
		r.MaxDailyChangePercent = &v
	}
}

func (in Input) rangeOfRPO() (least, longest int64) {
	least, longest = leastPlainRPOMinutes, maxRPOMinutes
	if in.RPOMinutes < leastPlainRPOMinutes {
		least = leastRPOMinutes
	}
	if in.PeakFactor != nil && in.ChangeCurve == nil {
		longest = int64(math.Floor(quantity.MinutesPerDay / *in.PeakFactor))
	}
	return least, longest
}

func (in Input) smallestThroughput(test func(Input) bool) *float64 {
	v, ok := plan.SmallestFloat(RangeThroughputMbps.Min, RangeThroughputMbps.Max, func(throughput float64) bool {
		changed := in
		changed.ThroughputMbps = throughput
		return test(changed)
	})
	if !ok {
		return nil
	}
	return &v
}
