// The scheduler: what is running, which slots are free, and when the next migration ends.

package migration

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
)

var (
	errNoSlots = errors.New(
		"needs more slots together than a host, the network, a datastore or max_concurrent has: split the group, or raise the slots",
	)
	errPastWindow   = errors.New("takes longer than window_hours even alone: split the group, or widen the window")
	errTogetherOnly = "belongs to a group that "
)

// scheduler is the state of a plan while it is made.
type scheduler struct {
	link, cap      float64 // bit/s of all, and of one
	concurrent     int     // migrations at a time, by the network's slots and the limit of the user
	hostSlots      int
	datastoreSlots int
	window         float64 // seconds; infinity without windows

	now     float64
	running []runner
	used    map[string]int
}

type runner struct {
	migration

	left float64 // bits
	wave int
}

func newScheduler(in PlanInput) *scheduler {
	s := &scheduler{
		link:           in.ThroughputMbps * bitsPerMbit,
		cap:            math.Inf(1),
		window:         math.Inf(1),
		hostSlots:      DefaultHostSlots,
		datastoreSlots: DefaultDatastoreSlots,
		concurrent:     slowNetworkSlots,
		used:           map[string]int{},
	}
	if in.ThroughputMbps >= fastNetworkMbps {
		s.concurrent = fastNetworkSlots
	}
	set := func(slots *int, value *float64) {
		if value != nil {
			*slots = int(*value)
		}
	}
	set(&s.concurrent, in.NetworkSlots)
	set(&s.hostSlots, in.HostSlots)
	set(&s.datastoreSlots, in.DatastoreSlots)
	if in.MaxConcurrent != nil {
		s.concurrent = min(s.concurrent, int(*in.MaxConcurrent))
	}
	if in.PerMigrationMbps != nil {
		s.cap = *in.PerMigrationMbps * bitsPerMbit
	}
	if in.WindowHours != nil {
		s.window = *in.WindowHours * secondsPerHour
	}
	return s
}

// rate is what each of n migrations gets, in bit/s.
func (s *scheduler) rate(n int) float64 { return min(s.cap, s.link/float64(max(n, 1))) }

// take changes the slots in use by sign times what the migrations need, and reports whether none is overdrawn.
func (s *scheduler) take(members []migration, sign int) bool {
	ok := true
	for _, m := range members {
		if m.host != "" {
			s.used["host "+m.host] += sign * m.hostCost
			ok = ok && s.used["host "+m.host] <= s.hostSlots
		}
		if m.datastore != "" {
			s.used["datastore "+m.datastore] += sign * m.datastoreCost
			ok = ok && s.used["datastore "+m.datastore] <= s.datastoreSlots
		}
	}
	return ok
}

// fits refuses units that could never start.
func (s *scheduler) fits(units []unit, in PlanInput) error {
	var errs plan.InputErrors
	for _, u := range units {
		name := u.members[0].name
		at := plan.Attr("virtual_machines").Key(name)
		together := ""
		if group := in.VMs[name].MoveGroup; group != "" {
			at, together = at.Attr("move_group"), errTogetherOnly
		}
		free := s.take(u.members, 1) && len(u.members)*networkCost <= s.concurrent
		s.take(u.members, -1)
		if !free {
			errs = errs.With(at, fmt.Errorf("%s%w", together, errNoSlots))
		}
		if free && s.drain(runners(u, 0)) > s.window*(1+1e-12) {
			errs = errs.With(at, fmt.Errorf("%s%w", together, errPastWindow))
		}
	}
	return errs.Err()
}

func runners(u unit, wave int) []runner {
	list := make([]runner, 0, len(u.members))
	for _, m := range u.members {
		list = append(list, runner{migration: m, left: m.bits, wave: wave})
	}
	return list
}

