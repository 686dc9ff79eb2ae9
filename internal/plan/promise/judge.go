package promise

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/setting"
	"terraform-provider-vsla/internal/plan/simulation"
)

const (
	// DefaultTargetPercent is the promised share of time within the RPO, for each VM, of a tier with a given configured
	// RPO. It is this project's own assumption.
	DefaultTargetPercent = 99.9
	// AtRiskPercent is the share below which such a tier misses its promise. It is this project's own assumption.
	AtRiskPercent = 99
)

// Ways in which a promise holds.
const (
	// ByBound means that no recovery point can get older than the promised RPO.
	ByBound = "bound"
	// ByVendorRule means that no sync takes longer than half the configured RPO, with which the vendor promises that
	// there are no violations.
	ByVendorRule = "vendor_rule"
	// ByShare means that every VM is within its RPO for the promised share of time.
	ByShare = "share"
)

// Compute simulates every VM, both with likely inputs and at the worse end of uncertain inputs. It determines the
// verdict on each promise, the setting that keeps it, the throughput that each link needs, the largest change and peak,
// the effect of growth, and remedies. The error is a plan.InputErrors or ctx.Err().
func Compute(ctx context.Context, p Plan) (Result, error) {
	return p.compute(ctx, (*part).setNeeds, (*part).setMaxima, (*part).setMonths, (*part).setRemedies)
}

// Judge computes the verdicts and the settings. All results that require further simulations remain nil.
func Judge(ctx context.Context, p Plan) (Result, error) { return p.compute(ctx) }

// Needs computes the verdicts, the settings and the throughput that each link needs.
func Needs(ctx context.Context, p Plan) (Result, error) { return p.compute(ctx, (*part).setNeeds) }

func (p Plan) compute(ctx context.Context, steps ...func(*part, context.Context) error) (Result, error) {
	if err := p.Check(); err != nil {
		return Result{}, err
	}
	ev, err := p.withMeasured().evaluate(ctx, false, steps...)
	if err != nil {
		return Result{}, err
	}
	return ev.result(), nil
}

