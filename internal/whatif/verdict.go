// Verdicts: what the results mean, by the rules of the review.

package whatif

import (
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/wording"
)

// verdict is the level of a result or of a group of a schedule.
type verdict struct {
	id, title string
	level     wording.Level
	// pending: it is being computed.
	pending bool
	// group is the name of a schedule's group, which does not count: the schedule does.
	group string
	c     *calculation
}

// verdicts judges the calculations.
func verdicts(all []*calculation) []*verdict {
	var list []*verdict
	for _, c := range all {
		v := &verdict{id: c.id, title: c.title, c: c, pending: c.pending}
		switch {
		case c.pending, c.problem != nil:
			v.level = wording.Unknown
		default:
			v.level = wording.LevelOf(c.Calculator, c.results)
		}
		list = append(list, v)
	}
	slices.SortStableFunc(list, func(a, b *verdict) int { return a.place() - b.place() })
	return groups(list)
}

// place sorts results for readers, whatever their levels: a card does not move while its reader types. Schedules of all
// tiers are first, results without a verdict last.
func (v *verdict) place() int {
	switch {
	case v.c.Calculator.Command == onlink.Schedule:
		return 0
	case len(v.c.Calculator.Verdicts) == 0 && v.c.Calculator.Flag == nil:
		return 2
	}
	return 1
}

// groups adds a verdict for each group of a schedule.
func groups(all []*verdict) []*verdict {
	list := all
	for _, s := range all {
		if s.c.Calculator.Command != onlink.Schedule {
			continue
		}
		judged := object(s.c.results[keyGroups])
		for _, name := range slices.Sorted(maps.Keys(object(s.c.Inputs[keyGroups]))) {
			g := &verdict{
				id: s.id + "/" + name, title: name + ", all together", group: name, c: s.c, pending: s.pending,
				level: wording.Unknown,
			}
			if result := object(judged[name]); result != nil {
				g.level = wording.LevelOf(s.c.Calculator, result)
			}
			list = append(list, g)
		}
	}
	return list
}

// counts reports whether a verdict is in the headline.
func (v *verdict) counts() bool { return v.group == "" && v.level != wording.Neutral }

// sum returns the worst level and the headline of what counts. Verdicts that are being computed are in neither.
func (p *Page) sum(all []*verdict) (wording.Level, string) {
	numbers := map[wording.Level]int{}
	worst, pending := wording.Neutral, []string{}
	add := func(level wording.Level) {
		numbers[level]++
		if level.Rank() < worst.Rank() {
			worst = level
		}
	}
	for _, v := range all {
		switch {
		case v.pending && v.group == "":
			pending = append(pending, v.title)
		case v.counts():
			add(v.level)
		}
	}
	for range p.model.Open {
		add(wording.Unknown)
	}
	headline := wording.Headline(numbers)
	if len(pending) > 0 {
		if worst.Rank() > wording.Unknown.Rank() {
			worst = wording.Unknown
		}
		headline = "Computing: " + strings.Join(pending, ", ") + ". So far: " + headline
	}
	return worst, headline
}
