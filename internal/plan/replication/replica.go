package replication

import (
	"fmt"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
)

// MaxInstances is the maximum number of point-in-time instances per VM in vSphere Replication.
const MaxInstances = 24

// Ranges of the inputs of a target.
var (
	RangeInstances = plan.Range{Min: 1, Max: MaxInstances, Whole: true}
	RangeFreeGiB   = plan.Range{Min: 0, Max: 1e12, Unit: "GiB"}
)

// PointInTime describes which point-in-time instances are kept: the number per day and the number of days.
type PointInTime struct{ InstancesPerDay, Days float64 }

// StorageInput describes identical VMs whose replicas are kept on a datastore.
type StorageInput struct {
	// VMCount is the number of VMs. UsedGiB is the size of each VM's data in GiB (2^30 bytes).
	VMCount, UsedGiB float64
	// DailyChangePercent is the daily change as a percentage of the data. It is ignored if ChangeCurve is set.
	DailyChangePercent float64
	// ChangeCurve maps an interval in minutes to the amount of data, in GiB, that changes on one VM during the interval.
	// If it is nil, DailyChangePercent applies.
	ChangeCurve map[float64]float64
	// RPOMinutes is the promised RPO. A sync sends the changes made in an interval of this length.
	RPOMinutes float64
	// PointInTime describes the instances to keep; nil if only the newest recovery point is kept.
	PointInTime *PointInTime
}

// ReplicaGiB returns the space in GiB that the replicas need:
//
//	VMCount * (UsedGiB + instances * U(1440 / InstancesPerDay) + U(RPOMinutes))
//
// U(m) is the amount of data that changes on one VM in m minutes, capped at the size of its data. The last term is for
// the sync in progress.
func (in StorageInput) ReplicaGiB() float64 {
	curve := changerate.Linear(in.DailyChangePercent, in.UsedGiB, in.UsedGiB)
	if in.ChangeCurve != nil {
		curve = changerate.NewCurve(in.ChangeCurve, in.UsedGiB)
	}
	each := in.UsedGiB + curve.At(in.RPOMinutes)
	if p := in.PointInTime; p != nil {
		each += p.InstancesPerDay * p.Days * curve.At(quantity.MinutesPerDay/p.InstancesPerDay)
	}
	return in.VMCount * each
}

// Check returns errors for more instances than can be kept, and for instances that are closer together than the RPO.
func (p PointInTime) Check(rpoMinutes float64, at plan.Path) plan.InputErrors {
	errs := PointInTimeInputs.Check(&p, at)
	if len(errs) > 0 {
		return errs
	}
	if n := p.InstancesPerDay * p.Days; n > MaxInstances {
		errs = errs.With(at, fmt.Errorf(
			"must keep at most %d instances (instances_per_day * days), got %s", MaxInstances, plan.Number(n)))
	}
	if most := quantity.MinutesPerDay / rpoMinutes; p.InstancesPerDay > most {
		errs = errs.With(at.Attr("instances_per_day"), fmt.Errorf(
			"must be at most %s, the number of recovery points per day with an RPO of %s, got %s",
			plan.Thousands(float64(int64(most)), -1), minutesText(rpoMinutes), plan.Number(p.InstancesPerDay)))
	}
	return errs
}

// PointInTimeInputs describes the inputs of PointInTime.
var PointInTimeInputs = calculator.Inputs[PointInTime]{
	calculator.Required("instances_per_day", RangeInstances,
		"Number of instances to keep per day. The instances cannot be closer together than the RPO.",
		func(p *PointInTime) *float64 { return &p.InstancesPerDay }).Better(calculator.Lower),
	calculator.Required("days", RangeInstances, "Number of days to keep instances.",
		func(p *PointInTime) *float64 { return &p.Days }).Better(calculator.Lower),
}
