package difference

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/simulation"
	"terraform-provider-vsla/internal/wording"
)

// maxNamed is how many elements a detail names, maxMembers how many elements of a map are compared one by one.
const (
	maxNamed   = 5
	maxMembers = 20
)

var explained = []string{"meets_rpo", "violation_free", "id", "verdict"}

// ignored are the attributes of resources that are not compared, with the reason; all others are. Those below "" are of
// every type.
var ignored = map[string][]struct {
	reason string
	names  []string
}{
	"": {
		{"identifies the resource, whose arguments are compared", []string{"id"}},
		{"limits how long the provider waits, and changes nothing in vSphere", []string{"timeouts"}},
	},
	"vsla_tags": {
		{"follows from the tags", []string{"ids"}},
	},
	"vsla_tag_association": {
		{"describes the planned change, and is empty after it", []string{"removes", "replaces", "summary"}},
	},
	"vsla_object_tags": {
		{"describes the planned change, and is empty after it", []string{"removes"}},
	},
	"vsla_replication": {
		{"is reported by vSphere Replication", []string{
			"configuration_state", "name", "recovery_solution", "replicated_disks", "replication_id", "replication_type",
			"source_site_name", "source_vcenter_id", "target_site_name", "target_vcenter_id",
		}},
	},
	"vsla_protection_group": {
		{"is reported by vSAN Data Protection", []string{"guid", "member_vm_ids", "protection_group_id", "status"}},
		{"describes the planned change or the group", []string{"removes", "summary"}},
	},
}

func ignores(kind, name string) bool {
	for _, group := range slices.Concat(ignored[""], ignored[kind]) {
		if slices.Contains(group.names, name) {
			return true
		}
	}
	return false
}

var foremost = []string{
	"rpo_minutes", "vm_count", "initial_sync_seconds", "ongoing_sync_seconds", "daily_link_use_percent",
	"link_use_percent", "throughput_mbps", "waves", "duration_seconds",
}

func compare(before, after *thing) []Change {
	changes := []Change{}
	for _, name := range names(before, after) {
		was, is := before.fact(name), after.fact(name)
		input := after.Managed || is != nil && is.Input || was != nil && was.Input
		if slices.Contains(after.Unknown, name) || slices.Contains(before.Unknown, name) {
			if was != nil && was.Given() && (is == nil || !is.Given()) && slices.Contains(after.Unknown, name) {
				changes = append(changes, Change{
					Name: name, Label: was.Label, Input: input, Before: was.Text(), After: "known after apply",
				})
			}
			continue
		}
		for _, c := range compareFact(was, is) {
			c.Input = input
			changes = append(changes, c)
		}
	}
	return changes
}

