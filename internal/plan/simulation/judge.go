// The judgement: a promise is made to each VM, and one run is one draw.

package simulation

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// The verdicts, from best to worst.
const (
	Meets  = "meets"
	AtRisk = "at_risk"
	Misses = "misses"
)

var verdicts = []string{Meets, AtRisk, Misses}

// Worse returns the worse one of two verdicts.
func Worse(a, b string) string {
	return verdicts[max(slices.Index(verdicts, a), slices.Index(verdicts, b))]
}

// Assumptions of this project.
const (
	// MeetsPercent and MissesPercent are the shares from which on a tier without a TargetPercent meets, and below which
	// it misses: 45 minutes and 7.4 hours in 31 days.
	MeetsPercent  = 99.9
	MissesPercent = 99
	// EnoughRuns or EnoughVMs on a link have seen enough starts for a tier on it to meet.
	EnoughRuns = 5
	EnoughVMs  = 500
	// statesPoints is how far below the median a run is in another state.
	statesPoints = 5
	// p5Runs is the most runs all of which decide; of more, the 5th percentile does.
	p5Runs = 20
)

// The reasons of a verdict.
const (
	// NotConverged: the halves of the first run differ, so that a longer one may come to less.
	NotConverged = "not_converged"
	// OneRun: there are too few runs and VMs to say that it meets.
	OneRun = "one_run"
	// TwoStates: a run is far below the others.
	TwoStates = "two_states"
	// DeadlineMissed: not all VMs are in sync by the deadline.
	DeadlineMissed = "deadline_missed"
)

// Answer is the outcome of all runs.
type Answer struct {
	// Figures are those of all VMs.
	Figures
	// Days is the length of a run, Runs their number. Converged: the halves of the first run agree.
	Days, Runs int
	Converged  bool
	// Verdict is the worst of the tiers.
	Verdict string
	// CompliancePercents are the shares of all VM-time by run, in ascending order.
	CompliancePercents []float64
	// Tiers, Links and Targets have the indices of the estate.
	Tiers   []TierAnswer
	Links   []LinkUse
	Targets []TargetUse
	// InSyncAfterMinutes is the time from a cold start until every VM is within its RPO; nil without one, and if the run
	// ends before. DeadlineMet is nil without a deadline.
	InSyncAfterMinutes *float64
	DeadlineMet        *bool
}

// TierAnswer is the outcome of a tier.
type TierAnswer struct {
	Figures
	// CompliancePercents are the shares of VM-time by run, in ascending order.
	CompliancePercents []float64
	// WithinRPOPercent is the least share of time within the RPO of a VM, over runs and second halves; of more than 20
	// runs, the 5th percentile of this over the runs. From a cold start it counts from InSyncAfterMinutes of all VMs on.
	WithinRPOPercent float64
	// DecidedBy is the VM, run and half of this share.
	DecidedBy Decider
	// LateVMs are those below the share that is promised, the worst first.
	LateVMs []LateVM
	// DaysPerAlarm is the mean number of days between two alarms of a VM; nil without an alarm.
	DaysPerAlarm *float64
	Verdict      string
	// Reasons are those of the verdict, sorted.
	Reasons []string
	// Converged: the halves of the first run agree, of all tiers with which it shares something.
	Converged bool
	// InSyncAfterMinutes is the time from a cold start until every VM of the tier is within its RPO; nil as in Answer.
	InSyncAfterMinutes *float64
	// CurveFromMinutes and CurveToMinutes are the bounds of the minutes at which the change curve was read; 0 without one.
	CurveFromMinutes, CurveToMinutes float64
}

// Decider is where the share that decides is from.
type Decider struct {
	// Run is the number of the run, from 1. VM is the index of the VM in its tier; all of its VMs are as good if it is the
	// first at 100 %.
	Run, VM    int
	SecondHalf bool
}

// String names run and half: "second half of run 3".
func (d Decider) String() string {
	if d.SecondHalf {
		return fmt.Sprintf("second half of run %d", d.Run)
	}
	return fmt.Sprintf("run %d", d.Run)
}

// LateVM is a VM that is late.
type LateVM struct {
	// VM is its index in the tier.
	VM int
	// WithinRPOPercent is its least share of time within the RPO, over runs and second halves.
	WithinRPOPercent float64
	// OldestRecoveryPointMinutes is the greatest age of its newest recovery point.
	OldestRecoveryPointMinutes float64
}

