package assess

import (
	"slices"
	"strings"
	"sync"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// TypeMigration is the data source that plans migrations.
const TypeMigration = "vsla_migration_plan"

const prefix = "vsla_"

// Kinds returns all data sources in the order in which a review shows them.
var Kinds = sync.OnceValue(func() []*Kind {
	all := []*Kind{complianceKind(), historyKind()}
	for _, c := range registry.Calculators() {
		if !c.NoDataSource {
			all = append(all, calculatorKind(c))
		}
	}
	for _, k := range untypedKinds {
		k.ID = "other"
		k.Section = "Other results"
		k.Intro = "Listed by attribute."
		k.read = readUntyped
		k.Title = strings.ReplaceAll(strings.TrimPrefix(k.Type, prefix), "_", " ")
		all = append(all, &k)
	}
	return all
})

func readUntyped(map[string]any) (any, error) { return nil, nil } //nolint:nilnil // the result has no Go type

// KindOf returns the kind of a data source. For an unknown data source, it returns a kind whose results are shown
// attribute by attribute.
func KindOf(name string) *Kind {
	all := Kinds()
	if i := slices.IndexFunc(all, func(k *Kind) bool { return k.Type == name }); i >= 0 {
		return all[i]
	}
	other := *all[len(all)-1]
	other.Type = name
	other.Arguments = nil
	other.Source = ""
	other.Title = strings.ReplaceAll(strings.TrimPrefix(name, prefix), "_", " ")
	return &other
}

func calculatorKind(c *calculator.Calculator) *Kind {
	k := &Kind{
		Type:       c.DataSource(),
		Title:      c.Title,
		ID:         c.Command,
		Section:    c.Title + "s",
		Intro:      c.Summary + ".",
		Calculator: c,
		Source:     sources[c.Command],
		Rules:      rules[c.Command],
		read:       c.Read,
	}
	for _, f := range c.Inputs() {
		k.Arguments = append(k.Arguments, f.Name)
	}
	return k
}

var sources = map[string]string{"link": "the link calculation", "calibration": "a measured sync"}

const vmSource = "vCenter's inventory"

// untypedKinds lists the data sources whose results are shown attribute by attribute. The last kind is also used for
// unknown data sources.
var untypedKinds = []Kind{
	{
		Type:   "vsla_virtual_machines",
		Source: vmSource,
		Arguments: []string{
			"folder", "cluster", "name_regex", "power_state", "tag_ids", "tag_match", "vm_ids", "read_disks",
			"read_disk_use", "summary_only",
		},
	},
	{
		Type:   "vsla_inventory_file",
		Source: "the inventory file",
		Arguments: []string{
			"path", "format", "columns", "name_regex", "power_state", "cluster", "datacenter", "folder",
			"exclude_templates", "exclude_placeholders", "allow_duplicate_names",
		},
	},
	{
		Type:   "vsla_change_rates",
		Source: "vCenter's statistics",
		Arguments: []string{
			"vm_ids", "interval_seconds", "lookback_hours", "coalescing_factor", "size_basis", "vm_hourly_weights",
		},
	},
	{Type: "vsla_cluster_pairs", Arguments: []string{"cluster_id"}},
	{
		Type:      "vsla_protection_groups",
		Arguments: []string{"cluster_id", "name_regex", "states", "read_virtual_machines"},
	},
	{
		Type: "vsla_protection_members",
		Arguments: []string{
			"cluster_id", "protection_group_id", "tag_rules", "vm_ids", "vm_name_patterns",
		},
	},
	{Type: "vsla_replication_link", Arguments: []string{"pairing_id", "source_cluster_id", "target_cluster_id"}},
	{Type: "vsla_replication_pairing", Arguments: []string{"id", "remote_vcenter_id", "remote_vcenter_name"}},
	{
		Type:      "vsla_replication_seeds",
		Arguments: []string{"pairing_id", "datastore_id", "vm_ids", "folder", "vcenter_id"},
	},
	{
		Type: "vsla_replication_site",
		Arguments: []string{
			"pairing_id", "vcenter_id", "read", "datastore_name", "accessible_only",
		},
	},
	{Type: "vsla_replication_vm", Arguments: []string{"pairing_id", "moid", "name", "vcenter_id"}},
	{
		Type: "vsla_replications",
		Arguments: []string{
			"pairing_id", "vm_id", "direction", "rpo_violation", "status", "read_disks", "read_issues",
		},
	},
	{Type: "vsla_tag", Arguments: []string{"category_id", "category_name", "id", "name"}},
	{Type: "vsla_tag_category", Arguments: []string{"id", "name"}},
	{Type: "vsla_tagged_objects", Arguments: []string{"tag_ids", "object_type", "tag_match"}},
	{Type: "vsla_tags", Arguments: []string{"category_id", "category_name", "name_regex"}},
}
