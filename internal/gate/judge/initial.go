package judge

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/protection"
	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/wording"
)

// Initial returns settings that allow a plan as it is today, in YAML. Each bound is the present value. A plan that is
// not whole is an error.
func Initial(p *tfplan.Plan) ([]byte, error) {
	j := newJudge(p, &settings.Settings{})
	j.checkWhole()
	for _, f := range j.Findings {
		if f.Code == finding.NotAPlan || f.Code == finding.Errored || f.Code == finding.Partial {
			return nil, fmt.Errorf("%s %s", f.Subject, f.Message)
		}
	}
	j.readInventory()
	j.readTiers()
	j.table = protection.Compare(p, func(string) (float64, bool) { return 0, false })
	w := &writer{}
	w.line("# What this repository promises, and which changes it allows. Each bound is the value of today's plan.")
	j.writePromises(w)
	j.writeParts(w, "links")
	j.writeParts(w, "targets")
	j.writeResults(w)
	j.writeGrowth(w)
	if keys := j.usedConfigs(); len(keys) > 0 {
		w.line("provider_configs: %s # provider blocks besides the default one", flow(keys))
	}
	if categories := j.otherCategories(); len(categories) > 0 {
		w.line("other_categories: %s # categories whose tags promise nothing", flow(categories))
	}
	w.line("changes:")
	w.line("  max_removes: 0 # tags and members that one change may remove")
	w.line("  approvers: [] # who may approve a waiver")
	w.line("  max_waiver_days: %d", 90)
	w.line("waivers: []")
	return w.Bytes(), nil
}

func (j *judge) writePromises(w *writer) {
	tiers := make(map[string][]tier)
	for _, t := range j.tiers {
		if !t.isEmpty() {
			tiers[t.name] = append(tiers[t.name], t)
		}
	}
	longest := 0.0
	promised := j.promisesByVM()
	for _, r := range j.table.Replications {
		if _, counted := promised.strictest(r.VM, r.Pairing); !counted && j.tierOf(r.VM) == "" {
			longest = max(longest, r.RPO.V)
		}
	}
	for _, g := range j.table.Groups {
		longest = max(longest, g.RPO)
	}
	for name, rpo := range j.checkedTiers() {
		if len(tiers[name]) == 0 {
			longest = max(longest, rpo)
		}
	}
	if len(tiers) == 0 && longest == 0 {
		longest = settings.MostRPOMinutes // the plan promises nothing yet
	}
	w.line("promises:")
	for _, name := range slices.SortedFunc(maps.Keys(tiers), wording.Natural) {
		j.writePromise(w, name, tiers[name])
	}
	if longest > 0 {
		w.line(`  "*": # what is in no tier of a plan`)
		w.line("    max_rpo_minutes: %v", longest)
	}
}

// checkedTiers returns the longest RPO that a compliance result checks each tier for.
func (j *judge) checkedTiers() map[string]float64 {
	longest := make(map[string]float64)
	for _, r := range j.plan.Results(typeCompliance) {
		is, err := tfplan.Decode[compliance](r.Values)
		if err != nil {
			continue
		}
		for name, t := range is.Tiers {
			longest[name] = max(longest[name], t.RPO.V)
		}
	}
	return longest
}

func (j *judge) tierOf(vm string) string {
	for _, t := range j.tiers {
		if slices.ContainsFunc(t.members, func(m member) bool { return m.id == vm }) {
			return t.name
		}
	}
	return ""
}

func (j *judge) writePromise(w *writer, name string, tiers []tier) {
	vms, rpo := 0, j.checkedTiers()[name]
	var parts []part
	for _, t := range tiers {
		vms, rpo = vms+t.count(), max(rpo, t.is.RPO.V)
		parts = append(parts, t.part(settings.Bounds{}))
	}
	w.line("  %s: # %s", key(name), wording.Count(vms, "VM"))
	w.line("    rpo_minutes: %v", rpo)
	tag, tagged := j.taggedAs(name)
	if tag != "" {
		w.line("    tag: %s", flow(tag))
	}
	j.writeBounds(w, parts)
	if len(j.usersOf("targets")) > 0 && slices.ContainsFunc(tiers, func(t tier) bool { return !t.is.Target.Set }) {
		w.line("    target: null # its space is counted nowhere")
	}
	if filters := j.selectionOf(tiers); filters != nil {
		w.line("    selects: %s", flow(filters))
	} else if !j.knows(tagged) {
		w.listed(parts)
	}
}

