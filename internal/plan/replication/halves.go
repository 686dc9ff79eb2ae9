// The length of a run, and its halves: the long-run result of a schedule shows only when the second half of a
// run is like the first.

package replication

import (
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// leastComparedDays is the shortest run whose halves are compared.
	leastComparedDays = 8
	// maxChosenSyncs is the most that a run of a length that was not given takes, but for the least length.
	maxChosenSyncs = 1e7
	// toleratedPoints and toleratedPart are how far apart compliance may be, in points and as a part of the larger share
	// that is late; ages may grow by toleratedMinutes or toleratedPart of the RPO. Assumptions of this project, which 80
	// scenarios of 31 days confirmed.
	toleratedPoints  = 0.1
	toleratedPart    = 0.1
	toleratedMinutes = 1
)

// lengths returns the numbers of days after each of which the run ends if its halves agree; it ends after the last one
// in any case.
func (in ScheduleInput) lengths() []int {
	if in.Days != nil {
		return []int{int(*in.Days)}
	}
	least := in.leastDays()
	fits := func(days int) bool { return days >= least && in.syncs(days) <= maxChosenSyncs }
	var all []int
	for _, days := range []int{leastComparedDays, 16, int(RangeDays.Max)} {
		if fits(days) {
			all = append(all, days)
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, days := range []int{leastComparedDays, 4, 2} {
		if fits(days) {
			return []int{days}
		}
	}
	return []int{least}
}

// longest returns the number of days after which the run ends at the latest.
func (in ScheduleInput) longest() int {
	all := in.lengths()
	return all[len(all)-1]
}

// leastDays returns the shortest run: four times the largest RPO and the deadline, in whole days.
func (in ScheduleInput) leastDays() int {
	longest := 0.0
	for _, g := range in.Groups {
		longest = max(longest, horizonRPOs*g.RPOMinutes/quantity.MinutesPerDay)
	}
	if in.DeadlineHours != nil {
		longest = max(longest, *in.DeadlineHours/hoursPerDay)
	}
	return max(1, int(math.Ceil(longest)))
}

// syncs returns about how many there are in so many days.
func (in ScheduleInput) syncs(days int) float64 {
	sum := 0.0
	for _, g := range in.Groups {
		sum += g.VMCount * quantity.MinutesPerDay / g.RPOMinutes
	}
	return sum * float64(days)
}

// overloaded reports whether more changes on average than the link carries.
func (in ScheduleInput) overloaded() bool {
	hours := in.hourly()
	return in.meanChangeMbps() > mean(hours[:])*in.EfficiencyPercent/quantity.Percent
}

// hasEvent reports whether the run begins cold or has an outage.
func (in ScheduleInput) hasEvent() bool { return !in.StartInSync || in.OutageMinutes != nil }

// halfOf returns the day, from 0, on which the second half of a run begins. An odd number of days leaves out the first
// one; a single day has no second half.
func halfOf(days int) int { return days - days/2 }

// day is what comes of a group in one day: how long its VMs are late, in seconds over VMs, the oldest recovery point,
// and the mean age of the newest ones at its end, in seconds.
type day struct{ late, oldest, age float64 }

// agree reports whether the halves of the run until now agree. Of a run with a cold start or an outage, the days until
// both are over are left out.
func (s *simulation) agree() bool {
	first, half := s.day%2, halfOf(s.day)
	if s.day < leastComparedDays || s.in.overloaded() {
		return false
	}
	if s.in.hasEvent() {
		var r ScheduleResult
		s.moments(&r)
		settled, over := r.settled(s.in)
		if first = max(first, int(math.Ceil(settled/quantity.MinutesPerDay))); !over || first >= half {
			return false
		}
	}
	return !slices.ContainsFunc(s.flows, func(f *flow) bool { return !f.agree(f.days[first:half], f.days[half:s.day]) })
}

// settled returns the minutes from the start of the run until a cold start and an outage are over, and whether they
// are.
func (r *ScheduleResult) settled(in ScheduleInput) (float64, bool) {
	after := 0.0
	if !in.StartInSync {
		if r.InSyncAfterMinutes == nil {
			return 0, false
		}
		after = *r.InSyncAfterMinutes
	}
	if out, has := in.outage(); has {
		if r.RecoveredAfterMinutes == nil {
			return 0, false
		}
		after = max(after, out.to/quantity.SecondsPerMinute+*r.RecoveredAfterMinutes)
	}
	return after, true
}

// agree reports whether two halves of a run of a group agree: its compliance, its oldest recovery point, and its
// backlog, which is the mean age at the ends of the days.
func (f *flow) agree(first, second []day) bool {
	before, after := quantity.Percent-f.compliance(first), quantity.Percent-f.compliance(second)
	if math.Abs(before-after) > max(toleratedPoints, toleratedPart*max(before, after)) {
		return false
	}
	tolerated := max(toleratedMinutes*quantity.SecondsPerMinute, toleratedPart*f.rpo)
	return oldest(second) <= oldest(first)+tolerated && meanAge(second) <= meanAge(first)+tolerated
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
