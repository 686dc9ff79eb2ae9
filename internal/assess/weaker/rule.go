// Package weaker finds changes of a plan that weaken protection: replications with less protection, disabled guards,
// and tags with a different meaning. It reads the decoded JSON of a plan.
//
// The policies in examples/policy use the same table of arguments. The command policykit writes it as Rego, and fails
// if an argument of the provider's schemas is missing.
package weaker

import "strings"

// Worse is the kind of change that makes an argument weaker.
type Worse string

// The kinds of changes. A value that is unknown in the plan counts as the worse one.
const (
	// More is a larger number.
	More Worse = "more"
	// Less is a smaller number or null.
	Less Worse = "less"
	// Unbounded is a larger limit or null.
	Unbounded Worse = "unbounded"
	// On is true instead of false.
	On Worse = "on"
	// Off is false or null instead of true.
	Off Worse = "off"
	// Gone is null instead of a value.
	Gone Worse = "gone"
	// Changed is any different value.
	Changed Worse = "changed"
	// Fewer is a list in which an element is missing.
	Fewer Worse = "fewer"
	// Nobody means that no change is worse. Why gives the reason.
	Nobody Worse = "nobody"
	// Elsewhere means that another rule checks the change. Why names it.
	Elsewhere Worse = "elsewhere"
)

// The codes of findings. A waiver of the gate can name any of them.
const (
	// Protection means that VMs have a longer RPO, fewer recovery points or less encryption.
	Protection = "weaker_than_tier"
	// Removed means that VMs lose their replication.
	Removed = "protection_removed"
	// Resync means that a replication is recreated, so its VM has no copy until the next initial sync is complete.
	Resync = "resync"
	// Guard means that later changes may destroy more objects, or without a check.
	Guard = "guard_off"
	// Tags means that a tag can no longer be found by its former name or category.
	Tags = "tags_changed"
)

// Rule states which change of an argument is worse.
type Rule struct {
	Worse Worse
	// Code is the code of the finding; empty for Nobody and Elsewhere.
	Code string
	// Says is the message after the address: "no longer encrypts its traffic". Why is the reason of a rule without a
	// code.
	Says, Why string
	// Whole applies the rule to all nested arguments as well.
	Whole bool
}

func (r Rule) whole() Rule {
	r.Whole = true
	return r
}

// RuleOf returns the rule of an argument, or the rule of an enclosing argument with Whole.
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
