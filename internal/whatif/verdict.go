// Verdicts: what the results mean, by the rules of the review.

package whatif

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/report/related"
	"terraform-provider-vsla/internal/report/wording"
)

// verdict is the level of a result, of a group of a schedule, or of all estimates on a link.
type verdict struct {
	id, title string
	level     wording.Level
	// own is the level of the result by itself.
	own wording.Level
	// pending: it is being computed. alone: a schedule counts in its place.
	pending, alone bool
	notes          []string
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
		v.own = v.level
		list = append(list, v)
	}
	slices.SortStableFunc(list, func(a, b *verdict) int { return a.place() - b.place() })
	return append(relate(list), shares(list)...)
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

// relate compares estimates with the schedule of their link, and adds a verdict for each group.
func relate(all []*verdict) []*verdict {
	list := all
	for _, s := range all {
		if s.c.Calculator.Command != onlink.Schedule {
			continue
		}
		groups, judged := object(s.c.Inputs[keyGroups]), object(s.c.results[keyGroups])
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			g := &verdict{
				id: s.id + "/" + name, title: name + ", all together", group: name, c: s.c, pending: s.pending,
				level: wording.Unknown,
			}
			if result := object(judged[name]); result != nil {
				g.level = wording.LevelOf(s.c.Calculator, result)
			}
			list = append(list, g)
			for _, e := range all {
				if e.c.isTier(s.c, name, object(groups[name])) {
					g.relate(e, s, object(groups[name]))
				}
			}
		}
	}
	return list
}

// relate judges an estimate, a schedule and the group that is about the VMs of both.
func (v *verdict) relate(e, s *verdict, group map[string]any) {
	e.alone = e.level != wording.Misses && related.Alone(group, e.c.Inputs)
	if s.pending || s.c.problem != nil || e.c.problem != nil {
		return
	}
	assumed := related.Assumption(group)
	missesRPO := e.level == wording.Misses && e.c.results["meets_rpo"] != true
	total := wording.LevelOf(s.c.Calculator, s.c.results)
	switch {
	case missesRPO && (total == wording.Holds || v.level == wording.Holds || len(s.notes) > 0):
		note := "This is " + assumed + ": " + e.title + " alone does not hold, so that it counts as at risk."
		s.notes = append(s.notes, note)
		for _, one := range []*verdict{s, v} {
			if one.level == wording.Holds {
				one.level = wording.AtRisk
			}
		}
	case v.level == wording.Misses && e.level == wording.Holds:
		e.level = wording.AtRisk
		e.notes = append(e.notes, "In the schedule, "+assumed+", these VMs do not hold, so that this counts as at risk.")
	}
}

// shares judges the estimates of each link that no schedule has together.
func shares(all []*verdict) []*verdict {
	type sum struct {
		cycles, daily float64
		n             int
		open          bool
	}
	links := map[string]*sum{}
	for _, e := range all {
		label := e.c.label()
		if e.c.Calculator.Command != onlink.Replication || label == "" || e.c.problem != nil {
			continue
		}
		if links[label] == nil {
			links[label] = &sum{}
		}
		l := links[label]
		cycle, _ := e.c.results["rpo_used_percent"].(float64)
		daily, _ := e.c.results["daily_link_use_percent"].(float64)
		l.cycles, l.daily, l.n = l.cycles+cycle, l.daily+daily, l.n+1
		if !slices.ContainsFunc(all, func(s *verdict) bool {
			group := object(object(s.c.Inputs[keyGroups])[e.c.key])
			return s.c.Calculator.Command == onlink.Schedule && group != nil && e.c.isTier(s.c, e.c.key, group)
		}) {
			l.open = true
		}
	}
	var list []*verdict
	for _, label := range slices.Sorted(maps.Keys(links)) {
		if l := links[label]; l.open && l.n > 1 {
			list = append(list, &verdict{
				id: "together/" + label, title: "all estimates on the link " + label, level: related.Together(l.cycles, l.daily),
				notes: []string{fmt.Sprintf("Added up, the busiest cycles take %s of their RPOs, and a day's changes %s of "+
					"the link. A replication schedule shows when they are busy.",
					wording.Value("_percent", l.cycles), wording.Value("_percent", l.daily))},
			})
		}
	}
	return list
}

// counts reports whether a verdict is in the headline.
func (v *verdict) counts() bool { return v.group == "" && !v.alone && v.level != wording.Neutral }

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
