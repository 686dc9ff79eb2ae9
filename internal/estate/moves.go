package estate

import (
	"cmp"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

// movesFor returns the migration of the assigned VMs, or nil if nothing is migrated. It adds open points for VMs whose
// memory size or memory change is unknown.
func (r *Review) movesFor(t *Tiers, all assignment) (*promise.Moves, error) {
	if t.moving == nil {
		return nil, nil //nolint:nilnil // there is no migration
	}
	moves := t.moving.Moves
	moves.Input.VMs = make(map[string]migration.VM)
	unknownMemory, unknownChange := 0, 0
	for i, one := range t.tiers {
		if len(t.moving.tiers) > 0 && !slices.Contains(t.moving.tiers, one.name) {
			continue
		}
		for _, m := range all.tiers[i] {
			if !m.isKnown() || !m.vm.IsUserVM() {
				continue
			}
			vm := t.moved(one, m)
			downtime := cmp.Or(vm.MaxDowntimeMinutes, moves.Input.MaxDowntimeMinutes)
			if vm.Method == migration.MethodVMotion && downtime != nil {
				unknownChange++
			}
			if m.vm.MemoryBytes == nil {
				unknownMemory++
			}
			moves.Input.VMs[m.name] = vm
		}
	}
	if len(moves.Input.VMs) == 0 {
		return nil, t.document.problem(plan.Attr(keyMigration), "must include a tier with VMs")
	}
	r.addUnknown("memory", unknownMemory,
		"Add the memory column to the file. The migration assumes that these VMs have no memory.")
	r.addUnknown("memory changes", unknownChange, "The promised downtime of these vMotions assumes that the memory "+
		"does not change. Check the VMs that change most with vsla estimate vmotion.")
	return &moves, nil
}

// moved returns a VM of a tier as it is migrated. A powered-off VM is always moved cold. Other VMs use the method of
// their tier or, if it has none, of the profile.
func (t *Tiers) moved(one tier, m assignedVM) migration.VM {
	vm := one.moves
	vm.Host = m.vm.Host
	switch {
	case m.vm.PowerState == "poweredOff":
		vm.Method, vm.PoweredOff, vm.MaxDowntimeMinutes = migration.MethodCold, true, nil
	case vm.Method == "" && t.moving.Input.Profile == migration.ProfileHCXBulk:
		vm.Method = migration.MethodReplication
	case vm.Method == "":
		vm.Method = migration.MethodVMotion
	}
	switch vm.Method {
	case migration.MethodVMotion:
		vm.SwitchoverMinutes = 0
	case migration.MethodReplication:
		vm.DailyChangePercent = cmp.Or(m.changePercent, t.plan.Tiers[one.name].DailyChangePercent)
	}
	switch {
	case m.vm.MemoryBytes != nil:
		vm.MemoryGiB = quantity.Size(*m.vm.MemoryBytes).GiB()
	case !t.moving.withStorage:
		vm.MemoryGiB = migration.RangeMemoryGiB.Min // a move of nothing is an error
	}
	if t.moving.withStorage {
		vm.DiskGiB = quantity.Size(*m.bytes).GiB()
	}
	return vm
}
