// What the descriptions of the calculators say about a result in a file.

package report

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

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
	for _, k := range kinds() {
		if has(k.signature) {
			return k.name
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
	level, verdict := in.ownLevel()
	if level == Holds && len(in.doubts) > 0 {
		level = AtRisk
	}
	return level, verdict
}

// ownLevel is the level of a result by itself.
func (in *instance) ownLevel() (Level, string) {
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
	} else if in.kind == complianceType {
		return Unknown, "" // null: the account may not read every VM
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

// fillDescribed shows a calculator that has no dedicated view: facts, and a table for each map or list of objects.
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

// describedKind describes a calculator without a dedicated view.
func describedKind(name string) kind {
	c, _ := registry.OfDataSource(name)
	return kind{name: name, id: c.Command, title: plural(c.Title), intro: c.Summary + ".", fill: fillDescribed}
}

func storageKind() kind {
	k := describedKind(storageType)
	k.overview = storageOverview
	k.promise = func(in *instance) string { return "replicas fit into " + in.format("target_free_gib") }
	k.options = func(in *instance) []string {
		needs, _ := in.number("target_gib")
		free, _ := in.number("target_free_gib")
		return []string{"provide " + format("_gib", needs-free) + " more at the target", "keep fewer instances"}
	}
	return k
}

// storageOverview adds up the space of all replicas.
func storageOverview(subjects []known) ([]Table, []Figure) {
	t := overview("Replica storage", subjects, numeric("VMs", "vm_count"), numeric("At the target", "target_gib"),
		numeric("Free", "target_free_gib"), numeric("Full after", monthsUntilFull))
	if len(subjects) > 1 {
		vms, gib := 0.0, 0.0
		for _, k := range subjects {
			n, _ := k.number("vm_count")
			needs, _ := k.number("target_gib")
			vms, gib = vms+n, gib+needs
		}
		t.add("all together", decimal(vms), format("target_gib", gib), none, none)
	}
	return []Table{t}, []Figure{}
}

func calibrationKind() kind {
	k := describedKind("vsla_replication_calibration")
	k.source = "a measured sync"
	return k
}

// plural returns the title of a section with the results of a calculator.
func plural(title string) string {
	if strings.HasSuffix(title, "storage") {
		return title
	}
	return title + "s"
}
