package promise

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/plan/simulation"
)

func (ev *evaluation) setNeeds(ctx context.Context) error {
	for _, name := range names(ev.result.Links) {
		one := ev.result.Links[name]
		if ev.likely == nil || len(one.Promises) == 0 {
			continue
		}
		if one.NeededLimitedBy = ev.limitWithoutSearch(one.Promises); one.NeededLimitedBy == nil {
			mbps, limitedBy, err := ev.findNeed(ctx, name, one.Promises)
			if err != nil {
				return err
			}
			if limitedBy != "" {
				one.NeededLimitedBy = &limitedBy
			} else {
				one.ThroughputNeededMbps = &mbps
				one.HeadroomPercent = new(quantity.Percent * (1 - mbps/one.ThroughputMbps))
			}
		}
		ev.result.Links[name] = one
	}
	return nil
}

// limitWithoutSearch returns the reason why no throughput can meet the promises of the tiers, or nil if only a
// simulation can determine that.
func (ev *evaluation) limitWithoutSearch(tiers []string) *string {
	for _, name := range tiers {
		if _, ok := ev.unknownReasons[name]; ok {
			return new(LimitedByUnknown)
		}
	}
	for _, name := range tiers {
		target := ev.plan.Tiers[name].Target
		if ev.plan.isNearlyFull(target, asGiven) || ev.plan.isNearlyFull(target, worseEnd) {
			return new(LimitedByTarget)
		}
	}
	return nil
}

func (ev *evaluation) worstVariant() (variant, *variantResult) {
	ends := ev.plan.variants()
	last := ends[len(ends)-1]
	return last, ev.results[last]
}

func (ev *evaluation) findNeed(
	ctx context.Context, link string, tiers []string,
) (mbps float64, limitedBy string, err error) {
	ends := ev.plan.variants()
	last := len(ends) - 1
	estates := make([]simulation.Estate, len(ends))
	for i, v := range ends {
		estates[i] = ev.plan.estate(v)
	}
	base, at, given := estates[last], slices.Index(names(ev.plan.Links), link), ev.result.Links[link].ThroughputMbps
	indices := ev.indices(tiers)
	holds := true
	for _, i := range indices {
		for _, p := range ev.results {
			holds = holds && ev.meetsPromise(p, i)
		}
	}
	usable := 0.0
	for _, rate := range base.Links[at].HourlyRates {
		usable += rate / hoursPerDay / quantity.BitsPerMbit / given
	}
	estateAt := func(mbps float64, i int) simulation.Estate {
		changed := estates[i]
		changed.Links = slices.Clone(changed.Links)
		changed.Links[at] = ev.plan.simulatedLink(ev.plan.WithThroughput(link, mbps).Links[link], ends[i])
		return changed
	}
	search := simulation.Need{
		EstateAt: func(mbps float64) simulation.Estate { return estateAt(mbps, last) },
		ExtraEstates: func(mbps float64) []simulation.Estate {
			var all []simulation.Estate
			for i := range last {
				all = append(all, estateAt(mbps, i))
			}
			return all
		},
		Tiers: indices, MinMbps: replication.RangeThroughputMbps.Min, GivenMbps: given, GivenSuffices: holds,
		SearchBelow: true, MaxMbps: replication.RangeThroughputMbps.Max, Options: ev.plan.options(),
	}
	if usable > 0 {
		search.MinMbps = max(search.MinMbps, base.MeanChange(at)/quantity.BitsPerMbit/usable)
	}
	if search.MinMbps >= search.MaxMbps {
		return 0, LimitedByUnknown, nil
	}
	if ev.plan.hasDeadline() {
		search.Condition = func(ctx context.Context, mbps float64) (bool, error) {
			return ev.plan.inSyncInTime(ctx, search.EstateAt(mbps), tiers, indices)
		}
	}
	mbps, found, err := search.Search(ctx)
	if err != nil || found {
		return mbps, "", err
	}
	withoutMoves := estateAt(search.MaxMbps, slices.Index(ends, ends[last]&^whileMoving))
	limitedBy, err = ev.limitingFactor(ctx, search.EstateAt(search.MaxMbps), withoutMoves, at, indices)
	return 0, limitedBy, err
}

func (ev *evaluation) indices(tiers []string) []int {
	var all []int
	for _, name := range tiers {
		if i := slices.Index(ev.tiers, name); i >= 0 {
			all = append(all, i)
		}
	}
	return all
}

// meetsPromise reports whether a tier meets its promise and its deadline. It ignores the reason OneRun, which means
// that there are too few runs.
func (ev *evaluation) meetsPromise(p *variantResult, i int) bool {
	t, of := ev.plan.Tiers[ev.tiers[i]], p.Tiers[i]
	if t.DeadlineHours != nil && !meetsDeadline(t, p.initial[i]) {
		return false
	}
	return of.Verdict == VerdictMeets ||
		of.Verdict == VerdictAtRisk && slices.Equal(of.Reasons, []string{simulation.OneRun})
}

func (p Plan) inSyncInTime(ctx context.Context, e simulation.Estate, tiers []string, indices []int) (bool, error) {
	initial, err := simulation.InitialSync(ctx, e)
	if err != nil {
		return false, err
	}
	for n, i := range indices {
		if t := p.Tiers[tiers[n]]; t.DeadlineHours != nil && !meetsDeadline(t, initial[i]) {
			return false, nil
		}
	}
	return true, nil
}

