// The runs of a schedule, and the verdict on them.

package replication

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"terraform-provider-vsla/internal/plan/quantity"
)

// workers bound how many simulations run at a time. Their results do not depend on it.
type workers chan struct{}

func newWorkers() workers { return make(workers, runtime.GOMAXPROCS(0)) }

// each calls do with 0 to n - 1, and returns when all have returned.
func (w workers) each(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			w <- struct{}{}
			defer func() { <-w }()
			do(i)
		})
	}
	all.Wait()
}

// played are all runs of a schedule.
type played struct {
	in    ScheduleInput
	first *simulation
	// shares are the compliance by group, with that of all VMs at the end, and run; alarms the most of a run, likewise.
	shares [][]float64
	alarms []int64
}

// play performs all runs: the first one until its halves agree, the others as long. Where only one length is possible
// they start together.
func (in ScheduleInput) play(w workers, detailed bool) played {
	p := played{
		in: in, shares: make([][]float64, len(in.Groups)+1), alarms: make([]int64, len(in.Groups)+1),
	}
	lengths, all := in.lengths(), make([]*simulation, int(in.Runs))
	days, together := lengths[0], len(all)
	if len(lengths) > 1 {
		together = 1
	}
	run := func(i int) {
		if i == 0 {
			all[0] = newSimulation(in, in.longest(), 1, detailed)
			all[0].agreed = all[0].runUntilAgreed(lengths)
			return
		}
		all[i] = newSimulation(in, days, i+1, false)
		all[i].run(days)
		all[i].replicas = nil // the most of its memory
	}
	w.each(together, run)
	days = all[0].day
	w.each(len(all)-together, func(i int) { run(together + i) })
	p.first = all[0]
	for _, s := range all {
		for i, f := range append(slices.Clone(s.flows), s.together()) {
			p.shares[i] = append(p.shares[i], f.compliance(f.days[:s.day]))
			p.alarms[i] = max(p.alarms[i], f.alarms)
		}
	}
	for _, of := range p.shares {
		slices.Sort(of)
	}
	return p
}

// runUntilAgreed runs until the halves agree after one of the numbers of days, and reports whether they do.
func (s *simulation) runUntilAgreed(lengths []int) bool {
	for _, days := range lengths {
		if s.run(days); s.over {
			return false
		} else if s.agree() {
			return true
		}
	}
	return false
}

// result sums all runs up.
func (p *played) result() ScheduleResult {
	r := p.first.result()
	r.Converged = p.first.agreed
	r.judgeDeadline(p.in)
	r.overRuns(p.shares[len(p.first.flows)])
	for i, f := range p.first.flows {
		g := r.Groups[f.name]
		g.overRuns(p.shares[i])
		g.Verdict = p.groupVerdict(i)
		r.Groups[f.name] = g
	}
	r.Verdict = p.verdict()
	return r
}

// overRuns fills the compliance over the runs, which are in order, with percentiles by the nearest rank.
func (t *Totals) overRuns(of []float64) {
	t.MeanCompliancePercent, t.P5CompliancePercent, t.P95CompliancePercent = mean(of), rank(of, 0.05), rank(of, 0.95)
}

func rank(of []float64, share float64) float64 {
	return of[max(1, int(math.Ceil(share*float64(len(of)))))-1]
}

// verdicts of a schedule, from best to worst.
var scheduleOrder = []string{VerdictMeets, VerdictAtRisk, VerdictMisses}

// worse returns the worse one of two verdicts.
func worse(a, b string) string {
	return scheduleOrder[max(slices.Index(scheduleOrder, a), slices.Index(scheduleOrder, b))]
}

// verdict returns the worst verdict of the groups and of all VMs together, and a miss when the deadline is missed.
func (p *played) verdict() string {
	if !p.first.meetsDeadline() {
		return VerdictMisses
	}
	verdict := VerdictMeets
	for i := range p.shares {
		verdict = worse(verdict, p.groupVerdict(i))
	}
	return verdict
}

// groupVerdict returns the verdict of a group, or of all VMs together.
func (p *played) groupVerdict(i int) string {
	f := p.first.together()
	if i < len(p.first.flows) {
		f = p.first.flows[i]
	}
	switch share := min(rank(p.shares[i], 0.05), p.first.secondHalf(f)); {
	case share < p.in.TargetCompliancePercent:
		return VerdictMisses
	case p.alarms[i] == 0 && p.first.agreed:
		return VerdictMeets
	}
	return VerdictAtRisk
}

// secondHalf returns the compliance of a group in the second half of the run.
func (s *simulation) secondHalf(f *flow) float64 { return f.compliance(f.days[halfOf(s.day):s.day]) }

// judgeDeadline compares when all VMs are in sync with the deadline.
func (r *ScheduleResult) judgeDeadline(in ScheduleInput) {
	if in.DeadlineHours == nil {
		return
	}
	met := r.InSyncAfterMinutes != nil && *r.InSyncAfterMinutes <= *in.DeadlineHours*quantity.MinutesPerHour
	r.DeadlineMet = &met
}
