package snapservice

import "slices"

// Rule selects the VMs that have all of the tags or any of them, depending on Operator.
type Rule struct {
	Tags     []string `json:"tags"`
	Operator string   `json:"operator"`
}

// Operators of a Rule.
const (
	AllTags = "AND"
	AnyTag  = "OR"
)

// Targets selects the members of a group. A write replaces all criteria.
type Targets struct {
	VMs      []string `json:"vms,omitempty"`
	Patterns []string `json:"vm_name_patterns,omitempty"`
	Rules    []Rule   `json:"tag_rules,omitempty"`
}

// Equal reports whether t and u are equal. It ignores duplicates, the order of VMs, patterns and tags, and the operator
// of a rule with a single tag.
func (t Targets) Equal(u Targets) bool {
	equalRules := func(a, b Rule) bool {
		sameOperator := a.Operator == b.Operator || len(a.Tags) == 1
		return sameOperator && equalSets(a.Tags, b.Tags)
	}
	return equalSets(t.VMs, u.VMs) && equalSets(t.Patterns, u.Patterns) &&
		slices.EqualFunc(t.Rules, u.Rules, equalRules)
}

// equalSets compares two lists without their order and duplicates.
func equalSets(a, b []string) bool {
	sorted := func(list []string) []string {
		list = slices.Clone(list)
		slices.Sort(list)
		return slices.Compact(list)
	}
	return slices.Equal(sorted(a), sorted(b))
}
