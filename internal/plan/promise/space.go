// The space of the replicas at their targets.

package promise

import (
	"terraform-provider-vsla/internal/plan/replication"
)

// nearlyFullPart is the part of the free space above which replicas leave too little for what else is there.
const nearlyFullPart = 0.95

// space returns the space of the replicas of a tier in GiB, by the formula of vsla_replica_storage for each VM.
func (p Plan) space(t Tier, e end) float64 {
	t = t.at(e)
	sum := 0.0
	for _, vm := range t.vms() {
		in := t.storage()
		in.VMCount, in.UsedGiB, in.DailyChangePercent = float64(vm.Count), vm.SizeGiB, vm.DailyChangePercent
		r, _ := replication.ReplicaStorage(in)
		sum += r.TargetGiB
	}
	return sum
}

// storage returns what the storage of each VM has alike.
func (t Tier) storage() replication.StorageInput {
	return replication.StorageInput{
		ChangeCurve: t.ChangeCurve, RPOMinutes: t.RPOMinutes, PointInTime: t.PointInTime, HorizonMonths: 1,
	}
}

// needed returns the space of all replicas at a target in GiB.
func (p Plan) needed(target string, e end) float64 {
	sum := 0.0
	for _, name := range names(p.Tiers) {
		if t := p.Tiers[name]; t.Target == target {
			sum += p.space(t, e)
		}
	}
	return sum
}

// above reports whether more than a part of the free space of a target is needed; false if that is not known.
func (p Plan) above(target string, part float64, e end) bool {
	t, ok := p.Targets[target]
	return ok && t.FreeGiB != nil && p.needed(target, e) > part**t.FreeGiB
}

func (p Plan) full(target string, e end) bool { return p.above(target, 1, e) }

func (p Plan) nearlyFull(target string, e end) bool { return p.above(target, nearlyFullPart, e) }

// monthsUntilFull returns when growth has used the space of a target; nil without growth and beyond the horizon.
func (p Plan) monthsUntilFull(target string) *float64 {
	t := p.Targets[target]
	if t.FreeGiB == nil || p.GrowthPercentPerYear == nil {
		return nil
	}
	needed := p.needed(target, asGiven)
	if needed > *t.FreeGiB {
		return new(float64)
	}
	return replication.MonthsOfGrowth(needed, *t.FreeGiB, *p.GrowthPercentPerYear, p.HorizonMonths)
}
