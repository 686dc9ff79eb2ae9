package simulation

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"terraform-provider-vsla/internal/plan/quantity"
)

// None is the index that FirstLate returns if no tier is late.
const None = -1

// FirstLate returns the index of a tier that misses its requirement in one of the runs, or None. It stops at the first
// sync that is too late. With quick, it simulates only the first days of the first run, which suffices to exclude
// settings. The estates are the ends of uncertain inputs, which are simulated one after the other.
func FirstLate(ctx context.Context, quick bool, required []Requirement, ends ...Estate) (int, error) {
	var punctual []part
	for _, e := range ends {
		var late int
		if of, ok := e.only(); ok {
			late = of.firstLate(required[0])
		} else {
			late, punctual = e.firstLate(ctx, quick, required, punctual)
		}
		if ctx.Err() != nil || late != None {
			return late, ctx.Err()
		}
	}
	return None, nil
}

// firstLate returns a tier that misses its requirement, and the parts in which each sync ended before the next one was
// due. It skips the parts that are no worse than known ones of these.
func (e Estate) firstLate(
	ctx context.Context, quick bool, required []Requirement, known []part,
) (late int, punctual []part) {
	e = e.withoutOutages()
	runs, days := e.Runs(), warmUpDays+MeasuredDays
	if quick {
		runs, days = 1, warmUpDays+quickDays
	}
	if late := e.overloaded(required); late != None {
		return late, nil
	}
	parts := slices.DeleteFunc(e.parts(), func(p part) bool {
		return p.isProved(required) || slices.ContainsFunc(known, p.isNoWorse)
	})
	first := earliest{failure: failure{run: runs, tier: None}}
	delayed := make([]bool, runs*len(parts))
	run := func(i int) {
		of, p := i/len(parts), parts[i%len(parts)]
		if first.isBefore(failure{of, 0, 0}) {
			return
		}
		s := newSimulation(p.Estate, of+1, spread, days)
		for t, ts := range s.tiers {
			ts.stopsAt = required[p.tiers[t]]
		}
		s.isNeedless = func() bool { return first.isBefore(failure{of, s.now, 0}) }
		s.run(ctx, days)
		if delayed[i] = s.delayed || s.onlyClass == nil; s.failing != nil {
			first.add(failure{of, s.now, p.tiers[slices.Index(s.tiers, s.failing)]})
		}
	}
	if each(0, len(parts), run); first.tier == None {
		each(len(parts), len(delayed), run)
	}
	for i, p := range parts {
		isDelayed := false
		for of := range runs {
			isDelayed = isDelayed || delayed[of*len(parts)+i]
		}
		if !isDelayed {
			punctual = append(punctual, p)
		}
	}
	return first.tier, punctual
}

// failure is the first late sync of a run.
type failure struct {
	run  int
	at   float64
	tier int
}

func (f failure) before(o failure) bool {
	return cmp.Or(cmp.Compare(f.run, o.run), cmp.Compare(f.at, o.at), cmp.Compare(f.tier, o.tier)) < 0
}

// earliest is the earliest failure of concurrent runs.
type earliest struct {
	sync.Mutex
	failure
}

func (e *earliest) add(f failure) {
	e.Lock()
	defer e.Unlock()
	if f.before(e.failure) {
		e.failure = f
	}
}

func (e *earliest) isBefore(f failure) bool {
	e.Lock()
	defer e.Unlock()
	return e.before(f)
}

// overloaded returns the tier that changes most of the tiers with a requirement on a link that cannot carry their
// change, or None.
func (e Estate) overloaded(required []Requirement) int {
	for link, l := range e.Links {
		var tiers []Tier
		heaviest := None
		for i, t := range e.Tiers {
			if t.Link != link || required[i] == Anything || t.Curve != nil {
				continue
			}
			tiers = append(tiers, t)
			if heaviest == None || t.MeanBits() > e.Tiers[heaviest].MeanBits() {
				heaviest = i
			}
		}
		if l.isOverloaded(tiers) {
			return heaviest
		}
	}
	return None
}

// isOverloaded reports whether the link cannot carry the mean change of tiers, or what changes in some interval. A
// change can be sent only after it was made. If no sync takes longer than half the configured RPO, it is sent within
// one and a half times the configured RPO, which is at most the promised one.
func (l Link) isOverloaded(tiers []Tier) bool {
	means, minutes := make([]float64, len(tiers)), make([]*tierState, len(tiers))
	mean := 0.0
	var starts, ends []float64
	for i, t := range tiers {
		means[i] = t.MeanBits()
		mean += means[i]
		t.VMs = nil
		minutes[i] = newTierState(t, Estate{})
		if t.PeakFactor > 0 {
			from := t.PeakStartHour * quantity.SecondsPerHour
			starts = append(starts, from)
			ends = append(ends, from+quantity.SecondsPerDay/t.PeakFactor+t.sentWithin())
		}
	}
	if mean > l.Mean() {
		return true
	}
	if !l.isSteady() {
		for h := range HoursPerDay {
			starts = append(starts, float64(h)*quantity.SecondsPerHour)
			ends = append(ends, float64(h)*quantity.SecondsPerHour, float64(h+HoursPerDay)*quantity.SecondsPerHour)
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	starts, ends = slices.Compact(starts), slices.Compact(ends)
	for _, from := range starts {
		for _, to := range ends {
			bits := 0.0
			for i, t := range tiers {
				if changed := to - t.sentWithin(); changed > from {
					bits += means[i] * quantity.SecondsPerMinute *
						(minutes[i].changeMinutes(changed) - minutes[i].changeMinutes(from))
				}
			}
			const rounding = 1e-9
			if bits > l.bitsBetween(from, to)+bits*rounding {
				return true
			}
		}
	}
	return false
}

// sentWithin returns the time within which a change is sent if no sync takes too long, in seconds.
func (t Tier) sentWithin() float64 {
	const longest = 1.5
	return longest * t.PromisedMinutes * quantity.SecondsPerMinute
}

func (l Link) isSteady() bool { return slices.Min(l.HourlyRates[:]) == l.maxRate() }

// bitsBetween returns the amount of data that the link carries between two times, in bits.
func (l Link) bitsBetween(from, to float64) float64 {
	bits := 0.0
	for from < to {
		hour := int(from / quantity.SecondsPerHour)
		next := min(to, float64(hour+1)*quantity.SecondsPerHour)
		bits += l.HourlyRates[hour%HoursPerDay] * (next - from)
		from = next
	}
	return bits
}
