// The page's section "How wrong, usually".

package validation

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The tails of the two intervals: the middle half of slowdowns, and 90 % of them.
const (
	halfTail = 0.25
	planTail = 0.05
)

// Group is what the measured rows teach of which sources publish the same.
type Group struct {
	Title  string
	Scores []Score
	// Sources is the number of origins, Near that of rows within ±15 %.
	Sources, Near int
	// Half is the interval from the 25 % to the 75 % quantile of slowdown, Plan that from 5 to 95 %, and Pooled is Plan
	// with each row counting the same.
	Half, Plan, Pooled Test
}

// The titles of the groups.
const (
	Known   = "a measured rate, or what limits"
	Nominal = "a nominal rate, or a range of an input"
)

// Groups returns the measured rows by what their source publishes, which the rule of a row says: how wrong a prediction
// is depends on that, and a planner knows which of the two he has.
func Groups() ([]Group, error) {
	known, err := groupOf(Known, Within15)
	if err != nil {
		return nil, err
	}
	nominal, err := groupOf(Nominal, Between, AtMost)
	if err != nil {
		return nil, err
	}
	return []Group{known, nominal}, nil
}

func groupOf(title string, rules ...Rule) (Group, error) {
	group := Group{Title: title}
	for _, a := range areas() {
		for _, source := range a.sources {
			if err := group.add(source, rules); err != nil {
				return Group{}, err
			}
		}
	}
	group.Sources = len(perOrigin(group.Scores))
	for _, test := range []struct {
		result *Test
		tail   float64
		by     Weighting
	}{
		{&group.Half, halfTail, BySource},
		{&group.Plan, planTail, BySource},
		{&group.Pooled, planTail, ByRow},
	} {
		learned, err := LeaveOut(group.Scores, test.tail, test.by)
		if err != nil {
			return Group{}, err
		}
		*test.result = learned
	}
	return group, nil
}

// add scores the measured rows of a source that have one of the rules.
func (g *Group) add(source Source, rules []Rule) error {
	for _, r := range source.Rows {
		if r.Kind != Measured || !slices.Contains(rules, r.Rule) {
			continue
		}
		predicted, err := r.Predicted()
		if err != nil {
			return err
		}
		slowdown, err := r.Slowdown(predicted)
		if err != nil {
			return err
		}
		g.Scores = append(g.Scores, Score{Row: r.ID, Origin: source.Origin(), Slowdown: slowdown})
		if r.Near(predicted) {
			g.Near++
		}
	}
	return nil
}

// slowdowns are the cells of the rows' tables, by the row's ID.
func slowdowns(groups []Group) map[string]string {
	cells := map[string]string{}
	for _, group := range groups {
		for i, s := range group.Scores {
			cells[s.Row] = fmt.Sprintf("%.2f", s.Slowdown)
			if span := group.Plan.Others[i]; !span.Holds(s.Slowdown) {
				cells[s.Row] = fmt.Sprintf("**%.2f**, outside %s", s.Slowdown, span.ends())
			}
		}
	}
	return cells
}

// String returns both ends, and marks an interval that is clamped.
func (s Span) String() string {
	if s.Clamped {
		return s.ends() + " (all)"
	}
	return s.ends()
}

func (s Span) ends() string { return fmt.Sprintf("%.2f to %.2f", s.Low, s.High) }

const howWrongHead = `
## How wrong, usually

The slowdown of a measured row is how many times worse the measurement was than vsla said: published over predicted for
times and data, predicted over published for rates. 1.2 is 20 % worse, below 1 is better. A predicted range counts from
its nearer end, and is 1 inside. There are two groups, by what the source publishes. The intervals are learned from all
sources of a group. A row holds if its slowdown lies in the interval learned from all sources but its own.

| measured rows whose source publishes | rows | sources | middle half | hold | 5 to 95 % | width | hold | within ±15 % |
| --- | ---: | ---: | --- | ---: | --- | ---: | ---: | ---: |
`

const howWrongText = `
**To plan,** multiply a predicted time by the upper end, or divide a rate by it. Where vsla says 10 hours at a rate that
you have measured, plan with %s; at the nominal rate of a line, with %s: measure it.

**How they were learned.** A repository is one source. Sources count the same, however many rows they have, because your
system is like one more source, not like one more row. That was chosen before any coverage was computed. An average
source has %.0f %% of its rows in the second interval. Where rows count the same instead, %d of %d hold. Of the %d rows
outside %d are worse than the upper end, the others better than the lower.

**What they do not show.** These learned intervals were added after the fixed ones had been evaluated, and replace none
of them. A first version had a group for each section of this page; most had too few sources to promise anything. A
wide interval covers easily: look first at its width, the upper end over the lower (±15 %% has 1.35). 5 %% at each end
take %d sources. With fewer an interval is from the lowest slowdown to the highest, "(all)", and promises a system like
one more source not 90 %% but less%s. Many rows take one input from another line of their source; without it,
predictions are worse.
`

// howWrong returns the section of the page.
func howWrong(groups []Group) string {
	var text strings.Builder
	text.WriteString(howWrongHead)
	all := Group{Title: "all"}
	worse, shares := 0, 0.0
	var promises []string
	for _, g := range groups {
		text.WriteString(g.line(g.Half.Span.String(), g.Plan.Span.String(), g.Plan.Span.width()))
		all.Scores = append(all.Scores, g.Scores...)
		all.Sources += g.Sources
		all.Near += g.Near
		all.Half.Hold += g.Half.Hold
		all.Plan.Hold += g.Plan.Hold
		all.Pooled.Hold += g.Pooled.Hold
		shares += g.Plan.Share * float64(g.Sources)
		for i, score := range g.Scores {
			if score.Slowdown > g.Plan.Others[i].High {
				worse++
			}
		}
		if g.Plan.Span.Clamped {
			promises = append(promises, fmt.Sprintf("%d %%", 100*(g.Sources-1)/(g.Sources+1)))
		}
	}
	text.WriteString(all.line("", "", ""))
	promised := ""
	if len(promises) > 0 {
		promised = ": " + strings.Join(promises, ", ")
	}
	rows := len(all.Scores)
	fmt.Fprintf(&text, howWrongText, number(10*groups[0].Plan.Span.High), number(10*groups[1].Plan.Span.High),
		100*shares/float64(all.Sources), all.Pooled.Hold, rows, rows-all.Plan.Hold, worse, sourcesFor(planTail), promised)
	return text.String()
}

func (g *Group) line(half, plan, width string) string {
	rows := len(g.Scores)
	return fmt.Sprintf("| %s | %d | %d | %s | %s | %s | %s | %s | %s |\n", g.Title, rows, g.Sources,
		half, share(g.Half.Hold, rows), plan, width, share(g.Plan.Hold, rows), share(g.Near, rows))
}

func share(part, all int) string { return fmt.Sprintf("%d, %d %%", part, 100*part/all) }

// sourcesFor returns how many sources a tail takes; see Learn.
func sourcesFor(tail float64) int { return int(math.Ceil(1/tail-rounding)) - 1 }

// width is the upper end over the lower.
func (s Span) width() string { return fmt.Sprintf("%.2f", s.High/s.Low) }
