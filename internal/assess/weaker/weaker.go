package weaker

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

// RunsProgram is the code of findings for blocks that run a program during apply.
const RunsProgram = "runs_a_program"

// Finding is a change that weakens protection.
type Finding struct {
	Code    string `json:"code"`
	Address string `json:"address"`
	Message string `json:"message"`
	// VM identifies the affected VM. In findings about a replication, it includes the pairing. It is empty if a finding
	// does not concern a single VM.
	VM string `json:"vm,omitempty"`
}

// Text returns the finding as a sentence without a period.
func (f Finding) Text() string { return f.Address + " " + f.Message }

// CountVMs returns the number of distinct VMs in the findings.
func CountVMs(findings []Finding) int {
	seen := make(map[string]bool)
	for _, f := range findings {
		if f.VM != "" {
			seen[f.VM] = true
		}
	}
	return len(seen)
}

// Headline summarizes the findings in a few words: "Protection gets weaker: 2 VMs, 1 other resource".
func Headline(findings []Finding) string {
	others := make(map[string]bool)
	programs := 0
	for _, f := range findings {
		switch {
		case f.Code == RunsProgram:
			programs++
		case f.VM == "":
			others[f.Address] = true
		}
	}
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{{CountVMs(findings), "VM", "VMs"}, {len(others), "other resource", "other resources"}} {
		switch part.n {
		case 0:
		case 1:
			parts = append(parts, "1 "+part.one)
		default:
			parts = append(parts, strconv.Itoa(part.n)+" "+part.many)
		}
	}
	var clauses []string
	if len(parts) > 0 {
		clauses = append(clauses, "Protection gets weaker: "+strings.Join(parts, ", "))
	}
	if programs > 0 {
		clauses = append(clauses, "Apply runs programs: "+strconv.Itoa(programs)+" with provisioners")
	}
	return strings.Join(clauses, "; ")
}

// Find returns the changes in a plan that weaken protection, sorted by address. It returns nothing if plan is nil.
func Find(plan *tfjson.Plan) []Finding {
	if plan == nil {
		return nil
	}
	var found []Finding
	groups := groupsOf(plan)
	for _, c := range plan.ResourceChanges {
		if c == nil || c.Change == nil || c.Mode != tfjson.ManagedResourceMode || c.Type == replication {
			continue
		}
		for _, one := range changeFindings(c, groups) {
			one.Address = c.Address
			found = append(found, one)
		}
	}
	found = append(found, replicationFindings(plan)...)
	if plan.Config != nil {
		found = append(found, provisioners(plan.Config.RootModule, "")...)
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return strings.Compare(a.Address, b.Address) })
	return slices.Compact(found)
}

const (
	replication = "vsla_replication"
	group       = "vsla_protection_group"
)

// values contains the attributes of a block before and after a plan. Attributes that are unknown after the plan are in
// the map unknown, not in the map after.
type values struct{ before, after, unknown map[string]any }

func changeValues(c *tfjson.Change) values {
	return values{object(c.Before), object(c.After), object(c.AfterUnknown)}
}

func object(value any) map[string]any {
	found, _ := value.(map[string]any)
	return found
}

func changeFindings(c *tfjson.ResourceChange, groups map[string][]map[string]any) []Finding {
	v, actions := changeValues(c.Change), c.Change.Actions
	tagsLost := tagFindings(c.Type, v, actions)
	if Arguments[c.Type] == nil || c.Change.Before == nil {
		return tagsLost
	}
	switch {
	case c.Type == group && (actions.Delete() || actions.Replace() || actions.Forget()):
		return []Finding{{Code: Removed, Message: "is removed, replaced or forgotten: its members lose their protection"}}
	case actions.Forget():
		return []Finding{{Code: Tags, Message: "is forgotten: its tags are no longer managed"}}
	case actions.Delete():
		return tagsLost
	}
	found := slices.Concat(tagsLost, compare(c.Type, v, actions.Replace()))
	if c.Type == group {
		found = append(found, groupFindings(v, groups)...)
	}
	if c.Type == "vsla_tags" {
		found = append(found, renamedTags(v)...)
	}
	return found
}

func compare(kind string, v values, created bool) []Finding {
	var found []Finding
	for path, rule := range Arguments[kind] {
		if rule.Code == "" {
			continue
		}
		before, after, unknown := valueAt(v.before, path), valueAt(v.after, path), valueAt(v.unknown, path)
		if _, inMap := v.before[firstSegment(path)].(map[string]any); inMap && firstSegment(path) == "disks" {
			found = append(found, diskFindings(v, path, rule)...)
			continue
		}
		if before == nil && rule.WeakenedBy != Enabled {
			continue
		}
		if firstSegment(path) != path && object(v.after[firstSegment(path)]) == nil && unknown != true {
			continue // removed with its block, which has its own rule
		}
		if unknown == true && !created || isWeaker(rule.WeakenedBy, before, after) {
			found = append(found, Finding{Code: rule.Code, Message: rule.Message})
		}
	}
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Code, b.Code), strings.Compare(a.Message, b.Message))
	})
	return found
}

func diskFindings(v values, path string, rule Rule) []Finding {
	var found []Finding
	_, name, _ := strings.Cut(path, ".")
	for key, disk := range object(v.before["disks"]) {
		before := object(disk)[name]
		after, kept := object(v.after["disks"])[key]
		if kept && before != nil && isWeaker(rule.WeakenedBy, before, object(after)[name]) {
			found = append(found, Finding{Code: rule.Code, Message: rule.Message + " (" + key + ")"})
		}
	}
	return found
}

func firstSegment(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}

// valueAt returns the value at a path. It returns true if an enclosing value is completely unknown.
func valueAt(from map[string]any, path string) any {
	name, rest, nested := strings.Cut(path, ".")
	value := from[name]
	if inner := object(value); nested && inner != nil {
		return valueAt(inner, rest)
	} else if nested && value != true {
		return nil
	}
	return value
}

func isWeaker(change Change, before, after any) bool {
	switch change {
	case Never, OtherRule:
		return false
	case Enabled, Disabled:
		on := change == Enabled
		return (before == true) != on && (after == true) == on
	case Unset:
		return before != nil && after == nil
	case Changed:
		return before != nil && !reflect.DeepEqual(before, after)
	case ElementRemoved:
		return lacksElement(before, after)
	case Increase, Decrease, LimitRaised:
		return isWeakerNumber(change, before, after)
	}
	return false
}

func isWeakerNumber(change Change, before, after any) bool {
	old, isNumber := number(before)
	current, stillNumber := number(after)
	if !isNumber || !stillNumber {
		return isNumber && change != Increase
	}
	return current != old && current > old == (change != Decrease)
}

func lacksElement(before, after any) bool {
	kept, _ := after.([]any)
	elements, _ := before.([]any)
	return slices.ContainsFunc(elements, func(e any) bool {
		return !slices.ContainsFunc(kept, func(k any) bool { return reflect.DeepEqual(k, e) })
	})
}

func provisioners(module *tfjson.ConfigModule, prefix string) []Finding {
	if module == nil {
		return nil
	}
	var found []Finding
	for _, r := range module.Resources {
		if len(r.Provisioners) > 0 {
			found = append(found, Finding{
				Code: RunsProgram, Address: prefix + r.Address, Message: "runs a program during apply (provisioner)",
			})
		}
	}
	for name, call := range module.ModuleCalls {
		if call != nil {
			found = append(found, provisioners(call.Module, prefix+"module."+name+".")...)
		}
	}
	return found
}
