package simulation

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	// needStep is the ratio of consecutive candidates. needDigits is the number of significant digits of a candidate.
	needStep   = 1.01
	needDigits = 4
	// searchedRuns is the number of runs in each step of the search. The result is confirmed with all runs.
	searchedRuns = 2
	// needLateShare is the share of the permitted lateness that the result is allowed to use. A throughput that is barely
	// sufficient in some runs might not be sufficient in others, which have different random numbers: of 40 such
	// throughputs, 13 failed in 20 additional runs. The value is this project's own assumption.
	needLateShare = 0.5
)

// Need describes a search for the lowest throughput of a link at which the tiers meet their promises.
//
// Candidates are MinMbps * 1.01^k, rounded up to four digits. A search with a single run of the minimum length finds
// the first candidate. From there, the search moves up if the candidate fails, or down if it passes, to distances of 1,
// 2, 4 and so on, and then bisects, using two runs per candidate. The result is confirmed with all runs, and k is
// increased until none of them fails. A candidate must leave half of the permitted lateness unused. The verdict is not
// monotone in the throughput, so the result depends on the path of the search, but not on the given throughput.
type Need struct {
	// EstateAt returns the estate for a link throughput in Mbit/s.
	EstateAt func(mbps float64) Estate
	// Tiers contains the indexes of the tiers that must meet their promises; nil for all tiers.
	Tiers []int
	// MinMbps is the mean change rate, which is the throughput for k = 0. MaxMbps is the upper limit of the search, and
	// GivenMbps is the current throughput. All are in Mbit/s.
	MinMbps, GivenMbps, MaxMbps float64
	// GivenSuffices reports whether GivenMbps is sufficient according to MeetsPromises. If so, the result is GivenMbps or,
	// if SearchBelow is set, the lowest throughput up to GivenMbps. Otherwise, the result is above GivenMbps.
	GivenSuffices, SearchBelow bool
	// ExtraEstates, if not nil, returns additional estates for a throughput. The tiers must also meet their promises in
	// these estates. They usually do if they meet them in the estate returned by EstateAt.
	ExtraEstates func(mbps float64) []Estate
	// Condition is an additional condition that the throughput must meet; nil for none.
	Condition func(ctx context.Context, mbps float64) (bool, error)
	// Options configures the runs. Progress is not called.
	Options
}

// Search returns the lowest throughput, or false if there is none. It ignores the minimum numbers of runs and VMs that
// Meets requires, and accepts runs too short to compare their halves. It returns any error from ctx or Condition.
func (n Need) Search(ctx context.Context) (mbps float64, found bool, err error) {
	if n.GivenSuffices && !n.SearchBelow {
		return n.GivenMbps, true, nil
	}
	n.Progress = nil
	most := int(plan.Log(n.MaxMbps/n.MinMbps) / plan.Log(needStep))
	search := gallopingSearch{failing: -1, passing: nonePassing, most: most}
	e := n.EstateAt(n.GivenMbps)
	lengths := e.Lengths(n.Options)
	days := lengths[len(lengths)-1]
	if least := e.MinDays(); least < days {
		short := search
		if err := short.run(n.test(ctx, Options{Days: least, Runs: 1})); err != nil {
			return 0, false, err
		}
		if short.passing != nonePassing {
			search.k = short.passing
		}
	}
	fewRuns, runs := n.Options, e.runs(n.Options, days)
	fewRuns.Runs = min(runs, searchedRuns)
	if err := search.run(n.test(ctx, fewRuns)); err != nil {
		return 0, false, err
	}
	if above := n.firstAboveGiven(); !n.GivenSuffices && search.passing < above {
		return n.confirm(ctx, above, search.most, true)
	}
	return n.confirm(ctx, search.passing, search.most, runs > searchedRuns)
}

// confirm returns the first throughput, starting at k, that passes all runs. If GivenSuffices is set and no lower
// throughput passes, it returns the given throughput.
func (n Need) confirm(ctx context.Context, k, most int, allRuns bool) (float64, bool, error) {
	test := n.test(ctx, n.Options)
	for ; k <= most; k++ {
		if n.GivenSuffices && k >= n.firstAboveGiven() {
			return n.GivenMbps, true, nil
		}
		holds := true
		var err error
		if allRuns {
			holds, err = test(k)
		}
		if err == nil && holds {
			holds, err = n.meetsExtraEstates(ctx, n.mbps(k))
		}
		if err != nil || holds {
			return n.mbps(k), holds, err
		}
	}
	return 0, false, nil
}

