package estate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

// vmMigration returns the migration settings of a VM. A powered-off VM is always moved cold. Other VMs use the method
// of their tier or, if it has none, of the profile. own is the VM's daily change; nil to use that of its tier.
func (one *tier) vmMigration(vm *inventoryfile.VM, planInputs map[string]any, own *float64) map[string]any {
	values := map[string]any{}
	method := migration.MethodVMotion
	if planInputs[keyProfile] == migration.ProfileHCXBulk {
		method = migration.MethodReplication
	}
	if own, ok := one.migration[keyMethod].(string); ok {
		method = own
	}
	if vm.PowerState == "poweredOff" {
		method = migration.MethodCold
		values["powered_off"] = true
	} else if maxDowntime := one.migration[keyMaxDowntime]; maxDowntime != nil {
		values[keyMaxDowntime] = maxDowntime
	}
	values[keyMethod] = method
	if transport := one.migration[keyTransport]; transport != nil {
		values[keyTransport] = transport
	}
	if minutes := one.migration[keySwitchover]; minutes != nil && method != migration.MethodVMotion {
		values[keySwitchover] = minutes
	}
	if method == migration.MethodReplication {
		if change, _ := splitRange(one.inputs[keyDaily]); own != nil {
			values[keyDaily] = *own
		} else if change != nil {
			values[keyDaily] = change
		}
	}
	return values
}

// ArgumentsFor returns the arguments with the throughput of the link in the plan. Any error is a plan.InputErrors.
func (m *Migration) ArgumentsFor(p promise.Plan) (map[string]any, error) {
	in, err := migration.PlanDefinition.Decode(m.Arguments)
	if err != nil {
		return nil, err
	}
	withThroughput := promise.Moves{Input: in, Link: m.Link, SharePercent: m.SharePercent}.InputOn(p)
	withThroughput.VMs = nil // the arguments already contain the VMs
	defaults, arguments := migration.PlanDefaults(), maps.Clone(m.Arguments)
	inputs := migration.PlanDefinition.Inputs.Encode(&withThroughput, &defaults)
	maps.Copy(arguments, selectKeys(inputs, []string{keyThroughput, keyHourly}))
	return arguments, nil
}

// linkShare returns the percentage of the link that the migration uses. It defaults to 100.
func (m *migrationConfig) linkShare() float64 {
	if share, ok := m.inputs[keyShare].(float64); ok {
		return share
	}
	return quantity.Percent
}

// reserveLinkShare reduces the throughput of the migration's link by the migration's share during its windows, or at
// all hours if it has none. A window on a single weekday reduces the throughput on every day. The only link does not
// have to be named. A larger hourly_moves_percent of the link is kept.
func (t *Tiers) reserveLinkShare(links map[string]any) error {
	if t.migration == nil {
		return nil
	}
	at, given := plan.Attr(keyMigration).Attr(keyLink), t.migration.inputs[keyLink]
	own := t.migration.inputs[keyThroughput] != nil || t.migration.inputs[keyHourly] != nil
	name, _ := given.(string)
	if given == nil {
		if own || len(links) != 1 {
			return nil
		}
		name = slices.Collect(maps.Keys(links))[0]
	}
	link, ok := links[name].(map[string]any)
	if !ok {
		return t.document.problem(at, "must be the name of a link, got %q", fmt.Sprint(given))
	}
	if own {
		return t.document.problem(at, "must not be set together with a throughput of the migration")
	}
	reserved := make([]any, calculator.HoursPerDay)
	if own, ok := link["hourly_moves_percent"].([]any); ok && copy(reserved, own) != len(own) {
		return nil // Check reports the length
	}
	for h, open := range t.windows().OpenByHour() {
		switch part := reserved[h].(type) {
		case nil:
			reserved[h] = open * t.migration.linkShare()
		case float64:
			reserved[h] = max(part, open*t.migration.linkShare())
		}
	}
	link = maps.Clone(link)
	link["hourly_moves_percent"] = reserved
	links[name] = link
	return nil
}

