// Rules for replications, which are compared by VM and pairing, and for groups, which are compared by their policies.

package weaker

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

type replicated struct{ vm, pairing string }

func replicatedBy(of map[string]any) replicated {
	vm, _ := of["vm_id"].(string)
	pairing, _ := of["pairing_id"].(string)
	return replicated{vm, pairing}
}

// name returns the managed object ID of the VM, which is part of its full ID.
func (r replicated) name() string {
	parts := strings.Split(r.vm, ":")
	return parts[min(1, len(parts)-1)]
}

// replications compares the replications of each VM before and after a plan, regardless of their addresses.
func replications(plan *tfjson.Plan) []Finding {
	after := make(map[replicated][]*tfjson.ResourceChange)
	for _, c := range plan.ResourceChanges {
		if isReplication(c) && c.Change.After != nil {
			key := replicatedBy(object(c.Change.After))
			after[key] = append(after[key], c)
		}
	}
	var found []Finding
	for _, c := range plan.ResourceChanges {
		if !isReplication(c) || c.Change.Before == nil {
			continue
		}
		before := object(c.Change.Before)
		key := replicatedBy(before)
		of := func(address string, all ...Finding) {
			for _, one := range all {
				one.Address, one.Message, one.VM = address, key.name()+" "+one.Message, key.vm+" "+key.pairing
				found = append(found, one)
			}
		}
		of(c.Address, ended(c.Change.Actions, len(after[key]) > 0)...)
		for _, other := range after[key] {
			v, does := sides(other.Change), other.Change.Actions
			v.before = before
			of(other.Address, compare(replication, v, does.Create() || does.Replace())...)
			of(other.Address, stopped(v)...)
		}
	}
	return found
}

// ended returns the findings for a replication that ends. still reports whether its VM still has a replication after
// the plan.
func ended(does tfjson.Actions, still bool) []Finding {
	switch {
	case !still:
		return []Finding{{Code: Removed, Message: "is no longer replicated, or no longer watched by this configuration"}}
	case does.Delete() || does.Replace():
		return []Finding{{Code: Resync, Message: "is synced from nothing: its replica and recovery points are deleted first"}}
	}
	return nil
}

// stopped returns findings for a replication that is paused or that excludes a disk.
func stopped(v values) []Finding {
	var found []Finding
	if v.after["paused"] == true && v.before["paused"] != true {
		found = append(found, Finding{Code: Protection, Message: "is paused"})
	}
	for disk, settings := range object(v.after["disks"]) {
		was := object(object(v.before["disks"])[disk])["enabled"]
		if object(settings)["enabled"] == false && was != false {
			found = append(found, Finding{Code: Protection, Message: "is replicated without disk " + disk})
		}
	}
	return found
}

func isReplication(c *tfjson.ResourceChange) bool {
	return c != nil && c.Change != nil && c.Mode == tfjson.ManagedResourceMode && c.Type == replication
}

// ofGroup compares the policies of a group before and after the plan. For each member that it removes, it checks the
// groups that still contain the VM.
func ofGroup(v values, groups map[string][]map[string]any) []Finding {
	var found []Finding
	if at(v.before, "replication") != nil && at(v.after, "replication") == nil && at(v.unknown, "replication") != true {
		found = append(found, Finding{Code: Removed, Message: "loses its replication"})
	}
	if v.after["paused"] == true && v.before["paused"] != true {
		found = append(found, Finding{Code: Removed, Message: "is paused"})
	}
	if v.after["locked"] == true && v.before["locked"] != true {
		found = append(found, Finding{Code: "locks", Message: "is locked permanently"})
	}
	alone := 0
	for _, vm := range texts(v.after["removes"]) {
		switch others := groups[vm]; {
		case len(others) == 0:
			alone++
		case !slices.ContainsFunc(others, func(other map[string]any) bool { return keeps(other, v.before) }):
			found = append(found, Finding{Code: Protection, Message: "loses " + vm + " to a group that keeps less", VM: vm})
		}
	}
	if alone > 0 {
		found = append(found, Finding{Code: Removed, Message: fmt.Sprintf("removes members (%d)", alone)})
	}
	after := policies(v.after)
	for name, policy := range policies(v.before) {
		if !lasts(span(after[name], "keep"), span(policy, "keep")) {
			found = append(found, Finding{
				Code: Protection, Message: "keeps the recovery points of " + name + " for a shorter time, or not at all",
			})
		} else if !asOften(policy, after[name]) {
			found = append(found, Finding{Code: Protection, Message: "takes snapshots for " + name + " less often"})
		}
	}
	return found
}

