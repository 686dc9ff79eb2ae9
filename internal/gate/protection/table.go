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

	plan     *tfplan.Plan
	promises func(tag string) (rpoMinutes float64, ok bool)
	findings []finding.Finding
	lost     []finding.Finding
	notes    []finding.Finding
	// forgotten contains the addresses of the forgotten resources that a finding names.
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

func (t *Table) add(found ...finding.Finding) { t.findings = append(t.findings, found...) }

// Findings returns what got worse, except lost tags and members.
func (t *Table) Findings() []finding.Finding { return slices.Clone(t.findings) }

// Lost returns one finding for each object that loses a tag, and for each VM that leaves its group.
func (t *Table) Lost() []finding.Finding { return slices.Clone(t.lost) }

// Notes returns what may happen during apply and is not shown by the plan.
func (t *Table) Notes() []finding.Finding { return slices.Clone(t.notes) }
