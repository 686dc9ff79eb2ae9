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
	// needStep is the ratio of consecutive candidates, and needDigits the number of their significant digits.
	needStep   = 1.01
	needDigits = 4
	// searchedRuns is the number of runs in each step of the search. The result is confirmed with all runs.
	searchedRuns = 2
	// needLatePart is the share of the permitted lateness that the result is allowed to use. Whether a marginal throughput
	// is sufficient depends on the random numbers of its runs: of 40 such throughputs, 13 fail in 20 additional runs. It
	// is an assumption of this project.
	needLatePart = 0.5
)

// Need describes a search for the lowest throughput of a link at which the tiers meet their promises.
//
// Candidates are Least * 1.01^k, rounded up to four digits. The search uses the first two runs, starting with the
// result of a search that uses a single run of the shortest length. It moves up from a failing candidate, or down from
// a passing candidate, by 1, 2, 4 and so on, and then bisects. The result is confirmed with all runs, and k is
// increased as long as a run fails. A candidate must leave half of the permitted lateness unused. The verdict is not
// monotone in the throughput, so the result depends on the path of the search, but not on the given throughput.
type Need struct {
	// At returns the estate with the given throughput of the link in Mbit/s.
	At func(mbps float64) Estate
	// Tiers contains the indexes of the tiers that must meet their promises; nil for all tiers.
	Tiers []int
	// Least is the mean change rate, which is the throughput for k = 0. Most is the upper limit of the search, and Given
	// is the current throughput. All are in Mbit/s.
	Least, Given, Most float64
	// Holds reports whether Given is sufficient according to Enough. If so, the result is Given or, if Below is set, the
	// lowest throughput up to Given. Otherwise, the result is above Given.
	Holds, Below bool
	// Easier returns additional estates for a throughput. The tiers must also meet their promises in these estates, and
	// usually do so if they meet them in the estate returned by At. It can be nil.
	Easier func(mbps float64) []Estate
	// Also is an additional condition that the throughput must meet; nil for none.
	Also func(ctx context.Context, mbps float64) (bool, error)
	// Options configures the runs. Progress is not called.
	Options
}

// Search returns the lowest throughput, or false if there is none. It does not require enough runs or VMs for the
// verdict Meets, nor runs that are long enough to compare their halves. The error is that of ctx or of Also.
func (n Need) Search(ctx context.Context) (mbps float64, found bool, err error) {
	if n.Holds && !n.Below {
		return n.Given, true, nil
	}
	n.Progress = nil
	p := path{fails: -1, holds: noneYet, most: int(plan.Log(n.Most/n.Least) / plan.Log(needStep))}
	e := n.At(n.Given)
	lengths := e.Lengths(n.Options)
	days := lengths[len(lengths)-1]
	if least := e.LeastDays(); least < days {
		short := p
		if err := short.follow(n.test(ctx, Options{Days: least, Runs: 1})); err != nil {
			return 0, false, err
		}
		if short.holds != noneYet {
			p.k = short.holds
		}
	}
	some, runs := n.Options, e.runs(n.Options, days)
	some.Runs = min(runs, searchedRuns)
	if err := p.follow(n.test(ctx, some)); err != nil {
		return 0, false, err
	}
	if above := n.above(); !n.Holds && p.holds < above {
		return n.confirm(ctx, above, p.most, true)
	}
	return n.confirm(ctx, p.holds, p.most, runs > searchedRuns)
}

// confirm returns the first throughput, starting at k, that passes all runs. If Holds is set and no lower throughput
// passes, it returns the given throughput.
func (n Need) confirm(ctx context.Context, k, most int, more bool) (float64, bool, error) {
	test := n.test(ctx, n.Options)
	for ; k <= most; k++ {
		if n.Holds && k >= n.above() {
			return n.Given, true, nil
		}
		holds := true
		var err error
		if more {
			holds, err = test(k)
		}
		if err == nil && holds {
			holds, err = n.easier(ctx, n.mbps(k))
		}
		if err != nil || holds {
			return n.mbps(k), holds, err
		}
	}
	return 0, false, nil
}

