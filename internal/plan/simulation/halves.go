package simulation

import (
	"context"
	"math"

	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// horizonRPOs is the minimum length of a run in multiples of the longest RPO. maxDays is the maximum length, in days,
	// that is chosen automatically.
	horizonRPOs = 4
	maxDays     = 31
	// MinComparedDays is the length in days of the shortest run whose halves are compared.
	MinComparedDays = 8
	// maxFixedSyncs is the maximum number of syncs in a run whose length is chosen in advance. If the number of runs is
	// chosen automatically, maxChosenRuns limits it, and maxChosenRunSyncs limits the total number of syncs.
	maxFixedSyncs     = 5e5
	maxChosenRunSyncs = 2.5e6
	maxChosenRuns     = 20
	// maxChosenSyncs is the maximum number of syncs in a run whose length is chosen automatically. The shortest possible
	// run is exempt.
	maxChosenSyncs = 1e7
	// The halves of a run agree if their shares of late time differ by at most toleratedPoints percentage points, or
	// toleratedShare of the larger share, and if recovery points get older by at most toleratedMinutes, or toleratedShare
	// of the RPO. These values are this project's own assumptions, confirmed in 80 scenarios of 31 days.
	toleratedPoints  = 0.1
	toleratedShare   = 0.1
	toleratedMinutes = 1
)

// Options configures a simulation.
type Options struct {
	// Days is the length of a run, and Runs is the number of runs. If either is 0, it is chosen based on the number of
	// syncs.
	Days, Runs int
	// Progress, if not nil, is called after each run with the number of completed runs and the total number of runs. Calls
	// are never concurrent.
	Progress func(done, all int)
}

type progressKey struct{}

// WithProgress returns a context that contains a callback for Options.Progress.
func WithProgress(ctx context.Context, progress func(done, all int)) context.Context {
	return context.WithValue(ctx, progressKey{}, progress)
}

// ProgressFrom returns the callback set by WithProgress, or nil if there is none.
func ProgressFrom(ctx context.Context) func(done, all int) {
	progress, _ := ctx.Value(progressKey{}).(func(done, all int))
	return progress
}

