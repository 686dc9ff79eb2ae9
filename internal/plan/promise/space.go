package promise

import (
	"terraform-provider-vsla/internal/plan/replication"
)

// nearlyFullPart is the used share of the free space above which too little remains for other uses.
const nearlyFullPart = 0.95

// space returns the space of the replicas of a tier in GiB, with the formula of vsla_replica_storage for each VM.
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

// above reports whether the replicas need more than a share of a target's free space; false if unknown.
func (p Plan) above(target string, part float64, e end) bool {
	t, ok := p.Targets[target]
	return ok && t.FreeGiB != nil && p.needed(target, e) > part**t.FreeGiB
}

func (p Plan) full(target string, e end) bool { return p.above(target, 1, e) }

func (p Plan) nearlyFull(target string, e end) bool { return p.above(target, nearlyFullPart, e) }

// monthsUntilFull returns the time until growth has used the space of a target; nil without growth and beyond the
// horizon.
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
