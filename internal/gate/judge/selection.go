package judge

import (
	"maps"
	"reflect"
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

// selects reports whether a data source has the filters of the settings, and no other.
func selects(values, want map[string]any, filters []string) bool {
	return !slices.ContainsFunc(filters, func(name string) bool {
		is, wanted := values[name], want[name]
		return (!isNothing(is) || !isNothing(wanted)) && !reflect.DeepEqual(is, plainValue(wanted))
	})
}

func plainValue(value any) any {
	if n, ok := value.(int); ok {
		return float64(n)
	}
	return value
}

func isNothing(value any) bool { return value == nil || isEmpty(value) }

// selected returns the type of the data source that the settings select VMs with, and its filters.
func selected(p settings.Promise) (kind string, filters []string) {
	if _, ok := p.Selects["sha256"]; ok {
		return typeFile, schema.FileFilters
	}
	return typeVMs, schema.Filters
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
