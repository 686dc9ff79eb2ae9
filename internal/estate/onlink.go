// The tiers of a file on their link, and the places of their inputs in the file.

package estate

import (
	"slices"

	"terraform-provider-vsla/internal/estate/onlink"
	"terraform-provider-vsla/internal/plan"
)

// onLink returns the tiers with their VMs, and adds what the file lacks to the open points of the review.
func (t *Tiers) onLink(members [][]sized, r *Review) (*onlink.Estate, error) {
	likely, ranges := onlink.Likely(map[string]any{keyThroughput: t.throughput, keyEfficiency: t.efficiency})
	e := &onlink.Estate{
		Throughput: likely[keyThroughput], Efficiency: likely[keyEfficiency], Ranges: ranges, Basis: t.basis,
		Link: t.link, Schedule: t.schedule,
	}
	for i, one := range t.tiers {
		tier := onlink.Tier{Name: one.name}
		tier.Inputs, tier.Ranges = onlink.Likely(one.inputs)
		if len(members[i]) > 0 {
			tier.VMCount, tier.VMSizeGiB = float64(len(members[i])), mean(members[i])
		}
		e.Tiers = append(e.Tiers, tier)
	}
	if t.migration == nil {
		return e, nil
	}
	e.Migration = t.migration.inputs
	if e.VMs, r.Open = t.moving(members, r.Open); len(e.VMs) == 0 {
		return nil, t.document.problem(plan.Attr(keyMigration), "must have tiers with VMs")
	}
	return e, nil
}

// place returns where an input of a calculation is in the file.
func (t *Tiers) place(c onlink.Calculation, p plan.Path) plan.Path {
	switch {
	case c.Tier >= 0:
		return t.inTier(c.Tier, p)
	case c.Calculator.Command == onlink.Link:
		return join(plan.Attr(keyLink), p)
	case c.Calculator.Command == onlink.Migration:
		return join(plan.Attr(keyMigration), p)
	case len(p) > 1 && p[0].Name == "groups":
		i := slices.IndexFunc(t.tiers, func(one tier) bool { return one.name == p[1].Name })
		return t.inTier(max(i, 0), p[2:])
	case slices.Contains([]string{keyThroughput, keyEfficiency, keyBasis}, p[0].Name):
		return p
	}
	return join(plan.Attr(keySchedule), p)
}

// inTier returns where an input of a tier is in the file: in the tier, in the defaults or at the top.
func (t *Tiers) inTier(index int, p plan.Path) plan.Path {
	own := plan.Attr(keyTiers).Index(index)
	for _, at := range []plan.Path{own, plan.Attr(keyDefaults), nil} {
		if len(p) > 0 && t.document.lines[join(at, p[:1]).String()] > 0 {
			return join(at, p)
		}
	}
	return join(own, p)
}
