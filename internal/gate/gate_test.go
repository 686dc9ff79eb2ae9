package gate_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/gate"
	"terraform-provider-vsla/internal/gate/format"
	"terraform-provider-vsla/internal/gate/judge"
	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/plan/calculator"
)

type document = map[string]any

// base is a plan that passes. The keys of results, changes and blocks are addresses.
type base struct {
	Settings, Plan           document
	Results, Changes, Blocks map[string]document
}

type row struct {
	Name, Codes, Author string
	Settings, Plan      document
	Results             map[string]document
	Changes             map[string]document
	Blocks              map[string]document
	Drift               map[string]document
}

func load[T any](t *testing.T, name string) (into T) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &into))
	return into
}

// merged returns a with the values of b. Null removes a value of a map.
func merged(a, b document) document {
	all := maps.Clone(a)
	if all == nil {
		all = document{}
	}
	for key, value := range b {
		was, isMap := all[key].(document)
		is, stays := value.(document)
		if isMap && stays {
			all[key] = merged(was, is)
		} else {
			all[key] = value
		}
	}
	return all
}

func mergedBy(a, b map[string]document) map[string]document {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]document{}
	}
	for address, value := range b {
		if value == nil {
			delete(all, address)
			continue
		}
		all[address] = merged(all[address], value)
	}
	return all
}

// instance returns a record of a plan for an address.
func instance(address, key string, value document) document {
	local := address
	for strings.HasPrefix(local, "module.") {
		local = strings.SplitN(local, ".", 3)[2]
	}
	local, isData := strings.CutPrefix(local, "data.")
	record := document{
		"address":       address,
		"mode":          map[bool]string{true: "data", false: "managed"}[isData],
		"type":          strings.Split(local, ".")[0],
		"provider_name": "registry.terraform.io/vsla/vsla",
	}
	if key == "" {
		return merged(record, merged(document{"provider_config_key": "vsla"}, value))
	}
	record[key] = value
	if previous, ok := value["previous_address"]; ok {
		record["previous_address"] = previous
	}
	return record
}

func records(all map[string]document, key string) []any {
	list := []any{}
	for _, address := range slices.Sorted(maps.Keys(all)) {
		list = append(list, instance(address, key, all[address]))
	}
	return list
}

// plan returns the JSON of a row's plan.
func (b base) plan(t *testing.T, r row) document {
	t.Helper()
	parts := document{
		"prior_state": document{"values": document{"root_module": document{
			"resources": records(mergedBy(b.Results, r.Results), "values"),
		}}},
		"resource_changes": records(mergedBy(b.Changes, r.Changes), "change"),
		"resource_drift":   records(r.Drift, "change"),
		"configuration":    document{"root_module": document{"resources": records(mergedBy(b.Blocks, r.Blocks), "")}},
	}
	text, err := json.Marshal(merged(merged(b.Plan, parts), r.Plan))
	require.NoError(t, err)
	var plain document
	require.NoError(t, json.Unmarshal(text, &plain))
	return plain
}

var today = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

func read(t *testing.T, plan document) *tfplan.Plan {
	t.Helper()
	text, err := json.Marshal(plan)
	require.NoError(t, err)
	p, err := tfplan.Read(text)
	require.NoError(t, err)
	return p
}

func decide(t *testing.T, plan document, s document, author string) gate.Decision {
	t.Helper()
	p := read(t, plan)
	lines, err := yaml.Marshal(withoutNull(s))
	require.NoError(t, err)
	valid, err := settings.Read(bytes.NewReader(lines), "policy.yaml")
	require.NoError(t, err)
	return gate.Evaluate(p, valid, gate.Context{Today: today, Author: author})
}

func withoutNull(s document) document {
	all := document{}
	for key, value := range s {
		if inner, ok := value.(document); ok {
			value = withoutNull(inner)
		}
		if value != nil {
			all[key] = value
		}
	}
	return all
}

func codes(d gate.Decision) string {
	var all []string
	for _, f := range d.Denied {
		all = append(all, string(f.Code))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

func messages(d gate.Decision) string {
	var all []string
	for _, f := range d.Denied {
		all = append(all, string(f.Code)+": "+f.Subject+" "+f.Message)
	}
	return strings.Join(all, "\n")
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	for _, r := range load[[]row](t, "plans.yaml") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			d := decide(t, b.plan(t, r), merged(b.Settings, r.Settings), r.Author)
			assert.Equal(t, r.Codes, codes(d), messages(d))
			assert.Equal(t, r.Codes == "", d.Passes)
		})
	}
}

