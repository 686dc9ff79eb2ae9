package estate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/wording"
)

// Grouping is a way to assign the VMs of an inventory to tiers: a tier for each value of a property.
type Grouping struct {
	// Property is cluster, datacenter, folder or column; empty for a single tier with all VMs. Header is the header of
	// the column.
	Property, Header string
	// Values contains 2 to maxGroups values, sorted.
	Values []string
}

const maxGroups = inventoryfile.MaxSurveyed

// tierWords matches headers of columns that assign VMs to tiers.
var tierWords = regexp.MustCompile(
	`(?i)(^|[^a-z])(sla|tier|class|klasse|backup|critical\w*|kritikal\w*|priorit\w*|protection|schutz\w*|rpo|dr|` +
		`service|stage|env|environment|umgebung|level|group|gruppe|owner|department|` +
		`abteilung|application|app)($|[^a-z])`,
)

// promiseWords matches headers of columns that state what is promised to a VM.
var promiseWords = regexp.MustCompile(
	`(?i)(^|[^a-z])(sla|tier|class|klasse|backup|service|rpo|protection|schutz\w*)($|[^a-z])`)

// Groupings returns the ways to group the VMs of an inventory that was read with Options.Survey. The first one is that
// of the initial tiers file: a column that states what is promised, else the clusters or folders, else all VMs.
func Groupings(found inventoryfile.Inventory) []Grouping {
	var all, others []Grouping
	for _, column := range found.Surveyed {
		of := Grouping{"column", column.Header, column.Values}
		switch {
		case promiseWords.MatchString(column.Header):
			all = append(all, of)
		case tierWords.MatchString(column.Header):
			others = append(others, of)
		}
	}
	add := func(property string, values []string) {
		if len(values) > 1 && len(values) <= maxGroups {
			all = append(all, Grouping{Property: property, Values: values})
		}
	}
	add("cluster", distinct(found, func(vm *inventoryfile.VM) string { return vm.Cluster }))
	add("folder", folders(found))
	add("datacenter", distinct(found, func(vm *inventoryfile.VM) string { return vm.Datacenter }))
	return slices.Concat(all, []Grouping{{}}, others)
}

// folders returns the folders of the first level at which there are several.
func folders(found inventoryfile.Inventory) []string {
	const deepest = 8
	for depth := 1; depth <= deepest; depth++ {
		values := distinct(found, func(vm *inventoryfile.VM) string {
			parts := strings.Split(strings.Trim(vm.Folder, "/"), "/")
			if vm.Folder == "" || len(parts) < depth {
				return ""
			}
			return "/" + strings.Join(parts[:depth], "/")
		})
		if len(values) > 1 {
			return values
		}
	}
	return nil
}

func distinct(found inventoryfile.Inventory, of func(vm *inventoryfile.VM) string) []string {
	var values []string
	seen := map[string]bool{"": true}
	for i := range found.VMs {
		if value := of(&found.VMs[i]); !seen[value] {
			seen[value] = true
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values
}

// Label returns a name of the grouping for readers.
func (g Grouping) Label() string {
	return map[string]string{
		"":           "All VMs",
		"column":     g.Header,
		"cluster":    "Cluster",
		"folder":     "Folder",
		"datacenter": "Datacenter",
	}[g.Property]
}

// tierLines returns the tiers in a tiers file.
func (g Grouping) tierLines() string {
	if g.Property == "" {
		return "  - name: estate\n    match: {} # all VMs\n    rpo_minutes: 240\n"
	}
	var b strings.Builder
	for _, value := range g.Values {
		match := wording.EncodeYAML(value)
		if g.Property == "column" {
			pattern := "^" + regexp.QuoteMeta(value) + "$"
			match = fmt.Sprintf("{ %s: %s }", wording.EncodeYAML(g.Header), wording.EncodeYAML(pattern))
		}
		fmt.Fprintf(
			&b,
			"  - name: %s\n    match: { %s: %s }\n    rpo_minutes: 60\n",
			wording.EncodeYAML(value),
			g.Property,
			match,
		)
	}
	other := "other"
	for slices.Contains(g.Values, other) {
		other += " VMs"
	}
	fmt.Fprintf(&b, "  - name: %s\n    match: {} # all other VMs\n    rpo_minutes: 240\n", other)
	return b.String()
}
