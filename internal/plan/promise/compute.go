package promise

import (
	"context"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

// Compute simulates every VM with the inputs as given and with the worse end of each range. It judges each promise and
// determines the throughput that each link needs, the effect of growth, and remedies. The error is a plan.InputErrors,
// or the error of ctx if it is cancelled.
func Compute(ctx context.Context, p Plan) (Result, error) {
	a, err := p.answer(ctx)
	if err != nil {
		return Result{}, err
	}
	a.told()
	if err := a.needs(ctx); err != nil {
		return Result{}, err
	}
	a.told()
	for _, step := range []func(context.Context) error{a.grow, a.remedy} {
		if err := step(ctx); err != nil {
			return Result{}, err
		}
	}
	a.explain()
	return a.result, nil
}

// Verdicts computes the result without needs, growth and remedies, which require more simulations and remain nil.
func Verdicts(ctx context.Context, p Plan) (Result, error) {
	a, err := p.answer(ctx)
	if err != nil {
		return Result{}, err
	}
	a.explain()
	return a.result, nil
}

type answer struct {
	plan   Plan
	result Result
	// tiers are the simulated tiers, in the same order as in the estate.
	tiers []string
	// ends contains the simulation for each end. likely is the simulation for asGiven, and worse that for worseEnd; worse
	// is nil if there are no ranges.
	ends          map[end]*played
	likely, worse *played
	unknown       map[string]unknown
}

// played contains the results of all runs at one end. initial contains the duration of each tier's initial sync from a
// common cold start; nil if it exceeds the longest run.
type played struct {
	simulation.Result

	initial []*float64
}

func (p Plan) play(ctx context.Context, e end) (*played, error) {
	estate := p.estate(e)
	if len(estate.Tiers) == 0 {
		return nil, nil //nolint:nilnil // there is nothing to simulate
	}
	var r played
	var err error
	o := p.options()
	if o.Progress = p.watch.Runs; o.Progress == nil {
		o.Progress = simulation.ProgressFrom(ctx)
	}
	if r.Result, err = simulation.Run(ctx, estate, o); err != nil {
		return nil, err
	}
	if e == asGiven || p.hasDeadline() {
		r.initial, err = simulation.InitialSync(ctx, estate)
	}
	return &r, err
}

func (p Plan) hasDeadline() bool {
	return slices.ContainsFunc(names(p.Tiers), func(name string) bool { return p.Tiers[name].DeadlineHours != nil })
}

func (p Plan) answer(ctx context.Context) (*answer, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	a := &answer{plan: p, tiers: p.simulated(), ends: make(map[end]*played), unknown: p.unknown()}
	for _, e := range p.ends() {
		var err error
		if a.ends[e], err = p.play(ctx, e); err != nil {
			return nil, err
		}
	}
	a.likely, a.worse = a.ends[asGiven], a.ends[worseEnd]
	a.judge()
	a.shared()
	return a, nil
}

func (a *answer) judge() {
	r := &a.result
	r.Promises, r.Verdict = make(map[string]Promise, len(a.plan.Tiers)), VerdictMeets
	if a.likely != nil {
		r.DaysSimulated, r.Runs, r.Converged = int64(a.likely.Days), int64(a.likely.Runs), a.likely.Converged
	}
	for _, name := range names(a.plan.Tiers) {
		one := a.promise(name)
		r.Promises[name] = one
		r.Verdict = worse(r.Verdict, one.Verdict)
	}
}

func (a *answer) promise(name string) Promise {
	t := a.plan.Tiers[name]
	one := Promise{VMCount: int64(t.count()), LateVirtualMachines: []LateVM{}, Remedies: []Remedy{}}
	for _, vm := range t.vms() {
		one.TotalGiB += float64(vm.Count) * vm.SizeGiB
	}
	if t.Target != "" {
		one.TargetGiB = new(a.plan.space(t, asGiven))
	}
	one.Verdict, one.LikelyVerdict = VerdictUnknown, VerdictUnknown
	i := slices.Index(a.tiers, name)
	if i < 0 {
		return one
	}
	one.ChangeMbps, one.BusiestChangeMbps = t.changeMbps()
	one.fill(t, a.likely, i)
	if t.DeadlineHours != nil {
		one.DeadlineMet = new(meetsDeadline(t, a.likely.initial[i]))
	}
	one.LikelyVerdict = a.verdictAt(asGiven, name)
	if a.worse != nil {
		one.WorseEndVerdict = new(a.verdictAt(worseEnd, name))
		one.WorseEndWithinRPOPercent = &a.worse.Tiers[i].WithinRPOPercent
	}
	one.Verdict = one.LikelyVerdict
	if p := a.ends[moving]; p != nil {
		one.MovesVerdict, one.MovesWithinRPOPercent = new(a.verdictAt(moving, name)), &p.Tiers[i].WithinRPOPercent
		one.Verdict = worse(one.Verdict, *one.MovesVerdict)
	}
	for e := range a.ends {
		if one.Verdict == VerdictMeets && a.verdictAt(e, name) != VerdictMeets {
			one.Verdict = VerdictAtRisk
		}
	}
	if one.Verdict == VerdictMeets && (a.plan.aboveMaximum(name) || a.plan.nearlyFull(t.Target, asGiven)) {
		one.Verdict = VerdictAtRisk
	}
	if _, ok := a.unknown[name]; ok {
		one.Verdict = worse(one.Verdict, VerdictUnknown)
	}
	return one
}

func (one *Promise) fill(t Tier, p *played, i int) {
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

// verdictAt returns the verdict on a simulated tier at one end. A missed deadline or a full target results in
// VerdictMisses.
func (a *answer) verdictAt(e end, name string) string {
	p, t, i := a.ends[e], a.plan.Tiers[name], slices.Index(a.tiers, name)
	if (t.DeadlineHours != nil && !meetsDeadline(t, p.initial[i])) || a.plan.full(t.Target, e) {
		return VerdictMisses
	}
	return p.Tiers[i].Verdict
}

func meetsDeadline(t Tier, minutes *float64) bool {
	return minutes != nil && *minutes <= *t.DeadlineHours*quantity.MinutesPerHour
}

var order = []string{VerdictMeets, VerdictAtRisk, VerdictUnknown, VerdictMisses}

func worse(a, b string) string {
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

func (a *answer) shared() {
	r, p := &a.result, a.plan
	r.Links, r.Targets = make(map[string]LinkResult, len(p.Links)), make(map[string]TargetResult, len(p.Targets))
	for i, name := range names(p.Links) {
		one := LinkResult{
			ThroughputMbps: p.Links[name].capacity().mean(), HourlyUsePercent: make([]float64, hoursPerDay),
			Promises: p.tiersOn(func(t Tier) bool { return p.linkOf(t) == name }),
		}
		if a.likely != nil {
			use := a.likely.Links[i]
			one.UsePercent, one.BusiestHourPercent = use.UsePercent, use.BusiestHourPercent
			for h, hour := range use.Hours {
				one.HourlyUsePercent[h%hoursPerDay] += hour.UsePercent * hoursPerDay / float64(len(use.Hours))
			}
		}
		r.Links[name] = one
	}
	for i, name := range names(p.Targets) {
		one := TargetResult{
			NeededGiB: p.needed(name, asGiven), Promises: p.tiersOn(func(t Tier) bool { return t.Target == name }),
		}
		if free := p.Targets[name].FreeGiB; free != nil {
			one.FreeAfterGiB = new(*free - one.NeededGiB)
		}
		one.MonthsUntilFull = p.monthsUntilFull(name)
		if a.likely != nil {
			one.BusiestWritePercent = a.likely.Targets[i].BusiestHourPercent
		}
		r.Targets[name] = one
	}
}

func (p Plan) tiersOn(is func(Tier) bool) []string {
	on := slices.DeleteFunc(names(p.Tiers), func(name string) bool { return !is(p.Tiers[name]) })
	return append([]string{}, on...)
}
