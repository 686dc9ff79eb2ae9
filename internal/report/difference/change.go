package difference

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// maxNamed is the maximum number of elements named in a detail. maxMembers is the maximum number of map elements whose
// changes are listed.
const (
	maxNamed   = 5
	maxMembers = 20
)

var skippedFacts = []string{"meets_rpo", "violation_free", "id", "verdict"}

var leadingFacts = []string{
	"rpo_minutes", "vm_count", "initial_sync_seconds", "ongoing_sync_seconds", "daily_link_use_percent",
	"link_use_percent", "throughput_mbps", "waves", "duration_seconds",
}

func compareObjects(before, after *object) []Change {
	changes := []Change{}
	for _, name := range factNames(before.compared, after.compared) {
		was, is := findFact(before.compared, name), findFact(after.compared, name)
		unknown := slices.Contains(after.Unknown, name)
		if unknown && was != nil && was.HasValue() && (is == nil || !is.HasValue()) {
			changes = append(changes, Change{
				Name:   name,
				Label:  was.Label,
				Input:  was.Input,
				Before: was.Text(),
				After:  "known after apply",
			})
		}
		if unknown || slices.Contains(before.Unknown, name) {
			continue
		}
		changes = append(changes, compareFact(was, is)...)
	}
	return changes
}

func findFact(facts []assess.Fact, name string) *assess.Fact {
	if i := slices.IndexFunc(facts, func(f assess.Fact) bool { return f.Name == name }); i >= 0 {
		return &facts[i]
	}
	return nil
}

func factNames(before, after []assess.Fact) []string {
	var all []string
	for _, f := range slices.Concat(after, before) {
		if !slices.Contains(all, f.Name) && !slices.Contains(skippedFacts, f.Name) {
			all = append(all, f.Name)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(position(a), position(b)) })
	return all
}

// position returns the place of a fact in a list of changes: leadingFacts are first.
func position(name string) int {
	if i := slices.Index(leadingFacts, name); i >= 0 {
		return i
	}
	return len(leadingFacts)
}

// compareFact returns the changes to one attribute. A map can have changes to several members.
func compareFact(was, is *assess.Fact) []Change {
	fact, empty := cmp.Or(is, was), &assess.Fact{}
	was, is = cmp.Or(was, empty), cmp.Or(is, empty)
	c := Change{Name: fact.Name, Label: fact.Label, Before: factText(was), After: factText(is), Input: fact.Input}
	switch {
	case fact.Hours:
		return compareHours(c, was, is)
	case fact.Kind == calculator.Object && len(was.Members) != len(is.Members): // one side has no object
		c.Before, c.After = cmp.Or(was.ObjectText(), wording.None), cmp.Or(is.ObjectText(), wording.None)
		return []Change{c}
	case isComposite(was) || isComposite(is):
		return compareMembers(c, fact, was, is)
	case c.Before == c.After && (!fact.Input || was.Value == is.Value || was.Value == nil || is.Value == nil):
		return nil // equal, or a result that is equal at the printed precision
	case c.Before == c.After:
		c.Before, c.After = exact(was.Value), exact(is.Value)
	}
	c.BeforeValue, c.AfterValue = was.Value, is.Value
	return []Change{c}
}

// exact formats a value with as many digits as a user writes.
func exact(v any) string {
	if number, ok := v.(float64); ok {
		const digits = 10
		return strconv.FormatFloat(number, 'g', digits, 64)
	}
	return fmt.Sprint(v)
}

// compareHours compares lists of 24 values, whose order matters.
func compareHours(c Change, was, is *assess.Fact) []Change {
	if slices.Equal(was.Texts, is.Texts) {
		return nil
	}
	if c.Before == c.After {
		c.Detail = "other values"
	}
	return []Change{c}
}

func isComposite(f *assess.Fact) bool { return f.Texts != nil || f.Members != nil }