// taggedAs returns the tag with the name of a tier, and the VMs that have it after the plan.
func (j *judge) taggedAs(name string) (tag string, vms map[string]bool) {
	vms = make(map[string]bool)
	for _, h := range j.table.Holders {
		path := h.Tag.Path()
		if h.Tag.Name != name || path == "" || tag != "" && path != tag {
			continue
		}
		tag = path
		maps.Copy(vms, h.VMs)
	}
	return tag, vms
}

// selectionOf returns the filters of the data source whose VMs are those of the tiers, or nil.
func (j *judge) selectionOf(tiers []tier) map[string]any {
	ids := make(map[string]bool)
	for _, t := range tiers {
		for _, m := range t.members {
			ids[m.id] = true
		}
	}
	for _, kind := range []string{typeVMs, typeFile} {
		names := schema.Filters
		if kind == typeFile {
			names = schema.FileFilters
		}
		for _, s := range j.sources(kind) {
			if !s.lists(ids) {
				continue
			}
			filters := make(map[string]any)
			for _, name := range names {
				if !isNothing(s.values[name]) {
					filters[name] = s.values[name]
				}
			}
			return filters
		}
	}
	return nil
}

// lists reports whether a data source returns VMs and no others, except those that it could not access.
func (s source) lists(ids map[string]bool) bool {
	known := maps.Clone(s.vms)
	for _, id := range s.inaccessible() {
		if ids[id] {
			known[id] = listedVM{}
		}
	}
	return len(known) == len(ids) && !slices.ContainsFunc(slices.Collect(maps.Keys(known)), func(id string) bool {
		return !ids[id]
	})
}

// writeBounds writes a line for each input that needs a bound, so that all values are within it.
func (j *judge) writeBounds(w *writer, parts []part) {
	for _, f := range schema.Fields(parts[0].kind, parts[0].path) {
		if isSpecial(f.Name) || !f.Input || parts[0].path == "tiers" &&
			slices.Contains([]string{"virtual_machines", "vm_count", "vm_size_gib"}, f.Name) &&
			parts[0].values["virtual_machines"] != nil {
			continue
		}
		if parts[0].isBestIfAbsent(f.Name) {
			w.stated(f, parts)
			continue
		}
		_, hasUsual := toNumber(f.Default)
		var all []any
		for _, p := range parts {
			if hasUsual && isDirected(f) || j.needsBound(p, f) {
				all = append(all, effective(p, f))
			}
		}
		if len(all) > 0 {
			w.bound(f, all)
		}
	}
}

func (j *judge) writeParts(w *writer, section string) {
	all := make(map[string][]part)
	for _, r := range j.plan.Results(schema.Plan) {
		elements, _ := r.Values[section].(map[string]any)
		for name, element := range elements {
			if values, ok := element.(map[string]any); ok {
				all[name] = append(all[name], part{kind: schema.Plan, path: section, values: values, plan: r.Values})
			}
		}
	}
	if len(all) == 0 {
		return
	}
	w.line("%s:", section)
	for _, name := range slices.SortedFunc(maps.Keys(all), wording.Natural) {
		w.line("  %s:", key(name))
		j.writeBounds(w, all[name])
		if len(all[name]) > 1 {
			w.line("    plans: %d # that use it, each of which counts all of it", len(all[name]))
		}
		if section == "targets" {
			w.line(
				"    min_headroom_percent: %d # below it, vCenter's datastore usage alarm turns red",
				defaultHeadroom,
			)
			continue
		}
		w.line("    basis: %s # what is known about the rate, at best", bestBasis(all[name]))
	}
}

func bestBasis(parts []part) string {
	basis := "nominal"
	for _, p := range parts {
		if stated := basisOf(p); slices.Index(bases, stated) > slices.Index(bases, basis) {
			basis = stated
		}
	}
	return basis
}

