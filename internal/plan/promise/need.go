package promise

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/plan/simulation"
)

func (a *answer) needs(ctx context.Context) error {
	for _, name := range names(a.result.Links) {
		one := a.result.Links[name]
		if a.likely == nil || len(one.Promises) == 0 {
			continue
		}
		if one.NeededLimitedBy = a.blocked(one.Promises); one.NeededLimitedBy == nil {
			mbps, limitedBy, err := a.need(ctx, name, one.Promises)
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
		a.result.Links[name] = one
	}
	return nil
}

// blocked returns the reason why no throughput can meet the promises of the tiers, or nil if only a simulation can
// determine that.
func (a *answer) blocked(tiers []string) *string {
	for _, name := range tiers {
		if _, ok := a.unknown[name]; ok {
			return new(LimitedByUnknown)
		}
	}
	for _, name := range tiers {
		target := a.plan.Tiers[name].Target
		if a.plan.nearlyFull(target, asGiven) || a.plan.nearlyFull(target, worseEnd) {
			return new(LimitedByTarget)
		}
	}
	return nil
}

func (a *answer) last() (end, *played) {
	ends := a.plan.ends()
	last := ends[len(ends)-1]
	return last, a.ends[last]
}

func (a *answer) need(ctx context.Context, link string, tiers []string) (mbps float64, limitedBy string, err error) {
	ends := a.plan.ends()
	last := len(ends) - 1
	estates := make([]simulation.Estate, len(ends))
	for i, e := range ends {
		estates[i] = a.plan.estate(e)
	}
	base, at, given := estates[last], slices.Index(names(a.plan.Links), link), a.result.Links[link].ThroughputMbps
	indices := a.indices(tiers)
	holds := true
	for _, i := range indices {
		for _, p := range a.ends {
			holds = holds && a.rateHolds(p, i)
		}
	}
	usable := 0.0
	for _, rate := range base.Links[at].HourlyRates {
		usable += rate / hoursPerDay / quantity.BitsPerMbit / given
	}
	with := func(mbps float64, i int) simulation.Estate {
		changed := estates[i]
		changed.Links = slices.Clone(changed.Links)
		changed.Links[at] = a.plan.simulatedLink(a.plan.WithThroughput(link, mbps).Links[link], ends[i])
		return changed
	}
	search := simulation.Need{
		EstateAt: func(mbps float64) simulation.Estate { return with(mbps, last) },
		ExtraEstates: func(mbps float64) []simulation.Estate {
			var all []simulation.Estate
			for i := range last {
				all = append(all, with(mbps, i))
			}
			return all
		},
		Tiers: indices, MinMbps: replication.RangeThroughputMbps.Min, GivenMbps: given, GivenSuffices: holds,
		SearchBelow: true, MaxMbps: replication.RangeThroughputMbps.Max, Options: a.plan.options(),
	}
	if usable > 0 {
		search.MinMbps = max(search.MinMbps, base.MeanChange(at)/quantity.BitsPerMbit/usable)
	}
	if search.MinMbps >= search.MaxMbps {
		return 0, LimitedByUnknown, nil
	}
	if a.plan.hasDeadline() {
		search.Condition = func(ctx context.Context, mbps float64) (bool, error) {
			return a.plan.inSyncInTime(ctx, search.EstateAt(mbps), tiers, indices)
		}
	}
	mbps, found, err := search.Search(ctx)
	if err != nil || found {
		return mbps, "", err
	}
	calm := with(search.MaxMbps, slices.Index(ends, ends[last]&^moving))
	limitedBy, err = a.limit(ctx, search.EstateAt(search.MaxMbps), calm, at, indices)
	return 0, limitedBy, err
}

func (a *answer) indices(tiers []string) []int {
	var all []int
	for _, name := range tiers {
		if i := slices.Index(a.tiers, name); i >= 0 {
			all = append(all, i)
		}
	}
	return all
}

// rateHolds reports whether a tier meets its promise and its deadline. It ignores OneRun, the reason that there are too
// few runs.
func (a *answer) rateHolds(p *played, i int) bool {
	t, of := a.plan.Tiers[a.tiers[i]], p.Tiers[i]
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

// limit returns the code of the first limit without which the tiers would meet their promises at the largest throughput
// of their link. calm is the estate without migrations on the link.
func (a *answer) limit(ctx context.Context, e, calm simulation.Estate, link int, indices []int) (string, error) {
	without := func(change func(*simulation.Tier, int)) simulation.Estate {
		changed := e
		changed.Tiers = slices.Clone(e.Tiers)
		for i := range changed.Tiers {
			change(&changed.Tiers[i], i)
		}
		return changed
	}
	unread := e
	unread.SourceReadRate = 0
	on := func(i int) bool { return slices.Contains(indices, i) }
	tests := []struct {
		code   string
		estate simulation.Estate
	}{
		{LimitedByMoves, calm},
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
		{LimitedBySource, unread},
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

// leastDays is the length in days of the shortest run whose halves are compared.
const leastDays = 8

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

// fails reports whether the verdict on a tier is worse in the given month. It ignores deadlines.
func (o *outlook) fails(month int64, tier int) bool {
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
		part = nearlyFullPart
	}
	factor := plan.Pow(1+percent/quantity.Percent, float64(month)/quantity.MonthsPerYear)
	return worse(o.months[month][tier], o.verdict) != o.verdict || p.above(t.Target, part/factor, o.end)
}

// nearlyFullPart is the used share of the free space above which too little remains for other uses.
const nearlyFullPart = 0.95

// space returns the space in GiB that a tier's replicas need. It applies the formula of vsla_replica_storage to each
// VM.
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

// above reports whether the replicas need more than the given part of a target's free space. It returns false if the
// free space is unknown.
func (p Plan) above(target string, part float64, e end) bool {
	t, ok := p.Targets[target]
	return ok && t.FreeGiB != nil && p.needed(target, e) > part**t.FreeGiB
}

func (p Plan) full(target string, e end) bool { return p.above(target, 1, e) }

func (p Plan) nearlyFull(target string, e end) bool { return p.above(target, nearlyFullPart, e) }

// monthsUntilFull returns the number of months until growth fills a target's free space. It returns nil if there is no
// growth or if the free space lasts beyond the horizon.
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
