package judge

import (
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/protection"
	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

const (
	typeVMs  = "vsla_virtual_machines"
	typeFile = "vsla_inventory_file"
)

// cover is what a VM with a promise has to be counted in: a tier, or any tier whose promise is not longer.
type cover struct {
	tiers []tier
	byID  map[string][]member
	count int
}

func (j *judge) coverOf(name string) cover {
	c := cover{byID: map[string][]member{}}
	limit, known := j.rpoOf(name)
	for _, t := range j.tiers {
		if t.name != name && (!known || !t.is.RPO.Set || t.is.RPO.V > limit || !j.isBoundLike(t, name)) {
			continue
		}
		c.tiers = append(c.tiers, t)
		if t.name == name {
			c.count += t.count()
		}
		for _, m := range t.members {
			c.byID[m.id] = append(c.byID[m.id], m)
		}
	}
	return c
}

// isBoundLike reports whether the settings bound a tier that counts VMs of another one: by name, or its inputs are
// within the bounds of the other tier.
func (j *judge) isBoundLike(t tier, other string) bool {
	if _, named := j.settings.Promises[t.name]; named {
		return true
	}
	p, _ := j.settings.For(other)
	is := t.part(p.Bounds)
	return !slices.ContainsFunc(p.Limits, func(limit settings.Limit) bool {
		return limit.Name != "vm_count" && len(is.breaches(limit, schema.Fields(schema.Plan, "tiers"))) > 0
	})
}

// counts reports whether a tier lists a VM with at least its size in vCenter.
func (c cover) counts(id string, is listedVM) bool {
	return slices.ContainsFunc(c.byID[id], func(m member) bool {
		return !is.Used.Set || m.size.Set && m.size.V >= is.Used.V
	})
}

// hasTier reports whether a plan contains the tier itself.
func (c cover) hasTier(name string) bool {
	return slices.ContainsFunc(c.tiers, func(t tier) bool { return t.name == name })
}

const namesListed = 5

// checkMembers checks that each VM that gets the tag of a tier, and each VM that the settings select, is counted.
func (j *judge) checkMembers() {
	tagged := make(map[string]protection.Holders)
	for _, h := range j.table.Holders {
		j.checkHolders(h)
		if path := h.Tag.Path(); path != "" {
			h.VMs = maps.Clone(h.VMs)
			maps.Copy(h.VMs, tagged[path].VMs)
			h.Addresses = append(slices.Clone(tagged[path].Addresses), h.Addresses...)
			tagged[path] = h
		}
	}
	sized := make(map[string]bool)
	for name, p := range j.settings.Promises {
		if name == settings.AllOthers {
			continue
		}
		if p.Selects != nil {
			sized[name] = true
			j.checkSelection(name, p, tagged)
		}
		if h, found := tagged[p.Tag]; p.Tag != "" && !found {
			if !j.isEmptyTier(name) {
				j.add(
					finding.NotCounted,
					name,
					"",
					"has the tag %s in the settings (%s), but the plan attaches it to nothing",
					p.Tag,
					p.Line("tag"),
				)
			}
		} else if found && j.knows(h.VMs) {
			sized[name] = true
		}
	}
	for path, h := range tagged {
		category, name := cut(path)
		if of, isPromise := j.settings.TierOf(category, name); isPromise && j.knows(h.VMs) {
			sized[of] = true
		}
	}
	j.checkSized(sized)
}

func (j *judge) isEmptyTier(name string) bool {
	return slices.ContainsFunc(j.tiers, func(t tier) bool { return t.name == name && t.isEmpty() })
}

func (j *judge) knows(vms map[string]bool) bool {
	for id := range vms {
		if _, known := j.inventory.vms[id]; !known {
			return false
		}
	}
	return len(vms) > 0
}

// checkSized finds tiers whose VMs nothing in the plan confirms.
func (j *judge) checkSized(sized map[string]bool) {
	for _, t := range j.tiers {
		p, bounded := j.settings.For(t.name)
		if !bounded || t.isEmpty() || !t.is.VMs.Set || sized[t.name] || p.Fixes("virtual_machines") {
			continue
		}
		write := "write"
		if _, named := j.settings.Promises[t.name]; !named {
			write = "name it in promises, with"
		}
		j.add(finding.Unbounded, t.name, t.address, "lists VMs that nothing in the settings confirms: %s selects or "+
			"tag if a data source of the plan lists them, else virtual_machines (%s)", write, p.Where)
	}
}

// countsVMs reports whether the VMs with the tier's tag bound the number of its VMs.
func (j *judge) countsVMs(p part) bool {
	if p.path != "tiers" {
		return false
	}
	promise, _ := j.settings.For(p.subject)
	return promise.Tag != "" || promise.Selects != nil
}

// checkHolders checks that the VMs with a tag are counted, if the tag is that of a tier.
func (j *judge) checkHolders(h protection.Holders) {
	label := h.Tag.Key()
	switch {
	case h.Tag.Category == "":
		if len(h.Gained) > 0 || !h.Complete {
			j.add(finding.NotCounted, h.Address, h.Address,
				"attaches a tag whose name and category the plan does not show, so its VMs are not counted")
		}
		return
	case !j.settings.IsPromiseCategory(h.Tag.Category):
		if h.New && !h.Tag.Created && !slices.Contains(j.settings.OtherCategories, h.Tag.Category) {
			j.add(finding.NotCounted, label, h.Address, "is attached to %s for the first time, and no promise has a "+
				"tag of this category: if its tags promise nothing, write other_categories: [%s]",
				wording.Count(len(h.Gained), "VM"), h.Tag.Category)
		}
		return
	case !h.Complete:
		j.add(finding.Unknown, label, h.Address, "does not show during plan which objects get the tag")
		return
	}
	name, isPromise := j.settings.TierOf(h.Tag.Category, h.Tag.Name)
	c := j.coverOf(name)
	switch {
	case !isPromise:
	case c.hasTier(name):
		j.reportMissed(label, h.Address, name, c, h.VMs)
	case len(h.VMs) > 0:
		j.add(finding.NotCounted, label, h.Address, "is on %s, but no plan contains the tier %s: if the tag promises "+
			"nothing, write other_categories: [%s]", wording.Count(len(h.VMs), "VM"), name, h.Tag.Path())
	}
}

// reportMissed finds VMs that a tier does not count. VMs that the plan does not list are compared by number.
func (j *judge) reportMissed(subject, address, name string, c cover, vms map[string]bool) {
	var missed []string
	unlisted := 0
	for _, id := range slices.SortedFunc(maps.Keys(vms), wording.Natural) {
		is, known := j.inventory.vms[id]
		switch {
		case c.counts(id, is):
		case known && (len(c.byID) > 0 || c.count == 0):
			missed = append(missed, id)
		default:
			unlisted++
		}
	}
	if len(missed) > 0 {
		j.add(finding.NotCounted, subject, address, "has %s that tier %s omits or understates: %s%s",
			wording.Count(len(missed), "VM"), name, quantity.List(missed, namesListed), j.lineOf(name))
	}
	if unlisted > 0 && c.count < len(vms)-len(missed) {
		j.add(finding.NotCounted, subject, address, "is on %s, but tier %s counts %d%s",
			wording.Count(len(vms), "VM"), name, c.count, j.lineOf(name))
	}
}

// lineOf returns the line of the settings that selects the VMs of a tier, for the end of a message.
func (j *judge) lineOf(tier string) string {
	if p, bounded := j.settings.For(tier); bounded {
		return " (" + p.Line("selects") + ")"
	}
	return ""
}

func cut(tag string) (category, name string) {
	category, name, _ = strings.Cut(tag, "/")
	return category, name
}
