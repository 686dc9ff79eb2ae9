// Package replication calculates what vSphere Replication's promises cost: how long the initial sync of a group of
// VMs takes, how long one cycle's changes take, and whether a recovery point objective (RPO) holds.
//
// Two tests are reported side by side and never mixed up. The published test asks whether one cycle's changes can be
// sent within the RPO. vSphere Replication's own scheduling rule asks for half of it: an instance describes the VM
// at the moment its sync started, so data is up to twice the sync's duration old when the next instance lands.
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
	// leastPlainRPOMinutes is the least RPO without enhanced replication.
	leastPlainRPOMinutes = 5
	// leastRPOMinutes is the least RPO with enhanced replication.
	leastRPOMinutes = 1
	// maxRPOMinutes is the longest RPO that vSphere Replication takes.
	maxRPOMinutes = 1440
)

// Input is one homogeneous group of VMs on one link. Fields that are left at zero and may be left out are said to.
type Input struct {
	// VMCount is how many VMs there are: a whole number in RangeVMCount.
	VMCount float64
	// VMSizeGiB is the data to replicate of each VM, in GiB (2^30 bytes).
	VMSizeGiB float64
	// DailyChangePercent is how much of that data changes in a day; not used with a ChangeCurve.
	DailyChangePercent float64
	// ChangeCurve is how many GiB of one VM change in a number of minutes; nil for DailyChangePercent. See Curve.
	ChangeCurve map[float64]float64
	// ThroughputMbps is the sustained replication throughput, in 10^6 bit/s.
	ThroughputMbps float64
	// RPOMinutes is the promise: how old the newest recovery point may be.
	RPOMinutes float64
	// PeakFactor p makes the busiest cycle see p times the daily mean; 1 is evenly spread. Nil is the worst case, and
	// the published method: the whole day's change falls into one cycle.
	PeakFactor *float64
	// EfficiencyPercent is the usable part of ThroughputMbps. 100 for a measured throughput; 70 is a common planning
	// value for the nominal rate of a link.
	EfficiencyPercent float64
	// CompressionRatio is the ratio of original size to size on the wire; 1 is no compression.
	CompressionRatio float64
	// SeededPercent is the part of the initial sync that is at the target already.
	SeededPercent float64
	// OverheadSeconds is the fixed cost of each sync: snapshots, control traffic.
	OverheadSeconds float64
	// GrowthPercentPerYear is how much the data, and with it its change, grows in a year; nil for none.
	GrowthPercentPerYear *float64
	// HorizonMonths is how far the growth is followed.
	HorizonMonths float64
	// ChecksumMbps is how fast seeded data is compared, all VMs together, in 10^6 bit/s; nil does not count it.
	ChecksumMbps *float64
	// SourceReadMbps and TargetWriteMbps are what storage reads and writes, in 10^6 bit/s of uncompressed data; nil for no
	// limit. TargetWriteFactor is how often the target writes (or reads) each replicated byte.
	SourceReadMbps, TargetWriteMbps *float64
	TargetWriteFactor               float64
	// DeadlineHours is the time in which all VMs have to be in sync; nil for none.
	DeadlineHours *float64
	// ThroughputBasis is one of plan.Bases; empty if it is not known how ThroughputMbps was obtained.
	ThroughputBasis string
	// Link is a label: estimates with the same one share a link.
	Link string
	// Mechanism is one of Mechanisms; empty is vSphere Replication.
	Mechanism string
}

// Defaults returns an input with the documented defaults of the fields that have one.
func Defaults() Input {
	return Input{
		EfficiencyPercent: quantity.Percent,
		CompressionRatio:  1,
		HorizonMonths:     defaultHorizonMonths,
		TargetWriteFactor: 2,
	}
}

