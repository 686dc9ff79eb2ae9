package promise

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan/setting"
)

// parts splits the plan into plans whose tiers share no link, no target and no source storage with those of the others.
// Links and targets without tiers are in none of them.
func (p Plan) parts() []Plan {
	var all []Plan
	for _, name := range p.simulated() {
		t := p.Tiers[name]
		one := Plan{
			Links:   map[string]Link{p.linkOf(t): p.Links[p.linkOf(t)]},
			Targets: map[string]Target{},
			Tiers:   map[string]Tier{name: t},
		}
		if t.Target != "" {
			one.Targets[t.Target] = p.Targets[t.Target]
		}
		var separate []Plan
		for _, other := range all {
			if p.SourceReadMbps != nil || p.ChecksumMbps != nil || sharesKey(one.Links, other.Links) ||
				sharesKey(one.Targets, other.Targets) {
				maps.Copy(one.Links, other.Links)
				maps.Copy(one.Targets, other.Targets)
				maps.Copy(one.Tiers, other.Tiers)
			} else {
				separate = append(separate, other)
			}
		}
		separate = append(separate, one)
		all = separate
	}
	for i, one := range all {
		whole := p
		whole.Links = one.Links
		whole.Targets = one.Targets
		whole.Tiers = one.Tiers
		for name, t := range whole.Tiers {
			t.Link = p.linkOf(t)
			whole.Tiers[name] = t
		}
		all[i] = whole
	}
	slices.SortFunc(all, func(a, b Plan) int { return slices.Compare(names(a.Tiers), names(b.Tiers)) })
	return all
}

func sharesKey[V any](a, b map[string]V) bool {
	for key := range a {
		if _, ok := b[key]; ok {
			return true
		}
	}
	return false
}

// part is the evaluation of a part of the plan.
type part struct {
	*evaluation

	// plan is the part as given, and full has a range for each omitted input.
	plan, full Plan
	// tiers are the names of the tiers, in the same order as in the estate.
	tiers []string
	// choice contains the settings that are judged. suggestions contains, by tier, those that would be chosen if none
	// were given, or, if they keep no promise, if that of the tier were not given.
	choice      setting.Choice
	suggestions map[string]setting.Choice
	results     map[variant]*variantResult
	recoveries  map[string]recoveries
	promises    map[string]Promise
	links       map[string]LinkResult
	// tried contains the evaluations with limits of migrations; nil where no promise can hold.
	tried map[trial]*evaluation
}
