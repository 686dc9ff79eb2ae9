package promise

import (
	"context"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/plan/simulation"
)

func (a *answer) grow(ctx context.Context) error {
	if a.plan.GrowthPercentPerYear == nil || a.likely == nil {
		return nil
	}
	last, _ := a.last()
	atRisk := &outlook{ctx: ctx, answer: a, end: last &^ moving, verdict: VerdictMeets}
	miss := &outlook{ctx: ctx, answer: a, end: asGiven, verdict: VerdictAtRisk}
	for i, name := range a.tiers {
		one := a.result.Promises[name]
		if _, ok := a.unknown[name]; ok {
			continue
		}
		horizon := int64(a.plan.HorizonMonths)
		one.MonthsUntilAtRisk = simulation.FirstMonth(horizon, func(month int64) bool {
			return month == 0 && one.Verdict != VerdictMeets || month > 0 && atRisk.fails(month, i)
		})
		one.MonthsUntilMiss = simulation.FirstMonth(horizon, func(month int64) bool {
			return month == 0 && one.Verdict == VerdictMisses || month > 0 && miss.fails(month, i)
		})
		a.result.Promises[name] = one
	}
	if atRisk.err != nil {
		return atRisk.err
	}
	return miss.err
}

type outlook struct {
	ctx     context.Context //nolint:containedctx // of one call
	answer  *answer
	end     end
	verdict string
	months  map[int64][]string
	err     error
}

// fails reports whether the verdict of a tier is worse in a month. The deadlines of today are ignored.
func (o *outlook) fails(month int64, tier int) bool {
	p := o.answer.plan
	percent := *p.GrowthPercentPerYear
	if o.months == nil {
		o.months = make(map[int64][]string)
	}
	if _, known := o.months[month]; !known && o.err == nil {
		o.months[month], o.err = simulation.Judge(o.ctx, p.estate(o.end).Grown(percent, month), p.options())
	}
	if o.err != nil {
		return true
	}
	t := p.Tiers[o.answer.tiers[tier]]
	part := 1.0
	if o.verdict == VerdictMeets {
		part = nearlyFullPart
	}
	factor := plan.Pow(1+percent/quantity.Percent, float64(month)/quantity.MonthsPerYear)
	return worse(o.months[month][tier], o.verdict) != o.verdict || p.above(t.Target, part/factor, o.end)
}

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
