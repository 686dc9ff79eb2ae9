// What the descriptions of the calculators say about a result in a file.

package report

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// others are the data sources that are no calculators and have a view of their own: their arguments, and attributes of
// their results that no other has together.
var others = map[string]struct{ inputs, signature []string }{
	"vsla_virtual_machines": {
		inputs: []string{"folder", "cluster", "name_regex", "power_state", "tag_ids", "tag_match", "read_disks"},
	},
	"vsla_inventory_file": {
		inputs: []string{
			"path", "format", "columns", "name_regex", "power_state", "cluster", "datacenter", "folder", "exclude_templates",
			"exclude_placeholders",
		},
		signature: []string{"virtual_machines", "skipped", "vm_count", "total_guest_used_gib"},
	},
	historyType: {
		inputs:    []string{"vm_ids", "tag_id", "lookback_hours", "rpo_minutes"},
		signature: []string{"total", "days", "event_count", "from", "to"},
	},
	complianceType: {
		inputs:    []string{"tiers", "pairing_id", "lookback_hours"},
		signature: []string{"compliant", "unprotected", "weaker_than_promised", "virtual_machines"},
	},
}

// inputsOf returns the arguments of a data source, in the order of its documentation.
func inputsOf(kind string) []string {
	if c, ok := registry.OfDataSource(kind); ok {
		return namesOf(c.Inputs())
	}
	return others[kind].inputs
}

func namesOf(fields []calculator.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// recognise returns the data source whose result an object is: it has all of its results; empty for any other object.
func recognise(v map[string]any) string {
	has := func(names []string) bool {
		return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
			_, ok := v[name]
			return !ok
		})
	}
	for _, c := range registry.Calculators() {
		if !c.NoDataSource && has(namesOf(c.Results())) {
			return c.DataSource()
		}
	}
	for kind, other := range others {
		if has(other.signature) {
			return kind
		}
	}
	return ""
}

// judged are the attributes from which a level is made.
func judged() []string {
	names := []string{"verdict", "compliant", "reasons"}
	for _, c := range registry.Calculators() {
		if c.Flag != nil {
			names = append(names, c.Flag.Name)
		}
	}
	return names
}

// levelsOf translates the levels of verdicts.
var levelsOf = map[calculator.Level]Level{
	calculator.Holds: Holds, calculator.AtRisk: AtRisk, calculator.Misses: Misses,
}

// level returns what a result means, and its own word for it.
func (in *instance) level() (Level, string) {
	if c, ok := registry.OfDataSource(in.kind); ok {
		if level, ok := c.Judge(in.values); ok {
			return levelsOf[level], in.text("verdict")
		}
	}
	if v, ok := in.values["compliant"].(bool); ok {
		if v {
			return Holds, ""
		}
		return Misses, ""
	}
	// A data source that this version does not know may use a verdict that it does.
	for _, c := range registry.Calculators() {
		if level, ok := c.Judge(in.values); ok && in.text("verdict") != "" {
			return levelsOf[level], in.text("verdict")
		}
	}
	return Neutral, in.text("verdict")
}

// described returns facts: the inputs that are given, then the results that are single values, but for those that are
// shown elsewhere.
func (in *instance) described(shown ...string) []Fact {
	facts := in.facts(inputsOf(in.kind)...)
	c, ok := registry.OfDataSource(in.kind)
	if !ok {
		return facts
	}
	for _, f := range c.Results() {
		if !f.Input && len(f.Fields) == 0 && f.Name != "verdict" && !slices.Contains(shown, f.Name) {
			facts = append(facts, in.facts(f.Name)...)
		}
	}
	return facts
}

// fillDescribed shows a calculator that has no view of its own: facts, and a table for each map or list of objects.
func fillDescribed(in *instance, s *Subject) {
	s.Level, s.Verdict = in.level()
	s.Facts = in.described()
	c, ok := registry.OfDataSource(in.kind)
	if !ok {
		return
	}
	for _, f := range c.Fields {
		members, ok := in.values[f.Name].(map[string]any)
		if !ok {
			continue
		}
		if t := genericTable(f.Name, members); t != nil {
			s.Tables = append(s.Tables, *t)
		}
	}
}

// describedKinds are the sections of the calculators that have no view of their own.
func describedKinds() []kind {
	var all []kind
	for _, c := range registry.Calculators() {
		own := slices.ContainsFunc(kinds, func(k kind) bool { return slices.Contains(k.types, c.DataSource()) })
		if !own && !c.NoDataSource {
			all = append(all, kind{
				types: []string{c.DataSource()}, id: c.Command, title: plural(c.Title), intro: c.Summary + ".", fill: fillDescribed,
			})
		}
	}
	return all
}

// plural returns the title of a section with the results of a calculator.
func plural(title string) string {
	if strings.HasSuffix(title, "storage") {
		return title
	}
	return title + "s"
}
