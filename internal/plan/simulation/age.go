package simulation

// Rounding is the tolerance of comparisons of times, in seconds.
const Rounding = 1e-6

// Requirement is what a tier must achieve in every run.
type Requirement int

const (
	// Anything lets a run continue, whatever happens to the tier.
	Anything Requirement = iota
	// NoLateSync ends the run at the first sync that could replace a recovery point older than the promised RPO.
	NoLateSync
	// NoLateOrLongSync ends the run at the first sync that is late and takes longer than half the configured RPO.
	NoLateOrLongSync
)

// count records the greatest possible age of the recovery point that a completed sync replaces. A sync that was waiting
// for other syncs counts from the time at which it was due.
func (s *simulation) count(r *replica, id int) {
	ts := s.tiers[r.tier]
	took := s.now - r.due
	age := s.countUntil(r, id, s.now)
	ts.longest = max(ts.longest, took)
	ts.record(age, id)
	if age <= ts.promised+Rounding {
		return
	}
	ts.isLate, ts.lateUntil = true, s.now
	if ts.stopsAt == NoLateSync || ts.stopsAt == NoLateOrLongSync && took > ts.configured/2+Rounding {
		s.failing = ts
	}
}

func (ts *tierState) record(age float64, id int) {
	if age > ts.oldest {
		ts.oldest, ts.oldestVM = age, id-ts.firstID
	}
}

// countUntil adds the time from the end of the previous sync until the given time to the VM's ages, and returns the
// greatest possible age of its recovery point at that time. During an outage, the sync could have been due when the
// outage began.
func (s *simulation) countUntil(r *replica, id int, at float64) float64 {
	ts := s.tiers[r.tier]
	due := r.due
	if l := s.estate.Links[ts.linkIndex]; s.outage && l.hasOutage() && at >= l.OutageTo && due < l.OutageTo {
		due = min(due, l.OutageFrom)
	}
	age := max(ts.configured, r.lastDuration) + at - due
	interval := age - r.lastDuration
	r.total += interval
	if late := age - ts.promised; late > Rounding && s.ages != nil {
		v := &s.ages[id]
		v.oldest = max(v.oldest, age)
		v.late += min(late, interval)
	}
	return age
}

// countUnfinished adds the syncs that are late at the end of the run.
func (s *simulation) countUnfinished() {
	for i := range s.replicas {
		r := &s.replicas[i]
		if r.due >= s.now {
			continue
		}
		ts := s.tiers[r.tier]
		if age := s.countUntil(r, i, s.now); age > ts.promised+Rounding {
			ts.isLate, ts.lateUntil = true, s.now
			ts.longest = max(ts.longest, s.now-r.due)
			ts.record(age, i)
		}
	}
}

// checkUnfinished ends the run if a sync that has not completed is already too late for the requirement of its tier.
func (s *simulation) checkUnfinished() {
	if s.now <= s.countFrom || s.begin != spread {
		return
	}
	for i := range s.replicas {
		r := &s.replicas[i]
		ts := s.tiers[r.tier]
		if ts.stopsAt == Anything || r.due >= s.now {
			continue
		}
		late := max(ts.configured, r.lastDuration)+s.now-r.due > ts.promised+Rounding
		if late && (ts.stopsAt == NoLateSync || s.now-r.due > ts.configured/2+Rounding) {
			s.failing = ts
			return
		}
	}
}