// TestEvaluate_headline verifies that the headline of the comment states the decision, which is the exit code.
func TestEvaluate_headline(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	for _, r := range load[[]row](t, "plans.yaml") {
		d := decide(t, b.plan(t, r), merged(b.Settings, r.Settings), r.Author)
		want := `^## [✓!–] Passes\b`
		if !d.Passes {
			want = `^## ✕ Denied\b`
		}
		var comment strings.Builder
		require.NoError(t, format.Report{Decision: d}.WriteMarkdown(&comment))
		assert.Regexp(t, want, comment.String(), r.Name)
	}
}

// TestEvaluate_lists verifies that a message with a part of a list says so.
func TestEvaluate_lists(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	r := row{Results: map[string]document{
		"data.vsla_sla_compliance.site": {
			"in_violation": []any{"a", "b", "c", "d", "e", "f", "g"},
		},
		"data.vsla_sla_plan.estate": {"links": document{"metro": document{
			"hourly_throughput_mbps": []any{1, 2, 3, 4, 5, 6},
		}}},
	}}
	says := messages(decide(t, b.plan(t, r), b.Settings, ""))
	assert.Contains(t, says, "has VMs in violation of their RPO: a, b, c, d, e and 2 more")
	s := merged(b.Settings, document{"links": document{"metro": document{"hourly_throughput_mbps": []any{1}}}})
	assert.Contains(t, messages(decide(t, b.plan(t, r), s, "")),
		"has hourly_throughput_mbps = [1, 2, 3, 4, 5 and 1 more]; the settings allow only [1]")
}

// TestEvaluate_differences verifies that a message about an object or a list states where it differs from the settings.
func TestEvaluate_differences(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	hours := func(changed int) []any {
		values := make([]any, 24)
		for hour := range values {
			values[hour] = 9
			if hour < changed {
				values[hour] = 8
			}
		}
		return values
	}
	network := document{
		"bandwidth_mbps": 1000,
		"loss_percent":   nil,
		"mss_bytes":      1460,
		"mtu_bytes":      1500,
		"rtt_ms":         20,
		"streams":        8,
	}
	points := document{"min_days": 4, "min_instances_per_day": 6}
	slow := merged(network, document{"loss_percent": 1, "rtt_ms": nil})
	for _, test := range []struct {
		section, name, key string
		allowed, is        any
		want               string
	}{
		{
			section: "links",
			name:    "metro",
			key:     "network",
			allowed: network,
			is:      merged(network, document{"streams": 16}),
			want:    "link metro has network.streams = 16; the settings allow only 8",
		},
		{
			section: "links",
			name:    "metro",
			key:     "network",
			allowed: network,
			is:      slow,
			want: "link metro has network.rtt_ms = null (only 20), network.loss_percent = 1 (not listed); the " +
				"settings allow what is in parentheses",
		},
		{
			section: "links",
			name:    "metro",
			key:     "network",
			allowed: network,
			want: "link metro has network = null; the settings allow only {bandwidth_mbps = 1000, mss_bytes = 1460, " +
				"mtu_bytes = 1500, rtt_ms = 20, streams = 8}",
		},
		{
			section: "links",
			name:    "metro",
			key:     "hourly_throughput_mbps",
			allowed: hours(0),
			is:      hours(1),
			want:    "link metro has hourly_throughput_mbps[0] = 8; the settings allow only 9",
		},
		{
			section: "links",
			name:    "metro",
			key:     "hourly_throughput_mbps",
			allowed: hours(0),
			is:      hours(6),
			want: "link metro has hourly_throughput_mbps[0] = 8 (only 9), hourly_throughput_mbps[1] = 8 (only 9), " +
				"hourly_throughput_mbps[2] = 8 (only 9) and 3 more; the settings allow what is in parentheses",
		},
		{
			section: "links",
			name:    "metro",
			key:     "max_hourly_throughput_mbps",
			allowed: 8.5,
			is:      hours(23),
			want:    "link metro has hourly_throughput_mbps[23] = 9; the settings allow at most 8.5",
		},
		{
			section: "tiers",
			name:    "gold",
			key:     "point_in_time",
			allowed: points,
			is:      document{"days": 3, "instances_per_day": 6},
			want:    "gold has point_in_time.days = 3; the settings allow at least 4",
		},
		{
			section: "tiers",
			name:    "gold",
			key:     "point_in_time",
			allowed: points,
			want: "gold has point_in_time = null; the settings allow only {min_days = 4, " +
				"min_instances_per_day = 6}",
		},
	} {
		input := strings.TrimPrefix(test.key, "max_")
		inputs := document{test.section: document{test.name: document{input: test.is}}}
		section := map[string]string{"tiers": "promises"}[test.section]
		allowed := document{cmp.Or(section, test.section): document{test.name: document{test.key: test.allowed}}}
		r := row{Results: map[string]document{"data.vsla_sla_plan.estate": inputs}}
		says := messages(decide(t, b.plan(t, r), merged(b.Settings, allowed), ""))
		assert.Contains(t, says+"\n", ": "+test.want+" (policy.yaml:")
	}
}

