// The page's section "How wrong, usually".

package validation

import (
	"fmt"
	"math"
	"strings"
)

// The tails of the two intervals: the middle half of slowdowns, and 90 % of them.
const (
	halfTail = 0.25
	planTail = 0.05
)

// Section is what the measured rows of a section of the page teach.
type Section struct {
	Title  string
	Scores []Score
	// Sources is the number of origins, Near that of rows within ±15 %.
	Sources, Near int
	// Half is the interval from the 25 % to the 75 % quantile of slowdown, Plan that from 5 to 95 %, and Pooled is Plan
	// with each row counting the same.
	Half, Plan, Pooled Test
}

// Sections returns the sections that have measured rows, in the order of the page.
func Sections() ([]Section, error) {
	var sections []Section
	for _, a := range areas() {
		s, err := a.learn()
		if err != nil {
			return nil, err
		}
		if len(s.Scores) > 0 {
			sections = append(sections, s)
		}
	}
	return sections, nil
}

func (a area) learn() (Section, error) {
	section := Section{Title: a.title}
	origins := map[string]bool{}
	for _, source := range a.sources {
		for _, r := range source.Rows {
			if r.Kind != Measured {
				continue
			}
			predicted, err := r.Predicted()
			if err != nil {
				return Section{}, err
			}
			slowdown, err := r.Slowdown(predicted)
			if err != nil {
				return Section{}, err
			}
			section.Scores = append(section.Scores, Score{Row: r.ID, Origin: source.Origin(), Slowdown: slowdown})
			origins[source.Origin()] = true
			if r.Near(predicted) {
				section.Near++
			}
		}
	}
	section.Sources = len(origins)
	if section.Sources == 0 {
		return section, nil
	}
	for _, test := range []struct {
		result *Test
		tail   float64
		by     Weighting
	}{
		{&section.Half, halfTail, BySource},
		{&section.Plan, planTail, BySource},
		{&section.Pooled, planTail, ByRow},
	} {
		learned, err := LeaveOut(section.Scores, test.tail, test.by)
		if err != nil {
			return Section{}, err
		}
		*test.result = learned
	}
	return section, nil
}

// slowdowns are the cells of the rows' tables, by the row's ID.
func slowdowns(sections []Section) map[string]string {
	cells := map[string]string{}
	for _, section := range sections {
		for i, s := range section.Scores {
			cells[s.Row] = fmt.Sprintf("%.2f", s.Slowdown)
			if span := section.Plan.Others[i]; !span.Holds(s.Slowdown) {
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
its nearer end, and is 1 inside. The intervals are learned from all sources of a section. A row holds if its slowdown
lies in the interval learned from all sources but its own.

| measured rows, by section | rows | sources | middle half | hold | 5 to 95 % | width | hold | within ±15 % |
| --- | ---: | ---: | --- | ---: | --- | ---: | ---: | ---: |
`

const howWrongText = `
**To plan,** multiply a predicted time by the upper end, or divide a rate by it, in the section that is nearest. Where
vsla says 10 hours for a copy, plan with %.0f, by the second interval. That is for a system of which no more is known
than of these: to measure what limits it is worth more than a factor. Many rows take one input from another line of
their source; without it predictions are worse.

**How they were learned.** A repository is one source. Sources count the same, however many rows they have, because your
system is like one more source, not like one more row. That was chosen before any coverage was computed. An average
source has %.0f %% of its rows in the second interval. Where rows count the same instead, %d of %d hold. Of the %d rows
outside %d are worse than the upper end, the others better than the lower.

**What they do not show.** These learned intervals were added after the fixed ones had been evaluated, and replace none
of them. A wide interval covers easily: look first at its width, the upper end over the lower (±15 %% has 1.35). 25 %%
at each end take %d sources, 5 %% take %d. With fewer an interval is from the lowest slowdown to the highest, "(all)",
and promises a system like one more source not 90 %% but (sources - 1) / (sources + 1)%s.
`

// howWrong returns the section of the page.
func howWrong(sections []Section) string {
	var text strings.Builder
	text.WriteString(howWrongHead)
	all := Section{Title: "all"}
	worse, shares := 0, 0.0
	var promises []string
	for _, s := range sections {
		text.WriteString(s.line(s.Half.Span.String(), s.Plan.Span.String(), s.Plan.Span.width()))
		all.Scores = append(all.Scores, s.Scores...)
		all.Sources += s.Sources
		all.Near += s.Near
		all.Half.Hold += s.Half.Hold
		all.Plan.Hold += s.Plan.Hold
		all.Pooled.Hold += s.Pooled.Hold
		shares += s.Plan.Share * float64(s.Sources)
		for i, score := range s.Scores {
			if score.Slowdown > s.Plan.Others[i].High {
				worse++
			}
		}
		if s.Plan.Span.Clamped {
			promises = append(promises, fmt.Sprintf("%d %% with %d", 100*(s.Sources-1)/(s.Sources+1), s.Sources))
		}
	}
	text.WriteString(all.line("", "", ""))
	promised := ""
	if len(promises) > 0 {
		promised = ": " + strings.Join(promises, ", ")
	}
	rows := len(all.Scores)
	fmt.Fprintf(&text, howWrongText, math.Ceil(10*sections[0].Plan.Span.High), 100*shares/float64(all.Sources),
		all.Pooled.Hold, rows, rows-all.Plan.Hold, worse, sourcesFor(halfTail), sourcesFor(planTail), promised)
	return text.String()
}

func (s Section) line(half, plan, width string) string {
	rows := len(s.Scores)
	return fmt.Sprintf("| %s | %d | %d | %s | %s | %s | %s | %s | %s |\n", s.Title, rows, s.Sources,
		half, share(s.Half.Hold, rows), plan, width, share(s.Plan.Hold, rows), share(s.Near, rows))
}

func share(part, all int) string { return fmt.Sprintf("%d, %d %%", part, 100*part/all) }

// sourcesFor returns how many sources a tail takes; see Learn.
func sourcesFor(tail float64) int { return int(math.Ceil(1/tail-rounding)) - 1 }

// width is the upper end over the lower.
func (s Span) width() string { return fmt.Sprintf("%.2f", s.High/s.Low) }