// drain is how long the running migrations take when nothing is added.
func (s *scheduler) drain(running []runner) float64 {
	left := make([]float64, 0, len(running))
	for _, r := range running {
		left = append(left, r.left)
	}
	slices.Sort(left)
	seconds, done := 0.0, 0.0
	for i, bits := range left {
		seconds += (bits - done) / s.rate(len(left)-i)
		done = bits
	}
	return seconds
}

// schedule starts what fits, goes on to the next end, and so on.
func (s *scheduler) schedule(units []unit) ([]Wave, float64) {
	var waves []Wave
	pending := slices.Clone(units)
	for len(pending) > 0 || len(s.running) > 0 {
		var wave *Wave
		pending = slices.DeleteFunc(pending, func(u unit) bool {
			if !s.starts(u, len(waves)) {
				return false
			}
			if wave == nil {
				wave = &Wave{Number: int64(len(waves) + 1), StartSeconds: s.now}
			}
			for _, m := range u.members {
				wave.VMs = append(wave.VMs, m.name)
			}
			return true
		})
		if wave != nil {
			slices.Sort(wave.VMs)
			waves = append(waves, *wave)
		}
		if len(s.running) == 0 {
			// All that is left is too long for the rest of this window.
			s.now = s.windowEnd()
			continue
		}
		s.finish(waves)
	}
	return waves, s.now
}

// windowEnd is where the window ends that now is in; now may be its end but for rounding.
func (s *scheduler) windowEnd() float64 {
	return s.window * (math.Floor(s.now/s.window*(1+1e-12)) + 1)
}

// starts lets a unit begin when it has its slots and fits into the window, and reports whether there
// was.
func (s *scheduler) starts(u unit, wave int) bool {
	if len(s.running)+len(u.members) > s.concurrent {
		return false
	}
	if !s.take(u.members, 1) {
		s.take(u.members, -1)
		return false
	}
	with := append(slices.Clone(s.running), runners(u, wave)...)
	if !math.IsInf(s.window, 1) && s.now+s.drain(with) > s.windowEnd()*(1+1e-12) {
		s.take(u.members, -1)
		return false
	}
	s.running = with
	return true
}

// finish goes on to the next end.
func (s *scheduler) finish(waves []Wave) {
	next := slices.MinFunc(s.running, func(a, b runner) int { return cmp.Compare(a.left, b.left) })
	s.now += next.left / s.rate(len(s.running))
	// Those that have as little left end with it.
	enough := next.left * (1 + 1e-12)
	s.running = slices.DeleteFunc(s.running, func(r runner) bool {
		if r.left > enough {
			return false
		}
		s.take([]migration{r.migration}, -1)
		waves[r.wave].DurationSeconds = s.now - waves[r.wave].StartSeconds
		return true
	})
	for i := range s.running {
		s.running[i].left -= next.left
	}
}

// lowerBound is the largest of what no plan can beat, and its name.
func (s *scheduler) lowerBound(units []unit) (float64, string) {
	best := s.rate(1)
	longest, all := 0.0, 0.0
	hosts, stores := map[string]float64{}, map[string]float64{}
	for _, u := range units {
		for _, m := range u.members {
			alone := m.bits / best
			longest = max(longest, alone)
			all += m.bits
			hosts[m.host] += alone * float64(m.hostCost) / float64(s.hostSlots)
			stores[m.datastore] += alone * float64(m.datastoreCost) / float64(s.datastoreSlots)
		}
	}
	bound, name := all/s.link, LimitedByLink
	raise := func(seconds float64, by string) {
		if seconds > bound*(1+1e-12) {
			bound, name = seconds, by
		}
	}
	raise(longest, LimitedByMigration)
	raise(all/best/float64(s.concurrent), LimitedByNetwork)
	for host, seconds := range hosts {
		if host != "" {
			raise(seconds, LimitedByHost)
		}
	}
	for store, seconds := range stores {
		if store != "" {
			raise(seconds, LimitedByDatastore)
		}
	}
	return bound, name
}
