// Attributes that differ.

package difference

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/report"
)

// maxNamed is how many elements a detail names, maxMembers how many elements of a map are compared one by one.
const (
	maxNamed   = 5
	maxMembers = 20
)

// explained are the results that repeat others in words or as a verdict.
var explained = []string{
	"summary",
	"reasons",
	"explanations",
	"verdict",
	"meets_rpo",
	"violation_free",
	"id",
}

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

// ignores reports whether an attribute of a resource is not compared.
func ignores(kind, name string) bool {
	for _, group := range slices.Concat(ignored[""], ignored[kind]) {
		if slices.Contains(group.names, name) {
			return true
		}
	}
	return false
}

// foremost are the attributes that matter most to a reader.
var foremost = []string{
	"rpo_minutes", "vm_count", "initial_sync_seconds", "ongoing_sync_seconds", "daily_link_use_percent",
	"link_use_percent", "throughput_mbps", "waves", "duration_seconds",
}

// compare lists the attributes that differ. An attribute that one side does not know, or that is known after apply, is
// passed over.
func compare(before, after *report.Found) []Change {
	changes := []Change{}
	for _, name := range names(before, after) {
		was, is := before.Values[name], after.Values[name]
		if slices.Contains(after.Unknown, name) || slices.Contains(before.Unknown, name) {
			if was != nil && is == nil && slices.Contains(after.Unknown, name) {
				changes = append(changes, Change{
					Name: report.CleanText(name), Label: report.LabelOf(name), Input: input(after, name),
					Before: report.FormatValue(name, was), After: "known after apply",
				})
			}
			continue
		}
		for _, c := range compareValue(name, was, is) {
			c.Input = input(after, name)
			changes = append(changes, c)
		}
	}
	return changes
}

// input reports whether an attribute is an argument: of a resource, all that are compared.
func input(f *report.Found, name string) bool { return f.Managed || slices.Contains(f.Inputs, name) }

// names are the attributes to compare, the foremost first, then in the order of the documentation.
func names(before, after *report.Found) []string {
	all := make(map[string]bool)
	for _, f := range []*report.Found{before, after} {
		for name := range f.Values {
			all[name] = true
		}
	}
	maps.DeleteFunc(all, func(name string, _ bool) bool {
		if after.Managed {
			return ignores(after.Type, name)
		}
		return slices.Contains(explained, name)
	})
	order := slices.Clone(foremost)
	order = append(order, after.Inputs...)
	if c, ok := registry.OfDataSource(after.Type); ok {
		for _, f := range c.Fields {
			order = append(order, f.Name)
		}
	}
	place := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
}

// compareValue returns the changes of one attribute: none, one, or those of the members of a map.
func compareValue(name string, was, is any) []Change {
	if reflect.DeepEqual(was, is) {
		return nil
	}
	c := Change{Name: report.CleanText(name), Label: report.LabelOf(name)}
	switch kindOf(was, is) {
	case scalars:
		c.Before, c.After = report.FormatValue(name, was), report.FormatValue(name, is)
		if c.Before == c.After {
			return nil // a difference below the digits that are printed
		}
		c.BeforeValue, c.AfterValue = was, is
		return []Change{c}
	case waves:
		return compareWaves(c, was, is)
	case lists:
		return compareList(c, was, is)
	case objects:
		return compareMap(c, name, was, is)
	default:
		c.Before, c.After = report.FormatValue(name, was), report.FormatValue(name, is)
		if c.Before == c.After {
			c.Detail = "other entries"
		}
		return []Change{c}
	}
}

// shape is how a value is compared.
type shape int

const (
	scalars shape = iota
	lists
	waves
	objects
	others
)

func kindOf(was, is any) shape {
	w, i := shapeOf(was), shapeOf(is)
	switch {
	case w == i, is == nil:
		return w
	case was == nil:
		return i
	}
	return others
}

func shapeOf(v any) shape {
	switch v := v.(type) {
	case map[string]any:
		return objects
	case []any:
		if len(v) == 0 {
			return lists
		}
		first, object := v[0].(map[string]any)
		if _, wave := first["virtual_machines"]; wave && first["number"] != nil {
			return waves
		}
		if _, list := v[0].([]any); object || list {
			return others
		}
		return lists
	}
	return scalars
}

// compareList compares lists of single values as sets, because the order of ids carries no meaning.
func compareList(c Change, was, is any) []Change {
	before, after := elements(was), elements(is)
	added, removed := without(after, before), without(before, after)
	if len(added)+len(removed) == 0 {
		return nil
	}
	c.Before, c.After = countOf(was, len(before)), countOf(is, len(after))
	c.Detail = detail(added, removed)
	return []Change{c}
}

