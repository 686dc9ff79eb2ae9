// How the VMs of a tier move.

package estate

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/registry"
)

// The keys of a tier about the moves of its VMs.
const (
	keyMethod      = "method"
	keyTransport   = "transport"
	keySwitchover  = "switchover_minutes"
	keyMaxDowntime = "max_downtime_minutes"
	keyProfile     = "profile"
	keyDaily       = "daily_change_percent"
)

var moveKeys = []string{keyMethod, keyTransport, keySwitchover, keyMaxDowntime}

// takeMoves takes the keys about moves out of a tier's inputs.
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

// checkMove returns why a value is not one of a VM's in a migration plan; empty if it is.
func checkMove(key string, v any) string {
	c, _ := registry.OfCommand(onlink.Migration)
	vms, _ := c.Field("virtual_machines")
	f := vms.Fields[slices.IndexFunc(vms.Fields, func(f calculator.Field) bool { return f.Name == key })]
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

// checkShare refuses a part of the link that is none.
func (d *document) checkShare(v any, at plan.Path) error {
	const whole = 100
	if share, ok := v.(float64); !ok || share <= 0 || share > whole {
		return d.problem(at, "must be above 0 and at most 100: the part of the link that the moves take, in percent")
	}
	return nil
}

// move returns how a VM moves: cold if it is powered off, else as its tier or the profile says. What is off already has
// no downtime to promise.
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
		if all[keyMaxDowntime] != nil {
			values[keyMaxDowntime] = migration.RangeDowntime.Max
		}
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
		likely, _ := onlink.Likely(one.inputs)
		if change := likely[keyDaily]; change != nil {
			values[keyDaily] = change
		}
	}
	return values
}

// moving returns the VMs that move, and adds the unknown memory of those that lack it to the open points.
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