// groupsOf returns the groups that contain each VM after a plan. Members selected by tag or pattern are known only if
// the selection rules do not change.
func groupsOf(plan *tfjson.Plan) map[string][]map[string]any {
	all := make(map[string][]map[string]any)
	for _, c := range plan.ResourceChanges {
		if c == nil || c.Change == nil || c.Type != group || c.Change.After == nil || c.Change.Actions.Replace() {
			continue
		}
		v := sides(c.Change)
		removed := texts(v.after["removes"])
		for _, of := range []any{v.before["member_vm_ids"], v.after["member_vm_ids"], v.after["vm_ids"]} {
			for _, vm := range texts(of) {
				if !slices.Contains(removed, vm) {
					all[vm] = append(all[vm], v.after)
				}
			}
		}
	}
	return all
}

func texts(value any) []string {
	list, _ := value.([]any)
	all := make([]string, 0, len(list))
	for _, element := range list {
		if text, ok := element.(string); ok {
			all = append(all, text)
		}
	}
	return all
}

// keeps reports whether a group protects its members at least as well as another group, so that a member can move to
// it.
func keeps(is, was map[string]any) bool {
	if is["paused"] == true && was["paused"] != true {
		return false
	}
	if at(was, "replication") != nil {
		rpo, known := number(at(is, "replication.rpo_minutes"))
		before, _ := number(at(was, "replication.rpo_minutes"))
		if !known || rpo > before || keepLast(is) < keepLast(was) ||
			at(is, "replication.cluster_pair_id") != at(was, "replication.cluster_pair_id") {
			return false
		}
	}
	after := policies(is)
	for name, before := range policies(was) {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(after)), func(other string) bool {
			own := strings.HasPrefix(name, snapshots) && strings.HasPrefix(other, snapshots) // names can differ
			return (own || name == other) && lasts(span(after[other], "keep"), span(before, "keep")) &&
				asOften(before, after[other])
		}) {
			return false
		}
	}
	return true
}

// keepLast returns the number of most recent replicas that a group keeps. The default is 1.
func keepLast(of map[string]any) float64 {
	if n, ok := number(at(of, "replication.keep_last")); ok {
		return n
	}
	return 1
}

// asOften reports whether the policy after takes snapshots at least as often as the policy before. If before has no
// interval, it returns true.
func asOften(before, after map[string]any) bool {
	every := span(before, "every")
	return every == (period{}) || lasts(every, span(after, "every"))
}

const snapshots = "snapshot_policies"

// policies returns the snapshot policies and the long-term policies of a group, by name.
func policies(of map[string]any) map[string]map[string]any {
	all := make(map[string]map[string]any)
	for _, below := range []string{snapshots, "replication.long_term"} {
		for name, policy := range object(at(of, below)) {
			if settings := object(policy); settings != nil {
				all[below+"."+name] = settings
			}
		}
	}
	return all
}

// period is a length of time, either in minutes or in months. The other field is 0.
type period struct{ minutes, months float64 }

// span returns the period that an attribute such as keep_days specifies.
func span(policy map[string]any, prefix string) period {
	const hour, day = 60, 24 * 60
	for unit, size := range map[string]period{
		"minutes": {minutes: 1}, "hours": {minutes: hour}, "days": {minutes: day}, "weeks": {minutes: 7 * day},
		"months": {months: 1}, "years": {months: 12},
	} {
		if n, ok := number(policy[prefix+"_"+unit]); ok {
			return period{n * size.minutes, n * size.months}
		}
	}
	return period{}
}

// lasts reports whether period p is at least as long as another period. When months are compared with minutes, a month
// of p counts as 28 days and a month of other as 31 days.
func lasts(p, other period) bool {
	const day = 24 * 60
	switch {
	case p.months > 0 && other.months > 0:
		return p.months >= other.months
	case p.months > 0:
		return p.months*28*day >= other.minutes
	}
	return p.minutes >= other.minutes+other.months*31*day
}

func number(value any) (float64, bool) {
	switch n := value.(type) {
	case float64:
		return n, true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	}
	return 0, false
}
