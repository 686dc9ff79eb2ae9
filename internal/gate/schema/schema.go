// Package schema names the inputs and results that settings can bound, and the ones that a configuration can set.
package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// Plan is the data source whose tiers are promises.
const Plan = "vsla_sla_plan"

// Filters are the filters of vsla_virtual_machines, and FileFilters those of vsla_inventory_file with the digest of the
// file.
var (
	Filters     = []string{"cluster", "folder", "name_regex", "power_state", "tag_ids", "tag_match", "vm_ids"}
	FileFilters = []string{
		"sha256", "cluster", "columns", "datacenter", "exclude_placeholders", "exclude_templates", "folder", "format",
		"name_regex", "power_state",
	}
)

// measured lists the data sources that return measurements, with what settings can bound.
var measured = map[string][]string{
	"vsla_sla_compliance":      {"uncovered", "lookback_hours", "folder", "cluster"},
	"vsla_replication_history": {"compliance_percent"},
}

// Calculator returns the calculator of a data source, or nil.
func Calculator(kind string) *calculator.Calculator {
	for _, c := range registry.Calculators() {
		if !c.NoDataSource && c.DataSource() == kind {
			return c
		}
	}
	return nil
}

// Fields returns the fields below a path of a calculator, such as tiers of vsla_sla_plan. The path "" has the fields of
// the calculator itself.
func Fields(kind, path string) []calculator.Field {
	c := Calculator(kind)
	if c == nil {
		return nil
	}
	fields := c.Fields
	if path == "" {
		return fields
	}
	for name := range strings.SplitSeq(path, ".") {
		i := slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Name == name })
		if i < 0 {
			return nil
		}
		fields = fields[i].Fields
	}
	return fields
}

// Tier returns the names of what settings can bound in a tier.
func Tier() []string { return names(Fields(Plan, "tiers")) }

// Of returns the names of what settings can bound in a section. It returns false if there is no such result.
func Of(section, name string) ([]string, bool) {
	switch section {
	case "links":
		return append(names(Fields(Plan, "links")), "basis"), true
	case "targets":
		return append(names(Fields(Plan, "targets")), "headroom_percent"), true
	}
	if list, ok := measured[name]; ok {
		return list, true
	}
	list := names(Fields(name, ""))
	return list, list != nil
}

// Results returns the data sources with a result.
func Results() []string {
	all := slices.Collect(maps.Keys(measured))
	for _, c := range registry.Calculators() {
		if !c.NoDataSource {
			all = append(all, c.DataSource())
		}
	}
	return all
}

// Bases returns what can be known about a throughput.
func Bases() []string {
	fields := Fields(Plan, "links")
	return fields[slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Name == "throughput_basis" })].OneOf
}

func names(fields []calculator.Field) []string {
	var list []string
	for _, f := range fields {
		list = append(list, f.Name)
	}
	return list
}

// Nearest returns the name that is nearest to a misspelled one, or "" if none is near: in one letter, or in up to three
// if they are at most a third.
func Nearest(name string, known []string) string {
	best, at := "", 1+max(1, min(3, len(name)/3))
	for _, other := range known {
		if d := levenshtein.Distance(name, other, nil); d < at {
			best, at = other, d
		}
	}
	return best
}

// Misspelled checks a path such as tiers.*.peak_facto against the fields of a data source. It returns the part that
// does not exist and the nearest name.
func Misspelled(kind, path string) (part, near string) {
	fields := Fields(kind, "")
	steps := strings.Split(path, ".")
	for i := 0; i < len(steps); i++ {
		at := slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Input && f.Name == steps[i] })
		if at < 0 {
			return strings.Join(steps[:i+1], "."), Nearest(steps[i], names(fields))
		}
		f := fields[at]
		if len(f.Fields) == 0 {
			return "", "" // the keys of a map, or a number
		}
		fields = f.Fields
		if f.Kind == calculator.Objects {
			i++ // the key of an element
		}
	}
	return "", ""
}