// TestEvaluate_basis verifies that a message about the basis of a throughput names the key of the settings.
func TestEvaluate_basis(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	const estimate = "vsla_replication_estimate"
	transfer := document{"throughput_basis": "transfer"}
	r := row{Results: map[string]document{
		"data.vsla_sla_plan.estate":  {"links": document{"metro": transfer}},
		"data." + estimate + ".gold": transfer,
	}}
	for _, test := range []struct {
		settings document
		want     string
	}{
		{
			document{},
			"link metro has throughput_basis = transfer; without basis, the settings allow at most nominal (policy",
		},
		{
			document{"links": document{"metro": document{"basis": "network"}}},
			"link metro has throughput_basis = transfer; the settings allow at most network (policy.yaml:",
		},
		{
			document{"results": document{estimate: document{"throughput_basis": nil}}},
			"data.vsla_replication_estimate.gold has throughput_basis = transfer; without throughput_basis, the " +
				"settings allow at most nominal (policy.yaml:",
		},
	} {
		says := messages(decide(t, b.plan(t, r), merged(b.Settings, test.settings), ""))
		assert.Contains(t, says, ": "+test.want)
	}
}

// TestEvaluate_divided verifies that tiers that miss on one link do not pass by dividing them among two plans: each of
// them counts all 1,000 Mbit/s.
func TestEvaluate_divided(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	r := row{Results: map[string]document{"data.vsla_sla_plan.second": b.Results["data.vsla_sla_plan.estate"]}}
	says := messages(decide(t, b.plan(t, r), b.Settings, ""))
	assert.Contains(t, says, "input_out_of_bounds: link metro is used by 2 plans (data.vsla_sla_plan.estate, "+
		"data.vsla_sla_plan.second), and each counts all of it; the settings allow 1 (policy.yaml:")
	s := merged(b.Settings, document{"links": document{"metro": document{"plans": 2}}})
	assert.NotContains(t, messages(decide(t, b.plan(t, r), s, "")), "link metro is used by")
}

// general bounds the tiers that are not named.
var general = document{"promises": document{"*": document{
	"max_rpo_minutes":          240,
	"min_daily_change_percent": 1,
	"min_peak_factor":          3,
}}}

// TestEvaluate_line verifies that a message about VMs that changed for good names the line of the settings to change:
// that of the tier, or of "*" for a tier that they do not name.
func TestEvaluate_line(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	lines, err := yaml.Marshal(merged(b.Settings, general))
	require.NoError(t, err)
	line := func(text string) string {
		before, _, _ := strings.Cut(string(lines), text)
		return fmt.Sprintf("(policy.yaml:%d)", strings.Count(before, "\n")+1)
	}
	another := document{"virtual_machines": document{"vm-2": document{"name": "db-2", "used_gib": 1}}}
	const gold, plan = "data.vsla_virtual_machines.gold", "data.vsla_sla_plan.estate"
	web := document{
		"tiers": document{"tin": document{
			"rpo_minutes":          240,
			"daily_change_percent": 1,
			"peak_factor":          3,
			"target":               "dr",
			"virtual_machines":     document{"web-3": document{"size_gib": 10}},
		}},
		"promises": document{"tin": document{"verdict": "meets", "late_vm_count": 0, "explanations": []any{}}},
	}
	longer := document{"tiers": document{"gold": document{"rpo_minutes": 16}}}
	const rpo = "gold promises an RPO of 16 minutes; the settings promise 15 "
	const filters = "gold selects VMs by filters that no data source of the plan has "
	const tierLists = "tin lists VMs that nothing in the settings confirms: name it in promises, with selects or " +
		"tag if a data source of the plan lists them, else virtual_machines "
	for _, test := range []struct {
		results map[string]document
		says    string
		line    string
	}{
		{
			map[string]document{gold: another},
			"gold has 1 VM that tier gold omits or understates: vm-2 ",
			"name_regex: ^db-",
		},
		{map[string]document{gold: another}, "gold selects 1 VM without the tag sla/gold: vm-2 ", "name_regex: ^db-"},
		{map[string]document{gold: {"folder": "/DC/vm/a"}}, filters, "name_regex: ^db-"},
		{map[string]document{plan: longer}, rpo, "rpo_minutes: 15"},
		{map[string]document{plan: web}, tierLists, "max_rpo_minutes: 240"},
	} {
		r := row{Results: test.results}
		says := messages(decide(t, b.plan(t, r), merged(b.Settings, general), ""))
		assert.Contains(t, says, ": "+test.says+line(test.line))
	}
}

