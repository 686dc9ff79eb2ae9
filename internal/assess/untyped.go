package assess

import "strings"

const prefix = "vsla_"

// newUntypedKind adds to a data source what all data sources without a Go type have in common.
func newUntypedKind(k Kind) *Kind {
	k.Title = strings.ReplaceAll(strings.TrimPrefix(k.Type, prefix), "_", " ")
	k.ID = "other"
	k.Section = "Other results"
	k.Intro = "Listed by attribute."
	k.read = readUntyped
	return &k
}

func readUntyped(map[string]any) (any, error) { return nil, nil } //nolint:nilnil // the result has no Go type

const vmSource = "vCenter's inventory"

// untypedKinds lists the data sources whose results are shown attribute by attribute.
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
