package difference

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

// headlineClauses contains the possible clauses of the headline, in order. A clause counts the results with the given
// verdict change and the given levels before and after it, or with any level if one is empty. A clause without a
// verdict change counts weakened promises, which get better in no other clause.
var headlineClauses = []clause{
	{VerdictWorse, plan.Meets, plan.Misses, "", "no longer holds", "no longer hold", Worse},
	{
		VerdictWorse, plan.AtRisk, plan.Misses, "",
		"was at risk and now does not hold", "were at risk and now do not hold", Worse,
	},
	{VerdictWorse, plan.Meets, plan.AtRisk, "", "is now at risk", "are now at risk", Worse},
	{VerdictWorse, "", plan.Misses, isNew, "does not hold", "do not hold", Worse},
	{VerdictWorse, "", plan.AtRisk, isNew, "is at risk", "are at risk", Worse},
	{VerdictLess, "", "", "", "holds for fewer VMs", "hold for fewer VMs", Worse},
	{VerdictKnown, "", plan.Misses, wasUnknown, "does not hold", "do not hold", Worse},
	{VerdictKnown, "", plan.AtRisk, wasUnknown, "is at risk", "are at risk", Worse},
	{VerdictRemoved, "", "", "", "is no longer checked", "are no longer checked", Removed},
	{"", "", "", "", "is weakened", "are weakened", Worse},
	{VerdictLost, "", "", "", "is no longer known", "are no longer known", Unclear},
	{VerdictBetter, "", plan.Meets, "", "now holds", "now hold", Better},
	{VerdictBetter, "", plan.AtRisk, "", "improves but is at risk", "improve but are at risk", Better},
	{VerdictKnown, "", plan.Meets, wasUnknown, "holds", "hold", Better},
	{VerdictNew, "", "", isNew, "holds", "hold", Better},
}

type clause struct {
	change    VerdictChange
	from, to  plan.Level
	adjective string
	one, many string
	effect    Outcome
}

// Adjectives of results in the clauses.
const isNew, wasUnknown = "new ", "previously unknown "

// nouns returns the words for promises and for other results, as in the headline of a review.
func (d *Difference) nouns() []string {
	for n := range d.Results {
		if d.Results[n].isPromise() {
			return []string{"promise", "other result"}
		}
	}
	return []string{"promise", "result"}
}

func (i *Item) isPromise() bool { return i.Type == assess.KindPromise.Type }

const maxHeadlineNames = 3

var categories = []Category{Changed, Added, Gone, Unknown, Unchanged}

func (d *Difference) summarize() {
	numbers := make(map[Category]int)
	for _, i := range d.Results {
		numbers[i.Category]++
	}
	d.Counts = []Count{}
	for _, c := range categories {
		if numbers[c] > 0 {
			d.Counts = append(d.Counts, Count{c, numbers[c]})
		}
	}
	_, effects := d.clauses(itemName)
	if len(d.Protection) > 0 {
		effects[Worse] = true
	}
	d.Outcome = d.outcomeOf(effects)
	d.Headline = d.headline(itemName)
}

// headline returns a one-line summary. For a failed plan, it starts with the error. name formats the name of a result.
func (d *Difference) headline(name func(*Item) string) string {
	clauses, _ := d.clauses(name)
	if len(d.Protection) > 0 {
		clauses = append([]string{"Protection gets weaker: " + d.weakened()}, clauses...)
	}
	if d.After.Errored {
		clauses = append([]string{"The plan ended with an error and cannot be applied"}, clauses...)
	}
	text := d.sentence(clauses)
	if n := len(d.Actions); n > 0 {
		text = strings.TrimSuffix(text, ".") + "; apply runs " + wording.Count(n, "action") + "."
	}
	return text
}

// weakened names what is protected less, or counts it.
func (d *Difference) weakened() string {
	var names []string
	for _, f := range d.Protection {
		if !slices.Contains(names, f.Subject) {
			names = append(names, f.Subject)
		}
	}
	if len(names) > maxHeadlineNames {
		return wording.Count(len(names), "object")
	}
	return strings.Join(names, ", ")
}

func (d *Difference) sentence(clauses []string) string {
	if len(clauses) == 0 {
		return d.unchangedHeadline()
	}
	return strings.Join(clauses, "; ") + "."
}

