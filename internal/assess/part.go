package assess

import (
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

// Kinds of the parts of vsla_sla_plan.
var (
	KindPromise = &Kind{
		Type:    "promise",
		Title:   "Promise",
		ID:      "promises",
		Section: "Promises",
		Rules:   scheduleRules,
		Intro:   "Each VM is simulated individually, together with all other VMs on its link and target.",
	}
	KindLink = &Kind{
		Type:    "link",
		Title:   "Link",
		ID:      "links",
		Section: "Links",
		Intro: "Needed is the least throughput with which every promise on the link holds and a tenth is left at its " +
			"busiest time.",
	}
	KindTarget = &Kind{
		Type:    "target",
		Title:   "Target",
		ID:      "targets",
		Section: "Targets",
		Intro:   "Space and writes of all replicas together.",
	}
)

func splitPlan(a *Assessment) []*Assessment {
	p, ok := a.Answer.(Plan)
	if !ok {
		return []*Assessment{a}
	}
	var all []*Assessment
	each := func(kind *Kind, names []string, fill func(part *Assessment, name string)) {
		slices.SortFunc(names, wording.Natural)
		for _, name := range names {
			part := &Assessment{
				Raw:     a.Raw,
				Kind:    kind,
				Key:     name,
				Name:    fmt.Sprintf("%s.%s[%q]", a.Name, kind.ID, name),
				Level:   plan.Neutral,
				Reasons: []Reason{},
				Notes:   slices.Clone(a.Notes),
			}
			part.Type, part.Title = kind.Type, name
			part.Address = fmt.Sprintf("%s.%s[%q]", a.Address, kind.ID, name)
			fill(part, name)
			all = append(all, part)
		}
	}
	r := &p.Result
	each(KindPromise, slices.Collect(maps.Keys(r.Promises)), func(part *Assessment, name string) {
		part.setPromise(&p, name, append(a.inputsOf("tiers", name), a.jitterFacts()...))
	})
	each(KindLink, slices.Collect(maps.Keys(r.Links)), func(part *Assessment, name string) {
		part.setLink(&p, name, a.inputsOf("links", name))
	})
	each(KindTarget, slices.Collect(maps.Keys(r.Targets)), func(part *Assessment, name string) {
		part.setTarget(&p, name, a.inputsOf("targets", name))
	})
	return all
}
