// What all tiers do on the link: the schedule of their syncs, and the migration.

package estate

import (
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
)

const minutesPerHour = 60

// busiest returns the throughput of a tier's estimate where the link has one for each hour: the least in the minutes of
// the busiest cycle; 0 where the link has a single one. closed: the link carries nothing in one of these hours. Hourly
// weights become the peak factor of the estimate.
func (t *Tiers) busiest(one tier, estimate map[string]any) (mbps float64, closed bool) {
	hours, from, minutes := hourly(t.schedule[keyHourly]), []float64{0}, float64(calculator.HoursPerDay*minutesPerHour)
	rpo, _ := one.inputs["rpo_minutes"].(float64)
	weights := hourly(one.inputs[keyWeights])
	if peak, starts := replication.Peak(weights, rpo); len(starts) > 0 && one.inputs[keyPeak] == nil {
		estimate[keyPeak], from, minutes = peak, starts, rpo
	} else if factor, ok := one.inputs[keyPeak].(float64); ok && factor >= 1 {
		start, given := one.inputs["peak_start_hour"].(float64)
		if !given {
			start = groupDefault("peak_start_hour")
		}
		from, minutes = []float64{start * minutesPerHour}, minutes/factor
	}
	if hours == nil {
		return 0, false
	}
	mbps = math.Inf(1)
	for _, start := range from {
		first, end := math.Floor(start/minutesPerHour), math.Ceil((start+minutes)/minutesPerHour)
		for h := int(first); h < int(end); h++ {
			mbps = min(mbps, hours[(h+len(hours))%len(hours)])
		}
	}
	return mbps, mbps == 0
}

// hourly returns a list of a number for each hour of the day; nil for anything else, which the calculators report.
func hourly(v any) []float64 {
	list, _ := v.([]any)
	if len(list) != calculator.HoursPerDay {
		return nil
	}
	hours := make([]float64, 0, len(list))
	for _, e := range list {
		hour, ok := e.(float64)
		if !ok || !(hour >= 0) || math.IsInf(hour, 0) {
			return nil
		}
		hours = append(hours, hour)
	}
	return hours
}

// groupDefault returns the default of an input of a schedule's group.
func groupDefault(name string) float64 {
	i := slices.IndexFunc(groupFields(), func(f calculator.Field) bool { return f.Name == name })
	v, _ := groupFields()[i].Default.(float64)
	return v
}

// schedule simulates all tiers on the link.
func (r *Review) schedule(t *Tiers, members [][]sized, throughput any) error {
	groups := map[string]any{}
	for i, one := range t.tiers {
		if len(members[i]) == 0 {
			continue
		}
		group := pick(one.inputs, namesOf(groupFields()))
		group["vm_count"], group["vm_size_gib"] = float64(len(members[i])), mean(members[i])
		groups[one.name] = group
	}
	inputs := map[string]any{"groups": groups, keyLink: labelOfLink}
	r.grow(t, members, inputs)
	maps.Copy(inputs, t.schedule)
	if t.efficiency != nil {
		inputs[keyEfficiency] = t.efficiency
	}
	if inputs[keyHourly] == nil {
		inputs[keyThroughput] = throughput
	}
	_, err := r.compute(t, commandSchedule, "all tiers", inputs, func(p plan.Path) plan.Path {
		if len(p) > 1 && p[0].Name == "groups" {
			i := slices.IndexFunc(t.tiers, func(one tier) bool { return one.name == p[1].Name })
			return t.inTier(max(i, 0))(p[2:])
		}
		if p[0].Name == keyThroughput || p[0].Name == keyEfficiency {
			return p
		}
		return join(plan.Attr(keySchedule), p)
	})
	return err
}

// grow takes the growth of the tiers for the schedule, which has one for all: the greatest, and the farthest horizon.
func (r *Review) grow(t *Tiers, members [][]sized, inputs map[string]any) {
	rates := map[float64]bool{}
	for i, one := range t.tiers {
		if len(members[i]) == 0 {
			continue
		}
		for _, name := range []string{keyGrowth, "horizon_months"} {
			v, ok := one.inputs[name].(float64)
			if before, has := inputs[name].(float64); ok && (!has || v > before) {
				inputs[name] = v
			}
		}
		rate, _ := one.inputs[keyGrowth].(float64)
		rates[rate] = true
	}
	if months, ok := inputs["horizon_months"].(float64); ok {
		inputs["horizon_months"] = math.Ceil(months)
	}
	if inputs[keyGrowth] == nil {
		delete(inputs, "horizon_months")
	} else if len(rates) > 1 && t.schedule[keyGrowth] == nil {
		r.Notes = append(r.Notes, "The tiers grow at different rates; the schedule has the greatest of them for all.")
	}
}

// move plans the migration of the VMs of the tiers that move.
func (r *Review) move(t *Tiers, members [][]sized, throughput any) error {
	if t.migration == nil {
		return nil
	}
	vms := map[string]any{}
	for i, one := range t.tiers {
		if len(t.migration.tiers) > 0 && !slices.Contains(t.migration.tiers, one.name) {
			continue
		}
		for _, m := range members[i] {
			vm := map[string]any{"memory_gib": quantity.Size(m.vm.MemoryBytes).GiB(), "method": methodOf(m.vm)}
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
	if len(vms) == 0 {
		return t.document.problem(plan.Attr(keyMigration), "must have tiers with VMs")
	}
	inputs := map[string]any{"virtual_machines": vms}
	if rtt := t.link["rtt_ms"]; rtt != nil {
		inputs["rtt_ms"] = rtt
	}
	maps.Copy(inputs, t.migration.inputs)
	if inputs[keyHourly] == nil && inputs[keyThroughput] == nil {
		t.carry(inputs, throughput)
	}
	_, err := r.compute(t, commandMigration, "all moves", inputs, func(p plan.Path) plan.Path {
		return join(plan.Attr(keyMigration), p)
	})
	return err
}

// carry adds what the link carries for a calculator without efficiency: the usable part.
func (t *Tiers) carry(inputs map[string]any, throughput any) {
	usable := 1.0
	if efficiency, ok := t.efficiency.(float64); ok {
		usable = efficiency / 100
	}
	if hours := hourly(t.schedule[keyHourly]); hours != nil {
		list := make([]any, 0, len(hours))
		for _, mbps := range hours {
			list = append(list, mbps*usable)
		}
		inputs[keyHourly] = list
	} else if mbps, ok := throughput.(float64); ok {
		inputs[keyThroughput] = mbps * usable
	}
}
