package promise

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

// Compute simulates every VM, both with the inputs as given and with the worse end of each range. It determines the
// verdict on each promise, the throughput that each link needs, the effect of growth, and remedies. The error is a
// plan.InputErrors or ctx.Err().
func Compute(ctx context.Context, p Plan) (Result, error) {
	ev, err := p.evaluate(ctx)
	if err != nil {
		return Result{}, err
	}
	ev.reportPartial()
	if err := ev.setNeeds(ctx); err != nil {
		return Result{}, err
	}
	ev.reportPartial()
	for _, step := range []func(context.Context) error{ev.setGrowth, ev.setRemedies} {
		if err := step(ctx); err != nil {
			return Result{}, err
		}
	}
	ev.explain()
	return ev.result, nil
}

// Verdicts computes the result without needs, growth and remedies, which require more simulations. They remain nil.
func Verdicts(ctx context.Context, p Plan) (Result, error) {
	ev, err := p.evaluate(ctx)
	if err != nil {
		return Result{}, err
	}
	ev.explain()
	return ev.result, nil
}

type evaluation struct {
	plan   Plan
	result Result
	// tiers are the names of the simulated tiers, in the same order as in the estate.
	tiers []string
	// results contains the simulation result of each variant. likely is the result for asGiven. worse is the result for
	// worseEnd; nil if there are no ranges.
	results        map[variant]*variantResult
	likely, worse  *variantResult
	unknownReasons map[string]unknownReasons
}

// variantResult contains the results of all runs of one variant. initial contains the minutes that each tier's initial
// sync takes after a common cold start; an element is nil if it would exceed 31 days.
type variantResult struct {
	simulation.Result

	initial []*float64
}

func (p Plan) simulate(ctx context.Context, v variant) (*variantResult, error) {
	estate := p.estate(v)
	if len(estate.Tiers) == 0 {
		return nil, nil //nolint:nilnil // there is nothing to simulate
	}
	var r variantResult
	var err error
	o := p.options()
	if o.Progress = p.callbacks.Runs; o.Progress == nil {
		o.Progress = simulation.ProgressFrom(ctx)
	}
	if r.Result, err = simulation.Run(ctx, estate, o); err != nil {
		return nil, err
	}
	if v == asGiven || p.hasDeadline() {
		r.initial, err = simulation.InitialSync(ctx, estate)
	}
	return &r, err
}

func (p Plan) hasDeadline() bool {
	return slices.ContainsFunc(names(p.Tiers), func(name string) bool { return p.Tiers[name].DeadlineHours != nil })
}

func (p Plan) evaluate(ctx context.Context) (*evaluation, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	ev := &evaluation{
		plan: p, tiers: p.simulated(), results: make(map[variant]*variantResult), unknownReasons: p.unknownReasons(),
	}
	for _, v := range p.variants() {
		var err error
		if ev.results[v], err = p.simulate(ctx, v); err != nil {
			return nil, err
		}
	}
	ev.likely, ev.worse = ev.results[asGiven], ev.results[worseEnd]
	ev.judge()
	ev.setLinksAndTargets()
	return ev, nil
}

func (ev *evaluation) judge() {
	r := &ev.result
	r.Promises, r.Verdict = make(map[string]Promise, len(ev.plan.Tiers)), VerdictMeets
	if ev.likely != nil {
		r.DaysSimulated, r.Runs, r.Converged = int64(ev.likely.Days), int64(ev.likely.Runs), ev.likely.Converged
	}
	for _, name := range names(ev.plan.Tiers) {
		one := ev.evaluatePromise(name)
		r.Promises[name] = one
		r.Verdict = worseVerdict(r.Verdict, one.Verdict)
	}
}

func (ev *evaluation) evaluatePromise(name string) Promise {
	t := ev.plan.Tiers[name]
	one := Promise{VMCount: int64(t.count()), LateVirtualMachines: []LateVM{}, Remedies: []Remedy{}}
	for _, vm := range t.vms() {
		one.TotalGiB += float64(vm.Count) * vm.SizeGiB
	}
	if t.Target != "" {
		one.TargetGiB = new(ev.plan.spaceGiB(t, asGiven))
	}
	one.Verdict, one.LikelyVerdict = VerdictUnknown, VerdictUnknown
	i := slices.Index(ev.tiers, name)
	if i < 0 {
		return one
	}
	one.ChangeMbps, one.BusiestChangeMbps = t.changeMbps()
	one.setFigures(t, ev.likely, i)
	if t.DeadlineHours != nil {
		one.DeadlineMet = new(meetsDeadline(t, ev.likely.initial[i]))
	}
	one.LikelyVerdict = ev.verdictAt(asGiven, name)
	if ev.worse != nil {
		one.WorseEndVerdict = new(ev.verdictAt(worseEnd, name))
		one.WorseEndWithinRPOPercent = &ev.worse.Tiers[i].WithinRPOPercent
	}
	one.Verdict = one.LikelyVerdict
	if p := ev.results[whileMoving]; p != nil {
		one.MovesVerdict, one.MovesWithinRPOPercent = new(ev.verdictAt(whileMoving, name)), &p.Tiers[i].WithinRPOPercent
		one.Verdict = worseVerdict(one.Verdict, *one.MovesVerdict)
	}
	for v := range ev.results {
		if one.Verdict == VerdictMeets && ev.verdictAt(v, name) != VerdictMeets {
			one.Verdict = VerdictAtRisk
		}
	}
	if one.Verdict == VerdictMeets && (ev.plan.exceedsLimits(name) || ev.plan.isNearlyFull(t.Target, asGiven)) {
		one.Verdict = VerdictAtRisk
	}
	if _, ok := ev.unknownReasons[name]; ok {
		one.Verdict = worseVerdict(one.Verdict, VerdictUnknown)
	}
	return one
}

