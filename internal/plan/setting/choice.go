package setting

import (
	"context"
	"slices"

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
	// Outside is the estate at the worse end outside migrations, where it must hold too; nil if it need not.
	Outside *simulation.Estate
	// Tiers has the same indexes as the tiers of the estates.
	Tiers []Tier
	// Quick limits the simulation to the first days of the first run, which suffices to exclude settings.
	Quick bool
}

// With returns the question with a change of all estates.
func (q Question) With(change func(simulation.Estate) simulation.Estate) Question {
	q.Likely, q.Worse = change(q.Likely), change(q.Worse)
	if q.Outside != nil {
		q.Outside = new(change(*q.Outside))
	}
	return q
}

// Choice is the answer to a question.
type Choice struct {
	// Minutes contains the configured RPO of each tier.
	Minutes []float64
	// HoldsWorse and HoldsLikely report whether all tiers without GivenMinutes keep their promises: without a sync that
	// could replace a recovery point older than the promised RPO, or, at the shortest setting, without a sync that
	// takes longer than half the configured RPO. HoldsWorse includes HoldsLikely.
	HoldsWorse, HoldsLikely bool
}

// Choose returns the longest settings with which each promise is kept at the worse end and with the likely inputs. A
// promise that no setting keeps at the worse end is kept with the likely inputs. If no setting keeps it there either,
// it returns the settings with the greatest shares of time within the promised RPO. A tier with GivenMinutes keeps its
// promise if other settings make that possible.
//
// It starts with the closed form for the busiest interval of each link, and shortens one late tier at a time. If a late
// tier cannot be shortened, it shortens the longest setting on its link. It then lengthens the tiers, one after the
// other, as long as no sync is late. A quick simulation decides about these steps. Finally, it shortens tiers that are
// late in any run, and lengthens those that need not have been.
func (q Question) Choose(ctx context.Context) (Choice, error) {
	keeps := make([]ends, len(q.Tiers))
	for i, t := range q.Tiers {
		if t.GivenMinutes != nil && (*t.GivenMinutes < t.LeastMinutes || *t.GivenMinutes > t.MostMinutes) {
			keeps[i] = neither
		}
	}
	for {
		s := q.newSearch()
		copy(s.keeps, keeps)
		found, err := s.find(ctx)
		if err != nil || found {
			return Choice{Minutes: s.minutes, HoldsWorse: found && !s.isRelaxed(), HoldsLikely: found}, err
		}
		relaxed, err := s.relax(ctx)
		if err != nil {
			return Choice{}, err
		}
		if !relaxed {
			return q.leastLate(ctx)
		}
		copy(keeps, s.keeps)
	}
}

// Exists returns settings with which the promises are kept at the worse end and with the likely inputs, or false if
// there are none. It is faster than Choose.
func (q Question) Exists(ctx context.Context) ([]float64, bool, error) {
	s := q.newSearch()
	search := s.shorten
	if s.isClosed() {
		search = s.longest
	}
	found, err := search(ctx)
	return s.minutes, found, err
}

// leastLate returns the settings with the greatest shares of time within the promised RPO: those with which the search
// starts or the shortest ones. For a tier for which the closed form decides, it returns the former.
func (q Question) leastLate(ctx context.Context) (Choice, error) {
	q.Worse, q.Outside = q.Likely, nil
	start := q.newSearch().minutes
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