// writeResults writes the bounds of the results that are no promises of tiers.
func (j *judge) writeResults(w *writer) {
	all := make(map[string][]part)
	for _, r := range j.plan.State() {
		if r.Mode == tfplan.Data && slices.Contains(always, r.Type) {
			all[r.Type] = append(all[r.Type], part{kind: r.Type, values: r.Values, plan: r.Values})
		}
	}
	inner := &writer{}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		lines := &writer{}
		switch kind {
		case typeCompliance:
			lines.writeCompliance(all[kind])
		case typeEstimate:
			longest := 0.0
			for _, p := range all[kind] {
				rpo, _ := p.values["rpo_minutes"].(float64)
				longest = max(longest, rpo)
			}
			lines.line("    max_rpo_minutes: %v", longest)
			j.writeBounds(lines, all[kind])
			lines.line("    throughput_basis: %s # what is known about the rate, at best", bestBasis(all[kind]))
		default:
			j.writeBounds(lines, all[kind])
		}
		switch {
		case lines.Len() > 0:
			inner.line("  %s:\n%s", kind, strings.TrimSuffix(lines.String(), "\n"))
		case kind != schema.Plan && kind != typeCompliance:
			inner.line("  %s: {}", kind)
		}
	}
	if inner.Len() > 0 {
		w.line("results:\n%s", strings.TrimSuffix(inner.String(), "\n"))
	}
}

// writeCompliance writes what results of vsla_sla_compliance check, and how many VMs are in no tier.
func (w *writer) writeCompliance(all []part) {
	for _, f := range scope {
		w.stated(f, slices.DeleteFunc(slices.Clone(all), func(p part) bool {
			return f.AbsentWorst && p.values[f.Name] == nil
		}))
	}
	most := 0
	for _, p := range all {
		uncovered, known := p.values["uncovered"].([]any)
		unknown, ok := p.values["uncovered_unknown"].([]any)
		if !known || !ok {
			return
		}
		most = max(most, len(uncovered)+len(unknown))
	}
	w.line("    max_uncovered: %d # VMs without a tier and a replication", most)
}

// writeGrowth asks for a year, or for as long as everything lasts today.
func (j *judge) writeGrowth(w *writer) {
	months, growth := 12.0, math.Inf(1)
	for _, r := range j.plan.Results(schema.Plan) {
		is, err := tfplan.Decode[slaPlan](r.Values)
		if err != nil || !is.Growth.Set {
			return
		}
		growth = min(growth, is.Growth.V)
		months = min(months, is.monthsLeft())
	}
	if math.IsInf(growth, 1) || months < 1 {
		return
	}
	w.line("holds_months: %v # for which promises and targets last", months)
	w.line("min_growth_percent_per_year: %v", growth)
}

// monthsLeft returns for how many whole months the promises that hold today, and the targets, last.
func (is slaPlan) monthsLeft() float64 {
	months := math.Inf(1)
	for _, p := range is.Promises {
		for _, until := range []figure{p.UntilAtRisk, p.UntilMiss} {
			if until.Set && p.Verdict.V == "meets" {
				months = min(months, math.Floor(until.V))
			}
		}
	}
	for _, t := range is.Targets {
		if t.UntilFull.Set {
			months = min(months, math.Floor(t.UntilFull.V))
		}
	}
	return months
}

func (j *judge) usedConfigs() []string {
	var keys []string
	for _, b := range j.plan.Blocks() {
		_, configured := j.plan.Configuration.Providers[b.Provider]
		if strings.HasPrefix(b.Type, prefix) && b.Provider != "vsla" && configured &&
			!slices.Contains(keys, b.Provider) {
			keys = append(keys, b.Provider)
		}
	}
	slices.Sort(keys)
	return keys
}

// otherCategories returns the categories of attached tags that are no tags of tiers.
func (j *judge) otherCategories() []string {
	promised := make(map[string]bool)
	for _, h := range j.table.Holders {
		for _, t := range j.tiers {
			promised[h.Tag.Category] = promised[h.Tag.Category] || h.Tag.Name == t.name
		}
	}
	var found []string
	for _, h := range j.table.Holders {
		if name := h.Tag.Category; name != "" && !promised[name] && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}
