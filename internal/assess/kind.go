package assess

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/wording"
)

// Data sources that return measurements. The Go types of their results are defined in this package.
const (
	TypeCompliance = "vsla_sla_compliance"
	TypeHistory    = "vsla_replication_history"
)

// TypeMigration is the data source that plans migrations.
const TypeMigration = "vsla_migration_plan"

const prefix = "vsla_"

// Kind describes a data source, or a part of vsla_sla_plan.
type Kind struct {
	// Type is the data source type. Title is the title of a single result.
	Type, Title string
	// ID, Section and Intro are the ID, title and introduction of the section that contains the results.
	ID, Section, Intro string
	// Calculator describes the inputs and results; nil for a data source that returns measurements.
	Calculator *calculator.Calculator
	// Arguments lists the inputs in documentation order.
	Arguments []string
	// Source is the phrase for this data source when it is the origin of another result's inputs, for example "the
	// inventory file". If it is empty, only the address is shown.
	Source string
	Rules  []Rule

	read func(map[string]any) (any, error)
}

// Rule is a rule of a calculation and its source.
type Rule struct{ Text, Source string }

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

func decoder[T any](values map[string]any) (any, error) {
	text, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	to := new(T)
	if err := json.Unmarshal(text, to); err != nil {
		return nil, err
	}
	return to, nil
}

var sources = map[string]string{"link": "the link calculation", "calibration": "a measured sync"}

var rules = map[string][]Rule{
	"replication": rpoRules,
	"plan":        scheduleRules,
	"vmotion": {{
		"Memory is copied in rounds until the rest fits in the switchover. A migration requires 250 Mbit/s and at " +
			"most 150 ms RTT.",
		"vSphere 6.5 documentation, vMotion networking requirements; Broadcom KB 2106949",
	}},
	"migration": {{
		"Each migration uses slots of its hosts, network adapters and datastores.",
		"vSphere 6.7 documentation, limits on simultaneous migrations",
	}},
}

var rpoRules = append(slices.Clip(scheduleRules), Rule{
	"A published test only requires that the changes of one cycle can be sent within the RPO. It does not decide the " +
		"verdict.",
	"VMware performance blog on vSphere Replication 6.0",
})

const rpoGuide = "vSphere Replication documentation, How the Recovery Point Objective Affects Replication Scheduling " +
	"(5.5 to 9.0)"

var scheduleRules = []Rule{
	{
		"A sync starts at most one configured RPO after the previous one, so a recovery point is at most as old as " +
			"the configured RPO and the next sync together. Concurrent syncs share the link equally.",
		rpoGuide,
	},
	{"There are no violations of the configured RPO while a sync takes at most half of it.", rpoGuide},
}

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

// Fact is an attribute of a result with its value.
type Fact struct {
	calculator.Field

	// Label is the readable name without the unit.
	Label string
	// Value is a number, a string or a bool; nil if the value is missing or has members.
	Value any
	// Texts contains the elements of a list of scalar values.
	Texts []string
	// Members contains the elements of a map or, if Listed is set, the numbered elements of a list of objects.
	Members []Member
	Listed  bool
	// Override, if set, replaces the text derived from the name and the value.
	Override string
}

// Member is an element of a map, a list or an object.
type Member struct {
	Key   string
	Facts []Fact
}

// Text formats the value with its unit.
func (f *Fact) Text() string {
	switch {
	case f.Override != "":
		return f.Override
	case f.Members != nil:
		return wording.Count(len(f.Members), "entry")
	case f.Texts != nil:
		list := make([]any, len(f.Texts))
		for i, text := range f.Texts {
			list[i] = text
		}
		return wording.Listed(list, wording.MaxListed)
	}
	return wording.Value(f.Name, f.Value)
}

// HasValue reports whether the fact has a value.
func (f *Fact) HasValue() bool { return f.Value != nil || f.Texts != nil || f.Members != nil }

var shownElsewhere = []string{"summary", "reasons", "explanations", "verdict"}

