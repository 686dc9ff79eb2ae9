// The runs of a schedule.

package replication

import (
	"math"
	"runtime"
	"slices"
	"sync"
)

// workers bound how many simulations run at a time. What they compute does not depend on it.
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

// simulate performs all runs and judges them.
func (in ScheduleInput) simulate(w workers) ScheduleResult {
	runs := int(in.Runs)
	var r ScheduleResult
	whole := make([]float64, runs)
	groups := make([][]float64, runs)
	w.each(runs, func(i int) {
		s := newSimulation(in, 1, i+1, i == 0)
		s.run()
		whole[i] = compliance(s.late, s.total)
		for _, f := range s.flows {
			groups[i] = append(groups[i], f.compliance(s.end))
		}
		if i == 0 {
			r = s.result(in)
		}
	})
	r.overRuns(whole)
	for i, name := range sortedNames(in.Groups) {
		of := make([]float64, runs)
		for run := range groups {
			of[run] = groups[run][i]
		}
		g := r.Groups[name]
		g.overRuns(of)
		r.Groups[name] = g
	}
	switch {
	case r.P5CompliancePercent == percent && r.Violations == 0:
		r.Verdict = VerdictMeets
	case r.P5CompliancePercent >= in.TargetCompliancePercent:
		r.Verdict = VerdictAtRisk
	default:
		r.Verdict = VerdictMisses
	}
	return r
}

// overRuns fills the compliance over the runs, with percentiles by the nearest rank. It sorts its argument.
func (t *Totals) overRuns(of []float64) {
	slices.Sort(of)
	rank := func(share float64) float64 { return of[max(1, int(math.Ceil(share*float64(len(of)))))-1] }
	t.MeanCompliancePercent, t.P5CompliancePercent, t.P95CompliancePercent = mean(of), rank(0.05), rank(0.95)
}