func (n Need) meetsExtraEstates(ctx context.Context, mbps float64) (bool, error) {
	if n.ExtraEstates == nil {
		return true, nil
	}
	for _, e := range n.ExtraEstates(mbps) {
		if holds, err := e.checkTiers(ctx, n.Options, n.Tiers, Meets, e.meetsPromise); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// mbps returns the throughput of a candidate, rounded up to a few significant digits so that it can be printed exactly.
func (n Need) mbps(k int) float64 {
	return ceiling(n.MinMbps*plan.Pow(needStep, float64(k)), needDigits)
}

func (n Need) firstAboveGiven() int {
	k := 0
	if n.GivenMbps > n.MinMbps {
		k = int(plan.Log(n.GivenMbps/n.MinMbps) / plan.Log(needStep))
	}
	for n.mbps(k) <= n.GivenMbps {
		k++
	}
	for k > 0 && n.mbps(k-1) > n.GivenMbps {
		k--
	}
	return k
}

func (n Need) test(ctx context.Context, o Options) func(k int) (bool, error) {
	return func(k int) (bool, error) {
		e := n.EstateAt(n.mbps(k)).withReserve()
		holds, err := e.checkTiers(ctx, o, n.Tiers, Meets, e.meetsPromise)
		if err != nil || !holds || n.Condition == nil {
			return holds, err
		}
		return n.Condition(ctx, n.mbps(k))
	}
}

func (e Estate) withReserve() Estate {
	e.Tiers = slices.Clone(e.Tiers)
	for i := range e.Tiers {
		meets, _ := e.Tiers[i].Shares()
		e.Tiers[i].TargetPercent = new(quantity.Percent - needLateShare*(quantity.Percent-meets))
	}
	return e
}

func ceiling(v float64, digits int) float64 {
	exponent := int(math.Floor(math.Log10(v))) - digits + 1
	for mantissa := int64(v / math.Pow10(exponent)); ; mantissa++ {
		rounded, err := strconv.ParseFloat(fmt.Sprintf("%de%d", mantissa, exponent), 64)
		if err != nil || rounded >= v {
			return rounded
		}
	}
}

type gallopingSearch struct {
	// failing is the largest k that is known to fail, initially -1 or a lower bound. passing is the smallest k that is
	// known to pass, initially nonePassing or an upper bound. origin is the first candidate, and k is the next one.
	failing, passing, origin, k, most int
	hasFailed, hasPassed              bool
}

const nonePassing = 1 << 30

func (p *gallopingSearch) run(test func(k int) (bool, error)) error {
	for p.origin = p.k; p.k <= p.most && p.passing-p.failing > 1; {
		holds, err := test(p.k)
		if err != nil {
			return err
		}
		p.record(holds)
	}
	return nil
}

func (p *gallopingSearch) record(holds bool) {
	k := p.k
	switch p.hasPassed, p.hasFailed = p.hasPassed || holds, p.hasFailed || !holds; {
	case holds && p.hasFailed:
		p.passing, p.k = k, (p.failing+k)/2
	case holds:
		p.passing, p.k = k, max(p.failing+1, p.origin-max(1, 2*(p.origin-k)))
	case p.hasPassed:
		p.failing, p.k = k, (k+p.passing)/2
	default:
		p.failing, p.k = k, min(p.passing-1, p.origin+max(1, 2*(k-p.origin)))
	}
}

const (
	// toleratedSeconds is the length of the longest violation that is ignored. The value is this project's own assumption.
	toleratedSeconds = 1
	// alarmSeconds is the length of the shortest violation that raises an alarm, because vSphere Replication reports whole
	// minutes.
	alarmSeconds = 60
)

type span struct{ from, to float64 }

type spans []span

// add adds an interval. Intervals must be added in the order of their ends.
func (u spans) add(s span) spans {
	for len(u) > 0 && u[len(u)-1].to >= s.from {
		s.from = min(s.from, u[len(u)-1].from)
		u = u[:len(u)-1]
	}
	return append(u, s)
}

func (u spans) total() float64 {
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
		u = u.add(s)
	}
	return u
}

// lateness contains the time that a VM spends in violation, in the whole run and in its second half, and the maximum
// age of its newest recovery point during violations, all in seconds.
type lateness struct{ run, secondHalf, oldest float64 }

func (s *simulation) addLateness(r *replica, id int, from float64) {
	if from < s.countFrom {
		from = s.countFrom
	}
	if from >= s.now {
		return
	}
	v := &s.lateness[id]
	v.run += s.now - from
	if s.now > s.secondHalfStart {
		v.secondHalf += s.now - max(from, s.secondHalfStart)
	}
	v.oldest = max(v.oldest, r.age(s.now))
	if ts := r.tier; v.run > ts.tolerated || v.secondHalf > ts.toleratedHalf {
		s.aborted = true
	}
}

// onTime is the value of replica.violationStart if there is no open violation.
const onTime = -1

// accrue counts the part of an open violation that has not been counted yet. A violation longer than toleratedSeconds
// counts in full.
func (s *simulation) accrue(r *replica, id int) {
	ts := r.tier
	if r.violationStart == onTime {
		if s.now <= r.recoveryPoint+ts.rpo {
			return
		}
		r.violationStart, r.countedSeconds = r.recoveryPoint+ts.rpo, 0
	}
	length := s.now - r.violationStart
	if length <= toleratedSeconds {
		return
	}
	if r.countedSeconds == 0 {
		ts.violations++
	}
	if r.countedSeconds < alarmSeconds && length >= alarmSeconds {
		ts.alarms++
	}
	from := r.violationStart + r.countedSeconds
	r.countedSeconds = length
	s.addLateness(r, id, from)
	// Before midnight, the violation was too short to count.
	if midnight := float64(s.day) * quantity.SecondsPerDay; from < midnight {
		ts.days[s.day-1].late += midnight - from
		from = midnight
	}
	ts.days[s.day].late += s.now - from
}

func (s *simulation) closeViolation(r *replica, id int) {
	s.accrue(r, id)
	if r.violationStart == onTime || s.now > r.syncStart+r.tier.rpo {
		return
	}
	if r.countedSeconds > 0 && s.recordsSpans {
		s.recordSpan(r)
	}
	r.violationStart = onTime
}

func (s *simulation) recordSpan(r *replica) {
	late := span{r.violationStart, s.now}
	r.tier.lateSpans = r.tier.lateSpans.add(late)
	r.tier.linkState.addLateSeconds(late)
}

func (l *linkState) addLateSeconds(v span) {
	for hour := int(v.from / quantity.SecondsPerHour); hour < len(l.late) && v.from < v.to; hour++ {
		end := float64(hour+1) * quantity.SecondsPerHour
		if end > v.to {
			end = v.to
		}
		l.late[hour] += end - v.from
		v.from = end
	}
}

func (s *simulation) openSpans(ts *tierState) spans {
	var late spans
	for i := range ts.vmCount {
		if r := &s.replicas[ts.firstID+i]; r.violationStart != onTime && r.countedSeconds > 0 {
			late = append(late, span{r.violationStart, s.now})
		}
	}
	return union(late)
}

// onTimeAfter returns the first time at or after t at which no VM of the tiers is late, and reports whether that time
// has passed.
func (s *simulation) onTimeAfter(t float64, flows ...*tierState) (float64, bool) {
	var late []spans
	for _, ts := range flows {
		late = append(late, ts.lateSpans, s.openSpans(ts))
	}
	t = union(late...).firstOutside(t)
	return t, t < s.now
}

// inSyncAt returns the time after a cold start at which all VMs of the tiers are within their RPO, or false if that
// time has not been reached.
func (s *simulation) inSyncAt(flows ...*tierState) (float64, bool) {
	last := 0.0
	for _, ts := range flows {
		if ts.unsynced > 0 {
			return 0, false
		}
		last = max(last, ts.lastInitial)
	}
	return s.onTimeAfter(last, flows...)
}
