// Package protection compares the protection of each VM, and what each tag is attached to, before and after a plan. It
// finds what gets worse, whoever did it and under whatever address: moved, imported, renamed, or changed outside of
// Terraform and not repaired.
package protection

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/tfplan"
)

const (
	prefix          = "vsla_"
	typeReplication = "vsla_replication"
	typeGroup       = "vsla_protection_group"
	typeTag         = "vsla_tag"
	typeCategory    = "vsla_tag_category"
	typeTags        = "vsla_tags"
)

// instance is a resource in a state.
type instance struct {
	address, kind string
	index         any
	values        any
	// change is what the plan does to it; nil if the plan does not list it.
	change *tfplan.Change
}

// created reports whether the object is created, so that an unknown value is the server's default.
func (i instance) created() bool { return i.change != nil && i.change.Has(tfplan.Create) }

// known returns the values, without the marks of those that are known only after apply.
func (i instance) known() any {
	if i.change != nil {
		return i.change.Change.After
	}
	return i.values
}

// states contains the managed resources of vsla before and after a plan. Before is what was known before the refresh,
// so that a change outside of Terraform counts unless the plan repairs it.
type states struct{ before, after []instance }

func statesOf(p *tfplan.Plan) states {
	var s states
	drift := make(map[string]*tfplan.Change)
	for _, c := range p.Drift {
		if isOurs(c.Mode, c.Type) {
			drift[c.Address] = c
		}
	}
	// A plan file contains the whole state before the refresh, which addUnchanged adds.
	isStateKnown := p.File != nil && p.File.Before != nil
	seen := make(map[string]bool)
	for _, c := range p.Changes {
		if !isOurs(c.Mode, c.Type) {
			continue
		}
		seen[c.Address] = true
		if c.Change.After != nil && c.Deposed == "" {
			s.after = append(s.after, instanceIn(c, c.After()))
		}
		s.addAdopted(c)
		if before := beforeOf(c, drift[c.Address]); before != nil && (!isStateKnown || isImported(c)) {
			s.before = append(s.before, instanceIn(c, before))
		}
	}
	s.addUnchanged(p, drift, seen)
	return s
}

// beforeOf returns the values before the refresh, or nil for a new resource. drift is what the refresh found; nil if it
// found nothing. A deposed object and an imported one have no drift.
func beforeOf(c, drift *tfplan.Change) map[string]any {
	if drift != nil && c.Deposed == "" && !isImported(c) {
		return drift.Change.Before
	}
	return c.Change.Before
}

func isImported(c *tfplan.Change) bool { return c.Change.Importing != nil }

// instanceIn returns a resource that the plan lists.
func instanceIn(c *tfplan.Change, values any) instance {
	return instance{address: c.Address, kind: c.Type, index: c.Index, values: values, change: c}
}

// instanceOf returns a resource of a state.
func instanceOf(r *tfplan.Resource) instance {
	return instance{address: r.Address, kind: r.Type, index: r.Index, values: r.Values}
}

// addAdopted adds what a create takes over, so that it is judged like an update.
func (s *states) addAdopted(c *tfplan.Change) {
	adopts, ok := c.Change.After["adopts"].(map[string]any)
	if !ok || !c.Has(tfplan.Create) || c.Type != typeReplication && c.Type != typeGroup {
		return
	}
	before := maps.Clone(adopts)
	for _, name := range []string{"vm_id", "pairing_id"} {
		before[name] = c.Change.After[name]
	}
	s.before = append(s.before, instanceIn(c, before))
}

// findUnknownAdoptions finds creates that do not show what they take over.
func (t *Table) findUnknownAdoptions(s states) {
	for _, i := range s.after {
		if !i.created() {
			continue
		}
		values, _ := i.values.(map[string]any)
		is, err := tfplan.Decode[struct {
			Adopt  boolean           `json:"adopt_existing"`
			Adopts tfplan.Value[any] `json:"adopts"`
		}](i.values)
		_, shown := values["adopts"]
		if _, hasAdopts := adopters[i.kind]; !hasAdopts || err != nil || !is.Adopt.Unknown && !is.Adopt.V {
			continue
		}
		if !shown || is.Adopts.Unknown {
			t.add(
				finding.New(
					finding.Unknown,
					i.address,
					"does not show during plan what it takes over (adopt_existing)",
				),
			)
		}
	}
}

// adopters lists the resources whose adoption can change what the object protects.
var adopters = map[string]bool{typeReplication: true, typeGroup: true, typeCategory: true}

// addUnchanged adds what the plan does not list as a change: everything in a refresh-only plan.
func (s *states) addUnchanged(p *tfplan.Plan, drift map[string]*tfplan.Change, seen map[string]bool) {
	for _, r := range p.State() {
		if !isOurs(r.Mode, r.Type) || seen[r.Address] {
			continue
		}
		s.after = append(s.after, instanceOf(r))
		if drift[r.Address] == nil && (p.File == nil || p.File.Before == nil) {
			s.before = append(s.before, instanceOf(r))
		}
	}
	if p.File != nil && p.File.Before != nil {
		for _, r := range p.File.Before {
			if isOurs(r.Mode, r.Type) {
				s.before = append(s.before, instanceOf(r))
			}
		}
		return
	}
	for address, d := range drift {
		if !seen[address] && d.Change.Before != nil {
			s.before = append(s.before, instance{
				address: d.Address,
				kind:    d.Type,
				index:   d.Index,
				values:  d.Change.Before,
			})
		}
	}
}

func isOurs(mode, kind string) bool { return mode == tfplan.Managed && strings.HasPrefix(kind, prefix) }

// record is an instance with its decoded values.
type record[T any] struct {
	instance

	is T
}

func recordsOf[T any](all []instance, kind string) (records []record[T], broken []finding.Finding) {
	for _, i := range all {
		if i.kind != kind {
			continue
		}
		is, err := tfplan.Decode[T](i.values)
		if err != nil {
			broken = append(
				broken,
				finding.New(finding.Unknown, i.address, "has a value that cannot be read: "+err.Error()),
			)
			continue
		}
		records = append(records, record[T]{i, is})
	}
	return records, broken
}

// rule is a change that makes protection worse.
type rule[T any] struct {
	code  finding.Code
	says  string
	worse func(before, after T) bool
}

func worsened[T any](rules []rule[T], before, after T) []rule[T] {
	return slices.DeleteFunc(slices.Clone(rules), func(r rule[T]) bool { return !r.worse(before, after) })
}

// The kinds of changes. A value that is known only after apply counts as worse.

func longer(before, after tfplan.Value[float64]) bool {
	return before.Set && (after.Unknown || after.Set && after.V > before.V)
}

// longerRPO describes an RPO in minutes that gets longer.
func longerRPO(before, after tfplan.Value[float64]) string {
	if !after.Set {
		return fmt.Sprintf("has an RPO that is known only after apply; it was %v minutes", before.V)
	}
	return fmt.Sprintf("has a longer RPO: %v minutes instead of %v", after.V, before.V)
}

func fewer(before, after tfplan.Value[float64]) bool {
	return before.Set && (!after.Set || after.V < before.V)
}

func turnedOn(before, after tfplan.Value[bool]) bool {
	return !tfplan.Is(before, true) && (after.Unknown || tfplan.Is(after, true))
}

func changed[T comparable](before, after tfplan.Value[T]) bool {
	return before.Set && (!after.Set || after.V != before.V)
}
