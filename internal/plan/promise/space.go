package promise

import (
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

// PointInTime describes which point-in-time instances are kept: the number per day and the number of days.
type PointInTime struct{ InstancesPerDay, Days float64 }

// maxInstances is the maximum number of point-in-time instances per VM in vSphere Replication.
const maxInstances = 24

// nearlyFullShare is the share of a target's free space that the replicas can use before too little is left for other
// uses.
const nearlyFullShare = 0.95

// spaceGiB returns the space in GiB that the replicas of a tier need:
//
//	sum over the VMs of size + instances * U(1440 / InstancesPerDay) + U(RPOMinutes)
//
// U(m) is the amount of data that changes on one VM in m minutes, capped at the size of its data. The last term is for
// the sync in progress.
func (t Tier) spaceGiB(v variant) float64 {
	t = t.inVariant(v)
	sum := 0.0
	for _, vm := range t.vms() {
		curve := changerate.Linear(vm.DailyChangePercent, vm.SizeGiB, vm.SizeGiB)
		if t.ChangeCurve != nil {
			curve = changerate.NewCurve(t.ChangeCurve, vm.SizeGiB)
		}
		one := vm.SizeGiB + curve.At(t.RPOMinutes)
		if kept := t.PointInTime; kept != nil {
			instances := math.Floor(kept.InstancesPerDay * kept.Days)
			one += instances * curve.At(quantity.MinutesPerDay/kept.InstancesPerDay)
		}
		sum += one * float64(vm.Count)
	}
	return sum
}

func (t Tier) checkSpace(at plan.Path) plan.InputErrors {
	kept := t.PointInTime
	if kept == nil {
		return nil
	}
	var errs plan.InputErrors
	at = at.Attr("point_in_time")
	if n := kept.InstancesPerDay * kept.Days; n > maxInstances {
		errs = errs.With(
			at,
			fmt.Errorf("must keep at most %d instances (instances_per_day * days), got %s", maxInstances,
				plan.Number(n)),
		)
	}
	if most := math.Floor(quantity.MinutesPerDay / t.RPOMinutes); kept.InstancesPerDay > most {
		errs = errs.With(at.Attr("instances_per_day"), fmt.Errorf(
			"must be at most %s, the number of recovery points per day with an RPO of %s, got %s",
			plan.Thousands(most, -1), formatMinutes(t.RPOMinutes), plan.Number(kept.InstancesPerDay)))
	}
	return errs
}

func (p Plan) neededGiB(target string, v variant) float64 {
	sum := 0.0
	for _, name := range names(p.Tiers) {
		if t := p.Tiers[name]; t.Target == target {
			sum += t.spaceGiB(v)
		}
	}
	return sum
}

func (p Plan) exceedsFree(target string, part float64, v variant) bool {
	t, ok := p.Targets[target]
	return ok && t.FreeGiB != nil && p.neededGiB(target, v) > part**t.FreeGiB
}

func (p Plan) isFull(target string, v variant) bool { return p.exceedsFree(target, 1, v) }

func (p Plan) isNearlyFull(target string, v variant) bool {
	return p.exceedsFree(target, nearlyFullShare, v)
}

// lacksSpace reports whether the target of a tier is nearly full at an end of the ranges.
func (p Plan) lacksSpace(tier string) bool {
	target := p.Tiers[tier].Target
	return p.isNearlyFull(target, asGiven) || p.isNearlyFull(target, worseEnd)
}

func (p Plan) monthsUntilFull(target string) *float64 {
	t := p.Targets[target]
	if t.FreeGiB == nil || p.GrowthPercentPerYear == nil {
		return nil
	}
	needed := p.neededGiB(target, asGiven)
	if needed > *t.FreeGiB {
		return new(float64)
	}
	return simulation.MonthsOfGrowth(needed, *t.FreeGiB, *p.GrowthPercentPerYear, p.HorizonMonths)
}
