package setting

import (
	"context"
	"reflect"
	"slices"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
)

// find returns whether it has found settings with which all promises are kept as required.
func (s *search) find(ctx context.Context) (bool, error) {
	if s.isClosed() {
		return s.longest(ctx)
	}
	s.Quick = true
	found, err := s.shorten(ctx)
	if err == nil && found {
		err = s.lengthen(ctx)
	}
	quick := slices.Clone(s.minutes)
	if s.Quick = false; err == nil && found {
		found, err = s.shorten(ctx)
	}
	if err == nil && found && !slices.Equal(s.minutes, quick) {
		err = s.lengthen(ctx)
	}
	return found, err
}

// isRelaxed reports whether a tier without GivenMinutes does not have to keep its promise at the worse end.
func (s *search) isRelaxed() bool {
	for i, keep := range s.keeps {
		if keep != both && s.Tiers[i].GivenMinutes == nil {
			return true
		}
	}
	return false
}

// relax requires less of the tier that has failed, and of those that fail at the worse end on their own. It returns
// false if nothing less can be required.
func (s *search) relax(ctx context.Context) (bool, error) {
	switch i := s.failed; {
	case s.keeps[i] == both && len(s.ends) > 1:
		s.keeps[i] = onlyLikely
		return true, s.relaxOthers(ctx)
	case s.Tiers[i].GivenMinutes != nil:
		s.keeps[i] = neither
	case len(s.ends) > 1 && slices.Contains(s.keeps, both):
		for i, keep := range s.keeps {
			s.keeps[i] = max(keep, onlyLikely)
		}
	default:
		return false, nil
	}
	return true, nil
}

// relaxOthers relaxes the tiers on the link of the failed tier that are late at the worse end with the shortest
// settings, even if nothing is required of the others.
func (s *search) relaxOthers(ctx context.Context) error {
	worse := s.Worse.WithSettings(s.minutes)
	for i, t := range worse.Tiers {
		if s.keeps[i] != both || t.Link != worse.Tiers[s.failed].Link {
			continue
		}
		only := make([]simulation.Requirement, len(s.Tiers))
		for j := range only {
			only[j] = simulation.Anything
		}
		only[i] = simulation.NoLateOrLongSync
		switch late, err := simulation.FirstLate(ctx, true, only, worse); {
		case err != nil:
			return err
		case late != simulation.None:
			s.keeps[i] = onlyLikely
		}
	}
	return nil
}

type search struct {
	Question

	// ends are the estates at the worse end, if there is one, also outside migrations, and with the likely inputs.
	ends    []simulation.Estate
	minutes []float64
	// keeps states where each tier must keep its promise. failed is a tier that does not.
	keeps  []ends
	failed int
}

// ends states at which ends of the inputs a promise must be kept.
type ends int

const (
	both ends = iota
	onlyLikely
	neither
)

func (q Question) newSearch() *search {
	s := &search{Question: q, keeps: make([]ends, len(q.Tiers))}
	if !reflect.DeepEqual(q.Worse, q.Likely) {
		s.ends = append(s.ends, q.Worse)
	}
	if q.Outside != nil {
		s.ends = append(s.ends, *q.Outside)
	}
	s.ends = append(s.ends, q.Likely)
	e := q.Worse
	use := make([]float64, len(e.Links))
	for _, t := range e.Tiers {
		use[t.Link] += t.BusiestRate() / e.Links[t.Link].Mean()
	}
	for i, t := range e.Tiers {
		of := q.Tiers[i]
		longest := (t.PromisedMinutes - t.OverheadSeconds/quantity.SecondsPerMinute) / (1 + use[t.Link])
		n := max(of.LeastMinutes, Down(min(longest, of.MostMinutes)))
		if of.GivenMinutes != nil {
			n, s.keeps[i] = *of.GivenMinutes, neither
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

// requirements returns what is required of each tier at an end.
func (s *search) requirements(end int) []simulation.Requirement {
	all := make([]simulation.Requirement, len(s.Tiers))
	for i, t := range s.Tiers {
		switch {
		case s.keeps[i] == neither || s.keeps[i] == onlyLikely && end < len(s.ends)-1:
			all[i] = simulation.Anything
		case t.GivenMinutes != nil,
			s.minutes[i] == t.LeastMinutes && t.LeastMinutes <= s.Likely.Tiers[i].PromisedMinutes:
			all[i] = simulation.NoLateOrLongSync
		default:
			all[i] = simulation.NoLateSync
		}
	}
	return all
}

func (s *search) firstLate(ctx context.Context) (int, error) {
	estates := make([]simulation.Estate, len(s.ends))
	for i, e := range s.ends {
		estates[i] = e.WithSettings(s.minutes)
	}
	if !slices.Contains(s.keeps, onlyLikely) {
		return simulation.FirstLate(ctx, s.Quick, s.requirements(0), estates...)
	}
	for i, e := range estates {
		late, err := simulation.FirstLate(ctx, s.Quick, s.requirements(i), e)
		if err != nil || late != simulation.None {
			return late, err
		}
	}
	return simulation.None, nil
}

func (s *search) shorten(ctx context.Context) (bool, error) {
	for {
		late, err := s.firstLate(ctx)
		if err != nil || late == simulation.None {
			return err == nil, err
		}
		s.failed = late
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

// lengthen configures the longest step of each tier with which no sync is late, and halves the steps that remain.
func (s *search) lengthen(ctx context.Context) error {
	for i, t := range s.Tiers {
		if t.GivenMinutes != nil {
			continue
		}
		longer := slices.DeleteFunc(slices.Clone(Steps), func(step float64) bool {
			return step <= s.minutes[i] || step > t.MostMinutes
		})
		for len(longer) > 0 {
			holding, middle := s.minutes[i], len(longer)/2
			s.minutes[i] = longer[middle]
			switch late, err := s.firstLate(ctx); {
			case err != nil:
				return err
			case late == simulation.None:
				longer = longer[middle+1:]
			default:
				s.minutes[i], longer = holding, longer[:middle]
			}
		}
	}
	return nil
}
