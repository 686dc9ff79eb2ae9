package protection

import (
	"slices"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/tfplan"
)

// Table is the protection of all VMs and the holders of all tags after a plan, with what got worse.
type Table struct {
	Replications []Replication
	Groups       []Group
	Holders      []Holders

	plan      *tfplan.Plan
	promises  func(tag string) (rpoMinutes float64, ok bool)
	findings  []finding.Finding
	lost      []finding.Finding
	notes     []finding.Finding
	forgotten map[string]bool
}

// Compare compares protection before and after a plan. promises returns the RPO that a tag, such as sla/gold, stands
// for.
func Compare(p *tfplan.Plan, promises func(tag string) (float64, bool)) *Table {
	t := &Table{plan: p, promises: promises, forgotten: map[string]bool{}}
	s := statesOf(p)
	t.findUnknownAdoptions(s)
	t.compareReplications(s)
	t.compareGroups(s)
	t.compareTags(s)
	return t
}

func statesOf(p *tfplan.Plan) states {
	var s states
	drift := make(map[string]*tfplan.Change)
	for _, c := range p.Drift {
		if isOurs(c.Mode, c.Type) {
			drift[c.Address] = c
		}
	}
	seen := make(map[string]bool)
	for _, c := range p.Changes {
		if !isOurs(c.Mode, c.Type) {
			continue
		}
		if c.Change.After != nil && c.Deposed == "" {
			s.after = append(s.after, instance{c.Address, c.Type, c.Index, c.After(), c})
		}
		before := c.Change.Before
		if d := drift[c.Address]; d != nil && c.Deposed == "" && c.Change.Importing == nil {
			before = d.Change.Before
		}
		seen[c.Address] = true
		s.addAdopted(c)
		if before != nil && (p.File == nil || p.File.Before == nil || c.Change.Importing != nil) {
			s.before = append(s.before, instance{c.Address, c.Type, c.Index, before, c})
		}
	}
	s.addUnchanged(p, drift, seen)
	return s
}

func (t *Table) add(found ...finding.Finding) { t.findings = append(t.findings, found...) }

// Findings returns what got worse, except lost tags and members.
func (t *Table) Findings() []finding.Finding { return slices.Clone(t.findings) }

// Lost returns one finding for each object that loses a tag, and for each VM that leaves its group.
func (t *Table) Lost() []finding.Finding { return slices.Clone(t.lost) }

// Notes returns what may happen during apply and is not shown by the plan.
func (t *Table) Notes() []finding.Finding { return slices.Clone(t.notes) }
