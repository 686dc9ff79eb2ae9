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

// maxNamed is the maximum number of elements named in a detail. maxMembers is the maximum number of map elements whose
// changes are listed.
const (
	maxNamed   = 5
	maxMembers = 20
)

var explained = []string{"meets_rpo", "violation_free", "id", "verdict"}

// ignored lists the resource attributes that are not compared, with the reason. The entry "" applies to all types.
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
	unnamed := explained
	if after.managed() {
		unnamed = nil
	}
	for _, name := range names(before.facts, after.facts, unnamed) {
		was, is := factOf(before.facts, name), factOf(after.facts, name)
		input := after.managed() || is != nil && is.Input || was != nil && was.Input
		lost := slices.Contains(after.Unknown, name)
		if lost && was != nil && was.Given() && (is == nil || !is.Given()) {
			changes = append(changes, Change{
				Name: name, Label: was.Label, Input: input, Before: was.Text(), After: "known after apply",
			})
		}
		if lost || slices.Contains(before.Unknown, name) {
			continue
		}
		for _, c := range compareFact(was, is) {
			c.Input = input
			changes = append(changes, c)
		}
	}
	return changes
}

func factOf(facts []assess.Fact, name string) *assess.Fact {
	if i := slices.IndexFunc(facts, func(f assess.Fact) bool { return f.Name == name }); i >= 0 {
		return &facts[i]
	}
	return nil
}

func names(before, after []assess.Fact, unnamed []string) []string {
	var all []string
	for _, f := range slices.Concat(after, before) {
		if !slices.Contains(all, f.Name) && !slices.Contains(unnamed, f.Name) {
			all = append(all, f.Name)
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

// compareFact returns the changes of one attribute. For a map, these can be changes of several members.
func compareFact(was, is *assess.Fact) []Change {
	of, missing := cmp.Or(is, was), &assess.Fact{}
	was, is = cmp.Or(was, missing), cmp.Or(is, missing)
	c := Change{Name: of.Name, Label: of.Label, Before: textOf(was), After: textOf(is)}
	switch {
	case composed(was) || composed(is):
		return compareMembers(c, of, was, is)
	case c.Before == c.After:
		return nil // the difference is smaller than the printed precision
	}
	c.BeforeValue, c.AfterValue = was.Value, is.Value
	return []Change{c}
}

func composed(f *assess.Fact) bool { return f.Texts != nil || f.Members != nil }

func textOf(f *assess.Fact) string {
	if composed(f) {
		return strconv.Itoa(len(elements(f)))
	}
	return f.Text()
}

// elements returns the elements of a list of scalar values, or the keys of a map.
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
func compareMembers(c Change, of, was, is *assess.Fact) []Change {
	var changes []Change
	differ := 0
	for _, m := range is.Members {
		before := member(was, m.Key)
		if before == nil {
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
	added, removed := without(elements(is), elements(was)), without(elements(was), elements(is))
	turnover := len(added) + len(removed)
	switch {
	case of.Listed && turnover+differ == 0:
		return nil
	case of.Listed:
		if c.Before == c.After {
			c.Detail = "other entries"
		}
		return []Change{c}
	case turnover > 0:
		c.Detail = detail(called(is, added), called(was, removed))
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
	if f == nil {
		return nil
	}
	if i := slices.IndexFunc(f.Members, func(m assess.Member) bool { return m.Key == key }); i >= 0 {
		return &f.Members[i]
	}
	return nil
}

func compareMember(of *assess.Fact, was, is assess.Member) []Change {
	var changes []Change
	for _, name := range names(was.Facts, is.Facts, explained) {
		for _, c := range compareFact(factOf(was.Facts, name), factOf(is.Facts, name)) {
			changes = append(changes, c.of(of.Name, is))
		}
	}
	return changes
}

func called(f *assess.Fact, keys []string) []string {
	names := slices.Clone(keys)
	for i, key := range keys {
		if m := member(f, key); m != nil {
			names[i] = nameOf(*m)
		}
	}
	return names
}

func nameOf(m assess.Member) string {
	if f := factOf(m.Facts, "name"); f != nil {
		if name, ok := f.Value.(string); ok && name != "" {
			return name
		}
	}
	return m.Key
}

func (c Change) of(name string, m assess.Member) Change {
	if m.Key == "" { // a single object is a member without a key
		c.Name = name + "." + c.Name
		return c
	}
	c.Label = nameOf(m) + ": " + lower(c.Label)
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
	if len(added) > 0 {
		parts = append(parts, "added "+first(added))
	}
	if len(removed) > 0 {
		parts = append(parts, "removed "+first(removed))
	}
	return strings.Join(parts, "; ")
}

func first(list []string) string {
	return quantity.List(slices.SortedFunc(slices.Values(list), wording.Natural), maxNamed)
}

// promised maps the inputs that state a promise to the direction that makes the promise easier to keep.
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

// weaker returns the changes that weaken a promise: an easier or removed value, or a removed tier or group.
func (p pair) weaker() []Change {
	if p.before == nil || p.after == nil || p.withheld() {
		return nil
	}
	var less []Change
	for i := range p.before.facts {
		was := &p.before.facts[i]
		if was.Input && !slices.Contains(p.before.Unknown, was.Name) && !slices.Contains(p.after.Unknown, was.Name) {
			less = append(less, weaker(was, factOf(p.after.facts, was.Name), true)...)
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
	var now, standard any
	if is != nil {
		now = is.Value
	}
	if standard = was.Default; was.Name == "target_compliance_percent" {
		standard = simulation.MeetsPercent // default target for VMs
	}
	before, stated := number(was.Value, standard)
	if !defaults {
		standard = nil
	}
	after, states := number(now, standard)
	if easier == calculator.Lower {
		before, after = -before, -after
	}
	if !stated || states && after <= before {
		return nil
	}
	return []Change{{
		Name: was.Name, Label: was.Label, Input: true, Before: wording.Value(was.Name, was.Value),
		After: wording.Value(was.Name, now), BeforeValue: was.Value, AfterValue: now,
	}}
}

func weakerMembers(was, is *assess.Fact) []Change {
	var less []Change
	for _, m := range was.Members {
		var facts []assess.Fact
		now := member(is, m.Key)
		if now != nil {
			facts = now.Facts
		}
		for i := range m.Facts {
			for _, c := range weaker(&m.Facts[i], factOf(facts, m.Facts[i].Name), now != nil) {
				less = append(less, c.of(was.Name, m))
			}
		}
	}
	return less
}

// number returns the value of an input, or the alternative if the value is nil. It returns false if the result is not a
// number.
func number(v, otherwise any) (float64, bool) {
	if v == nil {
		v = otherwise
	}
	n, ok := v.(float64)
	return n, ok
}
