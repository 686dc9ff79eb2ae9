package estate

import (
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
)

type tier struct {
	name   string
	match  match
	sizes  []string
	change changeColumn
	// inputs contains the inputs of the SLA plan, with the defaults.
	inputs map[string]any
	// moves contains the settings of each VM that is migrated.
	moves migration.VM
}

// Tiers is a parsed tiers file.
type Tiers struct {
	document *document
	// sizes contains the names of the sizes of a VM, such as "used_gib". The first known size applies.
	sizes    []string
	tiers    []tier
	exclude  []match
	schedule map[string]any
	// plan is the SLA plan, without VMs.
	plan promise.Plan
	// moving is nil if nothing is migrated.
	moving *moving
	// columns contains the inventory headers that the file uses, sorted.
	columns []string
}

// Columns returns the inventory headers that the tiers file uses, sorted.
func (t *Tiers) Columns() []string { return t.columns }

// moving describes the migration, without VMs. If tiers is empty, all tiers are migrated.
type moving struct {
	promise.Moves

	tiers       []string
	withStorage bool
}
