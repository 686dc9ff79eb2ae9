package estate

import (
	"slices"

	"terraform-provider-vsla/internal/plan"
)

// LocateError converts an error in the plan to an error that states the position of the first problem in the tiers
// file. It returns other errors unchanged.
func (t *Tiers) LocateError(err error) error { return t.document.locate(err, t.locate) }

func (t *Tiers) locate(p plan.Path) plan.Path {
	if len(p) > 1 && p[0].Name == keyTiers {
		i := slices.IndexFunc(t.tiers, func(one tier) bool { return one.name == p[1].Name })
		if len(p) > 2 && p[2].Name == "virtual_machines" {
			return plan.Attr(keyTiers).Index(max(i, 0)).Attr(keyMatch)
		}
		return t.tierPath(max(i, 0), p[2:])
	}
	at := slices.Clone(p)
	for i := range at {
		at[i].Kind = plan.StepAttribute
	}
	candidates := []plan.Path{at, joinPath(plan.Attr(keySchedule), at)}
	if len(at) > 2 && t.document.values[keyLinks] == nil {
		candidates = []plan.Path{
			at[2:], joinPath(plan.Attr(keySchedule), at[2:]), joinPath(plan.Attr(keyLink), at[min(3, len(at)):]),
		}
	}
	for _, candidate := range candidates {
		if len(candidate) > 0 && t.document.lines[candidate.String()] > 0 {
			return candidate
		}
	}
	return candidates[0]
}

// tierPath returns the position of a tier's input in the file: in the tier, in the defaults or at the top level.
func (t *Tiers) tierPath(index int, p plan.Path) plan.Path {
	own := plan.Attr(keyTiers).Index(index)
	hasRanges := func(at plan.Path) bool { return t.document.lines[at.Attr(keyRanges).Attr(p[1].Name).String()] > 0 }
	if len(p) > 1 && p[0].Name == keyRanges && !hasRanges(own) && !hasRanges(plan.Attr(keyDefaults)) {
		p = append(plan.Attr(p[1].Name), p[2:]...) // written as { low, likely, high }
	}
	for _, at := range []plan.Path{own, plan.Attr(keyDefaults), nil} {
		if len(p) > 0 && t.document.lines[joinPath(at, p[:1]).String()] > 0 {
			return joinPath(at, p)
		}
	}
	return joinPath(own, p)
}
