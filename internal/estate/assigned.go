package estate

import (
	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// assignedVM is a VM of a tier.
type assignedVM struct {
	vm   *inventoryfile.VM
	name string // unique in the plan
	// size is the name of the VM's size, and bytes is its value. They are empty if no size is known.
	size  string
	bytes *int64
	// changePercent is the VM's own daily change; nil to use that of its tier. impossible is the reason why it cannot
	// be true.
	changePercent *float64
	impossible    string
}

// isKnown reports whether the promise to the VM can be computed.
func (m *assignedVM) isKnown() bool { return m.bytes != nil && m.impossible == "" }

type assignment struct {
	tiers      [][]assignedVM
	unassigned []string
	excluded   int
}
