// From a tiers file to the arguments of a plan of promises.

package onlink

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/registry"
)

// Plan is the command of the plan of promises.
const Plan = "plan"

// The arguments of a plan that a tiers file has too, and the keys that they are made of.
const (
	keyLinks   = "links"
	keyTargets = "targets"
	keyTiers   = "tiers"
	keyVMs     = "virtual_machines"
	keyRanges  = "ranges"
	keyNetwork = "network"
	keySync    = "per_sync_mbps"
)

// OnlyLink is the name of the link of a file that has a single throughput.
const OnlyLink = "link"

// Member is a VM of a tier.
type Member struct {
	// Name is that of no other VM.
	Name string
	// SizeGiB is nil if it is not known, DailyChangePercent if the tier has it.
	SizeGiB, DailyChangePercent *float64
}

// PlanKeys are the keys of a tiers file that are arguments of the plan, without the tiers.
func PlanKeys() []string { return InputsOf(Plan, keyTiers) }

// PlanTierFields are the inputs that a tier of the plan may have, without its VMs.
func PlanTierFields() []calculator.Field {
	return slices.DeleteFunc(membersOf(keyTiers), func(f calculator.Field) bool {
		return slices.Contains([]string{keyVMs, "vm_count", "vm_size_gib"}, f.Name)
	})
}

// PlanMembers are the names of the inputs that an element of a map of the plan may have.
func PlanMembers(input string) []string { return Names(membersOf(input)) }

func membersOf(input string) []calculator.Field {
	c, _ := registry.OfCommand(Plan)
	f, _ := c.Field(input)
	return slices.DeleteFunc(slices.Clone(f.Fields), func(f calculator.Field) bool { return !f.Input })
}

// Arguments returns the arguments of the plan of a tiers file, of which the tiers have their inputs and VMs by name.
func Arguments(file map[string]any, tiers []Tier, members [][]Member) map[string]any {
	schedule, _ := file["schedule"].(map[string]any)
	arguments := pick(schedule, PlanKeys())
	maps.Copy(arguments, pick(file, PlanKeys()))
	if arguments[keyLinks] == nil {
		arguments[keyLinks] = map[string]any{OnlyLink: onlyLink(file, schedule)}
	}
	targets, _ := arguments[keyTargets].(map[string]any)
	targets = maps.Clone(targets)
	all := make(map[string]any, len(tiers))
	for i, tier := range tiers {
		one := planTier(tier, schedule)
		if free := tier.Inputs["target_free_gib"]; free != nil && one["target"] == nil {
			one["target"], targets = tier.Name, withTarget(targets, tier.Name, free)
		}
		growFaster(arguments, tier)
		one[keyVMs] = virtualMachines(members[i])
		all[tier.Name] = one
	}
	arguments[keyTiers] = all
	if len(targets) > 0 {
		arguments[keyTargets] = targets
	}
	return arguments
}

// planTier returns the inputs of a tier. Those of the schedule are of each tier without its own.
func planTier(tier Tier, schedule map[string]any) map[string]any {
	one := pick(schedule, []string{keySync, "target_compliance_percent", "deadline_hours"})
	maps.Copy(one, pick(tier.Inputs, Names(PlanTierFields())))
	if len(tier.Ranges) > 0 {
		one[keyRanges] = withEnds(one[keyRanges], pick(tier.Ranges, Names(PlanTierFields())))
	}
	return one
}

// growFaster takes the growth of a tier if it is greater; the plan has one for all.
func growFaster(arguments map[string]any, tier Tier) {
	for _, name := range []string{keyGrowth, keyHorizon} {
		v, ok := tier.Inputs[name].(float64)
		if before, has := arguments[name].(float64); ok && (!has || v > before) {
			arguments[name] = v
		}
	}
}

func withTarget(targets map[string]any, name string, free any) map[string]any {
	if targets == nil {
		targets = map[string]any{}
	}
	targets[name] = map[string]any{"free_gib": free}
	return targets
}

// onlyLink is the link of a file with a single throughput, or with the path that it is computed from.
func onlyLink(file, schedule map[string]any) map[string]any {
	likely, spreads := Likely(pick(file, []string{keyThroughput, keyEfficiency, keyBasis}))
	one := pick(schedule, Names(membersOf(keyLinks)))
	delete(one, keyNetwork)
	maps.Copy(one, likely)
	if one[keyHourly] != nil {
		delete(one, keyThroughput)
		delete(spreads, keyThroughput)
	}
	if network, ok := file[keyLink].(map[string]any); ok && one[keyHourly] == nil {
		one[keyNetwork] = network
	}
	if len(spreads) > 0 {
		one[keyRanges] = withEnds(nil, spreads)
	}
	return one
}

// withEnds adds the ends of values { low, likely, high } to ranges.
func withEnds(ranges any, spreads map[string]any) map[string]any {
	all, _ := ranges.(map[string]any)
	all = maps.Clone(all)
	if all == nil {
		all = map[string]any{}
	}
	for name, v := range spreads {
		if ends, ok := v.(map[string]any); ok {
			all[name] = map[string]any{"low": ends["low"], "high": ends["high"]}
		}
	}
	return all
}

func virtualMachines(members []Member) map[string]any {
	all := make(map[string]any, len(members))
	for _, m := range members {
		vm := map[string]any{}
		if m.SizeGiB != nil {
			vm["size_gib"] = *m.SizeGiB
		}
		if m.DailyChangePercent != nil {
			vm["daily_change_percent"] = *m.DailyChangePercent
		}
		all[m.Name] = vm
	}
	return all
}

// Decode returns the plan of arguments. The error is a plan.InputErrors.
func Decode(arguments map[string]any) (promise.Plan, error) {
	p, err := promise.Definition.Decode(arguments)
	if err != nil {
		return p, err
	}
	return p, p.Check()
}