func (one *Promise) setFigures(t Tier, p *variantResult, i int) {
	of := p.Tiers[i]
	one.WithinRPOPercent, one.DecidedBy = &of.WithinRPOPercent, t.vmName(of.DecidedBy.VM)+", "+of.DecidedBy.String()
	one.CompliancePercent = &of.CompliancePercent
	one.Violations, one.Alarms, one.DaysPerAlarm = of.Violations, of.Alarms, of.DaysPerAlarm
	one.WorstRecoveryPointMinutes, one.P95SyncSeconds = &of.WorstRecoveryPointMinutes, of.P95SyncSeconds
	one.InitialSyncMinutes = p.initial[i]
	one.LateVMCount = int64(len(of.LateVMs))
	sizes := t.vms()
	for _, late := range of.LateVMs[:min(len(of.LateVMs), MaxLateNames)] {
		size := sizes[0].SizeGiB
		if t.VMCount == nil {
			size = sizes[late.VM].SizeGiB
		}
		one.LateVirtualMachines = append(one.LateVirtualMachines, LateVM{
			Name: t.vmName(late.VM), SizeGiB: size, WithinRPOPercent: late.WithinRPOPercent,
			OldestRecoveryPointMinutes: late.OldestRecoveryPointMinutes,
		})
	}
}

func (ev *evaluation) verdictAt(v variant, name string) string {
	p, t, i := ev.results[v], ev.plan.Tiers[name], slices.Index(ev.tiers, name)
	if (t.DeadlineHours != nil && !meetsDeadline(t, p.initial[i])) || ev.plan.isFull(t.Target, v) {
		return VerdictMisses
	}
	return p.Tiers[i].Verdict
}

func meetsDeadline(t Tier, minutes *float64) bool {
	return minutes != nil && *minutes <= *t.DeadlineHours*quantity.MinutesPerHour
}

var verdictOrder = []string{VerdictMeets, VerdictAtRisk, VerdictUnknown, VerdictMisses}

func worseVerdict(a, b string) string {
	return verdictOrder[max(slices.Index(verdictOrder, a), slices.Index(verdictOrder, b))]
}

func (ev *evaluation) setLinksAndTargets() {
	r, p := &ev.result, ev.plan
	r.Links, r.Targets = make(map[string]LinkResult, len(p.Links)), make(map[string]TargetResult, len(p.Targets))
	for i, name := range names(p.Links) {
		one := LinkResult{
			ThroughputMbps: p.Links[name].capacity().mean(), HourlyUsePercent: make([]float64, hoursPerDay),
			Promises: p.tierNames(func(t Tier) bool { return p.linkOf(t) == name }),
		}
		if ev.likely != nil {
			use := ev.likely.Links[i]
			one.UsePercent, one.BusiestHourPercent = use.UsePercent, use.BusiestHourPercent
			for h, hour := range use.Hours {
				one.HourlyUsePercent[h%hoursPerDay] += hour.UsePercent * hoursPerDay / float64(len(use.Hours))
			}
		}
		r.Links[name] = one
	}
	for i, name := range names(p.Targets) {
		one := TargetResult{
			NeededGiB: p.neededGiB(name, asGiven), Promises: p.tierNames(func(t Tier) bool { return t.Target == name }),
		}
		if free := p.Targets[name].FreeGiB; free != nil {
			one.FreeAfterGiB = new(*free - one.NeededGiB)
		}
		one.MonthsUntilFull = p.monthsUntilFull(name)
		if ev.likely != nil {
			one.BusiestWritePercent = ev.likely.Targets[i].BusiestHourPercent
		}
		r.Targets[name] = one
	}
}

func (p Plan) tierNames(is func(Tier) bool) []string {
	on := slices.DeleteFunc(names(p.Tiers), func(name string) bool { return !is(p.Tiers[name]) })
	return append([]string{}, on...)
}
