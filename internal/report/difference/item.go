package difference

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/wording"
)

// Turn describes how a verdict changes.
type Turn string

// Changes of a verdict. TurnKnown and TurnLost mean that a result becomes known or unknown. A new result is TurnNew if
// it holds, and TurnWorse if it misses or is at risk.
const (
	TurnWorse  Turn = "worse"
	TurnBetter Turn = "better"
	TurnGone   Turn = "gone"
	TurnNew    Turn = "new"
	TurnLost   Turn = "not_known"
	TurnKnown  Turn = "known"
)

var severity = map[wording.Level]int{wording.Holds: 1, wording.AtRisk: 2, wording.Misses: 3}

func (p pair) item() Item {
	t := p.either()
	i := Item{
		Address: t.Address, Name: t.Name, Heading: t.Title, Type: t.Type, Managed: t.managed(), Action: p.action,
		Reasons: []assess.Reason{}, Changes: []Change{}, Notes: []string{}, Before: side(p.before), After: side(p.after),
	}
	if p.before != nil && p.before.Address != i.Address {
		i.Former = p.before.Address
	}
	i.categorise(p)
	if i.Managed {
		i.Title = kindOf(i.Type).title
		i.measure(p)
		return i
	}
	i.Title = t.Kind.Title
	if part(t) != "" {
		i.Name = t.Title
	}
	i.Turn = turnOf(p.before, p.after)
	i.Reasons, i.Weaker = reasonsOf(i.Turn, p), p.weaker()
	if i.Turn != "" && (i.Category == Unchanged || i.Category == Unknown && p.after.Deferred == "") {
		i.Category = Changed
	}
	i.Sentence = i.sentence()
	if p.after != nil && i.Sentence != "" && p.after.Remedy() != "" && (p.before == nil || !p.before.Withheld()) {
		i.Sentence += " " + p.after.Remedy()
	}
	return i
}

func (i *Item) categorise(p pair) {
	switch {
	case p.before == nil:
		i.Category = Added
	case p.after == nil:
		i.Category = Gone
	case p.withheld():
		i.Category = Unknown
		i.withhold(p)
	case p.after.Deferred != "":
		i.Category = Unknown
		i.Notes = append(i.Notes, i.After.Summary)
		i.Changes = slices.DeleteFunc(compare(p.before, p.after), func(c Change) bool { return !c.Input })
	default:
		i.Changes = compare(p.before, p.after)
		i.Category = Unchanged
		if len(i.Changes) > 0 || p.before.Deferred != "" || p.action == document.Replace {
			i.Category = Changed
		}
	}
}

func (p pair) withheld() bool {
	return p.before != nil && p.before.Withheld() || p.after != nil && p.after.Withheld()
}

// withhold also removes the summary of the side without sensitive values, because it might contain the same values.
func (i *Item) withhold(p pair) {
	const why = "The values are withheld, because some of them are marked as sensitive."
	i.Notes = append(i.Notes, why)
	if !p.before.Withheld() {
		i.Before.Summary = ""
	}
	if !p.after.Withheld() {
		i.After.Summary = why
	}
}

func side(t *thing) *Side {
	if t == nil {
		return nil
	}
	s := &Side{Level: t.Level, Verdict: t.Verdict, Summary: wording.Plain(t.Summary)}
	if p, ok := assess.As[*assess.Promise](t.Assessment); ok {
		s.Reserve = p.Reserve(t.Key)
	}
	return s
}

func turnOf(before, after *thing) Turn {
	switch {
	case after == nil && severity[before.Level] > 0:
		return TurnGone
	case after == nil:
		return ""
	case before == nil:
		return map[wording.Level]Turn{
			wording.Holds: TurnNew, wording.AtRisk: TurnWorse, wording.Misses: TurnWorse, wording.Unknown: TurnLost,
		}[after.Level]
	}
	was, is := severity[before.Level], severity[after.Level]
	switch {
	case was > 0 && is > was:
		return TurnWorse
	case is > 0 && is < was:
		return TurnBetter
	case was > 0 && after.Level == wording.Unknown:
		return TurnLost
	case is > 0 && before.Level == wording.Unknown:
		return TurnKnown
	}
	return ""
}

// reasonsOf returns the reasons for a changed verdict: new reasons, or reasons that no longer apply. If there are none,
// it returns all reasons.
func reasonsOf(turn Turn, p pair) []assess.Reason {
	var with, without []assess.Reason
	switch {
	case p.withheld():
	case turn == TurnBetter:
		with, without = p.before.Reasons, p.after.Reasons
	case turn == TurnWorse, turn == TurnKnown:
		if with = p.after.Reasons; p.before != nil {
			without = p.before.Reasons
		}
	}
	arising := slices.DeleteFunc(slices.Clone(with), func(r assess.Reason) bool {
		return slices.ContainsFunc(without, func(o assess.Reason) bool { return o.Code == r.Code })
	})
	if len(arising) == 0 {
		arising = slices.Clone(with)
	}
	for n := range arising {
		arising[n].Sentence = wording.Plain(arising[n].Sentence)
	}
	return append([]assess.Reason{}, arising...)
}

func (i *Item) sentence() string {
	text := i.statement()
	if i.Before == nil || i.After == nil {
		return text
	}
	if why := causes(i.Changes); why != "" && i.Turn != "" {
		text += " Changed: " + why + "."
	}
	if len(i.Weaker) > 0 {
		text += " The promise asks for less: " + causes(i.Weaker) + "."
	}
	return strings.TrimSpace(text)
}

func (i *Item) statement() string {
	switch {
	case i.Turn == TurnGone:
		return "It is no longer checked; before, it " + clause(i.Before.Level) + "."
	case i.Turn == TurnBetter && len(i.Reasons) > 0:
		return "No longer true: " + sentences(i.Reasons)
	case len(i.Reasons) > 0:
		return sentences(i.Reasons)
	case i.After != nil && (i.Category == Added || i.Turn != "" && i.Turn != TurnBetter):
		return i.After.Summary
	}
	return ""
}

func sentences(reasons []assess.Reason) string {
	all := make([]string, 0, len(reasons))
	for _, r := range reasons {
		all = append(all, cmp.Or(r.Sentence, r.Code+"."))
	}
	return strings.Join(all, " ")
}

func clause(l wording.Level) string {
	return map[wording.Level]string{
		wording.Holds: "held", wording.AtRisk: "was at risk", wording.Misses: "did not hold",
	}[l]
}

const maxCauses = 4

func causes(changes []Change) string {
	var all []string
	for _, c := range changes {
		if c.Input {
			all = append(all, lower(c.Label)+" "+c.text())
		}
	}
	if more := len(all) - maxCauses; more > 0 {
		all = append(all[:maxCauses], "and "+wording.Count(more, "input")+" more")
	}
	return strings.Join(all, ", ")
}

// text returns the former and the new value. If both are the same number of elements, it returns the added and removed
// elements.
func (c Change) text() string {
	if c.Before == c.After {
		return c.Detail
	}
	return c.Before + " → " + c.After
}

// lower converts the first letter of a label to lower case, unless the label starts with an abbreviation.
func lower(label string) string {
	first := []rune(label)
	if len(first) < 2 || unicode.IsUpper(first[1]) {
		return label
	}
	first[0] = unicode.ToLower(first[0])
	return string(first)
}
