package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

type measuredPeriod struct {
	assess.Period

	name, link string
	days       []periodDay
}

// periodDay is a day in a period. Minutes are totals over all VMs.
type periodDay struct {
	date                      time.Time
	violation, known, unknown float64
}

// periods returns the periods sorted by level, worst first. Periods with the same level retain the order of results and
// tier names.
func (b *builder) periods() []measuredPeriod {
	var spans []measuredPeriod
	complianceCount := 0
	for _, a := range b.all {
		if a.Type == assess.TypeCompliance {
			complianceCount++
		}
	}
	for _, a := range slices.Concat(b.bySection()...) {
		switch r := a.Answer.(type) {
		case *assess.Compliance:
			for _, tier := range slices.SortedFunc(maps.Keys(r.Periods), wording.Natural) {
				name := tier
				if complianceCount > 1 {
					name += ", " + a.Title
				}
				p := r.Periods[tier]
				spans = append(spans, newPeriod(name, b.link(a), p, p.Days))
			}
		case *assess.History:
			if r.Total != nil {
				p := *r.Total
				p.VMCount = cmp.Or(float64(len(r.VMs)), p.VMCount)
				spans = append(spans, newPeriod("History: "+a.Title, b.link(a), p, r.Days))
			}
		}
	}
	slices.SortStableFunc(spans, func(x, y measuredPeriod) int {
		return cmp.Compare(plan.Rank(y.Level()), plan.Rank(x.Level()))
	})
	return spans
}

func newPeriod(name, link string, p assess.Period, days []assess.Day) measuredPeriod {
	sp := measuredPeriod{Period: p, name: name, link: link}
	for _, d := range days {
		date, err := time.Parse(time.DateOnly, d.Date)
		if err != nil {
			continue
		}
		sp.days = append(sp.days, periodDay{date, d.ViolationMinutes, d.KnownMinutes, d.UnknownMinutes})
	}
	slices.SortStableFunc(sp.days, func(x, y periodDay) int { return x.date.Compare(y.date) })
	return sp
}

// selectWorst returns the periods with the worst levels and, of these, with the most violations. They retain their
// order. It also returns a note if any periods are omitted.
func selectWorst(all []measuredPeriod, limit int) ([]measuredPeriod, string) {
	if len(all) <= limit {
		return all, ""
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := all[i], all[j]
		return cmp.Or(
			cmp.Compare(plan.Rank(b.Level()), plan.Rank(a.Level())),
			cmp.Compare(b.ViolationMinutes, a.ViolationMinutes),
		)
	})
	order = order[:limit]
	slices.Sort(order)
	kept := make([]measuredPeriod, 0, limit)
	for _, i := range order {
		kept = append(kept, all[i])
	}
	number := pluralVerb(limit, "", fmt.Sprintf(" %d", limit))
	return kept, fmt.Sprintf("The worst%s of %s.", number, wording.Count(len(all), "calendar"))
}

func byMonth(days []periodDay) [][]periodDay {
	var months [][]periodDay
	for i, d := range days {
		if i == 0 || d.date.Format("2006-01") != days[i-1].date.Format("2006-01") {
			months = append(months, nil)
		}
		months[len(months)-1] = append(months[len(months)-1], d)
	}
	return months
}
