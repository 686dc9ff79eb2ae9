package migration

import (
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// tolerance is the relative difference below which times are considered equal.
const tolerance = 1e-12

// clock determines the link rate and the windows of a plan at any time. Times are in seconds from the start of the
// first window.
type clock struct {
	linkRates    []float64 // in bit/s; a single rate, or one for each hour of the day
	startHour    float64   // hour of the day at which the plan starts
	window       float64   // usable seconds of the longest window; infinite if there are no windows
	period       float64   // seconds between the starts of consecutive windows
	usableShare  float64   // share of a window that precedes its reserve, 0 to 1
	week         week      // windows of a week; nil if the window is the same every day
	dirtyWeights []float64 // weights of the dirty rate by hour of the day; nil for equal weights
}

func (in PlanInput) clock() clock {
	c := clock{window: math.Inf(1), period: math.Inf(1), usableShare: 1 - in.WindowReservePercent/quantity.Percent}
	if in.ThroughputMbps != nil {
		c.linkRates = []float64{*in.ThroughputMbps * quantity.BitsPerMbit}
	}
	for _, mbps := range in.HourlyThroughputMbps {
		c.linkRates = append(c.linkRates, mbps*quantity.BitsPerMbit)
	}
	if in.WindowHours != nil {
		c.period = *in.WindowHours * quantity.SecondsPerHour
		c.window = c.period * c.usableShare
	}
	if in.WindowStartHour != nil {
		c.startHour, c.period = *in.WindowStartHour, quantity.SecondsPerDay
	}
	if days := in.Windows().weekdays(); len(days) > 0 {
		c.week = newWeek(days, *in.WindowHours*quantity.SecondsPerHour)
		c.window = c.week.longestWindow() * c.usableShare
	}
	if in.HourlyDirtyWeights != nil {
		sum := 0.0
		for _, w := range in.HourlyDirtyWeights {
			sum += w
		}
		for _, w := range in.HourlyDirtyWeights {
			c.dirtyWeights = append(c.dirtyWeights, w*hoursPerDay/sum)
		}
	}
	return c
}

func (c clock) isHourly() bool       { return c.hasHourlyRates() || c.dirtyWeights != nil }
func (c clock) hasHourlyRates() bool { return len(c.linkRates) > 1 }

// weight returns the ratio of the dirty rate at the given time to its mean.
func (c clock) weight(now float64) float64 {
	if c.dirtyWeights == nil {
		return 1
	}
	return c.dirtyWeights[c.hour(now)]
}

func (c clock) minWeight() float64 {
	if c.dirtyWeights == nil {
		return 1
	}
	return slices.Min(c.dirtyWeights)
}

func (c clock) maxWeight() float64 {
	if c.dirtyWeights == nil {
		return 1
	}
	return slices.Max(c.dirtyWeights)
}

func (c clock) hour(now float64) int {
	return int(math.Mod(math.Floor(now/quantity.SecondsPerHour*(1+tolerance)+c.startHour), hoursPerDay))
}

func (c clock) hasGaps() bool { return c.period > c.window || c.week != nil }

func (c clock) peakRate() float64 { return slices.Max(c.linkRates) }

func (c clock) rate(now float64) float64 {
	if !c.hasHourlyRates() {
		return c.linkRates[0]
	}
	return c.linkRates[c.hour(now)]
}

func (c clock) windowStart(now float64) float64 {
	if c.week != nil {
		return c.week.windowAt(now).start
	}
	if math.IsInf(c.period, 1) {
		return 0
	}
	return c.period * math.Floor(now/c.period*(1+tolerance))
}

func (c clock) windowEnd(now float64) (float64, bool) {
	end := c.windowStart(now) + c.window
	if c.week != nil {
		w := c.week.windowAt(now)
		end = w.start + w.seconds*c.usableShare
	}
	return end, now < end*(1-tolerance)
}

// windowNumber returns the number, counted from 1, of the window that contains the given arrival time.
func (c clock) windowNumber(end float64) int64 {
	if c.week != nil {
		return c.week.windowAt(end).number
	}
	if c.hasGaps() {
		return int64(c.windowStart(end)/c.period+0.5) + 1
	}
	return int64(max(1, math.Ceil(end/c.period*(1-tolerance))))
}

func (c clock) startOfWindow(number int) float64 {
	if c.week == nil {
		return float64(number-1) * c.period
	}
	w := c.week.windowAt(0)
	for w.number < int64(number) && !math.IsInf(w.nextStart, 1) {
		w = c.week.windowAt(w.nextStart)
	}
	return w.start
}

// nextChange returns the first time after now at which the rate can change or a window opens or closes.
func (c clock) nextChange(now float64) float64 {
	next := math.Inf(1)
	if c.isHourly() {
		next = quantity.SecondsPerHour * (math.Floor(now/quantity.SecondsPerHour*(1+tolerance)) + 1)
	}
	if math.IsInf(c.period, 1) {
		return next
	}
	if end, open := c.windowEnd(now); open && c.hasGaps() {
		next = min(next, end)
	}
	if c.week != nil {
		return min(next, c.week.windowAt(now).nextStart)
	}
	return min(next, c.windowStart(now)+c.period)
}

// sendSeconds returns the number of seconds that the link takes to send the given number of bits if it starts when the
// plan starts.
func (c clock) sendSeconds(bits float64) float64 {
	if !c.hasHourlyRates() {
		return bits / c.linkRates[0]
	}
	day := 0.0
	for _, rate := range c.linkRates {
		day += rate * quantity.SecondsPerHour
	}
	days := math.Floor(bits / day)
	bits -= days * day
	seconds := days * hoursPerDay * quantity.SecondsPerHour
	for h := range hoursPerDay {
		rate := c.linkRates[(h+int(c.startHour))%hoursPerDay]
		if bits <= rate*quantity.SecondsPerHour {
			if bits > 0 {
				seconds += bits / rate
			}
			return seconds
		}
		bits -= rate * quantity.SecondsPerHour
		seconds += quantity.SecondsPerHour
	}
	return seconds
}

func (s *scheduler) checkSlots() error {
	var errs plan.InputErrors
	for i, u := range s.units {
		at, split := plan.Attr("virtual_machines").Key(u.members[0].name), ""
		if len(u.members) > 1 {
			at, split = at.Attr("move_group"), ", or split the group"
		}
		errs = errs.With(at, s.slotShortage(i, split))
	}
	return errs.Err()
}

var slotInputs = map[string]string{
	LimitedByHost:      "host_slots",
	LimitedByNetwork:   "network_slots",
	LimitedByDatastore: "datastore_slots",
}

func (s *scheduler) slotShortage(i int, split string) error {
	if n := len(s.units[i].members); n > s.concurrent {
		return fmt.Errorf("has %d VMs that start together: increase max_concurrent to %[1]d%s", n, split)
	}
	if n := s.units[i].moveCount; n > s.maxMoves {
		return fmt.Errorf("has %d VMs that move in one window: increase max_moves_per_window to %[1]d%s", n, split)
	}
	needs := map[int]int{}
	for at := 0; at < len(s.slotNeeds[i]); at += 2 {
		needs[s.slotNeeds[i][at]] += s.slotNeeds[i][at+1]
	}
	for id, r := range s.resources {
		if needs[id] > s.totalSlots[id] {
			return fmt.Errorf(
				"requires %d slots of the %s %q, which has only %d: increase %s to %[1]d%[6]s",
				needs[id],
				r.kind,
				r.name,
				s.totalSlots[id],
				slotInputs[r.kind],
				split,
			)
		}
	}
	return nil
}

// neededWindow returns the length in hours of the window that a unit needs if it moves alone. The length includes the
// reserve and is rounded up to hundredths of an hour.
func (s *scheduler) neededWindow(u unit) float64 {
	endless := s.clock
	endless.window = math.Inf(1)
	endless.period = math.Inf(1)
	endless.week = nil
	alone := simulation{clock: endless, limits: s.limits, running: runners(u, 0, 0)}
	for range maxTicks {
		alone.startPhases()
		alone.running = slices.DeleteFunc(alone.running, func(r runner) bool { return r.phase == arrived })
		if !slices.ContainsFunc(alone.running, func(r runner) bool { return r.needsWindow() }) {
			break
		}
		alone.step(alone.nextChange(alone.now))
	}
	seconds := alone.now
	for _, m := range u.members {
		if m.method == MethodReplication {
			seconds = max(seconds, m.windowSeconds(s.peakRate()))
		}
	}
	const cents = 100
	return math.Ceil(seconds/s.usableShare/quantity.SecondsPerHour*cents*(1-tolerance)) / cents
}

// windowSeconds returns the maximum time in seconds that a replicated VM needs within a window, at the given rate in
// bit/s.
func (m *migration) windowSeconds(rate float64) float64 {
	rate = m.limitedRate(rate)
	before, last := m.deltas(math.Inf(1), rate)
	if before+last == 0 {
		return m.switchover
	}
	return (before+last)/rate + m.switchover
}

// fitsWindow reports whether a unit that has the whole link to itself can finish within a window. It considers starts
// at the beginning of a window and on the hour.
func (s *scheduler) fitsWindow(u unit) bool {
	if math.IsInf(s.window, 1) {
		return true
	}
	for _, m := range u.members {
		if m.method == MethodReplication && !s.anyStart(func(at, end float64) bool {
			return at+m.windowSeconds(s.rate(at)) <= end*(1+tolerance)
		}) {
			return false
		}
	}
	return u.replicatedOnly || s.anyStart(func(at, end float64) bool {
		alone := simulation{clock: s.clock, limits: s.limits, now: at, running: runners(u, 0, at)}
		return s.rate(at) > 0 && alone.endsBy(end)
	})
}

// anyStart reports whether any start time passes a test, which receives the start time and the end of the window. It
// tries the beginning of each distinct window. If a rate varies by hour, it also tries every full hour in the first
// eight days of the window.
func (s *scheduler) anyStart(passes func(at, end float64) bool) bool {
	for opens := 0.0; ; {
		end, _ := s.windowEnd(opens)
		for at := opens; at < end; at = s.nextChange(at) {
			if passes(at, end) {
				return true
			}
			if !s.isHourly() || at >= opens+(daysPerWeek+1)*quantity.SecondsPerDay {
				break
			}
		}
		if s.week == nil {
			return false
		}
		if opens = s.week.windowAt(opens).nextStart; opens > daysPerWeek*quantity.SecondsPerDay {
			return false
		}
	}
}

func (s *scheduler) isSupported() bool {
	return !s.rttUnsupported && s.slowestVMotion >= s.minVMotionRate*(1-tolerance)
}

// shortestPlan returns the shortest supported plan among those with 1, 2, 4 and so on concurrent migrations. Among
// plans of equal length, it returns the one with the fewest concurrent migrations. If no plan is supported, it returns
// the plan with the fewest concurrent migrations.
func (s *scheduler) shortestPlan(most int) *scheduler {
	concurrent, largest := 1, 0
	for _, u := range s.units {
		largest = max(largest, len(u.members))
	}
	for concurrent < largest {
		concurrent *= 2
	}
	var best *scheduler
	bound, _ := s.lowerBound(math.Inf(1))
	for ; ; concurrent *= 2 {
		next := *s
		next.concurrent = min(concurrent, most)
		next.reset()
		next.schedule()
		if best == nil || next.isBetterThan(best) {
			best = &next
		}
		if !next.concurrencyLimited || s.rttUnsupported || concurrent >= most ||
			(!best.unbounded && best.isSupported() && best.now <= bound*(1+1e-9)) {
			return best
		}
	}
}

func (s *scheduler) isBetterThan(than *scheduler) bool {
	switch {
	case s.unbounded || than.unbounded:
		return !s.unbounded
	case len(s.stuckVMs) != len(than.stuckVMs):
		return len(s.stuckVMs) < len(than.stuckVMs)
	case s.isSupported() != than.isSupported():
		return s.isSupported()
	}
	return s.isSupported() && s.now < than.now*(1-1e-9)
}