// Lengths returns the numbers of days after which a run ends if its halves agree. A run always ends after the last of
// them. By default, a run with few syncs has a single length of 31, 16 or 8 days.
func (e Estate) Lengths(o Options) []int {
	if o.Days > 0 {
		return []int{o.Days}
	}
	least := e.MinDays()
	for _, days := range []int{maxDays, 16, MinComparedDays} {
		if days >= least && e.Syncs(days) <= maxFixedSyncs {
			return []int{days}
		}
	}
	fits := func(days int) bool { return days >= least && e.Syncs(days) <= maxChosenSyncs }
	var all []int
	for _, days := range []int{MinComparedDays, 16, maxDays} {
		if fits(days) {
			all = append(all, days)
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, days := range []int{MinComparedDays, 4, 2} {
		if fits(days) {
			return []int{days}
		}
	}
	return []int{least}
}

// runs returns the number of runs. If there is no jitter, the default is 1, because all runs would be identical.
func (e Estate) runs(o Options, days int) int {
	switch {
	case o.Runs > 0:
		return o.Runs
	case e.JitterPercent == 0:
		return 1
	}
	return int(min(maxChosenRuns, max(1, maxChosenRunSyncs/e.Syncs(days))))
}

// MinDays returns the minimum length of a run in whole days. A run covers the deadline and four times the longest RPO,
// whichever is longer.
func (e Estate) MinDays() int {
	longest := e.DeadlineHours / HoursPerDay
	for _, t := range e.Tiers {
		longest = max(longest, horizonRPOs*t.RPOMinutes/quantity.MinutesPerDay)
	}
	return max(1, int(math.Ceil(longest)))
}

// Syncs estimates the number of syncs in the given number of days.
func (e Estate) Syncs(days int) float64 {
	sum := 0.0
	for _, t := range e.Tiers {
		sum += float64(t.Count()) * quantity.MinutesPerDay / t.RPOMinutes
	}
	return sum * float64(days)
}

// secondHalfDay returns the day, counted from 0, on which the second half of a run begins. If the number of days is
// odd, the first day belongs to neither half. A run of one day has no second half.
func secondHalfDay(days int) int { return days - days/2 }

// day contains a tier's results for one day: the lateness in VM-seconds, the maximum age of a recovery point, and the
// mean age of the newest recovery points at the end of the day. Ages are in seconds.
type day struct{ late, oldest, age float64 }

// agree reports, for each tier, whether the halves of the run so far agree for that tier and for all tiers that share
// its resources. It excludes the days until the end of a cold start or an outage.
func (s *simulation) agree() []bool {
	agreed := make([]bool, len(s.tiers))
	first, half := s.day%2, secondHalfDay(s.day)
	settled, over := s.settledAt()
	if first = max(first, int(math.Ceil(settled/quantity.SecondsPerDay))); s.day < MinComparedDays || !over ||
		first >= half {
		return agreed
	}
	overloaded, parts := s.estate.Overloaded(), s.estate.resourceGroups()
	differs := make([]bool, len(s.tiers))
	for i, ts := range s.tiers {
		if overloaded[i] || !ts.agree(ts.days[first:half], ts.days[half:s.day]) {
			differs[parts[i]] = true
		}
	}
	for i := range agreed {
		agreed[i] = !differs[parts[i]]
	}
	return agreed
}

func (s *simulation) settledAt() (float64, bool) {
	after := 0.0
	if s.estate.ColdStart {
		t, over := s.inSyncAt(s.tiers...)
		if !over {
			return 0, false
		}
		after = t
	}
	for i, l := range s.estate.Links {
		if !l.hasOutage() {
			continue
		}
		t, over := s.recoveredAt(i)
		if !over {
			return 0, false
		}
		after = max(after, t)
	}
	return after, true
}

func (s *simulation) recoveredAt(link int) (float64, bool) {
	to := s.estate.Links[link].OutageTo
	if to >= s.now {
		return 0, false
	}
	return s.onTimeAfter(to, s.tiersOn(link)...)
}

func (s *simulation) tiersOn(link int) []*tierState {
	var flows []*tierState
	for _, ts := range s.tiers {
		if ts.linkIndex == link {
			flows = append(flows, ts)
		}
	}
	return flows
}

// agree reports whether two halves of a run agree in a tier's compliance, oldest recovery point and backlog. The
// backlog is the mean age of the newest recovery points at midnight.
func (ts *tierState) agree(first, second []day) bool {
	before, after := quantity.Percent-ts.compliance(first), quantity.Percent-ts.compliance(second)
	if math.Abs(before-after) > max(toleratedPoints, toleratedShare*max(before, after)) {
		return false
	}
	tolerated := max(toleratedMinutes*quantity.SecondsPerMinute, toleratedShare*ts.rpo)
	// A mean age within the RPO is not a backlog. It is taken over only 15 midnights and therefore varies randomly; for a
	// single VM, it varies by a tenth of the RPO.
	return oldest(second) <= max(oldest(first)+tolerated, ts.rpo) &&
		meanAge(second) <= max(meanAge(first)+tolerated, ts.rpo)
}

// Mean returns the mean of values.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func (ts *tierState) compliance(days []day) float64 {
	return compliance(late(days), float64(ts.vmCount*len(days))*quantity.SecondsPerDay)
}

func compliance(late, total float64) float64 {
	if total == 0 {
		return quantity.Percent
	}
	return max(0, quantity.Percent*(1-late/total))
}

func late(days []day) float64 {
	sum := 0.0
	for _, d := range days {
		sum += d.late
	}
	return sum
}

func oldest(days []day) float64 {
	most := 0.0
	for _, d := range days {
		most = max(most, d.oldest)
	}
	return most
}

func meanAge(days []day) float64 {
	sum := 0.0
	for _, d := range days {
		sum += d.age
	}
	return sum / float64(len(days))
}