func countOf(v any, n int) string {
	if v == nil {
		return report.FormatValue("", nil)
	}
	return strconv.Itoa(n)
}

func elements(v any) []string {
	list, _ := v.([]any)
	texts := make([]string, 0, len(list))
	for _, e := range list {
		texts = append(texts, report.FormatValue("", e))
	}
	return texts
}

// without returns the elements of the first list that the second one lacks.
func without(list, other []string) []string {
	has := make(map[string]bool, len(other))
	for _, e := range other {
		has[e] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(e string) bool { return has[e] })
}

// detail names the added and the removed values.
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

// first names the first elements of a list, in their natural order.
func first(list []string) string {
	return quantity.List(slices.SortedFunc(slices.Values(list), report.Natural), maxNamed)
}

// compareMap compares a map: the keys, and the members of those that are on both sides.
func compareMap(c Change, name string, was, is any) []Change {
	before, _ := was.(map[string]any)
	after, _ := is.(map[string]any)
	var added, removed, both []string
	for _, key := range slices.SortedFunc(maps.Keys(after), report.Natural) {
		if v, ok := before[key]; !ok {
			added = append(added, called(key, after[key]))
		} else if !reflect.DeepEqual(v, after[key]) {
			both = append(both, key)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(before), report.Natural) {
		if _, ok := after[key]; !ok {
			removed = append(removed, called(key, before[key]))
		}
	}
	var changes []Change
	if len(added)+len(removed) > 0 {
		c.Before, c.After = countOf(was, len(before)), countOf(is, len(after))
		c.Detail = detail(added, removed)
		changes = append(changes, c)
	}
	for _, key := range both[:min(len(both), maxMembers)] {
		changes = append(changes, compareMember(name, key, before[key], after[key])...)
	}
	if more := len(both) - maxMembers; more > 0 {
		changes = append(changes, Change{
			Name: c.Name, Label: c.Label, Before: "", After: "", Detail: report.CountOf(more, "entry") + " more with changes",
		})
	}
	return changes
}

// called is a key with the name of the VM behind it.
func called(key string, v any) string {
	object, _ := v.(map[string]any)
	if name, ok := object["name"].(string); ok && name != "" && name != key {
		return report.CleanText(name)
	}
	return report.CleanText(key)
}

// compareMember compares the element of a map, member by member where it is an object.
func compareMember(name, key string, was, is any) []Change {
	before, ok := was.(map[string]any)
	after, also := is.(map[string]any)
	if !ok || !also {
		before, after = map[string]any{name: was}, map[string]any{name: is}
	}
	members := make(map[string]bool)
	for _, side := range []map[string]any{before, after} {
		for member := range side {
			members[member] = true
		}
	}
	var changes []Change
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if slices.Contains(explained, member) {
			continue
		}
		for _, c := range compareValue(member, before[member], after[member]) {
			changes = append(changes, c.of(name, key, was))
		}
	}
	return changes
}

// of returns the change of a member as one of the map's element.
func (c Change) of(name, key string, element any) Change {
	c.Label = called(key, element) + ": " + lower(c.Label)
	c.Name = fmt.Sprintf("%s[%q].%s", report.CleanText(name), report.CleanText(key), c.Name)
	return c
}

// compareWaves compares the waves of a migration plan: how many there are, and which VMs are in another one.
func compareWaves(c Change, was, is any) []Change {
	before, after := waveOf(was), waveOf(is)
	var moved, added, removed []string
	for _, vm := range slices.SortedFunc(maps.Keys(after), report.Natural) {
		if number, ok := before[vm]; !ok {
			added = append(added, vm)
		} else if number != after[vm] {
			moved = append(moved, vm)
		}
	}
	for _, vm := range slices.SortedFunc(maps.Keys(before), report.Natural) {
		if _, ok := after[vm]; !ok {
			removed = append(removed, vm)
		}
	}
	w, _ := was.([]any)
	i, _ := is.([]any)
	c.Before, c.After = report.CountOf(len(w), "wave"), report.CountOf(len(i), "wave")
	if c.Before == c.After && len(moved)+len(added)+len(removed) == 0 {
		return nil // only their times, which duration_seconds shows
	}
	c.Detail = detail(added, removed)
	if len(moved) > 0 {
		c.Detail = strings.TrimPrefix(c.Detail+"; in another wave "+first(moved), "; ")
	}
	return []Change{c}
}

// waveOf returns the wave of each VM.
func waveOf(v any) map[string]string {
	numbers := make(map[string]string)
	list, _ := v.([]any)
	for _, e := range list {
		wave, _ := e.(map[string]any)
		vms, _ := wave["virtual_machines"].([]any)
		for _, vm := range vms {
			numbers[report.FormatValue("", vm)] = report.FormatValue("", wave["number"])
		}
	}
	return numbers
}
