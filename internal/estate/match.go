package estate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// match is a set of conditions that must all be met.
type match struct {
	name        string
	folder      string
	cluster     string
	datacenter  string
	powerState  string
	namePattern *regexp.Regexp
	columns     map[string]*regexp.Regexp
}

func (d *document) readMatch(conditions map[string]any, at plan.Path) (match, error) {
	m := match{columns: map[string]*regexp.Regexp{}}
	texts := map[string]*string{
		"name":        &m.name,
		"folder":      &m.folder,
		"cluster":     &m.cluster,
		"datacenter":  &m.datacenter,
		"power_state": &m.powerState,
	}
	if err := d.checkKeys(conditions, at, append(slices.Collect(maps.Keys(texts)), "column")); err != nil {
		return m, err
	}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		v, ok := conditions[key]
		if !ok {
			continue
		}
		text, ok := v.(string)
		if !ok || text == "" {
			return m, d.problem(at.Attr(key), "must be a non-empty string")
		}
		*texts[key] = text
	}
	var err error
	if m.name != "" {
		if m.namePattern, err = regexp.Compile(m.name); err != nil {
			return m, d.problem(at.Attr("name"), "must be a valid regular expression: %v", err)
		}
	}
	if m.powerState != "" && !slices.Contains([]string{"poweredOn", "poweredOff", "suspended"}, m.powerState) {
		return m, d.problem(at.Attr("power_state"), "must be poweredOn, poweredOff or suspended, got %q", m.powerState)
	}
	columns, err := d.mappingValue(conditions, "column", at)
	if err != nil {
		return m, err
	}
	for _, header := range slices.Sorted(maps.Keys(columns)) {
		text, ok := columns[header].(string)
		if !ok {
			return m, d.problem(at.Attr("column").Attr(header), "must be a regular expression in quotation marks")
		}
		if m.columns[header], err = regexp.Compile(text); err != nil {
			return m, d.problem(at.Attr("column").Attr(header), "must be a valid regular expression: %v", err)
		}
	}
	return m, nil
}

// matches reports whether a VM meets all conditions. columns are the headers of VM.KeptCells.
func (m *match) matches(vm *inventoryfile.VM, columns []string) bool {
	switch {
	case m.namePattern != nil && !m.namePattern.MatchString(vm.Name):
	case m.folder != "" && !inventoryfile.IsBelow(vm.Folder, m.folder):
	case m.cluster != "" && m.cluster != vm.Cluster:
	case m.datacenter != "" && m.datacenter != vm.Datacenter:
	case m.powerState != "" && m.powerState != vm.PowerState:
	default:
		for header, pattern := range m.columns {
			if !pattern.MatchString(vm.KeptCells[slices.Index(columns, header)]) {
				return false
			}
		}
		return true
	}
	return false
}

func (m *match) count(found inventoryfile.Inventory) int {
	n := 0
	for vm := range found.All() {
		if m.matches(vm, found.KeptColumns) {
			n++
		}
	}
	return n
}

type condition struct {
	key, wanted            string
	value                  func(vm *inventoryfile.VM) string
	matches, matchesFolded func(value string) bool
}

// mismatchHint describes each condition that no VM meets, with the closest values in the file. It returns "" if there
// is no such condition.
func (m *match) mismatchHint(found inventoryfile.Inventory) string {
	var hints strings.Builder
	for _, c := range m.conditions(found.KeptColumns) {
		caseMatch := ""
		values := map[string]bool{}
		matched := false
		for vm := range found.All() {
			value := c.value(vm)
			if matched = c.matches(value); matched {
				break
			}
			if caseMatch == "" && c.matchesFolded(value) {
				caseMatch = value
			}
			values[value] = true
		}
		delete(values, "")
		switch {
		case matched:
		case caseMatch != "":
			fmt.Fprintf(
				&hints,
				" No VM matches %s %q; %q in the file differs only in case.",
				c.key,
				c.wanted,
				caseMatch,
			)
		case len(values) == 0:
			fmt.Fprintf(&hints, " No VM matches %s %q; the file contains no values.", c.key, c.wanted)
		default:
			names := slices.Sorted(maps.Keys(values))
			fmt.Fprintf(&hints, " No VM matches %s %q; the file contains %s.", c.key, c.wanted,
				quantity.Nearest(names, c.wanted))
		}
	}
	return hints.String()
}

// conditions returns the conditions that mismatchHint explains: all except the power state. columns are the headers of
// VM.KeptCells.
func (m *match) conditions(columns []string) []condition {
	all := []condition{
		equalCondition("cluster", m.cluster, func(vm *inventoryfile.VM) string { return vm.Cluster }),
		equalCondition("datacenter", m.datacenter, func(vm *inventoryfile.VM) string { return vm.Datacenter }),
		{
			"folder", m.folder, func(vm *inventoryfile.VM) string { return vm.Folder },
			func(value string) bool { return inventoryfile.IsBelow(value, m.folder) },
			func(value string) bool {
				return inventoryfile.IsBelow(strings.ToLower(value), strings.ToLower(m.folder))
			},
		},
	}
	all = slices.DeleteFunc(all, func(c condition) bool { return c.wanted == "" })
	if m.namePattern != nil {
		all = append(all, patternCondition("name", m.namePattern, func(vm *inventoryfile.VM) string { return vm.Name }))
	}
	for _, header := range slices.Sorted(maps.Keys(m.columns)) {
		at := slices.Index(columns, header)
		all = append(all, patternCondition("column "+header, m.columns[header], func(vm *inventoryfile.VM) string {
			return vm.KeptCells[at]
		}))
	}
	return all
}

func equalCondition(key, wanted string, value func(vm *inventoryfile.VM) string) condition {
	return condition{
		key,
		wanted,
		value,
		func(value string) bool { return value == wanted },
		func(value string) bool { return strings.EqualFold(value, wanted) },
	}
}

func patternCondition(key string, p *regexp.Regexp, value func(vm *inventoryfile.VM) string) condition {
	// A valid pattern remains valid with the case-insensitive flag.
	anyCase := regexp.MustCompile("(?i:" + p.String() + ")")
	return condition{key, p.String(), value, p.MatchString, anyCase.MatchString}
}

func (t *Tiers) readExclude() error {
	v, ok := t.document.values[keyExclude]
	if !ok || v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return t.document.problem(plan.Attr(keyExclude), "must be a list of conditions, with the same keys as match")
	}
	for i, element := range list {
		at := plan.Attr(keyExclude).Index(i)
		conditions, ok := element.(map[string]any)
		if !ok || len(conditions) == 0 {
			return t.document.problem(at, "must be a mapping with at least one condition")
		}
		m, err := t.document.readMatch(conditions, at)
		if err != nil {
			return err
		}
		t.exclude = append(t.exclude, m)
	}
	return nil
}
