package setting

import (
	"context"
	"reflect"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

// Tier describes which settings a tier can have.
type Tier struct {
	// LeastMinutes and MostMinutes are the shortest and the longest configured RPO, in minutes. LeastMinutes is a step.
	LeastMinutes, MostMinutes float64
	// GivenMinutes is the configured RPO if it must not change; nil otherwise.
	GivenMinutes *float64
}

// Question asks for the configured RPO of each tier of an estate.
type Question struct {
	// Likely and Worse are the estate with likely inputs and at the worse end of uncertain inputs. They have the same
	// tiers, and the configured RPOs of the tiers are ignored.
	Likely, Worse simulation.Estate
	// Tiers has the same indexes as the tiers of the estates.
	Tiers []Tier
	// OneRun limits the simulation to the first run, which suffices to exclude settings.
	OneRun bool
}

// Choice is the answer to a question.
type Choice struct {
	// Minutes contains the configured RPO of each tier.
	Minutes []float64
	// HoldsWorse and HoldsLikely report whether all tiers without GivenMinutes keep their promises: without a sync that
	// could replace a recovery point older than the promised RPO, or, at the shortest setting, without a sync that takes
	// longer than half the configured RPO. HoldsWorse includes HoldsLikely.
	HoldsWorse, HoldsLikely bool
}

// Choose returns the longest settings with which the promises are kept at the worse end and with the likely inputs. If
// there are none, it returns those for the likely inputs, and if there are none either, those with the greatest shares
// of time within the promised RPO.
//
// It starts with the closed form for the busiest interval of each link, and shortens one late tier at a time. If a late
// tier cannot be shortened, it shortens the longest setting on its link. It then lengthens the tiers, one after the
// other, as long as no sync is late. One run decides about these steps. Finally, it shortens tiers that are late in any
// other run.
func (q Question) Choose(ctx context.Context) (Choice, error) {
	for i, ends := range q.ends() {
		s := q.newSearch(ends)
		if s.isClosed() {
			if found, err := s.longest(ctx); err != nil || found {
				return Choice{Minutes: s.minutes, HoldsWorse: found && i == 0, HoldsLikely: found}, err
			}
			continue
		}
		s.OneRun = true
		found, err := s.shorten(ctx)
		if err == nil && found {
			err = s.lengthen(ctx)
		}
		if s.OneRun = false; err == nil && found {
			found, err = s.shorten(ctx)
		}
		if err != nil || found {
			return Choice{Minutes: s.minutes, HoldsWorse: found && i == 0, HoldsLikely: found}, err
		}
	}
	return q.leastLate(ctx)
}

// Exists returns settings with which the promises are kept at the worse end and with the likely inputs, or false if
// there are none. It is faster than Choose.
func (q Question) Exists(ctx context.Context) ([]float64, bool, error) {
	s := q.newSearch(q.ends()[0])
	search := s.shorten
	if s.isClosed() {
		search = s.longest
	}
	found, err := search(ctx)
	return s.minutes, found, err
}

// ends returns the estates with which the promises are to be kept: both, or otherwise that with the likely inputs.
func (q Question) ends() [][]simulation.Estate {
	if reflect.DeepEqual(q.Worse, q.Likely) {
		return [][]simulation.Estate{{q.Likely}}
	}
	return [][]simulation.Estate{{q.Worse, q.Likely}, {q.Likely}}
}

// leastLate returns the settings with the greatest shares of time within the promised RPO: those with which the search
// starts or the shortest ones. For a tier for which the closed form decides, it returns the former.
func (q Question) leastLate(ctx context.Context) (Choice, error) {
	start := q.newSearch([]simulation.Estate{q.Likely}).minutes
	if q.Likely.IsClosed() {
		return Choice{Minutes: start}, nil
	}
	shortest := make([]float64, len(start))
	for i, t := range q.Tiers {
		if shortest[i] = t.LeastMinutes; t.GivenMinutes != nil {
			shortest[i] = *t.GivenMinutes
		}
	}
	best, share := start, -1.0
	if slices.Equal(start, shortest) {
		return Choice{Minutes: start}, nil
	}
	for _, minutes := range [][]float64{start, shortest} {
		r, err := simulation.Run(ctx, q.Likely.WithSettings(minutes))
		if err != nil {
			return Choice{}, err
		}
		sum := 0.0
		for _, t := range r.Tiers {
			sum += t.WithinPercent
		}
		if sum > share {
			best, share = minutes, sum
		}
	}
	return Choice{Minutes: best}, nil
}

type search struct {
	Question

	ends    []simulation.Estate
	minutes []float64
}

func (q Question) newSearch(ends []simulation.Estate) *search {
	s := &search{Question: q, ends: ends}
	e := ends[0]
	use := make([]float64, len(e.Links))
	for _, t := range e.Tiers {
		use[t.Link] += t.BusiestRate() / e.Links[t.Link].Mean()
	}
	for i, t := range e.Tiers {
		of := q.Tiers[i]
		longest := (t.PromisedMinutes - t.OverheadSeconds/quantity.SecondsPerMinute) / (1 + use[t.Link])
		n := max(of.LeastMinutes, Down(min(longest, of.MostMinutes)))
		if of.GivenMinutes != nil {
			n = *of.GivenMinutes
		}
		s.minutes = append(s.minutes, n)
	}
	return s
}

func (s *search) isClosed() bool {
	return !slices.ContainsFunc(s.ends, func(e simulation.Estate) bool { return !e.IsClosed() })
}

// longest tries all settings of the only tier, starting with the longest. Where a whole day's change is sent within
// minutes, a longer setting can keep a promise that a shorter one does not keep.
func (s *search) longest(ctx context.Context) (bool, error) {
	t, start := s.Tiers[0], s.minutes[0]
	if t.GivenMinutes != nil {
		late, err := s.firstLate(ctx)
		return late == simulation.None, err
	}
	for _, step := range slices.Backward(Steps) {
		if step < t.LeastMinutes || step > t.MostMinutes {
			continue
		}
		s.minutes[0] = step
		if late, err := s.firstLate(ctx); err != nil || late == simulation.None {
			return late == simulation.None, err
		}
	}
	s.minutes[0] = start
	return false, nil
}

func (s *search) requirements() []simulation.Requirement {
	all := make([]simulation.Requirement, len(s.Tiers))
	for i, t := range s.Tiers {
		switch {
		case t.GivenMinutes != nil:
			all[i] = simulation.Anything
		case s.minutes[i] == t.LeastMinutes && t.LeastMinutes <= s.Likely.Tiers[i].PromisedMinutes:
			all[i] = simulation.NoLateOrLongSync
		default:
			all[i] = simulation.NoLateSync
		}
	}
	return all
}

func (s *search) firstLate(ctx context.Context) (int, error) {
	ends := make([]simulation.Estate, len(s.ends))
	for i, e := range s.ends {
		ends[i] = e.WithSettings(s.minutes)
	}
	runs := ends[0].Runs()
	if s.OneRun {
		runs = 1
	}
	return simulation.FirstLate(ctx, runs, s.requirements(), ends...)
}

func (s *search) shorten(ctx context.Context) (bool, error) {
	for {
		late, err := s.firstLate(ctx)
		if err != nil || late == simulation.None {
			return err == nil, err
		}
		if !s.canShorten(late) {
			if late = s.longestOn(s.Likely.Tiers[late].Link); late == simulation.None {
				return false, nil
			}
		}
		s.minutes[late] = max(s.Tiers[late].LeastMinutes, below(s.minutes[late]))
	}
}

func (s *search) canShorten(i int) bool {
	return s.Tiers[i].GivenMinutes == nil && s.minutes[i] > s.Tiers[i].LeastMinutes
}

func (s *search) longestOn(link int) int {
	longest := simulation.None
	for i, t := range s.Likely.Tiers {
		if t.Link == link && s.canShorten(i) && (longest == simulation.None || s.minutes[i] > s.minutes[longest]) {
			longest = i
		}
	}
	return longest
}

func (s *search) lengthen(ctx context.Context) error {
	for i, t := range s.Tiers {
		for t.GivenMinutes == nil {
			now := s.minutes[i]
			next, ok := above(now)
			if !ok || next > t.MostMinutes {
				break
			}
			s.minutes[i] = next
			late, err := s.firstLate(ctx)
			if err != nil {
				return err
			}
			if late != simulation.None {
				s.minutes[i] = now
				break
			}
		}
	}
	return nil
}
