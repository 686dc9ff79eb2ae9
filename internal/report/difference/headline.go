package difference

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

// headlineClauses contains the possible clauses of the headline, in order. A clause counts the results with the given
// verdict change and level, or with any level if the level is empty. For VerdictWorse, added selects either new or
// existing results. A clause without a verdict change counts weakened promises, which get better in no other clause.
var headlineClauses = []struct {
	change    VerdictChange
	level     plan.Level
	added     bool
	one, many string
	effect    Outcome
}{
	{VerdictWorse, plan.Misses, false, "1 promise no longer holds", "% promises no longer hold", Worse},
	{VerdictWorse, plan.AtRisk, false, "1 promise is now at risk", "% promises are now at risk", Worse},
	{VerdictWorse, plan.Misses, true, "1 new promise does not hold", "% new promises do not hold", Worse},
	{VerdictWorse, plan.AtRisk, true, "1 new promise is at risk", "% new promises are at risk", Worse},
	{VerdictLess, "", false, "1 promise is kept for fewer VMs", "% promises are kept for fewer VMs", Worse},
	{
		VerdictKnown, plan.Misses, false,
		"1 previously unknown promise does not hold", "% previously unknown promises do not hold", Worse,
	},
	{
		VerdictKnown, plan.AtRisk, false,
		"1 previously unknown promise is at risk", "% previously unknown promises are at risk", Worse,
	},
	{VerdictRemoved, "", false, "1 promise is no longer checked", "% promises are no longer checked", Removed},
	{"", "", false, "1 promise is weakened", "% promises are weakened", Worse},
	{VerdictLost, "", false, "1 promise is not known before apply", "% promises are not known before apply", Unclear},
	{VerdictBetter, plan.Meets, false, "1 promise now holds", "% promises now hold", Better},
	{
		VerdictBetter, plan.AtRisk, false, "1 promise improves but is at risk",
		"% promises improve but are at risk", Better,
	},
	{
		VerdictKnown, plan.Meets, false,
		"1 previously unknown promise holds", "% previously unknown promises hold", Better,
	},
	{VerdictNew, "", false, "1 new promise holds", "% new promises hold", Better},
}

func pluralize(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return strings.Replace(many, "%", wording.Decimal(float64(n)), 1)
}

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
	for _, clause := range headlineClauses {
		var names []string
		for n := range d.Results {
			i := &d.Results[n]
			switch {
			case clause.effect == Better && len(i.Weakened) > 0, clause.change == "" && len(i.Weakened) == 0,
				clause.change != "" && i.VerdictChange != clause.change,
				clause.level != "" && i.After.Level != clause.level,
				clause.change == VerdictWorse && (i.Before == nil) != clause.added:
			default:
				names = append(names, name(i))
			}
		}
		if len(names) == 0 {
			continue
		}
		effects[clause.effect] = true
		text := pluralize(len(names), clause.one, clause.many)
		if len(clauses) == 0 && len(names) <= maxHeadlineNames {
			text += " (" + strings.Join(names, ", ") + ")"
		}
		clauses = append(clauses, text)
	}
	return clauses, effects
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

func (d *Difference) unchangedHeadline() string {
	levels := make(map[plan.Level]int)
	for _, i := range d.Results {
		if i.After != nil && i.After.Level != plan.Neutral {
			levels[i.After.Level]++
		}
	}
	if len(d.Results) == 0 {
		return "No promise is affected: there are no vsla results on either side."
	}
	text := "No verdict changes"
	var counts []string
	for _, l := range []struct {
		level     plan.Level
		one, many string
	}{
		{plan.Misses, "1 still does not hold", "% still do not hold"},
		{plan.AtRisk, "1 is still at risk", "% are still at risk"},
		{plan.Unknown, "1 is still not known", "% are still not known"},
		{plan.Meets, "1 holds", "% hold"},
	} {
		if n := levels[l.level]; n > 0 {
			counts = append(counts, pluralize(n, l.one, l.many))
		}
	}
	if len(counts) > 0 {
		text += ": " + strings.Join(counts, ", ")
	}
	return text + "."
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
