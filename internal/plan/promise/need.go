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

const (
	// needTolerance is the relative accuracy of a need that is found by simulation.
	needTolerance = 0.01
	// closedTolerance is the relative accuracy of values that the closed form determines.
	closedTolerance = 1e-9
	// MaxUse is the largest share of a link that the busiest rates together may use at its need.
	MaxUse = simulation.MaxUse
	// mostOfFloor is the largest ratio of a need to the least possible one that is searched for.
	mostOfFloor = 1e5
)

// need is a throughput with which the promises of a link hold, and the settings that they need.
type need struct {
	mbps     float64
	settings map[string]float64
}

func (pt *part) setNeeds(ctx context.Context) error {
	links := slices.DeleteFunc(names(pt.links), func(name string) bool { return len(pt.links[name].Promises) == 0 })
	found := make([]LinkResult, len(links))
	if err := concurrently(len(links), func(i int) (err error) {
		found[i], err = pt.withNeed(ctx, links[i])
		return err
	}); err != nil {
		return err
	}
	for i, name := range links {
		pt.links[name] = found[i]
	}
	return nil
}

func (pt *part) withNeed(ctx context.Context, link string) (LinkResult, error) {
	one := pt.links[link]
	found, limitedBy, err := pt.findNeed(ctx, pt.full.withoutMoves(), link, one.Promises)
	misses := slices.ContainsFunc(one.Promises, func(tier string) bool { return !pt.promises[tier].holds })
	switch {
	case limitedBy != "" && misses:
		one.NeededLimitedBy = &limitedBy
		return one, err
	case limitedBy != "": // the promises hold by their share of time, which is no condition of a need
		return one, err
	}
	one.ThroughputNeededMbps = &found.mbps
	one.NeededConfiguredRPOMinutes = found.settings
	one.HeadroomPercent = new(quantity.Percent * (1 - found.mbps/one.ThroughputMbps))
	return one, err
}

// findNeed returns the smallest throughput of a link with which the promises of the given tiers hold in a completed
// plan at the worse end, with settings up to the configured ones, and at least the throughput of which their busiest
// rates together use MaxUse. If there is none, it returns the limit that binds.
func (pt *part) findNeed(ctx context.Context, full Plan, link string, tiers []string) (need, string, error) {
	if slices.ContainsFunc(tiers, pt.full.lacksSpace) {
		return need{}, LimitedByTarget, nil
	}
	of := pt.newNeedSearch(full, link, tiers)
	least := max(of.floor(), RangeThroughputMbps.Min)
	most := min(RangeThroughputMbps.Max, least*mostOfFloor)
	settings, holds, err := of.settingsAt(ctx, least, false)
	if err != nil || holds {
		return need{ceiling(least), settings}, "", err
	}
	atMost, holds, err := of.settingsAt(ctx, most, false)
	if err != nil {
		return need{}, "", err
	}
	if !holds {
		limitedBy, err := of.limit(ctx, most)
		return need{}, limitedBy, err
	}
	tolerance := needTolerance
	if of.isClosed {
		tolerance = closedTolerance
	}
	found, err := bisect(least, most, tolerance, func(mbps float64) (bool, error) {
		_, holds, err := of.settingsAt(ctx, mbps, true)
		return holds, err
	})
	if err != nil {
		return need{}, "", err
	}
	for mbps := ceiling(found); ; mbps = ceiling(mbps * (1 + needTolerance)) {
		if mbps >= most {
			return need{most, atMost}, "", nil
		}
		settings, holds, err := of.settingsAt(ctx, mbps, false)
		if err != nil || holds {
			return need{mbps, settings}, "", err
		}
	}
}

// bisect returns a value for which holds returns true, at most a factor of 1 + tolerance above one for which it returns
// false. holds must be false for low and true for high.
func bisect(low, high, tolerance float64, holds func(float64) (bool, error)) (float64, error) {
	// The value is usually near the lower end, so the first steps approach it from there.
	for factor := 1.1; low*factor < high; factor *= factor {
		step := low * factor
		ok, err := holds(step)
		if err != nil {
			return 0, err
		}
		if ok {
			high = step
			break
		}
		low = step
	}
	for high > low*(1+tolerance) {
		middle := math.Sqrt(low) * math.Sqrt(high) // the product can underflow
		ok, err := holds(middle)
		switch {
		case err != nil:
			return 0, err
		case ok:
			high = middle
		default:
			low = middle
		}
	}
	return high, nil
}

// ceiling rounds a throughput up to four digits, so that the printed value is sufficient.
func ceiling(mbps float64) float64 {
	const digits = 4
	return plan.Up.Round(mbps, digits-1-int(math.Floor(math.Log10(mbps))))
}

// needSearch searches for settings of some tiers of a part. full is its plan, or a variant of it. With isClosed, the
// closed form decides, so that the VMs of asked can be merged.
type needSearch struct {
	*part

	full     Plan
	link     string
	tiers    []string
	asked    setting.Question
	isClosed bool
}