// Shares returns the shares of each VM from which on a tier meets, and below which it misses.
func (t Tier) Shares() (meets, misses float64) {
	if t.TargetPercent != nil {
		return *t.TargetPercent, *t.TargetPercent
	}
	return MeetsPercent, MissesPercent
}

// Play performs all runs and judges them. The error is that of the context, which ends it within an hour of simulated
// time.
func Play(ctx context.Context, e Estate, o Options) (Answer, error) {
	first, records := e.play(ctx, o, true, nil)
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	a := first.result()
	a.Runs, a.Verdict = len(records), Meets
	if e.DeadlineHours > 0 {
		a.DeadlineMet = new(records[0].meetsDeadline(e))
	}
	all := make([]float64, 0, len(records))
	for _, r := range records {
		all = append(all, r.compliance)
	}
	slices.Sort(all)
	a.CompliancePercents = all
	for i := range a.Tiers {
		e.judge(&a.Tiers[i], i, records)
		a.Verdict = Worse(a.Verdict, a.Tiers[i].Verdict)
		a.WorstRecoveryPointMinutes = max(a.WorstRecoveryPointMinutes, a.Tiers[i].WorstRecoveryPointMinutes)
	}
	return a, nil
}

// meetsDeadline reports whether all VMs are in sync by the deadline, if there is one.
func (r record) meetsDeadline(e Estate) bool {
	return e.DeadlineHours == 0 || r.inSync != nil && *r.inSync <= e.DeadlineHours*quantity.MinutesPerHour
}

// judge fills the verdict on a tier, and what it is made of.
func (e Estate) judge(t *TierAnswer, i int, records []record) {
	alarms := int64(0)
	for _, r := range records {
		t.CompliancePercents = append(t.CompliancePercents, r.tiers[i].compliance)
		alarms += r.tiers[i].alarms
	}
	slices.Sort(t.CompliancePercents)
	if vms := float64(e.Tiers[i].Count()); alarms > 0 {
		t.DaysPerAlarm = new(vms * float64(records[0].days*len(records)) / float64(alarms))
	}
	counted := decisive(i, records)
	t.WithinRPOPercent, t.DecidedBy = counted[0].tiers[i].share, counted[0].tiers[i].worst
	meets, misses := e.Tiers[i].Shares()
	t.LateVMs = lateVMs(i, counted, meets)
	for _, r := range counted {
		for _, v := range r.tiers[i].vms {
			t.WorstRecoveryPointMinutes = max(t.WorstRecoveryPointMinutes, v.OldestRecoveryPointMinutes)
		}
	}
	t.Converged = records[0].agreed[i]
	switch {
	case t.WithinRPOPercent < misses || !records[0].meetsDeadline(e):
		t.Verdict = Misses
	case t.WithinRPOPercent < meets || !t.Converged:
		t.Verdict = AtRisk
	case !e.exposed(i, len(records)):
		t.Verdict = AtRisk
		t.Reasons = append(t.Reasons, OneRun)
	default:
		t.Verdict = Meets
	}
	if !records[0].meetsDeadline(e) {
		t.Reasons = append(t.Reasons, DeadlineMissed)
	}
	if !t.Converged {
		t.Reasons = append(t.Reasons, NotConverged)
	}
	if t.CompliancePercents[0] <= Rank(t.CompliancePercents, 0.5)-statesPoints {
		t.Reasons = append(t.Reasons, TwoStates)
	}
	slices.Sort(t.Reasons)
}

// exposed reports whether so many runs have seen enough of a tier to say that it meets.
func (e Estate) exposed(i, runs int) bool {
	return runs >= EnoughRuns || e.vmsOn(e.Tiers[i].Link) >= EnoughVMs
}

// decisive returns the runs that decide on a tier, the worst one first: of more than p5Runs, those from the 5th
// percentile on.
func decisive(i int, records []record) []record {
	sorted := slices.SortedStableFunc(slices.Values(records), func(a, b record) int {
		return cmp.Compare(a.tiers[i].share, b.tiers[i].share)
	})
	return sorted[max(1, int(math.Ceil(float64(len(sorted))/p5Runs)))-1:]
}

