// VMs and their promises, and results of types that have no other file here.

package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

func vmsKind() kind {
	return kind{
		name: "vsla_virtual_machines", id: "vms", title: "VMs",
		intro: "Sizes as vCenter reports them, or as a file has them.",
		fill:  fillVMs, overview: vmsOverview, source: "vCenter's inventory",
		arguments: []string{
			"folder", "cluster", "name_regex", "power_state", "tag_ids", "tag_match", "vm_ids", "read_disks",
			"read_disk_use", "summary_only",
		},
	}
}

func fileKind() kind {
	k := vmsKind()
	k.name, k.source = "vsla_inventory_file", "the inventory file"
	k.arguments = []string{
		"path", "format", "columns", "name_regex", "power_state", "cluster", "datacenter", "folder", "exclude_templates",
		"exclude_placeholders",
	}
	k.signature = []string{"virtual_machines", "skipped", "vm_count", "total_guest_used_gib"}
	return k
}

// plainArguments are the arguments of the data sources that are shown attribute by attribute.
var plainArguments = map[string][]string{
	"vsla_change_rates": {
		"vm_ids", "interval_seconds", "lookback_hours", "coalescing_factor", "size_basis", "vm_hourly_weights",
	},
	"vsla_cluster_pairs":                {"cluster_id"},
	"vsla_protection_groups":            {"cluster_id", "name_regex", "states", "read_virtual_machines"},
	"vsla_protection_members":           {"cluster_id", "protection_group_id", "tag_rules", "vm_ids", "vm_name_patterns"},
	"vsla_replication_datastores":       {"pairing_id", "vcenter_id", "name", "accessible_only"},
	"vsla_replication_pairing":          {"id", "remote_vcenter_id", "remote_vcenter_name"},
	"vsla_replication_seeds":            {"pairing_id", "datastore_id", "vm_ids", "folder", "vcenter_id"},
	"vsla_replication_servers":          {"pairing_id", "vcenter_id"},
	"vsla_replication_status":           {"pairing_id", "replication_id", "vm_id"},
	"vsla_replication_storage_policies": {"pairing_id", "vcenter_id"},
	"vsla_replication_vm":               {"pairing_id", "moid", "name", "vcenter_id"},
	"vsla_replications":                 {"pairing_id", "direction", "rpo_violation", "status", "read_disks"},
	"vsla_tag":                          {"category_id", "category_name", "id", "name"},
	"vsla_tag_category":                 {"id", "name"},
	"vsla_tagged_objects":               {"tag_ids", "object_type", "tag_match"},
	"vsla_tags":                         {"category_id", "category_name", "name_regex"},
}

// plainSources are those of them that measure what others assume.
var plainSources = map[string]string{"vsla_change_rates": "vCenter's statistics"}

func fillVMs(in *instance, s *Subject) {
	s.Facts = in.facts(inputsOf(in.kind)...)
	vms := in.vms()
	s.Summary = count(len(vms), "VM") + " with " + in.format("total_used_gib") + " in use"
	if provisioned, _ := in.number("total_provisioned_gib"); provisioned > 0 {
		s.Summary += " of " + in.format("total_provisioned_gib") + " provisioned"
	}
	s.Summary += "."
	if len(vms) == 0 {
		return
	}
	slices.SortStableFunc(vms, func(a, b vm) int {
		x, _ := a.number("used_gib")
		y, _ := b.number("used_gib")
		return cmp.Compare(y, x)
	})
	const largest = 10
	t := newTable("Largest VMs", "VM", "Id", "Power", "#Memory", "#Used", "#Provisioned", "#Disks")
	for _, m := range vms[:min(len(vms), largest)] {
		t.add(
			m.format("name"),
			clean(m.key),
			m.format("power_state"),
			m.format("memory_gib"),
			m.format("used_gib"),
			m.format("provisioned_gib"),
			m.format("disk_gib"),
		)
	}
	if len(vms) > largest {
		t.Note = "The 10 that use the most, of " + count(len(vms), "VM") + "."
	}
	s.Tables = append(s.Tables, t)
	s.Tables = append(s.Tables, skippedTables(in)...)
}

func vmsOverview(subjects []known) ([]Table, []Figure) {
	return []Table{
		overview(
			"Sums of the VMs",
			subjects,
			numeric("VMs", "vm_count"),
			numeric("Memory", "total_memory_gib"),
			numeric("Used", "total_used_gib"),
			numeric("Provisioned", "total_provisioned_gib"),
			numeric("Disks", "total_disk_gib"),
			numeric("Mean used", "mean_used_gib"),
		),
	}, []Figure{}
}

// VM is an element of a map of VMs.
type vm struct {
	*instance

	key string
}

// VMs returns the elements of virtual_machines, by key.
func (in *instance) vms() []vm {
	all := in.object("virtual_machines")
	list := make([]vm, 0, len(all))
	for _, key := range slices.SortedFunc(maps.Keys(all), natural) {
		values, _ := all[key].(map[string]any)
		list = append(list, vm{&instance{values: values}, key})
	}
	return list
}

// complaints are the lists of vsla_sla_compliance, with what they say of one VM and of several.
var complaints = []struct{ name, words, one, many string }{
	{
		"unprotected",
		"not replicated",
		"carries a tier's tag and is not replicated",
		"carry a tier's tag and are not replicated",
	},
	{
		"weaker_than_promised",
		"weaker than promised",
		"is replicated with a longer RPO than its tier promises",
		"are replicated with a longer RPO than their tier promises",
	},
	{"in_violation", "in violation", "is in violation of its RPO now", "are in violation of their RPO now"},
	{"several_tiers", "several tiers", "carries the tags of several tiers", "carry the tags of several tiers"},
	{
		"untagged_but_replicated",
		"no tier",
		"is replicated and carries no tier's tag",
		"are replicated and carry no tier's tag",
	},
}

