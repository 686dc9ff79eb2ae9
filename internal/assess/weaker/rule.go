// Package weaker finds changes in a plan that weaken protection: replications that protect less, disabled guards, and
// tags whose meaning changes. It reads the decoded JSON of a plan.
//
// The policies in examples/policy use the same table of arguments. The policykit command writes the table as Rego, and
// fails if any argument in the provider's schemas is missing from it.
package weaker

import "strings"

// Worse is the kind of change that weakens an argument.
type Worse string

// Kinds of changes. A value that is unknown in the plan counts as the weaker one.
const (
	// More is a change to a larger number.
	More Worse = "more"
	// Less is a change to a smaller number or to null.
	Less Worse = "less"
	// Unbounded is a change to a larger limit or to null.
	Unbounded Worse = "unbounded"
	// On is a change from false to true.
	On Worse = "on"
	// Off is a change from true to false or null.
	Off Worse = "off"
	// Gone is a change from a value to null.
	Gone Worse = "gone"
	// Changed is a change to any different value.
	Changed Worse = "changed"
	// Fewer is the removal of an element from a list.
	Fewer Worse = "fewer"
	// Nobody means that no change of the argument is weaker. Why gives the reason.
	Nobody Worse = "nobody"
	// Elsewhere means that another rule checks the argument. Why names that rule.
	Elsewhere Worse = "elsewhere"
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
)

// Rule states which change of an argument is weaker.
type Rule struct {
	Worse Worse
	// Code is the code of the resulting finding; empty for Nobody and Elsewhere.
	Code string
	// Says is the message that follows the address: "no longer encrypts its traffic". Why is the reason for a rule that
	// has no code.
	Says, Why string
	// Whole applies the rule to all nested arguments as well.
	Whole bool
}

func (r Rule) whole() Rule {
	r.Whole = true
	return r
}

// RuleOf returns the rule for an argument, which can be the rule for an enclosing argument if Whole is set.
func RuleOf(resource, path string) (Rule, bool) {
	rule, ok := Arguments[resource][path]
	for outer := path; !ok && strings.Contains(outer, "."); {
		outer = outer[:strings.LastIndexByte(outer, '.')]
		if around, known := Arguments[resource][outer]; known && around.Whole {
			rule, ok = around, true
		}
	}
	return rule, ok
}

func nobody(why string) Rule { return Rule{Worse: Nobody, Why: why} }

func elsewhere(why string) Rule { return Rule{Worse: Elsewhere, Why: why} }

func protection(worse Worse, says string) Rule {
	return Rule{Worse: worse, Code: Protection, Says: says}
}

func guard(worse Worse, says string) Rule { return Rule{Worse: worse, Code: Guard, Says: says} }

func tags(worse Worse, says string) Rule { return Rule{Worse: worse, Code: Tags, Says: says} }