// evaluate performs the steps on each part of a valid plan. With onlyVerdicts, all figures are omitted that decide no
// verdict.
func (p Plan) evaluate(
	ctx context.Context, onlyVerdicts bool, steps ...func(*part, context.Context) error,
) (*evaluation, error) {
	ev := &evaluation{plan: p, full: p.complete(), unknown: p.unknownReasons(), onlyVerdicts: onlyVerdicts}
	if p.callbacks.Runs != nil {
		ctx = simulation.WithProgress(ctx, p.callbacks.Runs)
	}
	for _, one := range p.parts() {
		ev.parts = append(ev.parts, &part{
			evaluation: ev,
			plan:       one,
			full:       one.complete(),
			tiers:      names(one.Tiers),
			results:    make(map[variant]*variantResult),
			promises:   make(map[string]Promise),
			links:      make(map[string]LinkResult),
		})
	}
	judge := []func(*part, context.Context) error{(*part).judge}
	for i, steps := range [][]func(*part, context.Context) error{judge, steps} {
		if err := ev.each(func(pt *part) error {
			for _, step := range steps {
				if err := step(pt, ctx); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
		if i == 0 && p.callbacks.Partial != nil && len(steps) > 0 {
			p.callbacks.Partial(ev.result())
		}
	}
	return ev, nil
}

// evaluation is the evaluation of a plan, whose parts are computed apart.
type evaluation struct {
	// plan is the plan as given, and full has a range for each omitted input.
	plan, full Plan
	parts      []*part
	unknown    map[string]unknownReasons
	// onlyVerdicts omits all figures that decide no verdict.
	onlyVerdicts bool
}

func (ev *evaluation) each(do func(*part) error) error {
	return concurrently(len(ev.parts), func(i int) error { return do(ev.parts[i]) })
}

// concurrently calls a function for the indexes up to n - 1 at the same time, and returns the first error.
func concurrently(n int, do func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	return firstOf(errs)
}

func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// part is the evaluation of a part of the plan.
type part struct {
	*evaluation

	// plan is the part as given, and full has a range for each omitted input.
	plan, full Plan
	// tiers are the names of the tiers, in the same order as in the estate.
	tiers []string
	// choice contains the settings that are judged. suggestion contains those that would be chosen if none were given.
	choice, suggestion setting.Choice
	results            map[variant]*variantResult
	recoveries         map[string]recoveries
	promises           map[string]Promise
	links              map[string]LinkResult
}

// variantResult contains the results of a variant. initial contains the minutes that each tier's initial sync takes
// after a common cold start; an element is nil if it would exceed 31 days.
type variantResult struct {
	simulation.Result

	initial []*float64
	// waitMinutes is that of the only tier's promise.
	waitMinutes *float64
}

type recoveries struct{ together, outage simulation.Recovery }

func (pt *part) judge(ctx context.Context) error {
	var err error
	if pt.choice, err = pt.full.choose(ctx, Tier.asConfigured); err != nil {
		return err
	}
	pt.suggestion = pt.choice
	if slices.ContainsFunc(pt.tiers, func(name string) bool {
		return pt.plan.Tiers[name].ConfiguredRPOMinutes != nil
	}) {
		if pt.suggestion, err = pt.full.choose(ctx, Tier.upToPromise); err != nil {
			return err
		}
	}
	if err := pt.simulateAll(ctx); err != nil {
		return err
	}
	for i, name := range pt.tiers {
		pt.promises[name] = pt.evaluatePromise(i, name)
	}
	if err := pt.setDoubts(ctx); err != nil {
		return err
	}
	pt.setLinks()
	return nil
}

// simulateAll simulates the variants and the recoveries at the same time.
func (pt *part) simulateAll(ctx context.Context) error {
	variants := pt.full.variants()
	results := make([]*variantResult, len(variants))
	err := concurrently(len(variants)+1, func(i int) (err error) {
		if i == len(variants) {
			return pt.setRecoveries(ctx)
		}
		results[i], err = pt.simulate(ctx, variants[i])
		return err
	})
	for i, v := range variants {
		pt.results[v] = results[i]
	}
	return err
}

func (pt *part) simulate(ctx context.Context, v variant) (*variantResult, error) {
	e := pt.full.estate(v).WithSettings(pt.choice.Minutes)
	var r variantResult
	var err error
	closed, holds := simulation.Closed(e)
	if len(closed.Tiers) > 0 && math.IsInf(closed.Tiers[0].OldestMinutes, 1) {
		r.waitMinutes = &closed.Tiers[0].LongestSyncMinutes
	}
	isBounded := holds && !closed.Tiers[0].Late
	if r.Result, err = pt.full.run(ctx, e, pt.onlyVerdicts || isBounded && v != asGiven); err != nil {
		return nil, err
	}
	r.initial = make([]*float64, len(pt.tiers))
	if v == asGiven && !pt.onlyVerdicts || pt.full.hasDeadline() {
		r.initial, err = simulation.InitialSync(ctx, pt.full.merged(e))
	}
	return &r, err
}

// run simulates an estate of a completed part. With onlyVerdicts, it returns the results of the closed form if the
// promise holds by them or no simulation could change the verdict: only the share of time with a given setting requires
// one. WithinPercent is then NaN if the promise does not hold.
func (p Plan) run(ctx context.Context, e simulation.Estate, onlyVerdicts bool) (simulation.Result, error) {
	e = p.merged(e)
	if !onlyVerdicts || !e.IsClosed() {
		return simulation.Run(ctx, e)
	}
	r, holds := simulation.Closed(e)
	t := p.Tiers[p.simulated()[0]]
	if !holds && t.ConfiguredRPOMinutes != nil && t.canConfigure(*t.ConfiguredRPOMinutes) {
		return simulation.Run(ctx, e)
	}
	if !holds {
		r.Tiers[0].WithinPercent = math.NaN()
	}
	return r, nil
}

func (pt *part) setRecoveries(ctx context.Context) error {
	e := pt.full.estate(asGiven).WithSettings(pt.choice.Minutes)
	together := make([]simulation.Recovery, len(pt.tiers))
	var err error
	if !pt.onlyVerdicts {
		if together, err = simulation.Together(ctx, e); err != nil {
			return err
		}
	}
	outage := make([]simulation.Recovery, len(pt.tiers))
	if pt.full.hasOutage() {
		if outage, err = simulation.Outage(ctx, e); err != nil {
			return err
		}
	}
	pt.recoveries = make(map[string]recoveries)
	for i, name := range pt.tiers {
		pt.recoveries[name] = recoveries{together: together[i], outage: outage[i]}
	}
	return nil
}

func (p Plan) hasDeadline() bool {
	return slices.ContainsFunc(names(p.Tiers), func(name string) bool { return p.Tiers[name].DeadlineHours != nil })
}

func (p Plan) hasOutage() bool {
	return slices.ContainsFunc(names(p.Links), func(name string) bool { return p.Links[name].OutageMinutes != nil })
}

// choose returns the settings of all tiers of a completed plan with which the promises hold during migrations, or
// otherwise outside them.
func (p Plan) choose(ctx context.Context, limits func(Tier) setting.Tier) (setting.Choice, error) {
	q := p.question(limits)
	if p.hasMoves() {
		if found, err := q.Choose(ctx); err != nil || found.HoldsLikely {
			return found, err
		}
		q.Likely, q.Worse = p.estate(asGiven), p.estate(worseEnd)
	}
	return q.Choose(ctx)
}

// question asks for the settings of all tiers of a completed plan with which the promises hold during migrations.
// limits returns the possible settings of a tier.
func (p Plan) question(limits func(Tier) setting.Tier) setting.Question {
	q := setting.Question{Likely: p.estate(whileMoving), Worse: p.estate(worseEnd | whileMoving)}
	for _, name := range p.simulated() {
		q.Tiers = append(q.Tiers, limits(p.Tiers[name]))
	}
	return q
}

// leastMinutes returns the shortest RPO that can be configured.
func (t Tier) leastMinutes() float64 {
	if t.QuiesceSeconds > 0 && t.isVSphereReplication() {
		return max(t.MinConfiguredRPOMinutes, quiescedMinutes)
	}
	return t.MinConfiguredRPOMinutes
}

// canConfigure reports whether a given configured RPO is neither too short nor longer than the promised one.
func (t Tier) canConfigure(minutes float64) bool {
	return t.leastMinutes() <= minutes && minutes <= t.RPOMinutes
}

// upToPromise allows all settings up to the promised RPO.
func (t Tier) upToPromise() setting.Tier {
	return setting.Tier{LeastMinutes: setting.Up(t.leastMinutes()), MostMinutes: t.RPOMinutes}
}

// asConfigured allows only the configured RPO, if there is one.
func (t Tier) asConfigured() setting.Tier {
	of := t.upToPromise()
	of.GivenMinutes = t.ConfiguredRPOMinutes
	return of
}

// upToConfigured allows all settings up to the configured RPO, if there is one that can be configured.
func (t Tier) upToConfigured() setting.Tier {
	of := t.upToPromise()
	if t.ConfiguredRPOMinutes != nil && *t.ConfiguredRPOMinutes >= of.LeastMinutes {
		of.MostMinutes = min(of.MostMinutes, *t.ConfiguredRPOMinutes)
	}
	return of
}

// holdsBy returns how a tier with the given result keeps its promise, or an empty string if it does not.
func (t Tier) holdsBy(configured float64, r simulation.TierResult) string {
	switch {
	case !t.canConfigure(configured):
		return ""
	case !r.Late:
		return ByBound
	case r.LongestSyncMinutes <= configured/2:
		return ByVendorRule
	case t.ConfiguredRPOMinutes != nil && r.WithinPercent >= t.targetPercent():
		return ByShare
	}
	return ""
}

func shareOrNil(of simulation.TierResult) *float64 {
	if math.IsNaN(of.WithinPercent) {
		return nil
	}
	return &of.WithinPercent
}

func (t Tier) targetPercent() float64 {
	if t.TargetCompliancePercent != nil {
		return *t.TargetCompliancePercent
	}
	return DefaultTargetPercent
}

func (pt *part) evaluatePromise(i int, name string) Promise {
	t := pt.full.Tiers[name]
	likely := pt.results[asGiven].Tiers[i]
	one := Promise{
		VMCount:              int64(t.count()),
		LateVirtualMachines:  []LateVM{},
		Remedies:             []Remedy{},
		judgedMinutes:        pt.choice.Minutes[i],
		suggestionHoldsWorse: pt.suggestion.HoldsWorse,
		InitialSyncMinutes:   pt.results[asGiven].initial[i],
		WithinRPOPercent:     shareOrNil(likely),
		LongestSyncMinutes:   &likely.LongestSyncMinutes,
		WorstVirtualMachine:  t.vmName(likely.OldestVM),
		waitMinutes:          pt.results[asGiven].waitMinutes,
	}
	if !math.IsInf(likely.OldestMinutes, 1) {
		one.OldestRecoveryPointMinutes = &likely.OldestMinutes
	}
	total := 0.0
	for _, vm := range pt.plan.Tiers[name].vms() {
		total += float64(vm.Count) * vm.SizeGiB
	}
	one.TotalGiB = &total
	if t.Target != "" {
		one.TargetGiB = new(t.spaceGiB(asGiven))
	}
	mean, busiest := changeMbps(pt.full.estate(asGiven).Tiers[i])
	one.ChangeMbps = &mean
	one.BusiestChangeMbps = &busiest
	one.setRecovery(pt.recoveries[name], pt.full.Links[pt.full.linkOf(t)].OutageMinutes != nil)
	if t.DeadlineHours != nil {
		one.DeadlineMet = new(meetsDeadline(t, one.InitialSyncMinutes))
	}
	one.HoldsBy = pt.holdsBy(i)
	switch {
	case t.ConfiguredRPOMinutes == nil && one.HoldsBy != nil:
		one.SuggestedRPOMinutes = &pt.choice.Minutes[i]
	case pt.suggestion.HoldsLikely:
		one.SuggestedRPOMinutes = &pt.suggestion.Minutes[i]
	}
	if one.HoldsBy == nil || *one.HoldsBy != ByVendorRule {
		one.setLate(t, likely)
	}
	pt.setVariants(i, &one)
	pt.setVerdict(i, name, &one)
	return one
}

// changeMbps returns the mean change rate of a tier on the wire, and the change rate in its busiest interval of the
// length of the promised RPO.
func changeMbps(t simulation.Tier) (mean, busiest float64) {
	seconds := t.PromisedMinutes * quantity.SecondsPerMinute
	return t.MeanBits() / quantity.BitsPerMbit, t.BusiestBits(t.PromisedMinutes) / seconds / quantity.BitsPerMbit
}

// setVariants sets the verdicts in all variants, and the percentages on which they are based.
func (pt *part) setVariants(i int, one *Promise) {
	one.LikelyVerdict = pt.verdictAt(asGiven, i)
	if worse := pt.results[worseEnd]; worse != nil {
		one.WorseEndVerdict = new(pt.verdictAt(worseEnd, i))
		one.WorseEndWithinRPOPercent = shareOrNil(worse.Tiers[i])
		if *one.WorseEndVerdict == plan.Meets {
			one.worseOldestMinutes = worse.Tiers[i].OldestMinutes
		}
	}
	if moving := pt.results[whileMoving]; moving != nil {
		one.MovesVerdict = new(pt.verdictAt(whileMoving, i))
		one.MovesWithinRPOPercent = &moving.Tiers[i].WithinPercent
	}
	if moving := pt.results[worseEnd|whileMoving]; moving != nil {
		share := shareOrNil(moving.Tiers[i])
		verdict := plan.Worse(*one.WorseEndVerdict, pt.verdictAt(worseEnd|whileMoving, i))
		if *one.WorseEndVerdict == plan.Meets && verdict != plan.Meets {
			one.movesWorseEndPercent = &moving.Tiers[i].WithinPercent
		}
		if one.WorseEndVerdict = &verdict; share != nil && (one.WorseEndWithinRPOPercent == nil ||
			*share < *one.WorseEndWithinRPOPercent) {
			one.WorseEndWithinRPOPercent = share
		}
	}
}

// setVerdict sets the verdict, which considers all variants and the tier's limits.
func (pt *part) setVerdict(i int, name string, one *Promise) {
	t := pt.full.Tiers[name]
	one.Verdict = one.LikelyVerdict
	if one.MovesVerdict != nil {
		one.Verdict = plan.Worse(one.Verdict, *one.MovesVerdict)
	}
	for v := range pt.results {
		if one.Verdict == plan.Meets && pt.verdictAt(v, i) != plan.Meets {
			one.Verdict = plan.AtRisk
		}
	}
	if one.Verdict == plan.Meets &&
		(pt.evaluation.plan.exceedsLimits(name) || pt.evaluation.full.isNearlyFull(t.Target, asGiven)) {
		one.Verdict = plan.AtRisk
	}
	if t.outageExceeded(*one) {
		one.Verdict = plan.Misses
	}
	one.holds = one.Verdict == plan.Meets
	if one.holds && (len(t.AssumedInputs) > 0 || pt.full.Links[pt.full.linkOf(t)].isOld()) {
		one.Verdict = plan.AtRisk
	}
	one.knownVerdict = one.Verdict
	if _, ok := pt.unknown[name]; ok {
		one.Verdict = plan.Worse(one.Verdict, plan.Unknown)
	}
}

func (t Tier) outageExceeded(one Promise) bool {
	most, oldest := t.MaxOutageRPOMinutes, one.OutageOldestRecoveryPointMinutes
	return most != nil && oldest != nil && *oldest > *most
}

func (one *Promise) setRecovery(of recoveries, outage bool) {
	one.TogetherOldestRecoveryPointMinutes = &of.together.OldestMinutes
	one.TogetherWithinRPOAfterMinutes = of.together.WithinAfterMinutes
	if outage {
		one.OutageOldestRecoveryPointMinutes = &of.outage.OldestMinutes
		one.OutageWithinRPOAfterMinutes = of.outage.WithinAfterMinutes
	}
}

func (one *Promise) setLate(t Tier, r simulation.TierResult) {
	target := float64(quantity.Percent)
	if t.ConfiguredRPOMinutes != nil {
		target = t.targetPercent()
	}
	sizes := t.vms()
	for _, late := range r.LateVMs {
		if late.WithinPercent >= target {
			break
		}
		if one.LateVMCount++; one.LateVMCount > MaxLateNames {
			continue
		}
		size := sizes[0].SizeGiB
		if t.VMCount == nil {
			size = sizes[late.VM].SizeGiB
		}
		one.LateVirtualMachines = append(one.LateVirtualMachines, LateVM{
			Name:                       t.vmName(late.VM),
			SizeGiB:                    size,
			WithinRPOPercent:           late.WithinPercent,
			OldestRecoveryPointMinutes: late.OldestMinutes,
		})
	}
}

// holdsBy returns the weakest way in which the tier keeps its promise in the variants in which it keeps it; nil if it
// does not keep it with likely inputs.
func (pt *part) holdsBy(i int) *string {
	t := pt.full.Tiers[pt.tiers[i]]
	by := t.holdsBy(pt.choice.Minutes[i], pt.results[asGiven].Tiers[i])
	if by == "" {
		return nil
	}
	order := []string{ByBound, ByVendorRule, ByShare}
	for _, r := range pt.results {
		at := slices.Index(order, t.holdsBy(pt.choice.Minutes[i], r.Tiers[i]))
		by = order[max(at, slices.Index(order, by))]
	}
	return &by
}

// verdictAt returns the verdict on a tier in a variant.
func (pt *part) verdictAt(v variant, i int) plan.Level {
	t, r := pt.full.Tiers[pt.tiers[i]], pt.results[v]
	switch {
	case t.DeadlineHours != nil && !meetsDeadline(t, r.initial[i]), pt.evaluation.full.isFull(t.Target, v):
		return plan.Misses
	case t.holdsBy(pt.choice.Minutes[i], r.Tiers[i]) != "":
		return plan.Meets
	case t.ConfiguredRPOMinutes != nil && t.canConfigure(*t.ConfiguredRPOMinutes) &&
		r.Tiers[i].WithinPercent >= min(AtRiskPercent, t.targetPercent()):
		return plan.AtRisk
	}
	return plan.Misses
}

func meetsDeadline(t Tier, minutes *float64) bool {
	return minutes != nil && *minutes <= *t.DeadlineHours*quantity.MinutesPerHour
}

// setDoubts determines which unknown inputs decide the verdicts that do not hold at the worse end.
func (pt *part) setDoubts(ctx context.Context) error {
	isDoubtful := func(name string) bool {
		one := pt.promises[name]
		return one.isDoubtful()
	}
	if !slices.ContainsFunc(pt.tiers, isDoubtful) {
		return nil
	}
	for _, inputs := range [][]string{
		{inputPeak},
		{inputPeakStart},
		{inputBasis},
		{inputPeak, inputPeakStart},
		{inputPeak, inputBasis},
		{inputPeakStart, inputBasis},
		{inputPeak, inputPeakStart, inputBasis},
	} {
		known, ok := pt.plan.withKnown(inputs)
		if !ok {
			continue
		}
		holds, err := known.complete().holdAtWorseEnd(ctx, pt.onlyVerdicts)
		if err != nil {
			return err
		}
		for i, name := range pt.tiers {
			if one := pt.promises[name]; holds[i] && isDoubtful(name) && len(one.decidedBy) == 0 {
				one.decidedBy = inputs
				pt.promises[name] = one
			}
		}
	}
	return nil
}

// isDoubtful reports whether the promise holds with likely inputs, but not at their worse end.
func (one *Promise) isDoubtful() bool {
	return one.holdsLikely() && one.WorseEndVerdict != nil && *one.WorseEndVerdict != plan.Meets
}

// holdsLikely reports whether the promise holds with likely inputs, also during migrations.
func (one *Promise) holdsLikely() bool {
	return one.LikelyVerdict == plan.Meets && (one.MovesVerdict == nil || *one.MovesVerdict == plan.Meets)
}

const inputBasis = "throughput_basis"

// withKnown returns the plan with likely values of unknown inputs, or false if one of these inputs is known.
func (p Plan) withKnown(inputs []string) (Plan, bool) {
	assumed := p.assumptions()
	for _, input := range inputs {
		if !slices.ContainsFunc(assumed, func(a plan.Assumption) bool {
			return a.Input == input && a.WorseValue != nil
		}) {
			return p, false
		}
		p = map[string]func(Plan) Plan{
			inputPeak:      Plan.withPeaks,
			inputPeakStart: Plan.withStarts,
			inputBasis:     Plan.withBases,
		}[input](p)
	}
	return p, true
}

// holdAtWorseEnd reports, for each tier of a completed part, whether its promise holds at the worse end, also during
// migrations.
func (p Plan) holdAtWorseEnd(ctx context.Context, onlyVerdicts bool) ([]bool, error) {
	choice, err := p.choose(ctx, Tier.asConfigured)
	if err != nil {
		return nil, err
	}
	r, err := p.run(ctx, p.estate(worseEnd|whileMoving).WithSettings(choice.Minutes), onlyVerdicts)
	if err != nil {
		return nil, err
	}
	var all []bool
	for i, name := range p.simulated() {
		all = append(all, p.Tiers[name].holdsBy(choice.Minutes[i], r.Tiers[i]) != "")
	}
	return all, nil
}

func (pt *part) setLinks() {
	for i, name := range names(pt.full.Links) {
		use := pt.results[asGiven].Links[i]
		pt.links[name] = LinkResult{
			ThroughputMbps:     pt.full.Links[name].capacity().mean(),
			UsePercent:         use.UsePercent,
			BusiestHourPercent: use.BusiestHourPercent,
			HourlyUsePercent:   use.HourlyUsePercent[:],
			Promises:           pt.full.tierNames(func(t Tier) bool { return pt.full.linkOf(t) == name }),
		}
	}
}

// result merges the results of the parts.
func (ev *evaluation) result() Result {
	r := Result{
		Verdict:       plan.Empty,
		Promises:      make(map[string]Promise, len(ev.plan.Tiers)),
		Links:         make(map[string]LinkResult, len(ev.plan.Links)),
		Targets:       make(map[string]TargetResult, len(ev.plan.Targets)),
		Assumed:       ev.plan.assumptions(),
		NotCounted:    ev.plan.notCounted(),
		DaysSimulated: simulation.MeasuredDays,
	}
	for _, name := range names(ev.plan.Links) {
		r.Links[name] = LinkResult{
			ThroughputMbps:   ev.plan.Links[name].capacity().mean(),
			HourlyUsePercent: make([]float64, hoursPerDay),
			Promises:         []string{},
		}
	}
	for _, name := range names(ev.plan.Tiers) {
		t := ev.plan.Tiers[name]
		one := Promise{
			VMCount:             int64(t.count()),
			Verdict:             plan.Unknown,
			LikelyVerdict:       plan.Unknown,
			LateVirtualMachines: []LateVM{},
			Remedies:            []Remedy{},
		}
		if t.count() == 0 {
			one.Verdict, one.LikelyVerdict = plan.Empty, plan.Empty
		}
		r.Promises[name] = one
	}
	for _, pt := range ev.parts {
		maps.Copy(r.Promises, pt.promises)
		maps.Copy(r.Links, pt.links)
		if runs := int64(pt.results[asGiven].Runs); r.Runs == 0 || runs < r.Runs {
			r.Runs = runs
		}
		pt.setTargets(r.Targets)
	}
	for _, name := range names(ev.plan.Targets) {
		if _, ok := r.Targets[name]; !ok {
			r.Targets[name] = TargetResult{}
		}
		one := r.Targets[name]
		one.NeededGiB = ev.full.neededGiB(name, asGiven)
		one.Promises = ev.plan.tierNames(func(t Tier) bool { return t.Target == name })
		if free := ev.plan.Targets[name].FreeGiB; free != nil {
			one.FreeAfterGiB = new(*free - one.NeededGiB)
		}
		one.MonthsUntilFull = ev.full.monthsUntilFull(name)
		r.Targets[name] = one
	}
	for _, one := range r.Promises {
		r.Verdict = plan.Worse(r.Verdict, one.Verdict)
	}
	for i, a := range r.Assumed {
		r.Assumed[i].Decides = ev.decides(r, a)
	}
	ev.explain(&r)
	return r
}

// decides reports whether a promise would be judged better if the value of an assumed input were known.
func (ev *evaluation) decides(r Result, a plan.Assumption) bool {
	for _, name := range names(r.Promises) {
		t, one := ev.plan.Tiers[name], r.Promises[name]
		applies := a.At == name || a.Input == inputBasis && ev.plan.linkOf(t) == a.At
		switch {
		case a.Input == inputMeasured:
			if one.holds && ev.plan.linkOf(t) == a.At && ev.plan.Links[a.At].isOld() {
				return true
			}
		case !applies:
		case a.WorseValue != nil && slices.Contains(one.decidedBy, a.Input):
			return true
		case a.WorseValue == nil && one.LikelyVerdict == plan.Meets && one.Verdict != plan.Meets:
			return one.WorseEndVerdict == nil || *one.WorseEndVerdict == plan.Meets
		}
	}
	return false
}

func (pt *part) setTargets(all map[string]TargetResult) {
	for i, name := range names(pt.full.Targets) {
		all[name] = TargetResult{BusiestWritePercent: pt.results[asGiven].Targets[i].BusiestHourPercent}
	}
}

func (p Plan) tierNames(is func(Tier) bool) []string {
	on := slices.DeleteFunc(names(p.Tiers), func(name string) bool { return !is(p.Tiers[name]) })
	return append([]string{}, on...)
}
