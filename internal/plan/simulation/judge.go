package simulation

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

// Verdicts, from best to worst.
const (
	Meets  = "meets"
	AtRisk = "at_risk"
	Misses = "misses"
)

var verdictOrder = []string{Meets, AtRisk, Misses}

// Worse returns the worse of two verdicts.
func Worse(a, b string) string {
	return verdictOrder[max(slices.Index(verdictOrder, a), slices.Index(verdictOrder, b))]
}

// These values are this project's own assumptions.
const (
	// MeetsPercent and MissesPercent are the limits of compliance for tiers without TargetPercent. In 31 days, they allow
	// 45 minutes and 7.4 hours of violations, respectively.
	MeetsPercent  = 99.9
	MissesPercent = 99
	// EnoughRuns is the number of runs that the verdict Meets requires if fewer than EnoughVMs VMs are on the link.
	EnoughRuns = 5
	EnoughVMs  = 500
	// A run whose compliance is at least twoStatesPoints percentage points below the median is considered to be in a
	// different state.
	twoStatesPoints = 5
	// maxWorstCaseRuns is the number of runs up to which the worst run determines the verdict. With more runs, the 5th
	// percentile determines it.
	maxWorstCaseRuns = 20
)

const (
	// NotConverged means that the halves of the first run differ or cannot be compared, so a longer run might have a worse
	// result.
	NotConverged = "not_converged"
	// OneRun means that there are too few runs and VMs for the verdict Meets.
	OneRun = "one_run"
	// TwoStates means that at least one run is far worse than the median.
	TwoStates = "two_states"
	// DeadlineMissed means that not all VMs are in sync by the deadline.
	DeadlineMissed = "deadline_missed"
)

// Result contains the results of all runs.
type Result struct {
	// Figures contains the results for all VMs.
	Figures
	// Days is the length of a run, and Runs is the number of runs. Converged reports whether the halves of the first run
	// agree.
	Days, Runs int
	Converged  bool
	// Verdict is the worst verdict on any tier.
	Verdict string
	// CompliancePercents contains the percentage of VM time without violations in each run, in ascending order.
	CompliancePercents []float64
	// Tiers, Links and Targets have the same indexes as in the estate.
	Tiers   []TierResult
	Links   []LinkUtilization
	Targets []TargetUtilization
	// InSyncAfterMinutes is the time from a cold start until every VM is within its RPO. It is nil if there is no cold
	// start or if the run ends earlier. DeadlineMet is nil if there is no deadline.
	InSyncAfterMinutes *float64
	DeadlineMet        *bool
}

// TierResult contains the results for a tier.
type TierResult struct {
	Figures
	// CompliancePercents contains the percentage of VM time without violations in each run, in ascending order.
	CompliancePercents []float64
	// WithinRPOPercent is the share of time that the worst VM is within its RPO, in the run or second half of a run in
	// which that share is lowest. With more than 20 runs, it is the 5th percentile over the runs. After a cold start, the
	// time before InSyncAfterMinutes is excluded.
	WithinRPOPercent float64
	// DecidedBy identifies the VM, run and half that determine WithinRPOPercent.
	DecidedBy Decider
	// LateVMs contains the VMs that fall short of the promised share, starting with the worst.
	LateVMs []LateVM
	// DaysPerAlarm is the mean number of days between two alarms of a VM; nil if there are no alarms.
	DaysPerAlarm *float64
	Verdict      string
	// Reasons contains the reasons for the verdict in alphabetical order.
	Reasons []string
	// Converged reports whether the halves of the first run agree for this tier and for all tiers that share its
	// resources.
	Converged bool
	// InSyncAfterMinutes is the time from a cold start until every VM of the tier is within its RPO. It is nil if there is
	// no cold start or if the run ends earlier.
	InSyncAfterMinutes *float64
	// CurveFromMinutes and CurveToMinutes are the shortest and longest intervals for which the change curve was evaluated.
	// Both are 0 if there is no curve.
	CurveFromMinutes, CurveToMinutes float64
}

// Decider identifies the VM, run and half on which a verdict is based.
type Decider struct {
	// Run is the number of the run, counted from 1. VM is the index of the VM in its tier, or 0 if no VM was late.
	Run, VM    int
	SecondHalf bool
}