// limitingFactor removes one limit at a time and returns the code of the first limit whose removal allows the tiers to
// meet their promises at the maximum throughput of their link. withoutMoves is the estate without migrations on the
// link.
func (ev *evaluation) limitingFactor(
	ctx context.Context, e, withoutMoves simulation.Estate, link int, indices []int,
) (string, error) {
	without := func(change func(*simulation.Tier, int)) simulation.Estate {
		changed := e
		changed.Tiers = slices.Clone(e.Tiers)
		for i := range changed.Tiers {
			change(&changed.Tiers[i], i)
		}
		return changed
	}
	withoutReadLimit := e
	withoutReadLimit.SourceReadRate = 0
	on := func(i int) bool { return slices.Contains(indices, i) }
	tests := []struct {
		code   string
		estate simulation.Estate
	}{
		{LimitedByMoves, withoutMoves},
		{LimitedByPerSync, without(func(t *simulation.Tier, i int) {
			if on(i) {
				t.PerSyncRate = 0
			}
		})},
		{LimitedByOverhead, without(func(t *simulation.Tier, i int) {
			if on(i) {
				t.OverheadSeconds = 0
			}
		})},
		{LimitedBySource, withoutReadLimit},
		{LimitedByOtherLink, without(func(t *simulation.Tier, _ int) {
			if t.Link != link {
				t.Target = nil
			}
		})},
		{LimitedByTarget, without(func(t *simulation.Tier, _ int) { t.Target = nil })},
	}
	o := simulation.Options{Days: max(leastDays, e.MinDays()), Runs: simulation.EnoughRuns}
	for _, test := range tests {
		if holds, err := simulation.VerdictAtLeast(ctx, test.estate, o, indices, VerdictMeets); err != nil || holds {
			return test.code, err
		}
	}
	return LimitedByUnknown, nil
}

// leastDays is the minimum length in days of a run whose halves are compared.
const leastDays = 8

func (ev *evaluation) setGrowth(ctx context.Context) error {
	if ev.plan.GrowthPercentPerYear == nil || ev.likely == nil {
		return nil
	}
	last, _ := ev.worstVariant()
	atRisk := &growthOutlook{ctx: ctx, answer: ev, end: last &^ whileMoving, verdict: VerdictMeets}
	miss := &growthOutlook{ctx: ctx, answer: ev, end: asGiven, verdict: VerdictAtRisk}
	for i, name := range ev.tiers {
		one := ev.result.Promises[name]
		if _, ok := ev.unknownReasons[name]; ok {
			continue
		}
		horizon := int64(ev.plan.HorizonMonths)
		one.MonthsUntilAtRisk = simulation.FirstMonth(horizon, func(month int64) bool {
			return month == 0 && one.Verdict != VerdictMeets || month > 0 && atRisk.fails(month, i)
		})
		one.MonthsUntilMiss = simulation.FirstMonth(horizon, func(month int64) bool {
			return month == 0 && one.Verdict == VerdictMisses || month > 0 && miss.fails(month, i)
		})
		ev.result.Promises[name] = one
	}
	if atRisk.err != nil {
		return atRisk.err
	}
	return miss.err
}

type growthOutlook struct {
	ctx     context.Context //nolint:containedctx // used only during one call
	answer  *evaluation
	end     variant
	verdict string
	months  map[int64][]string
	err     error
}

// fails reports whether the verdict on a tier is worse than o.verdict in the given month. It ignores deadlines.
func (o *growthOutlook) fails(month int64, tier int) bool {
	p := o.answer.plan
	percent := *p.GrowthPercentPerYear
	if o.months == nil {
		o.months = make(map[int64][]string)
	}
	if _, known := o.months[month]; !known && o.err == nil {
		o.months[month], o.err = simulation.Verdicts(o.ctx, p.estate(o.end).Grown(percent, month), p.options())
	}
	if o.err != nil {
		return true
	}
	t := p.Tiers[o.answer.tiers[tier]]
	part := 1.0
	if o.verdict == VerdictMeets {
		part = nearlyFullShare
	}
	factor := plan.Pow(1+percent/quantity.Percent, float64(month)/quantity.MonthsPerYear)
	return worseVerdict(o.months[month][tier], o.verdict) != o.verdict || p.exceedsFree(t.Target, part/factor, o.end)
}

// nearlyFullShare is the share of a target's free space that the replicas can use before too little is left for other
// uses.
const nearlyFullShare = 0.95

// spaceGiB returns the space in GiB that a tier's replicas need. It applies the formula of vsla_replica_storage to each
// VM.
func (p Plan) spaceGiB(t Tier, v variant) float64 {
	t = t.inVariant(v)
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

func (p Plan) neededGiB(target string, v variant) float64 {
	sum := 0.0
	for _, name := range names(p.Tiers) {
		if t := p.Tiers[name]; t.Target == target {
			sum += p.spaceGiB(t, v)
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

func (p Plan) monthsUntilFull(target string) *float64 {
	t := p.Targets[target]
	if t.FreeGiB == nil || p.GrowthPercentPerYear == nil {
		return nil
	}
	needed := p.neededGiB(target, asGiven)
	if needed > *t.FreeGiB {
		return new(float64)
	}
	return replication.MonthsOfGrowth(needed, *t.FreeGiB, *p.GrowthPercentPerYear, p.HorizonMonths)
}
