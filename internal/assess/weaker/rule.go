// Package weaker finds changes in a plan that weaken protection: replications that protect less, disabled guards, and
// tags that are detached or whose meaning changes. It reads the decoded JSON of a plan.
//
// The policies in examples/policy use the same table of arguments. The policykit command writes the table as Rego, and
// fails if any argument in the provider's schemas is missing from it.
package weaker

import "strings"

// Change is the kind of change to an argument that weakens protection.
type Change string

// Kinds of changes. A value that is unknown in the plan counts as weaker.
const (
	// Increase is a change to a larger number.
	Increase Change = "more"
	// Decrease is a change to a smaller number or to null.
	Decrease Change = "less"
	// LimitRaised is a change to a larger limit or to null.
	LimitRaised Change = "unbounded"
	// Enabled is a change from false to true.
	Enabled Change = "on"
	// Disabled is a change from true to false or null.
	Disabled Change = "off"
	// Unset is a change from a value to null.
	Unset Change = "gone"
	// Changed is a change from one value to any other.
	Changed Change = "changed"
	// ElementRemoved is the removal of an element from a list.
	ElementRemoved Change = "fewer"
	// Never means that no change to the argument weakens protection. Reason states why.
	Never Change = "nobody"
	// OtherRule means that another rule checks the argument. Reason names that rule.
	OtherRule Change = "elsewhere"
)

// Codes of findings. A waiver in the gate can name any of them.
const (
	// Protection means that VMs have a longer RPO, fewer recovery points or less encryption.
	Protection = "weaker_than_tier"
	// Removed means that VMs lose their replication.
	Removed = "protection_removed"
	// Resync means that a replication is recreated, so its VM has no copy until the next initial sync is complete.
	Resync = "resync"
	// Guard means that later changes could destroy more objects, or could do so without a check.
	Guard = "guard_off"
	// Tags means that a tag can no longer be found by its former name or category.
	Tags = "tags_changed"
	// TagsRemoved means that objects lose tags, and with them the promise that a tag stands for.
	TagsRemoved = "tags_removed"
)

// Rule states which change to an argument weakens protection.
type Rule struct {
	WeakenedBy Change
	// Code is the code of the resulting finding; empty for Never and OtherRule.
	Code string
	// Message follows the address in a finding, for example "no longer encrypts its traffic". Reason explains a rule that
	// has no code.
	Message, Reason string
	// Nested applies the rule to all nested arguments as well.
	Nested bool
}

func (r Rule) withNested() Rule {
	r.Nested = true
	return r
}

// RuleOf returns the rule for an argument. If there is none, it returns the rule for the innermost enclosing argument
// that has Nested set.
func RuleOf(resource, path string) (Rule, bool) {
	rule, ok := Arguments[resource][path]
	for outer := path; !ok && strings.Contains(outer, "."); {
		outer = outer[:strings.LastIndexByte(outer, '.')]
		if around, known := Arguments[resource][outer]; known && around.Nested {
			rule, ok = around, true
		}
	}
	return rule, ok
}

func never(reason string) Rule { return Rule{WeakenedBy: Never, Reason: reason} }

func otherRule(reason string) Rule { return Rule{WeakenedBy: OtherRule, Reason: reason} }

func protection(change Change, message string) Rule {
	return Rule{WeakenedBy: change, Code: Protection, Message: message}
}

func guard(change Change, message string) Rule {
	return Rule{WeakenedBy: change, Code: Guard, Message: message}
}

func tags(change Change, message string) Rule {
	return Rule{WeakenedBy: change, Code: Tags, Message: message}
}
