// Migration of a tier's VMs.

package estate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Keys of a tier for the migration of its VMs.
const (
	keyMethod      = "method"
	keyTransport   = "transport"
	keySwitchover  = "switchover_minutes"
	keyMaxDowntime = "max_downtime_minutes"
	keyProfile     = "profile"
)

var moveKeys = []string{keyMethod, keyTransport, keySwitchover, keyMaxDowntime}

func (one *tier) takeMoves(d *document, at plan.Path) error {
	one.moves = map[string]any{}
	for _, key := range moveKeys {
		v, given := one.inputs[key]
		if !given {
			continue
		}
		delete(one.inputs, key)
		if err := checkMove(key, v); err != "" {
			return d.problem(at.Attr(key), "%s", err)
		}
		one.moves[key] = v
	}
	return nil
}

// checkMove returns the reason why a value is invalid for a VM in a migration plan, or "".
func checkMove(key string, v any) string {
	fields := fieldsOf("migration", keyVMs)
	f := fields[slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Name == key })]
	text, isText := v.(string)
	number, isNumber := v.(float64)
	switch {
	case len(f.OneOf) > 0 && (!isText || !slices.Contains(f.OneOf, text)):
		return "must be one of " + strings.Join(f.OneOf, ", ")
	case f.Range != nil && !isNumber:
		return "must be a number"
	case f.Range != nil:
		if err := f.Range.Check(number); err != nil {
			return err.Error()
		}
	}
	return ""
}

func (d *document) checkShare(v any, at plan.Path) error {
	const whole = 100
	if share, ok := v.(float64); !ok || share <= 0 || share > whole {
		return d.problem(at, "must be above 0 and at most 100: the part of the link that the moves take, in percent")
	}
	return nil
}

// move returns the migration settings of a VM: cold if it is powered off, otherwise those of its tier or the profile.
func (one *tier) move(vm *inventoryfile.VM, all map[string]any) map[string]any {
	values := map[string]any{}
	method := migration.MethodVMotion
	if all[keyProfile] == migration.ProfileHCXBulk {
		method = migration.MethodReplication
	}
	if own, ok := one.moves[keyMethod].(string); ok {
		method = own
	}
	if vm.PowerState == "poweredOff" {
		method = migration.MethodCold
		values["powered_off"] = true
	} else if most := one.moves[keyMaxDowntime]; most != nil {
		values[keyMaxDowntime] = most
	}
	values[keyMethod] = method
	if transport := one.moves[keyTransport]; transport != nil {
		values[keyTransport] = transport
	}
	if minutes := one.moves[keySwitchover]; minutes != nil && method != migration.MethodVMotion {
		values[keySwitchover] = minutes
	}
	if method == migration.MethodReplication {
		if change, _ := likelyOf(one.inputs[keyDaily]); change != nil {
			values[keyDaily] = change
		}
	}
	return values
}

// Moves contains the arguments of vsla_migration_plan, without a throughput if a link provides it.
type Moves struct {
	Arguments map[string]any
	// Link is the plan's link with the usable throughput; empty if the arguments contain one. SharePercent is the part
	// of the link to use.
	Link         string
	SharePercent float64
}

// On returns the arguments with the throughput of the plan's link. The error is a plan.InputErrors.
func (m *Moves) On(p promise.Plan) (map[string]any, error) {
	in, err := migration.PlanDefinition.Decode(m.Arguments)
	if err != nil {
		return nil, err
	}
	on := promise.Moves{Input: in, Link: m.Link, SharePercent: m.SharePercent}.On(p)
	on.VMs = nil // the arguments already contain the VMs
	defaults, arguments := migration.PlanDefaults(), maps.Clone(m.Arguments)
	maps.Copy(arguments, pick(migration.PlanDefinition.Inputs.Encode(&on, &defaults), []string{keyThroughput, keyHourly}))
	return arguments, nil
}

// share returns the part of the link that the migration uses, in percent.
func (m *moves) share() float64 {
	if share, ok := m.inputs[keyShare].(float64); ok {
		return share
	}
	return quantity.Percent
}