// factText formats a value. An input that is not set has its default.
func factText(f *assess.Fact) string {
	switch {
	case isComposite(f):
		return strconv.Itoa(len(elements(f)))
	case f.Input && !f.HasValue() && f.Default != nil:
		return wording.Value(f.Name, f.Default)
	}
	return f.Text()
}

func elements(f *assess.Fact) []string {
	all := slices.Clone(f.Texts)
	for _, m := range f.Members {
		all = append(all, m.Key)
	}
	return all
}

// compareMembers compares a list of scalar values as a set, because the order of IDs is irrelevant. It compares maps by
// their keys and by the facts of common members. For a list of objects, such as waves, it returns a single change
// without details.
func compareMembers(c Change, fact, was, is *assess.Fact) []Change {
	var changes []Change
	changedMembers := 0
	for _, m := range is.Members {
		before := findMember(was, m.Key)
		if before == nil {
			continue
		}
		memberChanges := compareMember(fact.Name, *before, m)
		if len(memberChanges) == 0 {
			continue
		}
		if changedMembers++; changedMembers <= maxMembers {
			changes = append(changes, memberChanges...)
		}
	}
	added := subtract(elements(is), elements(was))
	removed := subtract(elements(was), elements(is))
	turnover := len(added) + len(removed)
	switch {
	case fact.Listed && turnover+changedMembers == 0:
		return nil
	case fact.Listed:
		if c.Before == c.After {
			c.Detail = "other entries"
		}
		return []Change{c}
	case turnover > 0:
		c.Detail = describeElements(displayNames(is, added), displayNames(was, removed))
		changes = append([]Change{c}, changes...)
	}
	if more := changedMembers - maxMembers; more > 0 {
		changes = append(
			changes,
			Change{Name: c.Name, Label: c.Label, Detail: wording.Count(more, "more changed entry")},
		)
	}
	return changes
}

func findMember(f *assess.Fact, key string) *assess.Member {
	if f == nil {
		return nil
	}
	if i := slices.IndexFunc(f.Members, func(m assess.Member) bool { return m.Key == key }); i >= 0 {
		return &f.Members[i]
	}
	return nil
}

func compareMember(of string, was, is assess.Member) []Change {
	var changes []Change
	for _, name := range factNames(was.Facts, is.Facts) {
		for _, c := range compareFact(findFact(was.Facts, name), findFact(is.Facts, name)) {
			changes = append(changes, c.inMember(of, is))
		}
	}
	return changes
}

func displayNames(f *assess.Fact, keys []string) []string {
	names := slices.Clone(keys)
	for i, key := range keys {
		if m := findMember(f, key); m != nil {
			names[i] = displayName(*m)
		}
	}
	return names
}

func displayName(m assess.Member) string {
	if f := findFact(m.Facts, "name"); f != nil {
		if name, ok := f.Value.(string); ok && name != "" {
			return name
		}
	}
	return m.Key
}

func (c Change) inMember(name string, m assess.Member) Change {
	if m.Key == "" { // a single object is a member without a key
		c.Name = name + "." + c.Name
		return c
	}
	c.Label = displayName(m) + ": " + wording.Lower(c.Label)
	c.Name = fmt.Sprintf("%s[%q].%s", name, m.Key, c.Name)
	return c
}

func subtract(list, other []string) []string {
	excluded := setOf(other)
	return slices.DeleteFunc(slices.Clone(list), func(e string) bool { return excluded[e] })
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, e := range list {
		set[e] = true
	}
	return set
}

func describeElements(added, removed []string) string {
	var parts []string
	if len(added) > 0 {
		parts = append(parts, "added "+listSorted(added))
	}
	if len(removed) > 0 {
		parts = append(parts, "removed "+listSorted(removed))
	}
	return strings.Join(parts, "; ")
}

func listSorted(list []string) string {
	return quantity.List(slices.SortedFunc(slices.Values(list), wording.Natural), maxNamed)
}