// lateVMs returns the VMs of a tier that are below a share in a run, the worst first.
func lateVMs(i int, records []record, percent float64) []LateVM {
	byVM := map[int]LateVM{}
	for _, r := range records {
		for _, v := range r.tiers[i].vms {
			if known, ok := byVM[v.VM]; ok {
				v.WithinRPOPercent = min(v.WithinRPOPercent, known.WithinRPOPercent)
				v.OldestRecoveryPointMinutes = max(v.OldestRecoveryPointMinutes, known.OldestRecoveryPointMinutes)
			}
			byVM[v.VM] = v
		}
	}
	var late []LateVM
	for _, v := range byVM {
		if v.WithinRPOPercent < percent {
			late = append(late, v)
		}
	}
	slices.SortFunc(late, func(a, b LateVM) int {
		return cmp.Or(cmp.Compare(a.WithinRPOPercent, b.WithinRPOPercent), cmp.Compare(a.VM, b.VM))
	})
	return late
}

// Rank returns the nearest-rank percentile of values in order, by a share from 0 to 1.
func Rank(of []float64, share float64) float64 {
	return of[max(1, int(math.Ceil(share*float64(len(of)))))-1]
}

// Judge returns the verdicts by tier, as Play does, without figures.
func Judge(ctx context.Context, e Estate, o Options) ([]string, error) {
	_, records := e.play(ctx, o, false, nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := make([]string, len(e.Tiers))
	for i := range found {
		var t TierAnswer
		e.judge(&t, i, records)
		found[i] = t.Verdict
	}
	return found, nil
}

// Enough reports whether some tiers, nil for all, meet or would with more runs: too few runs and VMs are enough here,
// and so are days too few to converge.
func (e Estate) Enough(a *Answer, tiers ...int) bool {
	for _, i := range e.some(tiers) {
		if !e.enough(&a.Tiers[i], i, a.Days) {
			return false
		}
	}
	return true
}

func (e Estate) enough(t *TierAnswer, i, days int) bool {
	meets, _ := e.Tiers[i].Shares()
	return t.WithinRPOPercent >= meets && !slices.Contains(t.Reasons, DeadlineMissed) &&
		(t.Converged || days < LeastComparedDays)
}

// some returns the indices of tiers, of all if there are none.
func (e Estate) some(tiers []int) []int {
	if len(tiers) > 0 {
		return tiers
	}
	all := make([]int, len(e.Tiers))
	for i := range all {
		all[i] = i
	}
	return all
}

// Holds reports whether some tiers, nil for all, have a verdict or a better one. It ends as soon as one of them cannot
// have it any longer, and is faster than Judge where they do not.
func Holds(ctx context.Context, e Estate, o Options, tiers []int, verdict string) (bool, error) {
	has := func(t *TierAnswer, _, _ int) bool { return Worse(t.Verdict, verdict) == verdict }
	return e.reach(ctx, o, tiers, verdict, has)
}

// reach performs the runs as far as some tiers may have a verdict, and reports whether they hold by a test.
func (e Estate) reach(
	ctx context.Context, o Options, tiers []int, verdict string, holds func(t *TierAnswer, i, days int) bool,
) (bool, error) {
	tiers = e.some(tiers)
	g := e.goal(tiers, verdict)
	if o.Runs > p5Runs {
		g = nil // a run may be below
	}
	_, records := e.play(ctx, o, false, g)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if slices.ContainsFunc(records, func(r record) bool { return r.over }) {
		return false, nil
	}
	for _, i := range tiers {
		var t TierAnswer
		if e.judge(&t, i, records); !holds(&t, i, records[0].days) {
			return false, nil
		}
	}
	return true, nil
}

// goal returns what each VM of some tiers has to reach for a verdict.
func (e Estate) goal(tiers []int, verdict string) goal {
	if verdict == Misses {
		return nil
	}
	g := make(goal, len(e.Tiers))
	for i := range g {
		g[i] = math.Inf(-1)
	}
	for _, i := range tiers {
		meets, misses := e.Tiers[i].Shares()
		if g[i] = meets; verdict == AtRisk {
			g[i] = misses
		}
	}
	return g
}

// InitialSync returns, by tier, the minutes from a cold start of all tiers until each VM of the tier is within its RPO;
// nil beyond 31 days.
func InitialSync(ctx context.Context, e Estate) ([]*float64, error) {
	e.ColdStart = true
	s := newSimulation(e, maxDays, 1, false)
	byTier := make([]*float64, len(e.Tiers))
	for day := 1; day <= maxDays && !s.over && slices.Contains(byTier, nil); day++ {
		s.run(ctx, day)
		for i, f := range s.flows {
			if t, in := s.inSync(f); in && (t < s.now-toleratedSeconds || day == maxDays) && byTier[i] == nil {
				byTier[i] = new(t / quantity.SecondsPerMinute)
			}
		}
	}
	return byTier, ctx.Err()
}