func (n Need) easier(ctx context.Context, mbps float64) (bool, error) {
	if n.Easier == nil {
		return true, nil
	}
	for _, e := range n.Easier(mbps) {
		if holds, err := e.reach(ctx, n.Options, n.Tiers, Meets, e.enough); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// mbps returns the throughput of a candidate. It is rounded to a few significant digits so that it is printed without
// loss.
func (n Need) mbps(k int) float64 { return ceiling(n.Least*plan.Pow(needStep, float64(k)), needDigits) }

func (n Need) above() int {
	k := 0
	if n.Given > n.Least {
		k = int(plan.Log(n.Given/n.Least) / plan.Log(needStep))
	}
	for n.mbps(k) <= n.Given {
		k++
	}
	for k > 0 && n.mbps(k-1) > n.Given {
		k--
	}
	return k
}

func (n Need) test(ctx context.Context, o Options) func(k int) (bool, error) {
	return func(k int) (bool, error) {
		e := n.At(n.mbps(k)).spared()
		holds, err := e.reach(ctx, o, n.Tiers, Meets, e.enough)
		if err != nil || !holds || n.Also == nil {
			return holds, err
		}
		return n.Also(ctx, n.mbps(k))
	}
}

func (e Estate) spared() Estate {
	e.Tiers = slices.Clone(e.Tiers)
	for i := range e.Tiers {
		meets, _ := e.Tiers[i].Shares()
		e.Tiers[i].TargetPercent = new(quantity.Percent - needLatePart*(quantity.Percent-meets))
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

type path struct {
	// fails is the largest known failing k, initially -1 or a lower bound. holds is the smallest known passing k,
	// initially noneYet. k is the next candidate and origin the first.
	fails, holds, origin, k, most int
	failed, held                  bool
}

const noneYet = 1 << 30

// follow performs the search. Afterwards, holds is noneYet if no k up to most passes.
func (p *path) follow(test func(k int) (bool, error)) error {
	for p.origin = p.k; p.k <= p.most && p.holds-p.fails > 1; {
		holds, err := test(p.k)
		if err != nil {
			return err
		}
		p.learn(holds)
	}
	return nil
}

func (p *path) learn(holds bool) {
	k := p.k
	switch p.held, p.failed = p.held || holds, p.failed || !holds; {
	case holds && p.failed:
		p.holds, p.k = k, (p.fails+k)/2
	case holds:
		p.holds, p.k = k, max(p.fails+1, p.origin-max(1, 2*(p.origin-k)))
	case p.held:
		p.fails, p.k = k, (k+p.holds)/2
	default:
		p.fails, p.k = k, min(p.holds-1, p.origin+max(1, 2*(k-p.origin)))
	}
}

const (
	// toleratedSeconds is the length of the longest violation that is ignored. It is an assumption of this project.
	toleratedSeconds = 1
	// alarmSeconds is the length of the shortest violation that raises an alarm, because vSphere Replication reports whole
	// minutes.
	alarmSeconds = 60
)

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

// lateness contains the time that one VM spends in violation, in the run and in its second half, and the maximum age
// that its newest recovery point reaches in these violations. All are in seconds.
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

// onTime is the value of replica.since if there is no open violation.
const onTime = -1

// accrue counts the part of an open violation that has not been counted yet. A violation longer than toleratedSeconds
// counts in full.
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
	// Before midnight, the violation was too short to count.
	if midnight := float64(s.day) * quantity.SecondsPerDay; from < midnight {
		f.days[s.day-1].late += midnight - from
		from = midnight
	}
	f.days[s.day].late += s.now - from
}

// settle counts the violation of a VM when a recovery point arrives. It closes the violation unless the new recovery
// point is also too old.
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

// within returns the first time at or after t at which no VM of the tiers is late, and reports whether that time has
// passed.
func (s *simulation) within(t float64, flows ...*flow) (float64, bool) {
	var late []spans
	for _, f := range flows {
		late = append(late, f.spans, s.open(f))
	}
	t = union(late...).firstOutside(t)
	return t, t < s.now
}

// inSync returns the time after a cold start when all VMs of the tiers are within their RPO, or false if that time has
// not been reached.
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
