package promise

import (
	"context"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/setting"
	"terraform-provider-vsla/internal/plan/simulation"
)

// setMaxima sets the largest daily change and the largest peak with which the promises of the part hold at the worse
// end of all other inputs, and the settings that they need. The tiers that assume an input change together; if none
// assumes it, all tiers do.
func (pt *part) setMaxima(ctx context.Context) error {
	sets := make([]func(), 2)
	find := []func(context.Context) (func(), error){pt.maxChange, pt.maxPeak}
	err := concurrently(len(find), func(i int) (err error) {
		sets[i], err = find[i](ctx)
		return err
	})
	for _, set := range sets {
		set()
	}
	return err
}

func (pt *part) assuming(input string, has func(Tier) bool) []string {
	assume := slices.DeleteFunc(slices.Clone(pt.tiers), func(name string) bool {
		t := pt.plan.Tiers[name]
		return !slices.Contains(t.AssumedInputs, input) && (input != inputPeak || !t.peakIsUnknown())
	})
	if len(assume) > 0 {
		return assume
	}
	return slices.DeleteFunc(slices.Clone(pt.tiers), func(name string) bool { return !has(pt.full.Tiers[name]) })
}

// maxChange returns a function that sets the largest daily change.
func (pt *part) maxChange(ctx context.Context) (set func(), err error) {
	set = func() {}
	on := pt.assuming(inputChange, func(t Tier) bool { return t.DailyChangePercent != nil })
	if len(on) == 0 {
		return set, nil
	}
	most := math.Inf(1)
	for _, name := range on {
		most = min(most, RangeDailyChangePercent.Max / *pt.full.Tiers[name].DailyChangePercent)
	}
	factor, settings, err := pt.largestFactor(ctx, most, func(q *setting.Question, factor float64) bool {
		full := pt.full
		for _, name := range on {
			full = full.withTier(name, full.Tiers[name].withChange(factor))
		}
		*q = q.With(onTiers(on, func(t *simulation.Tier) {
			t.VMs = slices.Clone(t.VMs)
			for i := range t.VMs {
				t.VMs[i].DailyChangePercent *= factor
			}
		}))
		return !slices.ContainsFunc(pt.tiers, full.lacksSpace)
	})
	if err != nil || factor == 0 {
		return set, err
	}
	return func() {
		for _, name := range on {
			one := pt.promises[name]
			one.MaxDailyChangePercent = new(factor * *pt.full.Tiers[name].DailyChangePercent)
			one.MaxDailyChangeRPOMinutes = setOrNil(settings, name)
			pt.promises[name] = one
		}
	}, nil
}

// maxPeak returns a function that sets the largest peak.
func (pt *part) maxPeak(ctx context.Context) (set func(), err error) {
	set = func() {}
	on := pt.assuming(inputPeak, func(t Tier) bool { return t.PeakFactor != nil })
	if len(on) == 0 {
		return set, nil
	}
	least := math.Inf(1)
	for _, name := range on {
		least = min(least, *pt.full.Tiers[name].PeakFactor)
	}
	// With a higher peak, the change of a whole day occurs within one minute.
	factor, settings, err := pt.largestFactor(ctx, quantity.MinutesPerDay/least,
		func(q *setting.Question, factor float64) bool {
			*q = q.With(onTiers(on, func(t *simulation.Tier) {
				t.PeakFactor = max(1, factor**pt.full.Tiers[t.Name].PeakFactor)
			}))
			q.Worse = onTiers(on, func(t *simulation.Tier) {
				if of := pt.full.Tiers[t.Name]; of.PeakStartHour == nil {
					t.PeakStartHour = pt.full.worstStart(of, t.PeakFactor)
				}
			})(q.Worse)
			return !slices.ContainsFunc(pt.tiers, pt.full.lacksSpace)
		})
	if err != nil || factor*least < 1 {
		return set, err
	}
	return func() {
		for _, name := range on {
			one := pt.promises[name]
			one.MaxPeakFactor = new(factor * *pt.full.Tiers[name].PeakFactor)
			one.MaxPeakRPOMinutes = setOrNil(settings, name)
			pt.promises[name] = one
		}
	}, nil
}

func setOrNil(settings map[string]float64, name string) *float64 {
	if v, ok := settings[name]; ok {
		return &v
	}
	return nil
}

// allHold reports whether all promises of the part hold.
func (pt *part) allHold() bool {
	return !slices.ContainsFunc(pt.tiers, func(name string) bool { return !pt.promises[name].holds })
}

// largestFactor returns the largest factor up to most with which the promises hold if it changes the estates, and the
// settings that they need. change reports whether the targets have enough space. It returns 0 if they do not hold with
// any factor, if they hold with all of them, or if they hold only by their share of time or with a given setting.
func (pt *part) largestFactor(
	ctx context.Context, most float64, change func(q *setting.Question, factor float64) bool,
) (float64, map[string]float64, error) {
	of := pt.newNeedSearch(pt.full, "", pt.tiers)
	at := func(factor float64, quick bool) (map[string]float64, bool, error) {
		q := of.asked
		if !change(&q, factor) {
			return nil, false, nil
		}
		return of.settings(ctx, pt.full, q, nil, quick)
	}
	tolerance, rounded := needTolerance, floor
	if of.isClosed { // not rounded to digits, so that the product does not depend on the given value
		tolerance = closedTolerance
		rounded = func(factor float64) float64 { return factor * (1 - 1e-6) }
	}
	found, err := bisectFactor(most, tolerance, func(factor float64) (bool, error) {
		_, holds, err := at(factor, true)
		return holds, err
	})
	if err != nil || found == 0 {
		return 0, nil, err
	}
	least := found / 2
	if pt.allHold() {
		least = 1 // which the search can miss by its tolerance
	}
	for factor := rounded(found); factor > least; factor = rounded(factor / (1 + needTolerance)) {
		if settings, holds, err := at(factor, false); err != nil || holds {
			return factor, settings, err
		}
	}
	if settings, holds, err := at(least, false); err != nil || holds {
		return least, settings, err
	}
	return 0, nil, nil
}

// onTiers returns a function that changes the given tiers of an estate.
func onTiers(tiers []string, change func(*simulation.Tier)) func(simulation.Estate) simulation.Estate {
	return func(e simulation.Estate) simulation.Estate {
		e.Tiers = slices.Clone(e.Tiers)
		for i := range e.Tiers {
			if slices.Contains(tiers, e.Tiers[i].Name) {
				change(&e.Tiers[i])
			}
		}
		return e
	}
}

// bisectFactor returns the largest factor up to most for which holds returns true; 0 if there is none or if it is most.
func bisectFactor(most, tolerance float64, holds func(factor float64) (bool, error)) (float64, error) {
	if ok, err := holds(most); err != nil || ok {
		return 0, err
	}
	least := most * 1e-7
	if ok, err := holds(least); err != nil || !ok {
		return 0, err
	}
	inverse, err := bisect(
		1/most,
		1/least,
		tolerance,
		func(inverse float64) (bool, error) { return holds(1 / inverse) },
	)
	return 1 / inverse, err
}

// floor rounds a factor down to four digits.
func floor(factor float64) float64 {
	const digits = 4
	return plan.Down.Round(factor, digits-1-int(math.Floor(math.Log10(factor))))
}