// reserve reduces the migration's link by the share of the moves, in the hours of their windows or in all hours if
// there are no windows. A window on one weekday applies to every day.
func (t *Tiers) reserve(links map[string]any) error {
	if t.migration == nil || t.migration.inputs[keyLink] == nil {
		return nil
	}
	at := plan.Attr(keyMigration).Attr(keyLink)
	name, _ := t.migration.inputs[keyLink].(string)
	link, ok := links[name].(map[string]any)
	if !ok {
		return t.document.problem(at, "must be the name of a link, got %q", fmt.Sprint(t.migration.inputs[keyLink]))
	}
	if t.migration.inputs[keyThroughput] != nil || t.migration.inputs[keyHourly] != nil {
		return t.document.problem(at, "must not be given together with a throughput of the migration")
	}
	var w migration.Windows
	w.Hours, _ = t.migration.inputs["window_hours"].(float64)
	if start, ok := t.migration.inputs["window_start_hour"].(float64); ok {
		w.StartHour = &start
	}
	days, _ := t.migration.inputs["window_weekdays"].([]any)
	for _, day := range days {
		if day, ok := day.(string); ok && slices.Contains(migration.Weekdays, day) {
			w.Weekdays = append(w.Weekdays, day)
		}
	}
	taken := make([]any, calculator.HoursPerDay)
	for h, open := range w.OpenHours() {
		part, _ := taken[h%calculator.HoursPerDay].(float64)
		taken[h%calculator.HoursPerDay] = max(part, open*t.migration.share())
	}
	link = maps.Clone(link)
	link["hourly_moves_percent"] = taken
	links[name] = link
	return nil
}

// moves returns the migration of the file, or nil.
func (t *Tiers) moves(p promise.Plan, members [][]sized, r *Review) (*Moves, error) {
	if t.migration == nil {
		return nil, nil //nolint:nilnil // there is no migration
	}
	m := &Moves{Arguments: maps.Clone(t.migration.inputs), SharePercent: t.migration.share()}
	delete(m.Arguments, keyShare)
	delete(m.Arguments, keyLink)
	var vms map[string]any
	if vms, r.Open = t.moving(members, r.Open); len(vms) == 0 {
		return nil, t.document.problem(plan.Attr(keyMigration), "must have tiers with VMs")
	}
	m.Arguments[keyVMs] = vms
	if m.Arguments[keyThroughput] != nil || m.Arguments[keyHourly] != nil {
		return m, nil
	}
	named := t.migration.inputs[keyLink]
	if named == nil && len(p.Links) > 1 {
		return nil, t.document.problem(plan.Attr(keyMigration),
			"must have link or throughput_mbps where there are several links")
	}
	for name, link := range p.Links {
		if named != nil && named != name {
			continue
		}
		if m.Link = name; link.Network != nil && link.Network.RTTMs != nil && m.Arguments["rtt_ms"] == nil {
			m.Arguments["rtt_ms"] = *link.Network.RTTMs
		}
	}
	return m, nil
}

// moving returns the VMs to migrate and reports VMs with unknown memory as open points.
func (t *Tiers) moving(members [][]sized, open []Open) (map[string]any, []Open) {
	vms := map[string]any{}
	without := 0
	for i, one := range t.tiers {
		if len(t.migration.tiers) > 0 && !slices.Contains(t.migration.tiers, one.name) {
			continue
		}
		for _, m := range members[i] {
			vm := one.move(m.vm, t.migration.inputs)
			vm["memory_gib"] = gib(m.vm.MemoryBytes)
			if m.vm.MemoryBytes == nil {
				without++
				vm["memory_gib"] = 0.0
			}
			if t.migration.withStorage {
				vm["disk_gib"] = quantity.Size(m.bytes).GiB()
			}
			if m.vm.Host != "" {
				vm["host"] = m.vm.Host
			}
			name := m.vm.Name
			if _, taken := vms[name]; taken {
				name += " (" + m.vm.Key + ")"
			}
			vms[name] = vm
		}
	}
	if without > 0 {
		open = append(open, Open{
			"memory of " + plan.Count(float64(without), "VM"), "Add the column to the file: the migration counts none.",
		})
	}
	return vms, open
}