// TestEvaluate_planFile verifies that a list that depends on the key is no list of IDs if the plan file shows that a
// data source returns it.
func TestEvaluate_planFile(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	const address = "vsla_tag_association.gold"
	references := []any{"each.key", "data.vsla_virtual_machines.gold", "each.key"}
	r := row{Blocks: map[string]document{
		address: {"expressions": document{"object_ids": document{"references": references}}},
	}}
	lines, err := yaml.Marshal(b.Settings)
	require.NoError(t, err)
	yes := map[string]bool{address: true}
	for _, test := range []struct {
		file *tfplan.File
		want string
	}{
		{nil, "not_counted"},
		{&tfplan.File{}, "not_counted"},
		{&tfplan.File{Selected: yes}, ""},
		{&tfplan.File{Selected: yes, Literals: yes}, "not_counted"},
	} {
		s, err := settings.Read(bytes.NewReader(lines), "policy.yaml")
		require.NoError(t, err)
		p := read(t, b.plan(t, r))
		p.File = test.file
		assert.Equal(t, test.want, codes(gate.Evaluate(p, s, gate.Context{Today: today})))
	}
}

// TestEvaluate_unseen verifies that a note lists the arguments whose names only the plan file shows.
func TestEvaluate_unseen(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	variable := document{"references": []any{"var.prod"}}
	unseen := func(file *tfplan.File, address string, expressions document) string {
		p := read(t, b.plan(t, row{Blocks: map[string]document{address: {"expressions": expressions}}}))
		p.File = file
		lines, err := yaml.Marshal(b.Settings)
		require.NoError(t, err)
		s, err := settings.Read(bytes.NewReader(lines), "policy.yaml")
		require.NoError(t, err)
		notes := gate.Evaluate(p, s, gate.Context{Today: today}).Notes
		return strings.Join(slices.DeleteFunc(notes, func(note string) bool {
			return !strings.Contains(note, "has expressions")
		}), "\n")
	}
	const plan, says = "data.vsla_sla_plan.estate", " has expressions whose names cannot be seen without --plan-file "
	for _, test := range []struct {
		address, want string
		expressions   document
	}{
		{plan, plan + says + "(links, tiers)", document{"tiers": variable, "links": variable}},
		{plan, "", document{"tiers": document{"constant_value": document{}}}},
		{plan, "", document{"growth_percent_per_year": variable}},
		{"vsla_replication.db", "vsla_replication.db" + says + "(disks)", document{"disks": variable}},
		{"vsla_replication.db", "", document{"rpo_minutes": variable}},
	} {
		got, _, _ := strings.Cut(unseen(nil, test.address, test.expressions), ":")
		assert.Equal(t, test.want, got)
		assert.Empty(t, unseen(&tfplan.File{}, test.address, test.expressions))
	}
}

// TestEvaluate_longerRPO verifies that a longer RPO is stated with the one before, even below the promise of 15.
func TestEvaluate_longerRPO(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	const replication, group = "vsla_replication.db", "vsla_protection_group.gold"
	pinned := func(minutes int) document {
		return document{"vm_id": "VirtualMachine:vm-42:x", "pairing_id": "pair", "rpo_minutes": minutes}
	}
	grouped := func(minutes int) document {
		return document{"name": "gold", "members": []any{}, "replication": document{"rpo_minutes": minutes}}
	}
	update := []any{"update"}
	for _, test := range []struct {
		address, want string
		change        document
	}{
		{
			replication, "weaker_than_tier: vm-42 has a longer RPO: 12 minutes instead of 10",
			document{"actions": update, "before": pinned(10), "after": pinned(12)},
		},
		{
			group, "weaker_than_tier: " + group + " has a longer RPO: 12 minutes instead of 10",
			document{"actions": update, "before": grouped(10), "after": grouped(12)},
		},
		{
			replication, "weaker_than_tier: vm-42 has an RPO that is known only after apply; it was 10 minutes",
			document{
				"actions":       update,
				"before":        pinned(10),
				"after":         document{"rpo_minutes": nil},
				"after_unknown": document{"rpo_minutes": true},
			},
		},
	} {
		r := row{Changes: map[string]document{test.address: test.change}}
		says := messages(decide(t, b.plan(t, r), b.Settings, ""))
		assert.Contains(t, says+"\n", test.want+"\n", test.address)
	}
}

