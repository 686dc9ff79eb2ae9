// Which VMs are in a tier.

package estate

import (
	"maps"
	"regexp"
	"slices"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
)

// match are conditions that must all hold.
type match struct {
	name, folder, cluster, datacenter, powerState string
	namePattern                                   *regexp.Regexp
	columns                                       map[string]*regexp.Regexp
}

func (d *document) readMatch(conditions map[string]any, at plan.Path) (match, error) {
	m := match{columns: map[string]*regexp.Regexp{}}
	texts := map[string]*string{
		"name": &m.name, "folder": &m.folder, "cluster": &m.cluster, "datacenter": &m.datacenter,
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
			return m, d.problem(at.Attr(key), "must be a text that is not empty")
		}
		*texts[key] = text
	}
	var err error
	if m.name != "" {
		if m.namePattern, err = regexp.Compile(m.name); err != nil {
			return m, d.problem(at.Attr("name"), "must be a regular expression: %v", err)
		}
	}
	if m.powerState != "" && !slices.Contains([]string{"poweredOn", "poweredOff", "suspended"}, m.powerState) {
		return m, d.problem(at.Attr("power_state"), "must be poweredOn, poweredOff or suspended, got %q", m.powerState)
	}
	columns, err := d.object(conditions, "column", at)
	if err != nil {
		return m, err
	}
	for _, header := range slices.Sorted(maps.Keys(columns)) {
		text, ok := columns[header].(string)
		if !ok {
			return m, d.problem(at.Attr("column").Attr(header), "must be a regular expression, in quotation marks")
		}
		if m.columns[header], err = regexp.Compile(text); err != nil {
			return m, d.problem(at.Attr("column").Attr(header), "must be a regular expression: %v", err)
		}
	}
	return m, nil
}

// fits reports whether a VM has all that a match asks for; columns are the headers of the VM's kept cells.
func (m *match) fits(vm *inventoryfile.VM, columns []string) bool {
	switch {
	case m.namePattern != nil && !m.namePattern.MatchString(vm.Name):
	case m.folder != "" && !inventoryfile.Below(vm.Folder, m.folder):
	case m.cluster != "" && m.cluster != vm.Cluster:
	case m.datacenter != "" && m.datacenter != vm.Datacenter:
	case m.powerState != "" && m.powerState != vm.PowerState:
	default:
		for header, pattern := range m.columns {
			if !pattern.MatchString(vm.Kept[slices.Index(columns, header)]) {
				return false
			}
		}
		return true
	}
	return false
}

// methodOf returns how a VM moves: what is off moves cold.
func methodOf(vm *inventoryfile.VM) string {
	if vm.PowerState == "poweredOff" {
		return migration.MethodCold
	}
	return migration.MethodVMotion
}
