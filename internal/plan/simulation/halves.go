// The length of a run, and its halves: the long-run result of a schedule shows only when the second half of a
// run is like the first.

package simulation

import (
	"math"

	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// horizonRPOs is how many of the largest RPO a run takes at least, maxDays how long one is at most.
	horizonRPOs = 4
	maxDays     = 31
	// LeastComparedDays is the shortest run whose halves are compared.
	LeastComparedDays = 8
	// fewSyncs is the most that a run of a fixed length takes, maxChosenRunSyncs and maxChosenRuns bound the runs, if
	// neither was given.
	fewSyncs          = 5e5
	maxChosenRunSyncs = 2.5e6
	maxChosenRuns     = 20
	// maxChosenSyncs is the most that a run of a length that was not given takes, but for the least length.
	maxChosenSyncs = 1e7
	// toleratedPoints and toleratedPart are how far apart compliance may be, in points and as a part of the larger share
	// that is late; ages may grow by toleratedMinutes or toleratedPart of the RPO. Assumptions of this project, which 80
	// scenarios of 31 days confirmed.
	toleratedPoints  = 0.1
	toleratedPart    = 0.1
	toleratedMinutes = 1
)

// Options are how an estate is simulated.
type Options struct {
	// Days is the length of a run, Runs the number of runs; 0 chooses both by the number of syncs.
	Days, Runs int
	// Progress is called after each run with the number of runs that have ended and of all, one call at a time; nil for
	// none.
	Progress func(done, all int)
}

// Lengths returns the numbers of days after each of which a run ends if its halves agree; it ends after the last one
// in any case. Without Days it is one of 31, 16 and 8 if its syncs are few.
func (e Estate) Lengths(o Options) []int {
	if o.Days > 0 {
		return []int{o.Days}
	}
	least := e.LeastDays()
	for _, days := range []int{maxDays, 16, LeastComparedDays} {
		if days >= least && e.Syncs(days) <= fewSyncs {
			return []int{days}
		}
	}
	fits := func(days int) bool { return days >= least && e.Syncs(days) <= maxChosenSyncs }
	var all []int
	for _, days := range []int{LeastComparedDays, 16, maxDays} {
		if fits(days) {
			all = append(all, days)
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, days := range []int{LeastComparedDays, 4, 2} {
		if fits(days) {
			return []int{days}
		}
	}
	return []int{least}
}

// runs returns how many runs of so many days there are: one without jitter, as all would be the same.
func (e Estate) runs(o Options, days int) int {
	switch {
	case o.Runs > 0:
		return o.Runs
	case e.JitterPercent == 0:
		return 1
	}
	return int(min(maxChosenRuns, max(1, maxChosenRunSyncs/e.Syncs(days))))
}

// LeastDays returns the shortest run: four times the largest RPO and the deadline, in whole days.
func (e Estate) LeastDays() int {
	longest := e.DeadlineHours / HoursPerDay
	for _, t := range e.Tiers {
		longest = max(longest, horizonRPOs*t.RPOMinutes/quantity.MinutesPerDay)
	}
	return max(1, int(math.Ceil(longest)))
}

// Syncs returns about how many there are in so many days.
func (e Estate) Syncs(days int) float64 {
	sum := 0.0
	for _, t := range e.Tiers {
		sum += float64(t.Count()) * quantity.MinutesPerDay / t.RPOMinutes
	}
	return sum * float64(days)
}

// halfOf returns the day, from 0, on which the second half of a run begins. An odd number of days leaves out the first
// one; a single day has no second half.
func halfOf(days int) int { return days - days/2 }

// day is what comes of a tier in one day: how long its VMs are late, in seconds over VMs, the oldest recovery point,
// and the mean age of the newest ones at its end, in seconds.
type day struct{ late, oldest, age float64 }

// agree returns, by tier, whether the halves of the run until now agree, of all tiers with which it shares something.
// Of a run with a cold start or an outage, the days until both are over are left out.
func (s *simulation) agree() []bool {
	agreed := make([]bool, len(s.flows))
	first, half := s.day%2, halfOf(s.day)
	settled, over := s.settled()
	if first = max(first, int(math.Ceil(settled/quantity.SecondsPerDay))); s.day < LeastComparedDays || !over ||
		first >= half {
		return agreed
	}
	overloaded, parts := s.in.Overloaded(), s.in.parts()
	differs := make([]bool, len(s.flows))
	for i, f := range s.flows {
		if overloaded[i] || !f.agree(f.days[first:half], f.days[half:s.day]) {
			differs[parts[i]] = true
		}
	}
	for i := range agreed {
		agreed[i] = !differs[parts[i]]
	}
	return agreed
}

// settled returns when a cold start and the outages are over, and whether they are.
func (s *simulation) settled() (float64, bool) {
	after := 0.0
	if s.in.ColdStart {
		t, over := s.inSync(s.flows...)
		if !over {
			return 0, false
		}
		after = t
	}
	for i, l := range s.in.Links {
		if !l.fails() {
			continue
		}
		t, over := s.recovered(i)
		if !over {
			return 0, false
		}
		after = max(after, t)
	}
	return after, true
}

// recovered returns when all VMs on a link are within their RPO after its outage, and whether they are.
func (s *simulation) recovered(link int) (float64, bool) {
	to := s.in.Links[link].OutageTo
	if to >= s.now {
		return 0, false
	}
	return s.within(to, s.on(link)...)
}

// on returns the tiers on a link.
func (s *simulation) on(link int) []*flow {
	var flows []*flow
	for _, f := range s.flows {
		if f.link == link {
			flows = append(flows, f)
		}
	}
	return flows
}

// agree reports whether two halves of a run of a tier agree: its compliance, its oldest recovery point, and its
// backlog, which is the mean age at the ends of the days.
func (f *flow) agree(first, second []day) bool {
	before, after := quantity.Percent-f.compliance(first), quantity.Percent-f.compliance(second)
	if math.Abs(before-after) > max(toleratedPoints, toleratedPart*max(before, after)) {
		return false
	}
	tolerated := max(toleratedMinutes*quantity.SecondsPerMinute, toleratedPart*f.rpo)
	// Ages within the RPO are no backlog. They differ by chance: those of one VM at 15 midnights by a tenth of the RPO.
	return oldest(second) <= max(oldest(first)+tolerated, f.rpo) && meanAge(second) <= max(meanAge(first)+tolerated, f.rpo)
}

// Mean returns the mean of values.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// compliance returns the share of VM-time without violation on some days, in percent; 100 of none.
func (f *flow) compliance(days []day) float64 {
	return compliance(late(days), float64(f.vms*len(days))*quantity.SecondsPerDay)
}

// compliance returns the share of VM-time without violation, in percent; 100 of no time.
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