// TestEvaluate_formerFormat verifies that a plan of a former format is told apart from what is no plan.
func TestEvaluate_formerFormat(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	for version, want := range map[string]string{
		"0.2": "plan has format_version 0.2, which Terraform before 1.1 writes, ",
		"2.0": "plan is not the JSON of a plan, ",
	} {
		says := messages(decide(t, b.plan(t, row{Plan: document{"format_version": version}}), b.Settings, ""))
		assert.True(t, strings.HasPrefix(says, "not_a_plan: "+want), says)
	}
}

// TestEvaluate_months verifies that a single month is in the singular, and that messages state the line.
func TestEvaluate_months(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	full := document{"targets": document{"dr": document{"months_until_full": 1.9}}}
	const require24 = "; the settings require 24 (policy.yaml:LINE)"
	for want, inputs := range map[string]document{
		"target dr lasts for 1 month" + require24:           full,
		"looks 1 month ahead (horizon_months)" + require24:  {"horizon_months": 1},
		"looks 9 months ahead (horizon_months)" + require24: {"horizon_months": 9},
		"has growth_percent_per_year = 19; the settings require at least 20 (policy.yaml:LINE)": {
			"growth_percent_per_year": 19,
		},
	} {
		r := row{Results: map[string]document{"data.vsla_sla_plan.estate": inputs}}
		says := messages(decide(t, b.plan(t, r), b.Settings, ""))
		assert.Contains(t, lineNumber.ReplaceAllString(says, ":LINE"), want)
	}
}

// TestEvaluate_growth verifies that the remedy for an input that is missing is to state it.
func TestEvaluate_growth(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	r := row{Results: map[string]document{"data.vsla_sla_plan.estate": {"growth_percent_per_year": nil}}}
	d := decide(t, b.plan(t, r), b.Settings, "")
	require.Len(t, d.Denied, 1)
	assert.Contains(t, d.Denied[0].Remedy, "State what is missing")
}

// TestEvaluate_null verifies that max_NAME = null in a map of the settings bounds nothing, in any order of the map.
func TestEvaluate_null(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	const move = "data.vsla_migration_plan.move"
	s := merged(b.Settings, document{"results": document{"vsla_migration_plan": document{"virtual_machines": document{
		"db-1": document{"memory_gib": 16, "max_downtime_minutes": nil},
	}}}})
	lines, err := yaml.Marshal(s)
	require.NoError(t, err)
	for _, test := range []struct {
		vm   document
		want string
	}{
		{document{"memory_gib": 16}, ""},
		{document{"memory_gib": 16, "method": "cold"}, "input_out_of_bounds"},
	} {
		p := read(t,
			b.plan(t, row{Results: map[string]document{move: {"virtual_machines": document{"db-1": test.vm}}}}))
		for range 20 {
			valid, err := settings.Read(bytes.NewReader(lines), "policy.yaml")
			require.NoError(t, err)
			assert.Equal(t, test.want, codes(gate.Evaluate(p, valid, gate.Context{Today: today})))
		}
	}
}

var lineNumber = regexp.MustCompile(`:[1-9][0-9]*`)

// TestEvaluate_refusedWaiver verifies that a waiver that its author approves is refused with its line.
func TestEvaluate_refusedWaiver(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	waiver := document{
		"name":        "late",
		"subject":     "gold",
		"code":        "at_risk",
		"reason":      "none",
		"approved_by": "board",
		"expires":     "2026-12-01",
	}
	d := decide(t, b.plan(t, row{}), merged(b.Settings, document{"waivers": []any{waiver}}), "board")
	assert.Equal(t, `settings: policy.yaml:LINE waiver "late" is approved by board, the author of this change`,
		lineNumber.ReplaceAllString(messages(d), ":LINE"))
}

// TestEvaluate_removals verifies that the number of removals is stated once.
func TestEvaluate_removals(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	r := row{Changes: map[string]document{"vsla_tag_association.gold": {
		"actions": []any{"update"},
		"before":  document{"tag_id": "gold", "object_type": "VirtualMachine", "object_ids": []any{"vm-1", "vm-2"}},
		"after":   document{"object_ids": []any{}, "removes": []any{"vm-1", "vm-2"}, "replaces": document{}},
	}}}
	s := merged(b.Settings, document{"changes": document{"max_removes": 1}})
	d := decide(t, b.plan(t, r), s, "")
	assert.Contains(t, messages(d), "tags_removed: vm-1 loses the tag sla/gold\ntags_removed: vm-2 loses")
	assert.Contains(t, lineNumber.ReplaceAllString(strings.Join(d.Notes, "\n"), ":LINE"),
		"plan has 2 removals; the settings allow 1 (policy.yaml:LINE)")
}

