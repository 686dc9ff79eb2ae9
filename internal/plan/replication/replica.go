package replication

import (
	"fmt"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
)

// MaxInstances is the largest number of point-in-time instances of a VM in vSphere Replication.
const MaxInstances = 24

// nearlyFull is the used share of the free space above which too little remains for vSphere and other VMs.
const nearlyFull = 0.95

// componentsPerObject is the number of vSAN components of an object that is mirrored once: two copies and a witness.
const componentsPerObject = 3

// PointInTime is the number of instances kept per day, and for how many days.
type PointInTime struct{ InstancesPerDay, Days float64 }

// StorageInput describes identical VMs and the datastore of their replicas.
type StorageInput struct {
	// VMCount is the number of VMs: a whole number in RangeVMCount.
	VMCount float64
	// UsedGiB is the data of each VM, in GiB (2^30 bytes).
	UsedGiB float64
	// DailyChangePercent is the daily change of that data; unused with a ChangeCurve.
	DailyChangePercent float64
	// ChangeCurve maps minutes to the GiB of one VM that change in them; nil selects DailyChangePercent.
	ChangeCurve map[float64]float64
	// RPOMinutes is the promise; a sync sends the change of that time.
	RPOMinutes float64
	// PointInTime is nil if only the newest recovery point is kept.
	PointInTime *PointInTime
	// DisksPerVM is the number of disks of each VM; nil if it is not known.
	DisksPerVM *float64
	// TargetFreeGiB is the free space of the target datastore, in GiB; nil if unknown.
	TargetFreeGiB *float64
	// GrowthPercentPerYear is the annual growth of data and change; nil for none.
	GrowthPercentPerYear *float64
	// HorizonMonths is the time horizon of the growth.
	HorizonMonths float64
}

// StorageResult is the space of the replicas.
type StorageResult struct {
	// Instances is the number of point-in-time instances per VM.
	Instances int64
	// VSANComponents is the number of components that the instances take on a vSAN datastore: of each disk and instance
	// two copies and a witness; nil without the number of disks.
	VSANComponents *int64
	// TargetGiB is the space of all replicas.
	TargetGiB float64
	// Fits reports whether TargetGiB is at most the free space; nil if unknown.
	Fits *bool
	// MonthsUntilFull is the time until growth has used the free space; nil without free space or growth, and beyond
	// the horizon.
	MonthsUntilFull *float64
	calculator.Explanation
}

// ReplicaStorage computes, with the change U of one VM, which is never more than its data:
//
//	target = VMCount * (UsedGiB + instances * U(1440 / InstancesPerDay) + U(RPOMinutes))
//
// The last term is the sync that is arriving. The error is a plan.InputErrors.
func ReplicaStorage(in StorageInput) (StorageResult, error) {
	if err := in.check(); err != nil {
		return StorageResult{}, err
	}
	var r StorageResult
	curve := in.curve()
	arriving := curve.At(in.RPOMinutes)
	each := in.UsedGiB + arriving
	if p := in.PointInTime; p != nil {
		r.Instances = int64(p.InstancesPerDay * p.Days)
		each += float64(r.Instances) * curve.At(quantity.MinutesPerDay/p.InstancesPerDay)
	}
	if in.DisksPerVM != nil {
		r.VSANComponents = new(int64(in.VMCount**in.DisksPerVM) * r.Instances * componentsPerObject)
	}
	r.TargetGiB = in.VMCount * each
	if in.TargetFreeGiB != nil {
		r.Fits = new(r.TargetGiB <= *in.TargetFreeGiB)
	}
	in.grow(&r)
	in.explain(&r, curve)
	return r, nil
}

func (in StorageInput) curve() changerate.Curve {
	if in.ChangeCurve != nil {
		return changerate.NewCurve(in.ChangeCurve, in.UsedGiB)
	}
	return changerate.Linear(in.DailyChangePercent, in.UsedGiB, in.UsedGiB)
}

func (in StorageInput) check() error {
	errs := storageInputs.Check(&in, nil)
	errs = append(errs, checkCurve(in.ChangeCurve, plan.Attr("change_curve"))...)
	p := in.PointInTime
	if p == nil || len(errs) > 0 {
		return errs.Err()
	}
	at := plan.Attr("point_in_time")
	if n := p.InstancesPerDay * p.Days; n > MaxInstances {
		errs = errs.With(at, fmt.Errorf(
			"must keep at most %d instances (instances_per_day * days), got %s", MaxInstances, plan.Number(n)))
	}
	if most := quantity.MinutesPerDay / in.RPOMinutes; p.InstancesPerDay > most {
		errs = errs.With(at.Attr("instances_per_day"), fmt.Errorf(
			"must be at most %s, because an RPO of %s has no more recovery points in a day, got %s",
			plan.Thousands(float64(int64(most)), -1), minutesText(in.RPOMinutes), plan.Number(p.InstancesPerDay)))
	}
	return errs.Err()
}

func (in StorageInput) explain(r *StorageResult, curve changerate.Curve) {
	if r.Fits != nil && !*r.Fits {
		r.Findings = append(r.Findings, reasonTargetTooSmall.Finding(
			quantity.FromGiB(r.TargetGiB).Ceil(), quantity.FromGiB(*in.TargetFreeGiB)))
	}
	if r.Fits != nil && *r.Fits && r.TargetGiB > nearlyFull**in.TargetFreeGiB {
		r.Findings = append(r.Findings, reasonTargetNearlyFull.Finding(
			quantity.FromGiB(r.TargetGiB).Ceil(), quantity.FromGiB(*in.TargetFreeGiB)))
	}
	covered := curve.Covers(in.RPOMinutes) &&
		(in.PointInTime == nil || curve.Covers(quantity.MinutesPerDay/in.PointInTime.InstancesPerDay))
	if !covered {
		r.Findings = append(r.Findings, reasonExtrapolated.Finding(ends(curve)...))
	}
	if in.RPOMinutes < leastPlainRPOMinutes {
		r.Findings = append(r.Findings, reasonLowRPO.Finding(minutesText(in.RPOMinutes)))
	}
	kept := "no point-in-time instances"
	if r.Instances > 0 {
		kept = plan.Count(float64(r.Instances), "point-in-time instance") + " each"
	}
	takes := "take"
	if in.VMCount == 1 {
		takes = "takes"
	}
	r.Summary = fmt.Sprintf("%s of %s %s %s at the target, with %s and the sync that is arriving: %s times the data.",
		plan.Count(in.VMCount, "VM"), quantity.FromGiB(in.UsedGiB), takes, quantity.FromGiB(r.TargetGiB).Ceil(), kept,
		plan.Thousands(r.TargetGiB/(in.VMCount*in.UsedGiB), 2))
	if r.Fits != nil {
		r.Summary += fmt.Sprintf(" %s are free.", quantity.FromGiB(*in.TargetFreeGiB))
	}
}

func ends(c changerate.Curve) []any {
	first, last := c.Ends()
	return []any{minutesText(first), minutesText(last)}
}
