package simulation

import (
	"cmp"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// toleratedSeconds is the longest violation that is ignored. An assumption of this project.
	toleratedSeconds = 1
	// alarmSeconds is the shortest violation that counts as an alarm; vSphere Replication reports minutes.
	alarmSeconds = 60
)

// span is an interval of time in seconds.
type span struct{ from, to float64 }

// spans is a sorted list of disjoint intervals.
type spans []span

// with adds an interval. Intervals must be added in the order of their ends.
func (u spans) with(s span) spans {
	for len(u) > 0 && u[len(u)-1].to >= s.from {
		s.from = min(s.from, u[len(u)-1].from)
		u = u[:len(u)-1]
	}
	return append(u, s)
}

func (u spans) seconds() float64 {
	sum := 0.0
	for _, s := range u {
		sum += s.to - s.from
	}
	return sum
}

func (u spans) firstOutside(t float64) float64 {
	for _, s := range u {
		if s.from <= t && t < s.to {
			t = s.to
		}
	}
	return t
}

func union(of ...spans) spans {
	all := slices.Concat(of...)
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(a.to, b.to) })
	var u spans
	for _, s := range all {
		u = u.with(s)
	}
	return u
}

// lateness is the time in violation of one VM in seconds, for the run and its second half, and the largest age of its
// newest recovery point during violations.
type lateness struct{ run, half, oldest float64 }

func (s *simulation) miss(r *replica, id int, from float64) {
	if from < s.counting {
		from = s.counting
	}
	if from >= s.now {
		return
	}
	v := &s.lates[id]
	v.run += s.now - from
	if s.now > s.half {
		v.half += s.now - max(from, s.half)
	}
	v.oldest = max(v.oldest, r.age(s.now))
	if f := r.flow; v.run > f.tolerated || v.half > f.toleratedHalf {
		s.over = true
	}
}

// onTime means that no violation is open.
const onTime = -1

// accrue counts the new part of an open violation. From toleratedSeconds on, a violation counts in full.
func (s *simulation) accrue(r *replica, id int) {
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
	}
	from := r.since + r.counted
	r.counted = length
	s.miss(r, id, from)
	if midnight := float64(s.day) * quantity.SecondsPerDay; from < midnight { // too short to count until then
		f.days[s.day-1].late += midnight - from
		from = midnight
	}
	f.days[s.day].late += s.now - from
}

// settle counts the violation of a VM when a recovery point arrives, and closes it unless that point is too old as
// well.
func (s *simulation) settle(r *replica, id int) {
	s.accrue(r, id)
	if r.since == onTime || s.now > r.begun+r.flow.rpo {
		return
	}
	if r.counted > 0 && s.spanned {
		s.keep(r)
	}
	r.since = onTime
}

func (s *simulation) keep(r *replica) {
	late := span{r.since, s.now}
	r.flow.spans = r.flow.spans.with(late)
	r.flow.line.spread(late)
}

func (l *line) spread(v span) {
	for hour := int(v.from / quantity.SecondsPerHour); hour < len(l.late) && v.from < v.to; hour++ {
		end := float64(hour+1) * quantity.SecondsPerHour
		if end > v.to {
			end = v.to
		}
		l.late[hour] += end - v.from
		v.from = end
	}
}

func (s *simulation) open(f *flow) spans {
	var late spans
	for i := range f.vms {
		if r := &s.replicas[f.first+i]; r.since != onTime && r.counted > 0 {
			late = append(late, span{r.since, s.now})
		}
	}
	return union(late)
}

// within returns the first moment from t at which no VM of the tiers is late, and whether it has passed.
func (s *simulation) within(t float64, flows ...*flow) (float64, bool) {
	var late []spans
	for _, f := range flows {
		late = append(late, f.spans, s.open(f))
	}
	t = union(late...).firstOutside(t)
	return t, t < s.now
}

// inSync returns the time when all VMs of the tiers are within their RPO after a cold start, and whether they are.
func (s *simulation) inSync(flows ...*flow) (float64, bool) {
	last := 0.0
	for _, f := range flows {
		if f.unsynced > 0 {
			return 0, false
		}
		last = max(last, f.lastInitial)
	}
	return s.within(last, flows...)
}
