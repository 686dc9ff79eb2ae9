package difference

import (
	"cmp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/wording"
)

// VerdictChange describes how a verdict changes.
type VerdictChange string

// Changes of a verdict. VerdictKnown and VerdictLost mean that a result becomes known or unknown. The change of a new
// result is VerdictNew if its promise holds, and VerdictWorse if its promise is missed or at risk. VerdictLess means
// that the verdict stays the same, but the promise is broken for VMs for which it was kept before.
const (
	VerdictWorse   VerdictChange = "worse"
	VerdictLess    VerdictChange = "fewer_vms"
	VerdictBetter  VerdictChange = "better"
	VerdictRemoved VerdictChange = "gone"
	VerdictNew     VerdictChange = "new"
	VerdictLost    VerdictChange = "not_known"
	VerdictKnown   VerdictChange = "known"
)

var severity = map[plan.Level]int{plan.Meets: 1, plan.AtRisk: 2, plan.Misses: 3}

func (p pair) newItem() Item {
	t := p.latest()
	i := Item{
		Address: t.Address,
		Name:    t.Name,
		Heading: t.Title,
		Type:    t.Type,
		Title:   t.Kind.Title,
		Reasons: []assess.Reason{},
		Changes: []Change{},
		Notes:   []string{},
		Before:  newSide(p.before),
		After:   newSide(p.after),
	}
	if p.before != nil && p.before.Address != i.Address {
		i.FormerAddress = p.before.Address
	}
	i.categorise(p)
	if nameKey(t) != "" {
		i.Name = t.Title
	}
	i.VerdictChange = verdictChange(p.before, p.after)
	i.Reasons, i.Weakened = reasonsOf(i.VerdictChange, p), p.weakened()
	changes := i.VerdictChange != "" || len(i.Weakened) > 0
	if changes && (i.Category == Unchanged || i.Category == Unknown && p.after.Deferred == "") {
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
	case p.isWithheld():
		i.Category = Unknown
		i.withhold(p)
	case p.after.Deferred != "":
		i.Category = Unknown
		i.Notes = append(i.Notes, i.After.Summary)
		i.Changes = slices.DeleteFunc(compareObjects(p.before, p.after), func(c Change) bool { return !c.Input })
	default:
		i.Changes = append(compareObjects(p.before, p.after), compareVMs(p.before, p.after)...)
		i.Category = Unchanged
		if len(i.Changes) > 0 || p.before.Deferred != "" {
			i.Category = Changed
		}
	}
}

func (p pair) isWithheld() bool {
	return p.before != nil && p.before.Withheld() || p.after != nil && p.after.Withheld()
}

// withhold adds a note and hides the summary and the reserve of a side that has no sensitive values itself, because
// they might show the values that are sensitive on the other side.
func (i *Item) withhold(p pair) {
	const why = "The values are withheld, because some of them are marked as sensitive."
	i.Notes = append(i.Notes, why)
	if !p.before.Withheld() {
		i.Before.Summary, i.Before.Reserve = "", ""
	}
	if !p.after.Withheld() {
		i.After.Summary, i.After.Reserve = why, ""
	}
}

func newSide(t *object) *Side {
	if t == nil {
		return nil
	}
	s := &Side{Level: t.Level, Verdict: t.Verdict, Summary: wording.Plain(t.Summary)}
	if p, ok := assess.As[*assess.Promise](t.Assessment); ok {
		s.Reserve = p.Headroom(t.Key)
	}
	return s
}

func verdictChange(before, after *object) VerdictChange {
	switch {
	case after == nil && severity[before.Level] > 0:
		return VerdictRemoved
	case after == nil:
		return ""
	case before == nil:
		return map[plan.Level]VerdictChange{
			plan.Meets:   VerdictNew,
			plan.AtRisk:  VerdictWorse,
			plan.Misses:  VerdictWorse,
			plan.Unknown: VerdictLost,
		}[after.Level]
	}
	return levelChange(before, after)
}

func levelChange(before, after *object) VerdictChange {
	was, is := severity[before.Level], severity[after.Level]
	switch {
	case was > 0 && is > was:
		return VerdictWorse
	case is > 0 && is < was:
		return VerdictBetter
	case was > 0 && after.Level == plan.Unknown:
		return VerdictLost
	case is > 0 && before.Level == plan.Unknown:
		return VerdictKnown
	case is > 0 && is == was && breaksMore(before, after):
		return VerdictLess
	}
	return ""
}