// clauses returns the clauses of the headline and their effects. Only the first clause names results, and only if there
// are at most maxHeadlineNames.
func (d *Difference) clauses(name func(*Item) string) (clauses []string, effects map[Outcome]bool) {
	effects = make(map[Outcome]bool)
	for _, c := range headlineClauses {
		for n, noun := range d.nouns() {
			var names []string
			for r := range d.Results {
				if i := &d.Results[r]; i.isPromise() == (n == 0) && c.counts(i) {
					names = append(names, name(i))
				}
			}
			if len(names) == 0 {
				continue
			}
			effects[c.effect] = true
			text := c.text(len(names), noun)
			if len(clauses) == 0 && len(names) <= maxHeadlineNames {
				text += " (" + strings.Join(names, ", ") + ")"
			}
			clauses = append(clauses, text)
		}
	}
	return clauses, effects
}

func (c clause) counts(i *Item) bool {
	switch {
	case c.effect == Better && len(i.Weakened) > 0, c.change == "" && len(i.Weakened) == 0,
		c.change != "" && i.VerdictChange != c.change,
		c.from != "" && (i.Before == nil || i.Before.Level != c.from),
		c.to != "" && i.After.Level != c.to,
		c.change == VerdictWorse && (i.Before == nil) != (c.adjective == isNew):
		return false
	}
	return true
}

// text formats a number of promises or other results: "1 new promise holds", "2 other new results hold".
func (c clause) text(n int, noun string) string {
	if bare, isOther := strings.CutPrefix(noun, "other "); isOther {
		return wording.Count(n, "other "+c.adjective+bare) + " " + c.verb(n)
	}
	return wording.Count(n, c.adjective+noun) + " " + c.verb(n)
}

func (c clause) verb(n int) string {
	if n == 1 {
		return c.one
	}
	return c.many
}

func (d *Difference) outcomeOf(effects map[Outcome]bool) Outcome {
	for _, effect := range []Outcome{Worse, Removed, Unclear} {
		if effects[effect] && effects[Better] {
			return Mixed
		}
		if effects[effect] {
			return effect
		}
	}
	if effects[Better] {
		return Better
	}
	if slices.ContainsFunc(d.Results, isChanged) {
		return Figures
	}
	return Same
}

func isChanged(i Item) bool {
	if i.Category == Unknown && i.Before != nil && i.After != nil {
		return i.Before.Level != i.After.Level
	}
	return i.Category != Unchanged
}

// unchangedClauses contains the clauses of a headline without changed verdicts, in order.
var unchangedClauses = []clause{
	{to: plan.Misses, one: "still does not hold", many: "still do not hold"},
	{to: plan.AtRisk, one: "is still at risk", many: "are still at risk"},
	{to: plan.Unknown, one: "is still not known", many: "are still not known"},
	{to: plan.Meets, one: "holds", many: "hold"},
}

func (d *Difference) unchangedHeadline() string {
	if len(d.Results) == 0 {
		return "No promise is affected: there are no vsla results on either side."
	}
	var groups []string
	for n, noun := range d.nouns() {
		levels := make(map[plan.Level]int)
		for r := range d.Results {
			if i := &d.Results[r]; i.After != nil && i.isPromise() == (n == 0) {
				levels[i.After.Level]++
			}
		}
		var counts []string
		for _, c := range unchangedClauses {
			number := levels[c.to]
			if number == 0 {
				continue
			}
			text := plan.Thousands(float64(number), 0)
			if len(counts) == 0 {
				text = wording.Count(number, noun)
			}
			counts = append(counts, text+" "+c.verb(number))
		}
		if len(counts) > 0 {
			groups = append(groups, strings.Join(counts, ", "))
		}
	}
	if len(groups) == 0 {
		return "No verdict changes."
	}
	return "No verdict changes: " + strings.Join(groups, "; ") + "."
}

func (d *Difference) symbol() string {
	if d.After.Errored {
		return "✕ "
	}
	switch d.Outcome {
	case Worse, Mixed, Removed:
		missed := func(i Item) bool {
			return (i.VerdictChange == VerdictWorse || i.VerdictChange == VerdictKnown) && i.After.Level == plan.Misses
		}
		if slices.ContainsFunc(d.Results, missed) {
			return "✕ "
		}
		if d.GetsWorse() {
			return "! "
		}
		return "? "
	case Unclear:
		return "? "
	case Better:
		return "✓ "
	default:
		return ""
	}
}

func (d *Difference) countsText() string {
	counts := make([]string, 0, len(d.Counts))
	for _, c := range d.Counts {
		counts = append(counts, wording.Decimal(float64(c.Number))+" "+string(c.Category))
	}
	text := wording.Count(len(d.Results), "result")
	if len(counts) > 0 {
		text += ": " + strings.Join(counts, ", ")
	}
	return text + ". Compared with " + d.Before.String() + "."
}