// TestEvaluate_waivers verifies that a waiver is said not to be needed only if the plan was judged.
func TestEvaluate_waivers(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	waiver := func(name, code string) document {
		return document{
			"name":        name,
			"subject":     "gold",
			"code":        code,
			"reason":      "none",
			"approved_by": "board",
			"expires":     "2026-12-01",
		}
	}
	valid := waiver("valid", "at_risk")
	late := merged(valid, document{"name": "late", "expires": "2026-11-20"})
	for _, test := range []struct {
		waivers []any
		says    string
	}{
		{[]any{valid}, `waiver "valid" matches no finding (policy.yaml:LINE)`},
		{[]any{late}, `waiver "late" expired on 2026-11-20 (policy.yaml:LINE)`},
		{[]any{waiver("not valid", "rpo_missed"), valid}, ""},
	} {
		d := decide(t, b.plan(t, row{}), merged(b.Settings, document{"waivers": test.waivers}), "")
		notes := slices.DeleteFunc(d.Notes, func(note string) bool { return !strings.Contains(note, "waiver") })
		assert.Equal(t, test.says, lineNumber.ReplaceAllString(strings.Join(notes, "\n"), ":LINE"))
	}
}

// TestInitial verifies that the settings that are made from a plan that passes are valid, and that it passes with them.
func TestInitial(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	for _, r := range load[[]row](t, "plans.yaml") {
		if r.Codes != "" || r.Settings["waivers"] != nil || r.Settings["provider_configs"] != nil ||
			strings.Contains(fmt.Sprint(r.Settings["other_categories"]), "/") {
			continue // denied, or needs a decision
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			p := read(t, b.plan(t, r))
			initial, err := judge.Initial(p)
			require.NoError(t, err)
			s, err := settings.Read(bytes.NewReader(initial), "policy.yaml")
			require.NoError(t, err)
			s.Changes.MaxRemoves = 1
			d := gate.Evaluate(p, s, gate.Context{Today: today})
			assert.Empty(t, codes(d), "%s\n%s", messages(d), initial)
		})
	}
}

// TestInitial_limits verifies that the settings that are made from a plan keep what makes its verdicts worse: a plan
// without it is denied.
func TestInitial_limits(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	tiers := func(inputs document) document { return document{"tiers": document{"gold": inputs}} }
	points := func(days int) document {
		return tiers(document{"point_in_time": document{"days": days, "instances_per_day": 6}})
	}
	none, nowhere := tiers(document{"point_in_time": nil}), tiers(document{"target": nil})
	targets := func(inputs document) document { return document{"targets": document{"dr": inputs}} }
	links := func(inputs document) document { return document{"links": document{"metro": inputs}} }
	network := func(streams int) document {
		return links(document{
			"throughput_mbps":  nil,
			"throughput_basis": "nominal",
			"network":          document{"bandwidth_mbps": 1000, "rtt_ms": 20, "streams": streams},
		})
	}
	overhead := func(seconds int) document { return tiers(document{"overhead_seconds": seconds}) }
	byHour := func(name string, values ...any) document {
		return links(document{"throughput_mbps": nil, name: values})
	}
	for _, test := range []struct {
		name    string
		is, not document
		codes   string
	}{
		{"no points in time", points(4), none, "input_out_of_bounds"},
		{"fewer days", points(4), points(3), "input_out_of_bounds"},
		{"more days", points(4), points(5), ""},
		{"no points in time as before", none, none, ""},
		{"no target as before", nowhere, nowhere, ""},
		{"no deadline", tiers(document{"deadline_hours": 24}), document{}, "input_out_of_bounds"},
		{"no limit of the target", targets(document{"write_mbps": 800}), document{}, "input_out_of_bounds"},
		{"no outage", links(document{"outage_minutes": 60}), document{}, "input_out_of_bounds"},
		{"no limit of the storage", document{"source_read_mbps": 800}, document{}, "input_out_of_bounds"},
		{"no overhead", overhead(480), document{}, "input_out_of_bounds"},
		{"less overhead", overhead(480), overhead(479), "input_out_of_bounds"},
		{"more overhead", overhead(480), overhead(481), ""},
		{"no quiescing", tiers(document{"quiesce_seconds": 60}), document{}, "input_out_of_bounds"},
		{"the default setting", tiers(document{"min_configured_rpo_minutes": 15}), document{}, "input_out_of_bounds"},
		{"the whole link", links(document{"efficiency_percent": 70}), document{}, "input_out_of_bounds"},
		{"older measurements", links(document{"max_age_days": 30}), document{}, "input_out_of_bounds"},
		{"fewer writes", targets(document{"write_factor": 3}), document{}, "input_out_of_bounds"},
		{"less jitter", document{"jitter_percent": 20}, document{}, "input_out_of_bounds"},
		{"a faster network", network(8), network(9), "input_out_of_bounds"},
		{"a slower network", network(8), network(7), ""},
		{"no network", network(8), links(document{"throughput_mbps": 10}), "input_out_of_bounds unbounded"},
		{
			"fast all day",
			byHour("hourly_throughput_mbps", 9, 10),
			byHour("hourly_throughput_mbps", 10, 10),
			"input_out_of_bounds",
		},
		{
			"fewer moves",
			byHour("hourly_moves_percent", 50, 0),
			byHour("hourly_moves_percent", 0, 0),
			"input_out_of_bounds",
		},
	} {
		plan := func(inputs document) document {
			return b.plan(t, row{Results: map[string]document{"data.vsla_sla_plan.estate": inputs}})
		}
		initial, err := judge.Initial(read(t, plan(test.is)))
		require.NoError(t, err)
		s, err := settings.Read(bytes.NewReader(initial), "policy.yaml")
		require.NoError(t, err)
		d := gate.Evaluate(read(t, plan(test.not)), s, gate.Context{Today: today})
		assert.Equal(t, test.codes, codes(d), "%s: %s\n%s", test.name, messages(d), initial)
	}
}

