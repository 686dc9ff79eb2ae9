// Lateness: stretches of time in which a recovery point is older than its RPO.

package replication

import "terraform-provider-vsla/internal/plan/quantity"

const (
	// toleratedSeconds is the longest stretch above the RPO that counts nowhere. An assumption of this project.
	toleratedSeconds = 1
	// alarmSeconds is the shortest stretch that is an alarm: the vendor counts alarms in minutes.
	alarmSeconds = 60
)

// span is an interval of time in seconds.
type span struct{ from, to float64 }

// spans is a union of intervals, apart from each other and in order.
type spans []span

// with adds an interval. They come in the order of their ends.
func (u spans) with(s span) spans {
	for len(u) > 0 && u[len(u)-1].to >= s.from {
		s.from = min(s.from, u[len(u)-1].from)
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

// need is the goal of a run: a compliance of each group and of its second half, and no alarm if it is to be
// clean.
type need struct {
	percent float64
	clean   bool
}

// miss adds late seconds to a group in a run that has a goal.
func (s *simulation) miss(f *flow, seconds float64) {
	if s.need.Load() == nil {
		return
	}
	f.late += seconds
	s.lateShare = max(s.lateShare, f.late/(float64(f.vms)*s.end))
	s.check()
}

// check ends the run when it cannot reach what it has to any longer.
func (s *simulation) check() {
	const rounding = 1e-9
	if n := s.need.Load(); n != nil && (s.lateShare > 1-n.percent/quantity.Percent+rounding || n.clean && s.alarms > 0) {
		s.over = true
	}
}

// onTime is the start of a stretch that is not open.
const onTime = -1

// accrue counts the new part of the stretch in which a VM is, if it is in one: a stretch above toleratedSeconds counts
// with its whole length.
func (s *simulation) accrue(r *replica) {
	f := r.flow
	if r.since == onTime {
		if s.now <= r.point+f.rpo {
			return
		}
		r.since, r.counted = r.point+f.rpo, 0
	}
	length := s.now - r.since
	if length <= toleratedSeconds {
		return
	}
	if r.counted == 0 {
		f.violations++
	}
	if r.counted < alarmSeconds && length >= alarmSeconds {
		f.alarms++
		s.alarms++
	}
	from := r.since + r.counted
	r.counted = length
	if midnight := float64(s.day) * quantity.SecondsPerDay; from < midnight { // too short to count until then
		f.days[s.day-1].late += midnight - from
		from = midnight
	}
	f.days[s.day].late += s.now - from
	s.miss(f, s.now-from)
}

// settle counts the stretch of a VM whose recovery point arrives, and closes it unless that point is too old itself.
func (s *simulation) settle(r *replica) {
	s.accrue(r)
	if r.since == onTime || s.now > r.begun+r.flow.rpo {
		return
	}
	if r.counted > 0 && s.spanned {
		s.keep(r)
	}
	r.since = onTime
}

// keep adds the stretch of a VM until now to those of its group and of all.
func (s *simulation) keep(r *replica) {
	late := span{r.since, s.now}
	r.flow.spans = r.flow.spans.with(late)
	s.spans = s.spans.with(late)
	s.spread(late)
}

// spread adds a stretch to the hours in which it lies.
func (s *simulation) spread(v span) {
	for hour := int(v.from / quantity.SecondsPerHour); hour < len(s.hourLate) && v.from < v.to; hour++ {
		end := float64(hour+1) * quantity.SecondsPerHour
		if end > v.to {
			end = v.to
		}
		s.hourLate[hour] += end - v.from
		v.from = end
	}
}

// outage returns when the link carries nothing, in seconds.
func (in ScheduleInput) outage() (span, bool) {
	if in.OutageMinutes == nil {
		return span{}, false
	}
	from := in.OutageStartHours * quantity.SecondsPerHour
	return span{from: from, to: from + *in.OutageMinutes*quantity.SecondsPerMinute}, true
}