// Result is the estimate. Pointers are nil where no number exists.
type Result struct {
	// TotalGiB is the data of all VMs.
	TotalGiB float64
	// InitialSyncSeconds is the time of the initial sync of all VMs, in seconds.
	InitialSyncSeconds float64
	// ChangedGiBPerCycle is the change that the busiest cycle has to send, in GiB before compression.
	ChangedGiBPerCycle float64
	// OngoingSyncSeconds is the time to send it, overhead included.
	OngoingSyncSeconds float64
	// RPOUsedPercent is OngoingSyncSeconds as a share of the RPO.
	RPOUsedPercent float64
	// MeetsRPO is the published test: OngoingSyncSeconds <= RPO.
	MeetsRPO bool
	// ViolationFree is the scheduling rule: OngoingSyncSeconds <= RPO / 2.
	ViolationFree bool
	// ChangeAssumption is the assumption about the busiest cycle's change: AssumeWholeDay, AssumePeakFactor or
	// AssumeCurve.
	ChangeAssumption string
	// LimitedBy is what data flows at: LimitedByLink, LimitedBySourceRead or LimitedByTargetWrite.
	LimitedBy string
	// InitialSyncCaughtUpSeconds is the initial sync including the changes during it; nil if it never catches up.
	InitialSyncCaughtUpSeconds *float64
	// DeadlineMet reports whether all VMs, started together, are in sync within DeadlineHours; nil without a deadline.
	DeadlineMet *bool
	// BatchVMCount is the number of VMs that, started together, are in sync within DeadlineHours: 0 if not even one is,
	// nil without a deadline.
	BatchVMCount *int64
	// BatchesHours is the time in which batches of BatchVMCount, one after the other, are all in sync; nil without a
	// deadline or a batch, and if the last batch never catches up with the changes of all.
	BatchesHours *float64
	// The bands: how long 4 of 5, and 9 of 10, comparable transfers took. Nil without a ThroughputBasis that has them,
	// with a ChangeCurve, and where storage is the limit.
	InitialSyncSeconds80, InitialSyncSeconds90, OngoingSyncSeconds80, OngoingSyncSeconds90 *float64
	// Verdict is one of VerdictMeets, VerdictAtRisk and VerdictMisses.
	Verdict string
	// MinRPOMinutes is the smallest whole-minute RPO that is violation free, from 5 minutes, or from 1 if the RPO is below
	// 5, up to 1,440; nil if none is. With a peak factor p and no curve only RPOs up to 1,440 / p count: beyond, a cycle
	// carries a whole day's change.
	MinRPOMinutes *int64
	// ThroughputForRPOMbps and ThroughputViolationFreeMbps are the smallest ThroughputMbps that pass each test: delta /
	// compression / efficiency over (RPO, or RPO / 2) less the overhead. Nil if none in RangeThroughputMbps does; its
	// lower bound if there is nothing to send.
	ThroughputForRPOMbps, ThroughputViolationFreeMbps *float64
	// MaxVMCount is the largest number of VMs that stays violation free, 0 if not even one does; nil if all of
	// RangeVMCount do.
	MaxVMCount *int64
	// MaxDailyChangePercent is the largest daily change in RangeDailyChangePercent that stays violation free; nil if not
	// even 0 does, because the overhead alone is too long, and with a ChangeCurve.
	MaxDailyChangePercent *float64
	// MonthsUntilAtRisk and MonthsUntilMiss are the months until growth ends ViolationFree and MeetsRPO: 0 if the test
	// fails today, nil without growth and if it holds to the horizon.
	MonthsUntilAtRisk, MonthsUntilMiss *float64
	// DailyLinkUsePercent is a day's change on the wire against what the link carries in a day.
	DailyLinkUsePercent float64
	// Explanation is the verdict in one or two sentences with the numbers, and why.
	calculator.Explanation
}

// Estimate computes the closed form:
//
//	total    = VMCount * VMSizeGiB
//	rate     = min(ThroughputMbps * EfficiencyPercent * CompressionRatio, SourceReadMbps,
//	               TargetWriteMbps / TargetWriteFactor)
//	initial  = max(total * (1 - SeededPercent) / rate, total * SeededPercent / ChecksumMbps)
//	share    = 1, or min(1, PeakFactor * RPO / 1 day)
//	changed  = total * DailyChangePercent * share, or VMCount * U(min(1 day, PeakFactor * RPO)) by the ChangeCurve U
//	ongoing  = OverheadSeconds + changed / rate
//
// The storage's part is Broadcom KB 317503: each replicated byte is written, read and written again at the target. The
// error is a plan.InputErrors that names each input out of its range.
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

// linkRate returns what the link carries, in bit/s of uncompressed data.
func (in Input) linkRate() float64 {
	return in.ThroughputMbps * quantity.BitsPerMbit * in.EfficiencyPercent / quantity.Percent * in.CompressionRatio
}

// rate returns what data flows at, in bit/s of uncompressed data, and what limits it.
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

// transfer returns the seconds that a number of GiB take.
func (in Input) transfer(gib float64) float64 {
	rate, _ := in.rate()
	return gib * quantity.BitsPerGiB / rate
}

// initial returns the seconds of the initial sync: the transfer or the comparison, whichever takes longer.
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

// curve returns the change of one VM; without a ChangeCurve it is linear.
func (in Input) curve() changerate.Curve {
	if in.ChangeCurve == nil {
		return changerate.Linear(in.DailyChangePercent, in.VMSizeGiB, math.Inf(1))
	}
	return changerate.NewCurve(in.ChangeCurve, in.VMSizeGiB)
}

// ChangedPerVM returns how many GiB of one VM change in a number of minutes: by the change curve, else evenly.
func (in Input) ChangedPerVM(minutes float64) float64 { return in.curve().At(minutes) }

// BusiestMinutes returns how many minutes of mean change the busiest cycle carries.
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

// dailyGiB returns what all cycles of a day send. Without a curve that is the day's change.
func (in Input) dailyGiB() float64 {
	return quantity.MinutesPerDay / in.RPOMinutes * in.VMCount * in.curve().At(in.RPOMinutes)
}

func (in Input) ongoing() float64 { return in.OverheadSeconds + in.transfer(in.changedGiB()) }

func (in Input) meetsRPO() bool { return in.ongoing() <= in.RPOMinutes*quantity.SecondsPerMinute }

func (in Input) violationFree() bool {
	return in.ongoing() <= in.RPOMinutes*quantity.SecondsPerMinute/2
}