// TestInitial_listed verifies that VMs that no data source lists are confirmed by the settings that are made from a
// plan: none can be left out, replaced or smaller.
func TestInitial_listed(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	plan := func(vms document) *tfplan.Plan {
		return read(t, b.plan(t, row{
			Results: map[string]document{
				"data.vsla_virtual_machines.gold": nil,
				"data.vsla_sla_plan.estate":       {"tiers": document{"gold": document{"virtual_machines": vms}}},
			},
			Changes: map[string]document{"vsla_tag_association.gold": nil},
		}))
	}
	large, small := document{"size_gib": 100}, document{"size_gib": 99}
	initial, err := judge.Initial(plan(document{"db-1 (vm-1)": large, "db-2": large}))
	require.NoError(t, err)
	assert.Contains(t, string(initial),
		`virtual_machines: {"db-1 (vm-1)":{"min_size_gib":100},"db-2":{"min_size_gib":100}}`)
	for _, test := range []struct {
		vms  document
		want string
	}{
		{document{"db-1 (vm-1)": large, "db-2": large}, ""},
		{document{"db-1 (vm-1)": large, "db-2": document{"size_gib": 101}}, ""},
		{
			document{"db-1 (vm-1)": large, "db-2": small},
			"virtual_machines.db-2.size_gib = 99; the settings allow at least 100",
		},
		{document{"db-1 (vm-1)": large}, "virtual_machines.db-2 = null; the settings allow only {min_size_gib = 100}"},
		{
			document{"db-1 (vm-1)": large, "db-2": large, "db-3": large},
			"virtual_machines.db-3 = {size_gib = 100}, which the settings do not list",
		},
		{
			document{"db-1 (vm-1)": large, "db-2": document{"size_gib": 100, "daily_change_percent": 1}},
			"virtual_machines.db-2.daily_change_percent = 1, which the settings do not list",
		},
	} {
		s, err := settings.Read(bytes.NewReader(initial), "policy.yaml")
		require.NoError(t, err)
		d := gate.Evaluate(plan(test.vms), s, gate.Context{Today: today})
		assert.Equal(t, test.want == "", d.Passes, messages(d))
		assert.Contains(t, messages(d), test.want)
	}
}

// TestInitial_compliance verifies that the settings that are made from a plan keep what a compliance checks.
func TestInitial_compliance(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	for _, test := range []struct{ is, not, want string }{
		{"{ uncovered: [vm-7] }", "{ uncovered: [vm-7, vm-8] }", "uncovered"},
		{"{ uncovered: [vm-7], uncovered_unknown: [vm-8] }", "{ uncovered: [vm-7, vm-8] }", ""},
		{"{ lookback_hours: 720 }", "{ lookback_hours: 24 }", "input_out_of_bounds"},
		{"{ lookback_hours: 720 }", "{ lookback_hours: 721 }", ""},
		{"{ cluster: east }", "{ cluster: west }", "input_out_of_bounds"},
		{"{ cluster: east }", "{}", ""},
	} {
		plan := func(text string) *tfplan.Plan {
			var values document
			require.NoError(t, yaml.Unmarshal([]byte(text), &values))
			return read(t, b.plan(t, row{Results: map[string]document{"data.vsla_sla_compliance.site": values}}))
		}
		initial, err := judge.Initial(plan(test.is))
		require.NoError(t, err)
		s, err := settings.Read(bytes.NewReader(initial), "policy.yaml")
		require.NoError(t, err)
		d := gate.Evaluate(plan(test.not), s, gate.Context{Today: today})
		assert.Equal(t, test.want, codes(d), "%s: %s\n%s", test.not, messages(d), initial)
	}
}

