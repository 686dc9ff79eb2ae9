// Lateness: stretches of time in which a recovery point is older than its RPO.

package replication

import "math"

// span is an interval of time in seconds.
type span struct{ from, to float64 }

// spans is a union of intervals, apart from each other and in order.
type spans []span

// with adds an interval. They come in the order of their ends, which may be out of order by less than the shortest one.
func (u spans) with(s span) spans {
	for len(u) > 0 && u[len(u)-1].to >= s.from {
		last := u[len(u)-1]
		s = span{from: min(s.from, last.from), to: max(s.to, last.to)}
		u = u[:len(u)-1]
	}
	return append(u, s)
}

// seconds returns the length of the union.
func (u spans) seconds() float64 {
	sum := 0.0
	for _, s := range u {
		sum += s.to - s.from
	}
	return sum
}

// firstOutside returns the first moment from t on that is in none of the intervals.
func (u spans) firstOutside(t float64) float64 {
	for _, s := range u {
		if s.from <= t && t < s.to {
			t = s.to
		}
	}
	return t
}

// onTime is the start of a stretch that is not open.
const onTime = -1

// settle counts the stretch that is open at a time, when a recovery point arrives or the run ends. An unbroken stretch
// counts in whole minutes; below one it counts nowhere. It stays open when the point that arrives, of a sync that began
// at newest, is too old itself.
func (s *simulation) settle(r *replica, at, newest float64, arrives bool) {
	f := r.flow
	r.worst(at)
	if r.since == onTime {
		if at <= r.point+f.rpo {
			return
		}
		r.since, r.counted = r.point+f.rpo, 0
	}
	if whole := math.Floor((at-r.since)/secondsPerMin) * secondsPerMin; whole > r.counted {
		if r.counted == 0 {
			f.violations++
		}
		f.late += whole - r.counted
		s.late += whole - r.counted
		r.counted = whole
	}
	if arrives && at > newest+f.rpo {
		return
	}
	s.unrounded += max(0, at-max(r.since, s.settled))
	if s.detailed && r.counted > 0 {
		counted := span{r.since, r.since + r.counted}
		f.counted = f.counted.with(counted)
		s.counted = s.counted.with(counted)
		s.whole = s.whole.with(span{r.since, at})
		s.spread(counted)
	}
	r.since = onTime
}

// spread adds a violation to the hours in which it lies.
func (s *simulation) spread(v span) {
	for hour := int(v.from / secondsPerHour); hour < len(s.hourLate); hour++ {
		start := float64(hour) * secondsPerHour
		if start >= v.to {
			return
		}
		s.hourLate[hour] += min(v.to, start+secondsPerHour) - max(v.from, start)
	}
}

// outage returns when the link carries nothing, in seconds.
func (in ScheduleInput) outage() (span, bool) {
	if in.OutageMinutes == nil {
		return span{}, false
	}
	from := in.OutageStartHours * secondsPerHour
	return span{from: from, to: from + *in.OutageMinutes*secondsPerMin}, true
}

// moments fills when all VMs are within their RPO after an outage, and from a cold start.
func (s *simulation) moments(in ScheduleInput, r *ScheduleResult) {
	if out, ok := in.outage(); ok && out.to < s.end {
		if t := s.whole.firstOutside(out.to); t < s.end {
			minutes := (t - out.to) / secondsPerMin
			r.RecoveredAfterMinutes = &minutes
		}
	}
	if in.StartInSync || s.unsynced > 0 {
		return
	}
	if t := s.whole.firstOutside(s.lastInitial); t < s.end {
		minutes := t / secondsPerMin
		r.InSyncAfterMinutes = &minutes
	}
}