func (pt *part) newNeedSearch(full Plan, link string, tiers []string) needSearch {
	of := needSearch{part: pt, full: full, link: link, tiers: tiers}
	of.asked = of.question(full)
	of.isClosed = of.asked.Likely.IsClosed() && of.asked.Worse.IsClosed()
	if of.isClosed && !full.hasDeadline() {
		of.asked.Likely, of.asked.Worse = of.asked.Likely.Merged(), of.asked.Worse.Merged()
	}
	return of
}

func (of needSearch) floor() float64 {
	e := of.full.estate(worseEnd)
	at := slices.Index(names(of.full.Links), of.link)
	busiest := 0.0
	for i, name := range of.part.tiers {
		if slices.Contains(of.tiers, name) {
			busiest += e.Tiers[i].BusiestRate()
		}
	}
	perMbps := slices.Max(e.Links[at].HourlyRates[:]) / of.links[of.link].ThroughputMbps
	return busiest / MaxUse / perMbps
}

// settingsAt returns the settings with which the promises hold at a throughput. With quick, a quick simulation must
// suffice.
func (of needSearch) settingsAt(ctx context.Context, mbps float64, quick bool) (map[string]float64, bool, error) {
	at := slices.Index(names(of.full.Links), of.link)
	factor := mbps / of.links[of.link].ThroughputMbps
	return of.settings(ctx, of.full, of.asked, func(e simulation.Estate) simulation.Estate {
		e.Links = slices.Clone(e.Links)
		for h := range e.Links[at].HourlyRates {
			e.Links[at].HourlyRates[h] *= factor
		}
		return e
	}, quick)
}

// settingsOf returns the settings with which the promises of the tiers hold in a completed plan, whose estates are
// changed by a function; nil for no change.
func (of needSearch) settingsOf(
	ctx context.Context, full Plan, change func(simulation.Estate) simulation.Estate, quick bool,
) (map[string]float64, bool, error) {
	return of.settings(ctx, full, of.question(full), change, quick)
}

// question asks for the settings of the tiers of a completed plan.
func (of needSearch) question(full Plan) setting.Question {
	q := full.question(Tier.upToConfigured)
	for i, name := range of.part.tiers {
		if !slices.Contains(of.tiers, name) {
			q.Tiers[i] = setting.Tier{GivenMinutes: &of.choice.Minutes[i]}
		}
	}
	return q
}

// settings returns the settings with which the answer to a question keeps the promises of the tiers, and the deadlines
// of a completed plan. change changes the estates of the question; nil for no change.
func (of needSearch) settings(
	ctx context.Context, full Plan, q setting.Question, change func(simulation.Estate) simulation.Estate, quick bool,
) (map[string]float64, bool, error) {
	q.Quick = quick
	if change != nil {
		q = q.With(change)
	}
	minutes, holds, err := q.Exists(ctx)
	if err != nil || !holds {
		return nil, false, err
	}
	settings := make(map[string]float64)
	for i, name := range of.part.tiers {
		if slices.Contains(of.tiers, name) {
			settings[name] = minutes[i]
		}
	}
	if !full.hasDeadline() {
		return settings, true, nil
	}
	initial, err := simulation.InitialSync(ctx, full.merged(q.Worse.WithSettings(minutes)))
	for i, name := range of.part.tiers {
		if t := full.Tiers[name]; slices.Contains(of.tiers, name) && t.DeadlineHours != nil {
			holds = holds && err == nil && meetsDeadline(t, initial[i])
		}
	}
	return settings, holds, err
}

// limit removes one limit at a time and returns the code of the first limit whose removal allows the promises to be
// kept at a throughput.
func (of needSearch) limit(ctx context.Context, mbps float64) (string, error) {
	full := of.full.WithThroughput(of.link, mbps)
	at := slices.Index(names(full.Links), of.link)
	onAll := func(change func(*simulation.Tier)) func(simulation.Estate) simulation.Estate {
		return onTiers(of.part.tiers, change)
	}
	for _, test := range []struct {
		code   string
		change func(simulation.Estate) simulation.Estate
	}{
		{LimitedByPerSync, onAll(func(t *simulation.Tier) { t.PerSyncRate = 0 })},
		{LimitedByOverhead, onAll(func(t *simulation.Tier) { t.OverheadSeconds = 0 })},
		{LimitedBySource, func(e simulation.Estate) simulation.Estate {
			e.SourceReadRate = 0
			return e
		}},
		{LimitedByOtherLink, onAll(func(t *simulation.Tier) {
			if t.Link != at {
				t.Target = nil
			}
		})},
		{LimitedByTarget, onAll(func(t *simulation.Tier) { t.Target = nil })},
		{LimitedByHours, func(e simulation.Estate) simulation.Estate {
			e.Links = slices.Clone(e.Links)
			mean := e.Links[at].Mean()
			for h := range e.Links[at].HourlyRates {
				e.Links[at].HourlyRates[h] = mean
			}
			return e
		}},
	} {
		if _, holds, err := of.settingsOf(ctx, full, test.change, false); err != nil || holds {
			return test.code, err
		}
	}
	if slices.ContainsFunc(of.tiers, func(name string) bool {
		t := full.Tiers[name]
		return t.RPOMinutes < t.leastMinutes()
	}) {
		return LimitedBySetting, nil
	}
	return LimitedByUnknown, nil
}