// sample returns a value of an input in which each number is 5, or one that is not worse in any respect.
func sample(f calculator.Field, better bool) any {
	number := 5.0
	switch {
	case better && f.Direction == calculator.Lower:
		number--
	case better:
		number++
	}
	members := document{}
	for _, member := range f.Fields {
		members[member.Name] = sample(member, better)
	}
	switch f.Kind {
	case calculator.Numbers:
		return []any{5.0, number}
	case calculator.NumberMap:
		return document{"60": number}
	case calculator.Object:
		return members
	case calculator.Objects:
		return document{"peak_factor": members}
	case calculator.Text:
		return fmt.Sprint("text ", better)
	default:
		return number
	}
}

// TestEvaluate_keys verifies for each input of a plan that the key that a message asks for is one of the settings, and
// that the input is bounded with it.
func TestEvaluate_keys(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	asked := regexp.MustCompile(`no line of the settings bounds: write (\w+)`)
	lines := map[string][]string{
		"":        {"results", "vsla_sla_plan"},
		"links":   {"links", "metro"},
		"targets": {"targets", "dr"},
		"tiers":   {"promises", "gold"},
	}
	found := 0
	for path, line := range lines {
		for _, f := range schema.Fields(schema.Plan, path) {
			inputs := document{f.Name: sample(f, true)}
			if path != "" {
				inputs = document{path: document{line[1]: inputs}}
			}
			r := row{Results: map[string]document{"data.vsla_sla_plan.estate": inputs}}
			for _, key := range asked.FindAllStringSubmatch(messages(decide(t, b.plan(t, r), b.Settings, "")), -1) {
				if !strings.HasSuffix(key[1], f.Name) {
					continue // asked for another input
				}
				found++
				bound := sample(f, true)
				if key[1] != f.Name {
					bound = 5.0
				}
				s := merged(b.Settings, document{line[0]: document{line[1]: document{key[1]: bound}}})
				says := messages(decide(t, b.plan(t, r), s, ""))
				assert.NotContains(t, says, "settings: ", key[1])
				assert.NotContains(t, says, key[0], key[1])
			}
		}
	}
	assert.Greater(t, found, 10)
}

// TestInitial_inputs verifies for each input of a plan that the settings that are made from it bound the input: a
// better value is denied, and so is leaving it out, unless the default is worse, or adding it, unless that is worse.
func TestInitial_inputs(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	// These have rules of their own, for which plans.yaml has rows.
	own := []string{
		"assumed_inputs",
		"configured_rpo_minutes",
		"link",
		"links",
		"measured",
		"rpo_minutes",
		"target",
		"targets",
		"throughput_basis",
		"tiers",
		"virtual_machines",
		"vm_count",
		"vm_size_gib",
	}
	bestIfAbsent := []string{
		"checksum_mbps",
		"deadline_hours",
		"hourly_moves_percent",
		"max_outage_rpo_minutes",
		"outage_minutes",
		"point_in_time",
		"source_read_mbps",
		"write_mbps",
	}
	elements := map[string]string{"links": "metro", "targets": "dr", "tiers": "gold"}
	for _, path := range []string{"", "links", "targets", "tiers"} {
		for _, f := range schema.Fields(schema.Plan, path) {
			if !f.Input || f.Direction == calculator.Neutral || slices.Contains(own, f.Name) {
				continue
			}
			plan := func(value any) *tfplan.Plan {
				inputs := document{f.Name: value}
				if path != "" {
					inputs = document{path: document{elements[path]: inputs}}
				}
				return read(t, b.plan(t, row{Results: map[string]document{"data.vsla_sla_plan.estate": inputs}}))
			}
			passes := func(was, is any) bool {
				initial, err := judge.Initial(plan(was))
				require.NoError(t, err)
				s, err := settings.Read(bytes.NewReader(initial), "policy.yaml")
				require.NoError(t, err)
				return gate.Evaluate(plan(is), s, gate.Context{Today: today}).Passes
			}
			usual, hasUsual := f.Default.(float64)
			isWorse := hasUsual &&
				(f.Direction == calculator.Lower && usual >= 5 || f.Direction == calculator.Higher && usual <= 5)
			isBetter := hasUsual && usual != 5 && !isWorse && f.Direction != calculator.Either
			name := path + "." + f.Name
			value, better := sample(f, false), sample(f, true)
			assert.True(t, passes(value, value), "%s as it is", name)
			assert.False(t, passes(value, better), "%s with a better value", name)
			assert.Equal(t, isWorse, passes(value, nil), "%s left out", name)
			assert.Equal(t, isBetter || slices.Contains(bestIfAbsent, f.Name), passes(nil, better), "%s added", name)
		}
	}
}