func names(before, after *thing) []string {
	var all []string
	for _, facts := range [][]assess.Fact{after.Facts, before.Facts} {
		for i := range facts {
			name := facts[i].Name
			if !slices.Contains(all, name) && (after.Managed || !slices.Contains(explained, name)) {
				all = append(all, name)
			}
		}
	}
	place := func(name string) int {
		if i := slices.Index(foremost, name); i >= 0 {
			return i
		}
		return len(foremost)
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	return all
}

// compareFact returns the changes of one attribute: none, one, or those of the members of a map.
func compareFact(was, is *assess.Fact) []Change {
	missing := assess.Fact{}
	was, is = cmp.Or(was, &missing), cmp.Or(is, &missing)
	of := is
	if is == &missing {
		of = was
	}
	c := Change{Name: of.Name, Label: of.Label, Before: textOf(was), After: textOf(is)}
	switch {
	case !was.Given() && !is.Given():
		return nil
	case was.Texts != nil || is.Texts != nil:
		return compareList(c, was, is)
	case was.Members != nil || is.Members != nil:
		return compareMembers(c, of, was, is)
	case c.Before == c.After:
		return nil // a difference below the digits that are printed
	}
	c.BeforeValue, c.AfterValue = was.Value, is.Value
	return []Change{c}
}

func textOf(f *assess.Fact) string {
	switch {
	case f.Texts != nil:
		return strconv.Itoa(len(f.Texts))
	case f.Members != nil:
		return strconv.Itoa(len(f.Members))
	}
	return f.Text()
}

// compareList compares lists of single values as sets, because the order of ids carries no meaning.
func compareList(c Change, was, is *assess.Fact) []Change {
	added, removed := without(is.Texts, was.Texts), without(was.Texts, is.Texts)
	if len(added)+len(removed) == 0 {
		return nil
	}
	c.Detail = detail(added, removed)
	return []Change{c}
}

// compareMembers compares a map: the keys, and the facts of the members that are on both sides. Of a list of objects,
// such as waves, only the number counts, and whether any differs.
func compareMembers(c Change, of, was, is *assess.Fact) []Change {
	var added, removed []string
	var changes []Change
	differ := 0
	for _, m := range is.Members {
		before := member(was, m.Key)
		if before == nil {
			added = append(added, called(m))
			continue
		}
		inner := compareMember(of, *before, m)
		if len(inner) == 0 {
			continue
		}
		if differ++; differ <= maxMembers {
			changes = append(changes, inner...)
		}
	}
	for _, m := range was.Members {
		if member(is, m.Key) == nil {
			removed = append(removed, called(m))
		}
	}
	if of.Listed {
		if len(added)+len(removed)+differ == 0 {
			return nil
		}
		if c.Before == c.After {
			c.Detail = "other entries"
		}
		return []Change{c}
	}
	if len(added)+len(removed) > 0 {
		c.Detail = detail(added, removed)
		changes = append([]Change{c}, changes...)
	}
	if more := differ - maxMembers; more > 0 {
		changes = append(changes, Change{
			Name: c.Name, Label: c.Label, Detail: wording.Count(more, "entry") + " more with changes",
		})
	}
	return changes
}

func member(f *assess.Fact, key string) *assess.Member {
	if i := slices.IndexFunc(f.Members, func(m assess.Member) bool { return m.Key == key }); i >= 0 {
		return &f.Members[i]
	}
	return nil
}

func compareMember(of *assess.Fact, was, is assess.Member) []Change {
	before, after := &thing{Facts: was.Facts}, &thing{Facts: is.Facts}
	var changes []Change
	for _, name := range names(before, after) {
		for _, c := range compareFact(before.fact(name), after.fact(name)) {
			changes = append(changes, c.of(of.Name, is))
		}
	}
	return changes
}

func called(m assess.Member) string {
	for i := range m.Facts {
		if name, ok := m.Facts[i].Value.(string); ok && name != "" && m.Facts[i].Name == "name" {
			return name
		}
	}
	return m.Key
}

func (c Change) of(name string, m assess.Member) Change {
	if m.Key == "" { // the only member of an object
		c.Name = name + "." + c.Name
		return c
	}
	c.Label = called(m) + ": " + lower(c.Label)
	c.Name = fmt.Sprintf("%s[%q].%s", name, m.Key, c.Name)
	return c
}

func without(list, other []string) []string {
	has := make(map[string]bool, len(other))
	for _, e := range other {
		has[e] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(e string) bool { return has[e] })
}

func detail(added, removed []string) string {
	var parts []string
	for _, part := range []struct {
		word string
		list []string
	}{{"added", added}, {"removed", removed}} {
		if len(part.list) > 0 {
			parts = append(parts, part.word+" "+first(part.list))
		}
	}
	return strings.Join(parts, "; ")
}

func first(list []string) string {
	return quantity.List(slices.SortedFunc(slices.Values(list), wording.Natural), maxNamed)
}

// promised are the inputs that state a promise, and which of their values are easier to keep.
var promised = map[string]calculator.Direction{
	"compliance_percent":        calculator.Lower,
	"deadline_hours":            calculator.Higher,
	"horizon_months":            calculator.Lower,
	"max_response_ratio":        calculator.Higher,
	"rpo_minutes":               calculator.Higher,
	"switchover_goal_ms":        calculator.Higher,
	"target_compliance_percent": calculator.Lower,
	"tolerance_percent":         calculator.Higher,
}

// weaker returns the changes that ask for less: an easier value, a promise without its value, and a tier or group that
// is gone.
func (p pair) weaker() []Change {
	if p.before == nil || p.after == nil || p.managed() || p.before.Withheld || p.after.Withheld {
		return nil
	}
	var less []Change
	for i := range p.before.Facts {
		was := &p.before.Facts[i]
		if was.Input && !slices.Contains(p.before.Unknown, was.Name) && !slices.Contains(p.after.Unknown, was.Name) {
			less = append(less, weaker(was, p.after.fact(was.Name), true)...)
		}
	}
	return less
}

func weaker(was, is *assess.Fact, defaults bool) []Change {
	if was.Members != nil {
		return weakerMembers(was, is)
	}
	easier := promised[was.Name]
	if easier == "" || !was.Input || was.Direction != "" && was.Direction != easier {
		return nil
	}
	if was.Name == "target_compliance_percent" {
		was.Default = simulation.MeetsPercent // a VM without a target is promised it
	}
	before, stated := number(was, was.Default)
	var after float64
	var states bool
	now := assess.Fact{Field: was.Field}
	if is != nil {
		now = *is
	}
	if defaults {
		after, states = number(&now, was.Default)
	} else {
		after, states = number(&now, nil)
	}
	if easier == calculator.Lower {
		before, after = -before, -after
	}
	if !stated || states && after <= before {
		return nil
	}
	return []Change{{
		Name: was.Name, Label: was.Label, Input: true, Before: wording.Value(was.Name, was.Value),
		After: wording.Value(was.Name, now.Value), BeforeValue: was.Value, AfterValue: now.Value,
	}}
}

func weakerMembers(was, is *assess.Fact) []Change {
	var less []Change
	for _, m := range was.Members {
		var now *assess.Member
		if is != nil {
			now = member(is, m.Key)
		}
		after := &thing{}
		if now != nil {
			after.Facts = now.Facts
		}
		for i := range m.Facts {
			for _, c := range weaker(&m.Facts[i], after.fact(m.Facts[i].Name), now != nil) {
				less = append(less, c.of(was.Name, m))
			}
		}
	}
	return less
}

// number returns the value of an input, and whether there is one.
func number(f *assess.Fact, otherwise any) (float64, bool) {
	v := f.Value
	if v == nil {
		v = otherwise
	}
	n, ok := v.(float64)
	return n, ok
}