// easierDirection maps the inputs that state a promise to the direction that makes the promise easier to keep.
var easierDirection = map[string]calculator.Direction{
	"compliance_percent":        calculator.Lower,
	"deadline_hours":            calculator.Higher,
	"days":                      calculator.Lower,
	"horizon_months":            calculator.Lower,
	"instances_per_day":         calculator.Lower,
	"max_downtime_minutes":      calculator.Higher,
	"max_outage_rpo_minutes":    calculator.Higher,
	"max_windows":               calculator.Higher,
	"rpo_minutes":               calculator.Higher,
	"switchover_goal_ms":        calculator.Higher,
	"target_compliance_percent": calculator.Lower,
	"tolerance_percent":         calculator.Higher,
	"vm_count":                  calculator.Lower,
}

// weakened returns the changes that weaken a promise: an easier or removed value, a removed tier or group, or a VM that
// loses its promise. It withholds sensitive values.
func (p pair) weakened() []Change {
	if p.before == nil || p.after == nil && severity[p.before.Level] > 0 {
		return nil // a removed promise has its own category
	}
	var changes []Change
	if p.after != nil {
		unknown := slices.Concat(p.before.Unknown, p.after.Unknown)
		changes = weakenedFacts(effectivePromises(
			slices.DeleteFunc(slices.Clone(p.before.inputs()), func(f assess.Fact) bool {
				return slices.Contains(unknown, f.Name)
			}), p.after.inputs()))
	}
	changes = append(changes, p.lostVMs()...)
	for i, c := range changes {
		name := c.Name[:strings.IndexAny(c.Name+".", ".[")]
		if slices.Contains(p.before.Sensitive, name) || p.after != nil && slices.Contains(p.after.Sensitive, name) {
			changes[i] = Change{Name: name, Label: wording.Label(name), Input: true, Detail: "(withheld)"}
		}
	}
	return slices.Compact(changes)
}

func weakenedFacts(before, after []assess.Fact) []Change {
	var changes []Change
	for i := range before {
		if was := &before[i]; was.Input {
			changes = append(changes, weakenedFact(was, findFact(after, was.Name), true)...)
		}
	}
	return changes
}

func weakenedFact(was, is *assess.Fact, useDefault bool) []Change {
	if was.Members != nil {
		return weakenedMembers(was, is)
	}
	easier := easierDirection[was.Name]
	fitting := []calculator.Direction{"", calculator.Neutral, easier}
	if easier == "" || !was.Input || !slices.Contains(fitting, was.Direction) {
		return nil
	}
	var value, fallback any
	if is != nil {
		value = is.Value
	}
	if fallback = was.Default; was.Name == "target_compliance_percent" {
		fallback = promise.DefaultTargetPercent // default target for VMs
	}
	before, hadValue := numberOr(was.Value, fallback)
	if !useDefault {
		fallback = nil
	}
	after, hasValue := numberOr(value, fallback)
	if easier == calculator.Lower {
		before, after = -before, -after
	}
	if !hadValue || hasValue && after <= before || !hasValue && was.Name == "vm_count" {
		return nil // VMs without a number are compared by name
	}
	return []Change{{
		Name:        was.Name,
		Label:       was.Label,
		Input:       true,
		Before:      wording.Value(was.Name, was.Value),
		After:       wording.Value(was.Name, value),
		BeforeValue: was.Value,
		AfterValue:  value,
	}}
}

func weakenedMembers(was, is *assess.Fact) []Change {
	var changes []Change
	for _, m := range was.Members {
		var facts []assess.Fact
		member := findMember(is, m.Key)
		if member != nil {
			facts = member.Facts
		} else if was.Name == "virtual_machines" {
			continue // a VM that is no longer checked is found by its name
		}
		for i := range m.Facts {
			for _, c := range weakenedFact(&m.Facts[i], findFact(facts, m.Facts[i].Name), member != nil) {
				changes = append(changes, c.inMember(was.Name, m))
			}
		}
	}
	return changes
}

// numberOr returns v, or fallback if v is nil. It returns false if the result is not a number.
func numberOr(v, fallback any) (float64, bool) {
	if v == nil {
		v = fallback
	}
	n, ok := v.(float64)
	return n, ok
}
