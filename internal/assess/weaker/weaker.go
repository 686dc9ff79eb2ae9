// Comparison of the values before and after a plan.

package weaker

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

// Program is the code of findings for blocks that run a program during apply.
const Program = "runs_a_program"

// Finding is a change that weakens protection.
type Finding struct {
	Code    string `json:"code"`
	Address string `json:"address"`
	// Message is the text that follows the address.
	Message string `json:"message"`
	// VM identifies the affected VM and its pairing; empty if the finding does not concern a single VM.
	VM string `json:"vm,omitempty"`
}

// Text returns the finding as a sentence without a period.
func (f Finding) Text() string { return f.Address + " " + f.Message }

// VMs returns the number of distinct VMs in the findings.
func VMs(findings []Finding) int {
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
		case f.Code == Program:
			programs++
		case f.VM == "":
			others[f.Address] = true
		}
	}
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{{VMs(findings), "VM", "VMs"}, {len(others), "other resource", "other resources"}} {
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
		clauses = append(clauses, "Apply runs a program: "+strconv.Itoa(programs)+" with provisioners")
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
		for _, one := range ofChange(c, groups) {
			one.Address = c.Address
			found = append(found, one)
		}
	}
	found = append(found, replications(plan)...)
	if plan.Config != nil {
		found = append(found, programs(plan.Config.RootModule, "")...)
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return strings.Compare(a.Address, b.Address) })
	return slices.Compact(found)
}

const (
	replication = "vsla_replication"
	group       = "vsla_protection_group"
)

// values contains the attributes of a block before and after a plan. Attributes that are unknown after the plan are
// only in unknown.
type values struct{ before, after, unknown map[string]any }

func sides(c *tfjson.Change) values {
	return values{object(c.Before), object(c.After), object(c.AfterUnknown)}
}

func object(value any) map[string]any {
	found, _ := value.(map[string]any)
	return found
}

// ofChange returns the findings for a change to any resource except a replication.
func ofChange(c *tfjson.ResourceChange, groups map[string][]map[string]any) []Finding {
	if Arguments[c.Type] == nil || c.Change.Before == nil {
		return nil
	}
	v, does := sides(c.Change), c.Change.Actions
	switch {
	case c.Type == group && (does.Delete() || does.Replace() || does.Forget()):
		return []Finding{{Code: Removed, Message: "is removed, replaced or forgotten: its members lose their protection"}}
	case does.Forget():
		return []Finding{{Code: Tags, Message: "is forgotten: its tags are no longer managed"}}
	case does.Delete():
		return nil // the tags of objects are checked by `removes`
	}
	found := compare(c.Type, v, does.Replace())
	if c.Type == group {
		found = append(found, ofGroup(v, groups)...)
	}
	if c.Type == "vsla_tags" {
		found = append(found, renamed(v)...)
	}
	return found
}

// renamed returns a finding for each tag that vsla_tags renames.
func renamed(v values) []Finding {
	const says = ": anything that looks it up by name no longer finds it"
	var found []Finding
	for _, former := range object(v.after["renamed_from"]) {
		if name, _ := former.(string); object(v.before["tags"])[name] != nil {
			found = append(found, Finding{Code: Tags, Message: "renames tag " + name + says})
		}
	}
	return found
}

func compare(kind string, v values, created bool) []Finding {
	var found []Finding
	for path, rule := range Arguments[kind] {
		if rule.Code == "" {
			continue
		}
		before, after, unknown := at(v.before, path), at(v.after, path), at(v.unknown, path)
		if _, inMap := v.before[first(path)].(map[string]any); inMap && first(path) == "disks" {
			found = append(found, ofDisks(v, path, rule)...)
			continue
		}
		if before == nil && rule.Worse != On {
			continue
		}
		if first(path) != path && object(v.after[first(path)]) == nil && unknown != true {
			continue // removed with its block, which has its own rule
		}
		if unknown == true && !created || worse(rule.Worse, before, after) {
			found = append(found, Finding{Code: rule.Code, Message: rule.Says})
		}
	}
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Code, b.Code), strings.Compare(a.Message, b.Message))
	})
	return found
}

// ofDisks applies a rule to each disk that has settings both before and after the plan.
func ofDisks(v values, path string, rule Rule) []Finding {
	var found []Finding
	_, name, _ := strings.Cut(path, ".")
	for key, disk := range object(v.before["disks"]) {
		before := object(disk)[name]
		after, kept := object(v.after["disks"])[key]
		if kept && before != nil && worse(rule.Worse, before, object(after)[name]) {
			found = append(found, Finding{Code: rule.Code, Message: rule.Says + " (" + key + ")"})
		}
	}
	return found
}

func first(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}

// at returns the value at a path. It returns true if an enclosing value is completely unknown.
func at(from map[string]any, path string) any {
	name, rest, nested := strings.Cut(path, ".")
	value := from[name]
	if inner := object(value); nested && inner != nil {
		return at(inner, rest)
	} else if nested && value != true {
		return nil
	}
	return value
}

// worse reports whether a value changes in the given direction.
func worse(direction Worse, before, after any) bool {
	switch direction {
	case Nobody, Elsewhere:
		return false
	case On, Off:
		on := direction == On
		return (before == true) != on && (after == true) == on
	case Gone:
		return before != nil && after == nil
	case Changed:
		return before != nil && !reflect.DeepEqual(before, after)
	case Fewer:
		return fewer(before, after)
	case More, Less, Unbounded:
		return worseNumber(direction, before, after)
	}
	return false
}

func worseNumber(direction Worse, before, after any) bool {
	was, isNumber := number(before)
	is, stillNumber := number(after)
	if !isNumber || !stillNumber {
		return isNumber && direction != More
	}
	return is != was && is > was == (direction != Less)
}

// fewer reports whether any element of the list before is missing from after.
func fewer(before, after any) bool {
	kept, _ := after.([]any)
	elements, _ := before.([]any)
	return slices.ContainsFunc(elements, func(e any) bool {
		return !slices.ContainsFunc(kept, func(k any) bool { return reflect.DeepEqual(k, e) })
	})
}

// programs returns a finding for each block in a module that has a provisioner.
func programs(module *tfjson.ConfigModule, prefix string) []Finding {
	if module == nil {
		return nil
	}
	var found []Finding
	for _, r := range module.Resources {
		if len(r.Provisioners) > 0 {
			found = append(found, Finding{
				Code: Program, Address: prefix + r.Address, Message: "runs a program during apply (provisioner)",
			})
		}
	}
	for name, call := range module.ModuleCalls {
		if call != nil {
			found = append(found, programs(call.Module, prefix+"module."+name+".")...)
		}
	}
	return found
}