func (t *Tiers) windows() migration.Windows {
	var w migration.Windows
	w.Hours, _ = t.migration.inputs["window_hours"].(float64)
	if start, ok := t.migration.inputs["window_start_hour"].(float64); ok {
		w.StartHour = &start
	}
	return w
}

func (t *Tiers) newMigration(
	p promise.Plan, members [][]assignedVM, r *Review,
) (*Migration, error) {
	if t.migration == nil {
		return nil, nil //nolint:nilnil // there is no migration
	}
	m := &Migration{Arguments: maps.Clone(t.migration.inputs), SharePercent: t.migration.linkShare()}
	delete(m.Arguments, keyShare)
	delete(m.Arguments, keyLink)
	vms := t.migratedVMs(members, r)
	if len(vms) == 0 {
		return nil, t.document.problem(plan.Attr(keyMigration), "must include a tier with VMs")
	}
	m.Arguments[keyVMs] = vms
	if m.Arguments[keyThroughput] != nil || m.Arguments[keyHourly] != nil {
		return m, nil
	}
	linkName := t.migration.inputs[keyLink]
	if linkName == nil && len(p.Links) > 1 {
		return nil, t.document.problem(plan.Attr(keyMigration),
			"must set link or throughput_mbps, because there are several links")
	}
	for name, link := range p.Links {
		if linkName != nil && linkName != name {
			continue
		}
		if m.Link = name; link.Network != nil && link.Network.RTTMs != nil && m.Arguments["rtt_ms"] == nil {
			m.Arguments["rtt_ms"] = *link.Network.RTTMs
		}
	}
	return m, nil
}

// migratedVMs returns the VMs to migrate, and adds open points for VMs whose memory size or memory change is unknown.
func (t *Tiers) migratedVMs(members [][]assignedVM, r *Review) map[string]any {
	vms := map[string]any{}
	unknownMemory, unknownChange := 0, 0
	for i, one := range t.tiers {
		if len(t.migration.tiers) > 0 && !slices.Contains(t.migration.tiers, one.name) {
			continue
		}
		for _, m := range members[i] {
			if !m.isKnown() || !m.vm.IsUserVM() {
				continue
			}
			vm := t.migratedVM(one, m)
			if t.promisesVMotion(vm) {
				unknownChange++
			}
			if m.vm.MemoryBytes == nil {
				unknownMemory++
			}
			vms[m.name] = vm
		}
	}
	r.addUnknown("memory", unknownMemory,
		"Add the memory column to the file. The migration assumes that these VMs have no memory.")
	r.addUnknown("memory changes", unknownChange, "The promised downtime of these vMotions assumes that the memory "+
		"does not change. Check the VMs that change most with vsla estimate vmotion.")
	return vms
}

func (t *Tiers) migratedVM(one tier, m assignedVM) map[string]any {
	vm := one.vmMigration(m.vm, t.migration.inputs, m.changePercent)
	vm["memory_gib"] = gib(m.vm.MemoryBytes)
	switch {
	case m.vm.MemoryBytes == nil && t.migration.withStorage:
		vm["memory_gib"] = 0.0
	case m.vm.MemoryBytes == nil:
		vm["memory_gib"] = migration.RangeMemoryGiB.Min // a move of nothing is an error
	}
	if t.migration.withStorage {
		vm["disk_gib"] = quantity.Size(*m.bytes).GiB()
	}
	if m.vm.Host != "" {
		vm["host"] = m.vm.Host
	}
	return vm
}

// promisesVMotion reports whether a VM moves by vMotion and has a maximum downtime.
func (t *Tiers) promisesVMotion(vm map[string]any) bool {
	downtime := cmp.Or(vm[keyMaxDowntime], t.migration.inputs[keyMaxDowntime])
	return vm[keyMethod] == migration.MethodVMotion && downtime != nil
}