// Facts returns the inputs followed by the results. It omits attributes that are shown elsewhere, such as the summary.
// It returns nothing for a withheld result, and only the inputs of a deferred result.
func (a *Assessment) Facts() []Fact {
	if a.Withheld() {
		return nil
	}
	if a.facts == nil {
		fields := a.fields()
		if a.Deferred != "" {
			fields = slices.DeleteFunc(fields, func(f calculator.Field) bool { return !f.Input })
		}
		a.facts = factsOf(fields, a.Values)
		a.boundDowntime()
	}
	return a.facts
}

// boundDowntime marks the downtime of a migration as a lower bound if it is not known how fast memory changes.
func (a *Assessment) boundDowntime() {
	i := slices.IndexFunc(a.facts, func(f Fact) bool { return f.Name == "worst_downtime_seconds" && f.HasValue() })
	if i >= 0 && slices.ContainsFunc(a.Reasons, func(r Reason) bool { return r.Code == "dirty_rate_unknown" }) {
		a.facts[i].Override = "at least " + a.facts[i].Text()
	}
}

// Given returns the inputs of a result, even if they are sensitive.
func (a *Assessment) Given() []Fact {
	return factsOf(slices.DeleteFunc(a.fields(), func(f calculator.Field) bool { return !f.Input }), a.Values)
}

// Inputs returns the inputs of a result, including those that are not set.
func (a *Assessment) Inputs() []Fact {
	return slices.DeleteFunc(slices.Clone(a.Facts()), func(f Fact) bool { return !f.Input })
}

// fields returns the attributes of a result. An attribute that the calculator does not describe has only a name.
func (a *Assessment) fields() []calculator.Field {
	fields := []calculator.Field{}
	if c := a.Kind.Calculator; c != nil {
		fields = append(fields, c.Inputs()...)
		fields = append(fields, slices.DeleteFunc(c.Results(), func(f calculator.Field) bool { return f.Input })...)
	} else {
		for _, name := range a.Kind.Arguments {
			fields = append(fields, calculator.Field{Name: name, Input: true})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		if !slices.ContainsFunc(fields, func(f calculator.Field) bool { return f.Name == name }) {
			fields = append(fields, calculator.Field{Name: name, Result: true})
		}
	}
	return slices.DeleteFunc(fields, func(f calculator.Field) bool { return slices.Contains(shownElsewhere, f.Name) })
}

func factsOf(fields []calculator.Field, values map[string]any) []Fact {
	facts := make([]Fact, 0, len(fields))
	for _, f := range fields {
		facts = append(facts, factOf(f, values[f.Name]))
	}
	return facts
}

func factOf(f calculator.Field, v any) Fact {
	fact := Fact{Field: f, Label: wording.Label(f.Name)}
	switch v := v.(type) {
	case map[string]any:
		fact.Members = []Member{}
		if f.Kind == calculator.Object && len(f.Fields) > 0 {
			fact.Members = append(fact.Members, Member{Facts: factsOf(f.Fields, v)})
			return fact
		}
		for _, key := range slices.SortedFunc(maps.Keys(v), wording.Natural) {
			fact.Members = append(fact.Members, Member{key, memberOf(f, v[key])})
		}
	case []any:
		if len(v) == 0 || !isObject(v[0]) {
			fact.Texts = texts(v)
			return fact
		}
		fact.Listed = true
		for i, e := range v {
			fact.Members = append(fact.Members, Member{wording.Decimal(float64(i + 1)), memberOf(f, e)})
		}
	default:
		fact.Value = v
	}
	return fact
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

func memberOf(f calculator.Field, v any) []Fact {
	values, ok := v.(map[string]any)
	if !ok {
		f.Fields = nil
		return []Fact{factOf(f, v)}
	}
	fields := f.Fields
	if len(fields) == 0 {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			fields = append(fields, calculator.Field{Name: name, Input: f.Input, Result: f.Result})
		}
	}
	return factsOf(slices.DeleteFunc(slices.Clone(fields), func(m calculator.Field) bool {
		return slices.Contains(shownElsewhere, m.Name) && m.Name != "verdict"
	}), values)
}
