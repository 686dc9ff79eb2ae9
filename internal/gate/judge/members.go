package judge

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/protection"
	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// member is a VM of a tier. ID is empty if the plan does not show it.
type member struct {
	id, name string
	size     figure
}

// inventory contains the VMs that the data sources of a plan list.
type inventory struct {
	vms map[string]listedVM
	// ids contains the IDs of the VMs with a name.
	ids map[string][]string
}

type listedVM struct {
	Name text   `json:"name"`
	Used figure `json:"used_gib"`
}

// source is a data source of VMs.
type source struct {
	address string
	values  map[string]any
	vms     map[string]listedVM
}

// inaccessible returns the IDs or names of VMs that match the filters, and that the data source omits.
func (s source) inaccessible() []string {
	var ids []string
	values, _ := s.values["inaccessible"].([]any)
	for _, value := range values {
		if id, ok := value.(string); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

const (
	typeVMs  = "vsla_virtual_machines"
	typeFile = "vsla_inventory_file"
)

func (j *judge) readInventory() {
	j.inventory = inventory{vms: map[string]listedVM{}, ids: map[string][]string{}}
	for _, s := range append(j.sources(typeVMs), j.sources(typeFile)...) {
		for _, id := range slices.Sorted(maps.Keys(s.vms)) {
			is := s.vms[id]
			if _, known := j.inventory.vms[id]; !known {
				j.inventory.ids[is.Name.V] = append(j.inventory.ids[is.Name.V], id)
			}
			j.inventory.vms[id] = is
		}
	}
}

func (j *judge) sources(kind string) []source {
	var found []source
	for _, r := range j.plan.Results(kind) {
		is, err := tfplan.Decode[struct {
			VMs     tfplan.Value[map[string]listedVM] `json:"virtual_machines"`
			Summary tfplan.Value[bool]                `json:"summary_only"`
		}](r.Values)
		if err == nil && !is.VMs.Set && is.Summary.V {
			continue // lists no VMs
		}
		if err != nil || !is.VMs.Set {
			j.add(finding.Unknown, r.Address, r.Address, unreliable)
			continue
		}
		found = append(found, source{r.Address, r.Values, is.VMs.V})
	}
	return found
}

var idInKey = regexp.MustCompile(`^(.*) \((vm-[0-9]+)\)$`)

// membersOf returns the VMs that a tier lists, by the ID of the VM, by the ID in its key, or by its name.
func (j *judge) membersOf(t *tier) []member {
	var members []member
	for _, key := range slices.Sorted(maps.Keys(t.is.VMs.V)) {
		is := t.is.VMs.V[key]
		m := member{name: key, size: is.Size}
		found := idInKey.FindStringSubmatch(key)
		_, isID := j.inventory.vms[key]
		switch named := j.inventory.ids[key]; {
		case is.ID.Set:
			m.id = is.ID.V
		case isID:
			m.id = key
		case found != nil:
			m.name, m.id = found[1], found[2]
		case len(named) == 1:
			m.id = named[0]
		case len(named) > 1:
			j.add(finding.NotCounted, t.name, t.address, "lists %q, and several VMs have this name: state the id", key)
		}
		members = append(members, m)
	}
	return members
}

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
	is := part{kind: schema.Plan, path: "tiers", values: t.values}
	return !slices.ContainsFunc(p.Limits, func(limit settings.Limit) bool {
		_, within := is.within(limit, schema.Fields(schema.Plan, "tiers"))
		return !within && limit.Name != "vm_count"
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
		write := "write selects or tag"
		if _, named := j.settings.Promises[t.name]; !named {
			write = "name it in promises, with selects or tag"
		}
		j.add(finding.Unbounded, t.name, t.address, "lists VMs that nothing in the settings confirms: %s (%s)",
			write, p.Where)
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

// checkSelection checks that all VMs that the settings select for a tier are in it, and get its tag.
func (j *judge) checkSelection(name string, p settings.Promise, tagged map[string]protection.Holders) {
	kind, filters := selected(p)
	found := false
	for _, s := range j.sources(kind) {
		if !selects(s.values, p.Selects, filters) {
			continue
		}
		found = true
		vms := make(map[string]bool, len(s.vms))
		for id := range s.vms {
			vms[id] = true
		}
		if len(vms) == 0 {
			continue
		}
		j.reportMissed(name, s.address, name, j.coverOf(name), vms)
		if p.Tag != "" && kind == typeVMs {
			j.checkTagged(name, p, vms, tagged)
		}
	}
	if !found {
		j.add(finding.NotCounted, name, "", "selects VMs by filters that no data source of the plan has (%s): %s",
			p.Line("selects"), show(p.Selects))
	}
}

// inaccessible returns the VMs that the settings select for a tier, that could not be accessed, and that the tier does
// not list: the data source omits them.
func (j *judge) inaccessible(name string) []string {
	p := j.settings.Promises[name]
	if p.Selects == nil {
		return nil
	}
	var ids []string
	kind, filters := selected(p)
	for _, s := range j.sources(kind) {
		if selects(s.values, p.Selects, filters) {
			ids = append(ids, s.inaccessible()...)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	c := j.coverOf(name)
	return slices.DeleteFunc(ids, func(id string) bool {
		return len(c.byID[id]) > 0 || slices.ContainsFunc(c.byID[""], func(m member) bool { return m.name == id })
	})
}

// selected returns the type of the data source that the settings select VMs with, and its filters.
func selected(p settings.Promise) (kind string, filters []string) {
	if _, ok := p.Selects["sha256"]; ok {
		return typeFile, schema.FileFilters
	}
	return typeVMs, schema.Filters
}

// selects reports whether a data source has the filters of the settings, and no other.
func selects(values, want map[string]any, filters []string) bool {
	return !slices.ContainsFunc(filters, func(name string) bool {
		is, wanted := values[name], want[name]
		return (!isNothing(is) || !isNothing(wanted)) && !reflect.DeepEqual(is, plainValue(wanted))
	})
}

func isNothing(value any) bool { return value == nil || isEmpty(value) }

func plainValue(value any) any {
	if n, ok := value.(int); ok {
		return float64(n)
	}
	return value
}

// checkTagged checks that all selected VMs have the tag of the tier, or that of a tier whose promise is not longer.
func (j *judge) checkTagged(
	name string, p settings.Promise, vms map[string]bool, tagged map[string]protection.Holders,
) {
	if _, attached := tagged[p.Tag]; !attached {
		return // has its own finding
	}
	hint := ""
	if j.plan.File == nil {
		hint = ", as far as can be told without --plan-file"
	}
	for _, address := range tagged[p.Tag].Addresses {
		if j.isFrozen(address) {
			j.add(finding.NotCounted, name, address,
				"gets a list of IDs, so VMs that are selected later do not get the tag %s%s", p.Tag, hint)
		}
	}
	limit, _ := j.rpoOf(name)
	var missed []string
	for _, id := range slices.SortedFunc(maps.Keys(vms), wording.Natural) {
		has := false
		for path, h := range tagged {
			rpo, isPromise := j.promiseOf(path)
			has = has || h.VMs[id] && (path == p.Tag || isPromise && rpo <= limit)
		}
		if !has {
			missed = append(missed, id)
		}
	}
	if len(missed) > 0 {
		j.add(finding.NotCounted, name, "", "selects %s without the tag %s: %s (%s)",
			wording.Count(len(missed), "VM"), p.Tag, quantity.List(missed, namesListed), p.Line("selects"))
	}
}

func cut(tag string) (category, name string) {
	category, name, _ = strings.Cut(tag, "/")
	return category, name
}

// isFrozen reports whether an association lists objects that do not come from a data source. The JSON of a plan shows
// what a list refers to, and whether the key of the instance decides about more than the data source; the plan file
// shows the rest.
func (j *judge) isFrozen(address string) bool {
	block := tfplan.Block(address)
	if file := j.plan.File; file != nil && (file.Literals[block] || file.Selected[block]) {
		return file.Literals[block]
	}
	for _, b := range j.plan.Blocks() {
		expression, given := b.Expressions["object_ids"]
		if b.Full() != block || !given {
			continue
		}
		if j.plan.IsTyped(b, expression) {
			return true
		}
		sources, keys := 0, 0
		for _, reference := range tfplan.References(expression) {
			switch {
			case strings.HasPrefix(reference, "data."):
				sources++
			case strings.HasPrefix(reference, "each."), strings.HasPrefix(reference, "count."):
				keys++
			}
		}
		return sources > 0 && keys > sources
	}
	return false
}
