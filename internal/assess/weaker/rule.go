// Package weaker finds who is worse off after a plan than before: VMs whose replication keeps less, guards that are
// turned off, and tags that mean something else. It reads the decoded JSON of a plan.
//
// The table of arguments is the one that the policies of examples/policy read, too: policykit writes it as Rego, and
// fails for an argument of the provider's schemas that is not in it.
package weaker

import "strings"

// Worse is the change of an argument that makes somebody worse off.
type Worse string

// The changes. A value that is unknown after the plan may be the worse one.
const (
	// More is a greater number.
	More Worse = "more"
	// Less is a smaller number, or null.
	Less Worse = "less"
	// Unbounded is a greater limit, or none.
	Unbounded Worse = "unbounded"
	// On is true instead of false.
	On Worse = "on"
	// Off is false or null instead of true.
	Off Worse = "off"
	// Gone is null instead of a value.
	Gone Worse = "gone"
	// Changed is any other value.
	Changed Worse = "changed"
	// Fewer is a list without a former element.
	Fewer Worse = "fewer"
	// Nobody is worse off by a change; Why says so.
	Nobody Worse = "nobody"
	// Elsewhere leaves the change to another rule, which Why names.
	Elsewhere Worse = "elsewhere"
)

// The codes of findings. A waiver of the gate can name each.
const (
	// Protection means that VMs have a longer RPO, fewer recovery points or less encryption.
	Protection = "weaker_than_tier"
	// Removed means that VMs lose their replication.
	Removed = "protection_removed"
	// Resync means that a replication is recreated: its VM has no copy until the next initial sync ends.
	Resync = "resync"
	// Guard means that a later change may destroy more, or without a check.
	Guard = "guard_off"
	// Tags means that readers of a tag find another one by its name or category.
	Tags = "tags_changed"
)

// Rule states who is worse off by a change of an argument.
type Rule struct {
	Worse Worse
	// Code is the finding; empty for Nobody and Elsewhere.
	Code string
	// Says continues the address of a block: "no longer encrypts its traffic". Why is the reason of a rule without code.
	Says, Why string
	// Whole applies the rule to every argument below.
	Whole bool
}

func (r Rule) whole() Rule {
	r.Whole = true
	return r
}

// RuleOf returns the rule of an argument, its own or that of one around it.
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
