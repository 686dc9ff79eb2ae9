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
	// More: a greater number.
	More Worse = "more"
	// Less: a smaller number, or none.
	Less Worse = "less"
	// Unbounded: a greater number, or none, of a limit.
	Unbounded Worse = "unbounded"
	// On: true, and not before.
	On Worse = "on"
	// Off: not true, but before.
	Off Worse = "off"
	// Gone: null, and not before.
	Gone Worse = "gone"
	// Changed: any other value than before.
	Changed Worse = "changed"
	// Fewer: an element of before is missing.
	Fewer Worse = "fewer"
	// Nobody is worse off by a change; Why says so.
	Nobody Worse = "nobody"
	// Elsewhere: a rule of its own judges the change, which Why names.
	Elsewhere Worse = "elsewhere"
)

// The codes of findings. A waiver of the gate can name each.
const (
	// Protection: VMs have a longer RPO, fewer recovery points or less encryption.
	Protection = "weaker_than_tier"
	// Removed: VMs lose their replication.
	Removed = "protection_removed"
	// Resync: a replication is deleted and created again, so that its VM has no copy until the next initial sync ends.
	Resync = "resync"
	// Guard: a later change may destroy more, or without a check.
	Guard = "guard_off"
	// Tags: what reads a tag by its name, or by its category, finds something else.
	Tags = "tags_changed"
)

// Rule states who is worse off by a change of an argument.
type Rule struct {
	Worse Worse
	// Code is the finding; empty for Nobody and Elsewhere.
	Code string
	// Says continues the address of a block: "no longer encrypts its traffic". Why is the reason of a rule without code.
	Says, Why string
	// Whole: the rule is that of every argument below it.
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
