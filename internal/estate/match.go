// Which VMs are in a tier.

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

// count returns how many VMs have all that a match asks for.
func (m *match) count(found inventoryfile.Inventory) int {
	n := 0
	for i := range found.VMs {
		if m.fits(&found.VMs[i], found.Kept) {
			n++
		}
	}
	return n
}

// condition is a condition of a match, and how a VM has its value.
type condition struct {
	key, wanted  string
	of           func(vm *inventoryfile.VM) string
	fits, folded func(value string) bool
}

// hint returns which conditions no VM has, with the nearest values of the file; empty without one.
func (m *match) hint(found inventoryfile.Inventory) string {
	var hints strings.Builder
	for _, c := range m.conditions(found.Kept) {
		near, values, fits := "", map[string]bool{}, false
		for i := range found.VMs {
			value := c.of(&found.VMs[i])
			if fits = c.fits(value); fits {
				break
			}
			if near == "" && c.folded(value) {
				near = value
			}
			values[value] = true
		}
		delete(values, "")
		switch {
		case fits:
		case near != "":
			fmt.Fprintf(&hints, " Its %s %q differs from %q in the file only in case.", c.key, c.wanted, near)
		case len(values) == 0:
			fmt.Fprintf(&hints, " Its %s %q fits no VM, and the file has no values.", c.key, c.wanted)
		default:
			names := slices.Sorted(maps.Keys(values))
			fmt.Fprintf(&hints, " Its %s %q fits no VM; the file has %s.", c.key, c.wanted, quantity.Nearest(names, c.wanted))
		}
	}
	return hints.String()
}

// conditions returns the conditions on texts; columns are the headers of a VM's kept cells.
func (m *match) conditions(columns []string) []condition {
	all := []condition{
		equal("cluster", m.cluster, func(vm *inventoryfile.VM) string { return vm.Cluster }),
		equal("datacenter", m.datacenter, func(vm *inventoryfile.VM) string { return vm.Datacenter }),
		{
			"folder", m.folder, func(vm *inventoryfile.VM) string { return vm.Folder },
			func(value string) bool { return inventoryfile.Below(value, m.folder) },
			func(value string) bool { return inventoryfile.Below(strings.ToLower(value), strings.ToLower(m.folder)) },
		},
	}
	all = slices.DeleteFunc(all, func(c condition) bool { return c.wanted == "" })
	if m.namePattern != nil {
		all = append(all, pattern("name", m.namePattern, func(vm *inventoryfile.VM) string { return vm.Name }))
	}
	for _, header := range slices.Sorted(maps.Keys(m.columns)) {
		at := slices.Index(columns, header)
		all = append(all, pattern("column "+header, m.columns[header], func(vm *inventoryfile.VM) string {
			return vm.Kept[at]
		}))
	}
	return all
}

func equal(key, wanted string, of func(vm *inventoryfile.VM) string) condition {
	return condition{
		key, wanted, of, func(value string) bool { return value == wanted },
		func(value string) bool { return strings.EqualFold(value, wanted) },
	}
}

func pattern(key string, p *regexp.Regexp, of func(vm *inventoryfile.VM) string) condition {
	// A pattern that compiles does so without case as well.
	anyCase := regexp.MustCompile("(?i:" + p.String() + ")")
	return condition{key, p.String(), of, p.MatchString, anyCase.MatchString}
}