// breaksMore reports whether a result breaks its promise to more VMs, or to others, with the same verdict.
func breaksMore(before, after *object) bool {
	switch is := after.Answer.(type) {
	case *assess.Promise:
		was, ok := assess.As[*assess.Promise](before.Assessment)
		return ok && isLaterForMore(was, is)
	case *assess.Compliance:
		was, ok := assess.As[*assess.Compliance](before.Assessment)
		return ok && findsMore(was, is)
	}
	return false
}

func isLaterForMore(was, is *assess.Promise) bool {
	if is.LateVMCount > was.LateVMCount {
		return true
	}
	late := make(map[string]bool)
	for _, vm := range was.LateVirtualMachines {
		late[vm.Name] = true
	}
	isComplete := int64(len(late)) == was.LateVMCount
	return isComplete &&
		slices.ContainsFunc(is.LateVirtualMachines, func(vm promise.LateVM) bool { return !late[vm.Name] })
}

func findsMore(was, is *assess.Compliance) bool {
	before := was.FindingsByVM()
	for vm := range is.FindingsByVM() {
		if before[vm] == nil {
			return true
		}
	}
	return false
}

// reasonsOf returns the reasons for a changed verdict: new reasons or, if the verdict is better, former reasons that no
// longer apply. If there are none, it returns all reasons of that side.
func reasonsOf(turn VerdictChange, p pair) []assess.Reason {
	var with, without []assess.Reason
	switch {
	case p.isWithheld():
	case turn == VerdictBetter:
		with, without = p.before.Reasons, p.after.Reasons
	case turn == VerdictWorse, turn == VerdictLess, turn == VerdictKnown:
		if with = p.after.Reasons; p.before != nil {
			without = p.before.Reasons
		}
	}
	changed := slices.DeleteFunc(slices.Clone(with), func(r assess.Reason) bool {
		return slices.ContainsFunc(without, func(o assess.Reason) bool { return o.Code == r.Code })
	})
	if len(changed) == 0 {
		changed = slices.Clone(with)
	}
	for n := range changed {
		changed[n].Sentence = wording.Plain(changed[n].Sentence)
	}
	return append([]assess.Reason{}, changed...)
}

func (i *Item) sentence() string {
	text := i.statement()
	if i.Before == nil {
		return text
	}
	if inputs := describeInputs(i.Changes, maxReasons); inputs != "" && i.VerdictChange != "" {
		text += " Changed: " + inputs + "."
	}
	if len(i.Weakened) > 0 {
		text += " The promise is weakened: " + describeInputs(i.Weakened, maxReasons) + "."
	}
	return strings.TrimSpace(text)
}

func (i *Item) statement() string {
	switch {
	case i.VerdictChange == VerdictRemoved:
		return "It is no longer checked. Before, it " + pastVerdict(i.Before.Level) + "."
	case i.VerdictChange == VerdictBetter && len(i.Reasons) > 0:
		return "Before: " + sentences(i.Reasons)
	case len(i.Reasons) > 0:
		return sentences(i.Reasons)
	case i.After != nil && (i.Category == Added || i.VerdictChange != "" && i.VerdictChange != VerdictBetter):
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

func pastVerdict(l plan.Level) string {
	return map[plan.Level]string{
		plan.Meets:  "held",
		plan.AtRisk: "was at risk",
		plan.Misses: "did not hold",
	}[l]
}

// maxReasons is the maximum number of inputs in a sentence.
const maxReasons = 4

// describeInputs lists the changed inputs, up to the given number.
func describeInputs(changes []Change, limit int) string {
	var inputs []string
	for _, c := range changes {
		if c.Input || c.Name == "virtual_machines" {
			inputs = append(inputs, wording.Lower(c.Label)+" "+c.text())
		}
	}
	if more := len(inputs) - limit; more > 0 {
		inputs = append(inputs[:limit], "and "+wording.Count(more, "more input"))
	}
	return strings.Join(inputs, ", ")
}

// text returns the values before and after the change, and the added and removed elements of a map or list.
func (c Change) text() string {
	switch {
	case c.Before == c.After:
		return c.Detail
	case c.Detail != "":
		return c.Before + " → " + c.After + " (" + c.Detail + ")"
	}
	return c.Before + " → " + c.After
}