func complianceKind() kind {
	return kind{
		name: complianceType, id: idCompliance, title: "Compliance with the SLA",
		intro: "What is replicated, compared with the promises that the tags make.",
		fill:  fillCompliance, promise: compliancePromise, sure: func(*instance) string { return "measured" },
		arguments: []string{
			"tiers",
			"pairing_id",
			"protection_clusters",
			"lookback_hours",
			"read_minutes_max",
			"folder",
			"cluster",
			"throughput_mbps",
			"efficiency_percent",
			"compression_ratio",
			"overhead_seconds",
			"peak_factor",
			"seeded_percent",
			"checksum_mbps",
			"source_read_mbps",
			"target_write_mbps",
			"target_write_factor",
			"deadline_hours",
			"growth_percent_per_year",
			"horizon_months",
		},
		signature: []string{"compliant", "unprotected", "weaker_than_promised", "virtual_machines"},
	}
}

func fillCompliance(in *instance, s *Subject) {
	s.Level, s.Verdict = in.level()
	said := make(map[string][]string)
	for _, c := range complaints {
		list := in.texts(c.name)
		for _, id := range list {
			said[id] = append(said[id], c.words)
		}
		sentence := c.many
		if len(list) == 1 {
			sentence = c.one
		}
		if len(list) > 0 {
			s.Reasons = append(s.Reasons, Reason{Code: c.name, Sentence: count(len(list), "VM") + " " + sentence + "."})
		}
	}
	s.Reasons = append(s.Reasons, periodReasons(in)...)
	vms := in.vms()
	if s.Summary == "" {
		s.Summary = "What the tiers promise is kept, for " + count(len(vms), "VM") + "."
		switch s.Level {
		case Holds:
		case Unknown:
			s.Summary = "Whether what the tiers promise is kept is not known: the account may not read every VM."
		default:
			s.Summary = "What the tiers promise is not kept: something is wrong with " + count(len(said), "VM") + "."
		}
	}
	tiers := newTable("Tiers", "Tier", "#Promised RPO")
	for _, name := range slices.SortedFunc(maps.Keys(in.object("tiers")), natural) {
		values, _ := in.object("tiers")[name].(map[string]any)
		tiers.add(clean(name), format("rpo_minutes", values["rpo_minutes"]))
	}
	if len(tiers.Rows) > 0 {
		s.Tables = append(s.Tables, tiers)
	}
	s.Tables = append(s.Tables, complianceTable(vms, said))
}

// complianceTable has problems first, then VMs that are only named in a list, then the others.
func complianceTable(vms []vm, said map[string][]string) Table {
	t := newTable(
		"VMs",
		"VM",
		"Id",
		"Tier",
		"#Promised RPO",
		"#Configured RPO",
		"Status",
		"Verdict",
		"What is wrong",
	)
	known := make(map[string]bool)
	for _, m := range vms {
		known[clean(m.key)] = true
	}
	for _, id := range slices.SortedFunc(maps.Keys(said), natural) {
		if !known[id] {
			vms = append(vms, vm{&instance{}, id})
		}
	}
	slices.SortStableFunc(vms, func(a, b vm) int {
		return cmp.Compare(min(1, len(said[clean(b.key)])), min(1, len(said[clean(a.key)])))
	})
	for _, m := range vms {
		id := clean(m.key)
		t.add(
			cmp.Or(m.text("name"), id),
			id,
			m.format("tier"),
			m.format("promised_rpo_minutes"),
			m.format("configured_rpo_minutes"),
			m.format("status"),
			m.format("verdict"),
			cmp.Or(strings.Join(said[id], ", "), none),
		)
	}
	t.keep(maxRows, "VM")
	return t
}

// fillGeneric shows every attribute: single values and lists as facts, objects as tables.
func fillGeneric(in *instance, s *Subject) {
	s.Level, s.Verdict = in.level()
	names := slices.Sorted(maps.Keys(in.values))
	for _, name := range names {
		switch v := in.values[name].(type) {
		case map[string]any:
			if t := genericTable(name, v); t != nil {
				s.Tables = append(s.Tables, *t)
			}
		case []any:
			members := make(map[string]any, len(v))
			objects := len(v) > 0
			for i, e := range v {
				members[decimal(float64(i+1))] = e
				_, object := e.(map[string]any)
				objects = objects && object
			}
			if objects {
				s.Tables = append(s.Tables, *genericTable(name, members))
			} else {
				s.Facts = append(s.Facts, in.facts(name)...)
			}
		default:
			s.Facts = append(s.Facts, in.facts(name)...)
		}
	}
}

// genericTable has a row for each member, and a column for each attribute that one of them has.
func genericTable(name string, members map[string]any) *Table {
	if len(members) == 0 {
		return nil
	}
	var columns []string
	for _, e := range members {
		object, ok := e.(map[string]any)
		if !ok {
			columns = nil
			break
		}
		for column := range object {
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	slices.Sort(columns)
	t := newTable(clean(label(name)), "Key")
	if len(columns) == 0 {
		t.Columns = append(t.Columns, "Value")
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, clean(label(c)))
	}
	for _, key := range slices.SortedFunc(maps.Keys(members), natural) {
		row := []string{clean(key)}
		object, _ := members[key].(map[string]any)
		for _, c := range columns {
			row = append(row, format(c, object[c]))
		}
		if len(columns) == 0 {
			row = append(row, format(name, members[key]))
		}
		t.add(row...)
	}
	t.keep(maxGeneric, "entry")
	return &t
}
