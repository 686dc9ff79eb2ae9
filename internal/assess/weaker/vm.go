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

type replicationKey struct{ vm, pairing string }

func keyOf(attributes map[string]any) replicationKey {
	vm, _ := attributes["vm_id"].(string)
	pairing, _ := attributes["pairing_id"].(string)
	return replicationKey{vm, pairing}
}

// moid returns the VM's managed object ID, for example "vm-1" for the ID "VirtualMachine:vm-1:x".
func (r replicationKey) moid() string {
	parts := strings.Split(r.vm, ":")
	return parts[min(1, len(parts)-1)]
}

func replicationFindings(plan *tfjson.Plan) []Finding {
	after := make(map[replicationKey][]*tfjson.ResourceChange)
	for _, c := range plan.ResourceChanges {
		if isReplication(c) && c.Change.After != nil {
			key := keyOf(object(c.Change.After))
			after[key] = append(after[key], c)
		}
	}
	var found []Finding
	for _, c := range plan.ResourceChanges {
		if !isReplication(c) || c.Change.Before == nil {
			continue
		}
		before := object(c.Change.Before)
		key := keyOf(before)
		add := func(address string, all ...Finding) {
			for _, one := range all {
				one.Address, one.Message, one.VM = address, key.moid()+" "+one.Message, key.vm+" "+key.pairing
				found = append(found, one)
			}
		}
		add(c.Address, removalFindings(c.Change.Actions, len(after[key]) > 0)...)
		for _, other := range after[key] {
			v, actions := changeValues(other.Change), other.Change.Actions
			v.before = before
			add(other.Address, compare(replication, v, actions.Create() || actions.Replace())...)
			add(other.Address, pauseFindings(v)...)
		}
	}
	return found
}

// removalFindings returns a finding if a replication ends or is recreated. hasOther reports whether, after the plan,
// the VM has a replication with the same pairing, possibly the recreated one.
func removalFindings(actions tfjson.Actions, hasOther bool) []Finding {
	switch {
	case !hasOther:
		return []Finding{{Code: Removed, Message: "is no longer replicated or no longer managed by this configuration"}}
	case actions.Delete() || actions.Replace():
		return []Finding{{
			Code: Resync, Message: "requires a new initial sync: its replica and recovery points are deleted first",
		}}
	}
	return nil
}

func pauseFindings(v values) []Finding {
	var found []Finding
	if v.after["paused"] == true && v.before["paused"] != true {
		found = append(found, Finding{Code: Protection, Message: "is paused"})
	}
	for disk, settings := range object(v.after["disks"]) {
		before := object(object(v.before["disks"])[disk])["enabled"]
		if object(settings)["enabled"] == false && before != false {
			found = append(found, Finding{Code: Protection, Message: "is replicated without disk " + disk})
		}
	}
	return found
}

func isReplication(c *tfjson.ResourceChange) bool {
	return c != nil && c.Change != nil && c.Mode == tfjson.ManagedResourceMode && c.Type == replication
}

// groupFindings compares the policies of a group before and after the plan. For each member that the group loses, it
// checks the groups that still contain the VM.
func groupFindings(v values, groups map[string][]map[string]any) []Finding {
	var found []Finding
	if valueAt(v.before, "replication") != nil && valueAt(v.after, "replication") == nil &&
		valueAt(v.unknown, "replication") != true {
		found = append(found, Finding{Code: Removed, Message: "loses its replication"})
	}
	if v.after["paused"] == true && v.before["paused"] != true {
		found = append(found, Finding{Code: Removed, Message: "is paused"})
	}
	if v.after["locked"] == true && v.before["locked"] != true {
		found = append(found, Finding{Code: "locks", Message: "is locked permanently"})
	}
	unprotected := 0
	for _, vm := range texts(v.after["removes"]) {
		switch remaining := groups[vm]; {
		case len(remaining) == 0:
			unprotected++
		case !slices.ContainsFunc(remaining, func(other map[string]any) bool { return protectsLike(other, v.before) }):
			found = append(found,
				Finding{Code: Protection, Message: "loses " + vm + " to a group with weaker protection", VM: vm})
		}
	}
	if unprotected > 0 {
		found = append(found, Finding{Code: Removed, Message: fmt.Sprintf("removes members (%d)", unprotected)})
	}
	after := policies(v.after)
	for name, policy := range policies(v.before) {
		if !isAtLeast(periodOf(after[name], "keep"), periodOf(policy, "keep")) {
			found = append(found, Finding{
				Code: Protection, Message: "keeps the recovery points of " + name + " for a shorter time or not at all",
			})
		} else if !isAsFrequent(policy, after[name]) {
			found = append(found, Finding{Code: Protection, Message: "takes snapshots for " + name + " less often"})
		}
	}
	return found
}

// groupsOf returns the groups that contain each VM after a plan, by VM ID. Members selected by tag or pattern are known
// only if the selection rules do not change.
func groupsOf(plan *tfjson.Plan) map[string][]map[string]any {
	all := make(map[string][]map[string]any)
	for _, c := range plan.ResourceChanges {
		if c == nil || c.Change == nil || c.Type != group || c.Change.After == nil || c.Change.Actions.Replace() {
			continue
		}
		v := changeValues(c.Change)
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

// protectsLike reports whether a member can move from group before to group after without losing protection.
func protectsLike(after, before map[string]any) bool {
	if after["paused"] == true && before["paused"] != true {
		return false
	}
	if valueAt(before, "replication") != nil {
		rpo, known := number(valueAt(after, "replication.rpo_minutes"))
		policy, _ := number(valueAt(before, "replication.rpo_minutes"))
		if !known || rpo > policy || keepLast(after) < keepLast(before) ||
			valueAt(after, "replication.cluster_pair_id") != valueAt(before, "replication.cluster_pair_id") {
			return false
		}
	}
	policiesAfter := policies(after)
	for name, policy := range policies(before) {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(policiesAfter)), func(other string) bool {
			own := strings.HasPrefix(name, snapshots) && strings.HasPrefix(other, snapshots) // policy names can differ
			return (own || name == other) && isAtLeast(periodOf(policiesAfter[other], "keep"), periodOf(policy, "keep")) &&
				isAsFrequent(policy, policiesAfter[other])
		}) {
			return false
		}
	}
	return true
}

func keepLast(group map[string]any) float64 {
	if n, ok := number(valueAt(group, "replication.keep_last")); ok {
		return n
	}
	return 1
}

func isAsFrequent(before, after map[string]any) bool {
	interval := periodOf(before, "every")
	return interval == (period{}) || isAtLeast(interval, periodOf(after, "every"))
}

const snapshots = "snapshot_policies"

// policies returns the snapshot policies and the long-term policies of a group by path, for example
// "snapshot_policies.hourly".
func policies(group map[string]any) map[string]map[string]any {
	all := make(map[string]map[string]any)
	for _, path := range []string{snapshots, "replication.long_term"} {
		for name, policy := range object(valueAt(group, path)) {
			if settings := object(policy); settings != nil {
				all[path+"."+name] = settings
			}
		}
	}
	return all
}

// period is a length of time, either in minutes or in months. The other field is 0.
type period struct{ minutes, months float64 }

// periodOf returns the period in the attribute whose name starts with prefix, for example keep_days.
func periodOf(policy map[string]any, prefix string) period {
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

// isAtLeast reports whether p is at least as long as other. If only one of them is in months, a month counts as 28 days
// in p and as 31 days in other.
func isAtLeast(p, other period) bool {
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