// String formats the run and the half, for example "second half of run 3".
func (d Decider) String() string {
	if d.SecondHalf {
		return fmt.Sprintf("second half of run %d", d.Run)
	}
	return fmt.Sprintf("run %d", d.Run)
}

// LateVM describes the lateness of a VM.
type LateVM struct {
	// VM is the index of the VM in the tier.
	VM int
	// WithinRPOPercent is the share of time that the VM is within its RPO, in the run or second half of a run in which
	// that share is lowest.
	WithinRPOPercent float64
	// OldestRecoveryPointMinutes is the maximum age that the VM's newest recovery point reaches.
	OldestRecoveryPointMinutes float64
}

// Shares returns the lowest percentage of time within the RPO at which a tier meets its promise, and the percentage
// below which it misses its promise.
func (t Tier) Shares() (meets, misses float64) {
	if t.TargetPercent != nil {
		return *t.TargetPercent, *t.TargetPercent
	}
	return MeetsPercent, MissesPercent
}

// Run simulates all runs and returns the verdicts. If ctx is done, it returns ctx.Err() within one hour of simulated
// time.
func Run(ctx context.Context, e Estate, o Options) (Result, error) {
	first, records := e.runAll(ctx, o, true, nil)
	if err := ctx.Err(); err != nil {
		return Result{}, err
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

func (r record) meetsDeadline(e Estate) bool {
	return e.DeadlineHours == 0 || r.inSyncMinutes != nil && *r.inSyncMinutes <= e.DeadlineHours*quantity.MinutesPerHour
}

func (e Estate) judge(t *TierResult, i int, records []record) {
	alarms := int64(0)
	for _, r := range records {
		t.CompliancePercents = append(t.CompliancePercents, r.tiers[i].compliance)
		alarms += r.tiers[i].alarms
	}
	slices.Sort(t.CompliancePercents)
	if vms := float64(e.Tiers[i].Count()); alarms > 0 {
		t.DaysPerAlarm = new(vms * float64(records[0].days*len(records)) / float64(alarms))
	}
	deciding := decidingRuns(i, records)
	t.WithinRPOPercent, t.DecidedBy = deciding[0].tiers[i].withinRPOPercent, deciding[0].tiers[i].decidedBy
	meets, misses := e.Tiers[i].Shares()
	t.LateVMs = lateVMs(i, deciding, meets)
	for _, r := range deciding {
		for _, v := range r.tiers[i].vms {
			t.WorstRecoveryPointMinutes = max(t.WorstRecoveryPointMinutes, v.OldestRecoveryPointMinutes)
		}
	}
	t.Converged = records[0].converged[i]
	switch {
	case t.WithinRPOPercent < misses || !records[0].meetsDeadline(e):
		t.Verdict = Misses
	case t.WithinRPOPercent < meets || !t.Converged:
		t.Verdict = AtRisk
	case !e.hasEnoughRuns(i, len(records)):
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
	if t.CompliancePercents[0] <= Percentile(t.CompliancePercents, 0.5)-twoStatesPoints {
		t.Reasons = append(t.Reasons, TwoStates)
	}
	slices.Sort(t.Reasons)
}

func (e Estate) hasEnoughRuns(i, runs int) bool {
	return runs >= EnoughRuns || e.vmsOn(e.Tiers[i].Link) >= EnoughVMs
}

// decidingRuns returns the runs on which the verdict on a tier is based, starting with the worst. If there are more
// than maxWorstCaseRuns runs, it starts at the 5th percentile.
func decidingRuns(i int, records []record) []record {
	sorted := slices.SortedStableFunc(slices.Values(records), func(a, b record) int {
		return cmp.Compare(a.tiers[i].withinRPOPercent, b.tiers[i].withinRPOPercent)
	})
	return sorted[max(1, int(math.Ceil(float64(len(sorted))/maxWorstCaseRuns)))-1:]
}

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

// Percentile returns the nearest-rank percentile of sorted values. share is between 0 and 1.
func Percentile(of []float64, share float64) float64 {
	return of[max(1, int(math.Ceil(share*float64(len(of)))))-1]
}

// Verdicts returns the same verdict on each tier as Run, but computes no figures.
func Verdicts(ctx context.Context, e Estate, o Options) ([]string, error) {
	_, records := e.runAll(ctx, o, false, nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := make([]string, len(e.Tiers))
	for i := range found {
		var t TierResult
		e.judge(&t, i, records)
		found[i] = t.Verdict
	}
	return found, nil
}

// MeetsPromises reports whether the given tiers meet their promises, or would meet them with more runs, more VMs or a
// longer run. If no tiers are given, it checks all tiers.
func (e Estate) MeetsPromises(a *Result, tiers ...int) bool {
	for _, i := range e.tiersOrAll(tiers) {
		if !e.meetsPromise(&a.Tiers[i], i, a.Days) {
			return false
		}
	}
	return true
}

func (e Estate) meetsPromise(t *TierResult, i, days int) bool {
	meets, _ := e.Tiers[i].Shares()
	return t.WithinRPOPercent >= meets && !slices.Contains(t.Reasons, DeadlineMissed) &&
		(t.Converged || days < MinComparedDays)
}

func (e Estate) tiersOrAll(tiers []int) []int {
	if len(tiers) > 0 {
		return tiers
	}
	all := make([]int, len(e.Tiers))
	for i := range all {
		all[i] = i
	}
	return all
}

// VerdictAtLeast reports whether the verdict on each of the given tiers is at least as good as verdict. If tiers is
// nil, it checks all tiers. It stops as soon as a tier cannot reach the verdict, so it is faster than Verdicts.
func VerdictAtLeast(ctx context.Context, e Estate, o Options, tiers []int, verdict string) (bool, error) {
	reaches := func(t *TierResult, _, _ int) bool { return Worse(t.Verdict, verdict) == verdict }
	return e.checkTiers(ctx, o, tiers, verdict, reaches)
}

// checkTiers performs runs until a tier cannot reach the verdict, and reports whether holds returns true for all of the
// given tiers.
func (e Estate) checkTiers(
	ctx context.Context, o Options, tiers []int, verdict string, holds func(t *TierResult, i, days int) bool,
) (bool, error) {
	tiers = e.tiersOrAll(tiers)
	required := e.requiredShares(tiers, verdict)
	if o.Runs > maxWorstCaseRuns {
		required = nil // the 5th percentile decides, so individual runs can be below the required shares
	}
	_, records := e.runAll(ctx, o, false, required)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if slices.ContainsFunc(records, func(r record) bool { return r.aborted }) {
		return false, nil
	}
	for _, i := range tiers {
		var t TierResult
		if e.judge(&t, i, records); !holds(&t, i, records[0].days) {
			return false, nil
		}
	}
	return true, nil
}

// requiredShares returns, for each tier, the percentage that its VMs must reach for the verdict; -Inf for tiers that
// are not given.
func (e Estate) requiredShares(tiers []int, verdict string) requiredShares {
	if verdict == Misses {
		return nil
	}
	required := make(requiredShares, len(e.Tiers))
	for i := range required {
		required[i] = math.Inf(-1)
	}
	for _, i := range tiers {
		meets, misses := e.Tiers[i].Shares()
		if required[i] = meets; verdict == AtRisk {
			required[i] = misses
		}
	}
	return required
}

// InitialSync returns, for each tier, the time in minutes from a cold start of all tiers until every VM of the tier is
// within its RPO. The time is nil if it exceeds 31 days.
func InitialSync(ctx context.Context, e Estate) ([]*float64, error) {
	e.ColdStart = true
	s := newSimulation(e, maxDays, 1, false)
	byTier := make([]*float64, len(e.Tiers))
	for day := 1; day <= maxDays && !s.aborted && slices.Contains(byTier, nil); day++ {
		s.run(ctx, day)
		for i, ts := range s.tiers {
			if t, in := s.inSyncAt(ts); in && (t < s.now-toleratedSeconds || day == maxDays) && byTier[i] == nil {
				byTier[i] = new(t / quantity.SecondsPerMinute)
			}
		}
	}
	return byTier, ctx.Err()
}
