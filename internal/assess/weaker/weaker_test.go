package weaker_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/weaker"
)

func vm(n int, more string) string {
	return fmt.Sprintf(`{"vm_id": "VirtualMachine:vm-%d:x", "pairing_id": "p", %s}`, n, more)
}

// change returns a resource change as JSON. before or after is "null" if the resource does not exist at that time.
func change(address, actions, before, after string) string {
	kind, _, _ := strings.Cut(address, ".")
	return fmt.Sprintf(
		`{"address": %q, "mode": "managed", "type": %q, "change": {"actions": [%s], "before": %s, "after": %s,
		"after_unknown": {}}}`,
		address,
		kind,
		actions,
		before,
		after,
	)
}

func find(t *testing.T, configuration string, changes ...string) []weaker.Finding {
	t.Helper()
	var plan tfjson.Plan
	text := `{"format_version": "1.2", "resource_changes": [` + strings.Join(changes, ",") + `], "configuration": {` +
		`"root_module": {` + configuration + `}}}`
	require.NoError(t, json.Unmarshal([]byte(text), &plan))
	return weaker.Find(&plan)
}

const (
	update, replace, noChange = `"update"`, `"delete", "create"`, `"no-op"`

	gold, silver = `"rpo_minutes": 15`, `"rpo_minutes": 240`
	points       = `"point_in_time": {"days": 4, "instances_per_day": 6}`
	group        = `{"replication": {"rpo_minutes": 15, "keep_last": 2, "long_term": {"daily": {"keep_days": %d}}},
		"snapshot_policies": {"hourly": {"every_hours": %d, "keep_days": 2}}, "removes": [%s]}`
)

func TestFind(t *testing.T) {
	t.Parallel()
	r := func(before, after string) string {
		return change("vsla_replication.a", update, vm(1, before), vm(1, after))
	}
	for name, test := range map[string]struct {
		changes []string
		want    string
	}{
		"two VMs change places": {
			[]string{
				change("vsla_replication.gold", replace, vm(1, gold), vm(2, gold)),
				change("vsla_replication.silver", replace, vm(2, silver), vm(1, silver)),
			},
			"resync vsla_replication.gold; resync vsla_replication.silver; weaker_than_tier vsla_replication.silver",
		},
		"imported at another address": {
			[]string{
				change("vsla_replication.old", `"forget"`, vm(1, gold), "null"),
				change("vsla_replication.new", update, vm(1, gold), vm(1, silver)),
			},
			"weaker_than_tier vsla_replication.new",
		},
		"moved and no weaker": {
			[]string{
				change("vsla_replication.old", `"forget"`, vm(1, silver), "null"),
				change("vsla_replication.new", update, vm(1, silver), vm(1, gold)),
			}, "",
		},
		"replaced":           {[]string{change("vsla_replication.a", replace, vm(1, gold), vm(1, gold))}, "resync vsla_replication.a"},
		"gone":               {[]string{change("vsla_replication.a", `"delete"`, vm(1, gold), "null")}, "protection_removed vsla_replication.a"},
		"new":                {[]string{change("vsla_replication.a", `"create"`, "null", vm(1, silver))}, ""},
		"unchanged":          {[]string{change("vsla_replication.a", noChange, vm(1, gold), vm(1, gold))}, ""},
		"shorter":            {[]string{r(silver, gold)}, ""},
		"no points in time":  {[]string{r(points, `"point_in_time": null`)}, "weaker_than_tier vsla_replication.a"},
		"points in time":     {[]string{r(`"point_in_time": null`, points)}, ""},
		"in clear":           {[]string{r(`"network_encryption": true`, `"network_encryption": false`)}, "weaker_than_tier vsla_replication.a"},
		"encrypted":          {[]string{r(`"network_encryption": false`, `"network_encryption": true`)}, ""},
		"compressed":         {[]string{r(`"network_compression": true`, `"network_compression": false`)}, ""},
		"a disk left out":    {[]string{r(gold, `"disks": {"2000": {"enabled": false}}`)}, "weaker_than_tier vsla_replication.a"},
		"a disk with a seed": {[]string{r(`"disks": {"2000": {}}`, `"disks": {"2000": {"seed_path": "x"}}`)}, ""},
		"paused":             {[]string{r(`"paused": null`, `"paused": true`)}, "weaker_than_tier vsla_replication.a"},
		"a guard off":        {[]string{r(`"force_local_destroy": false`, `"force_local_destroy": true`)}, "guard_off vsla_replication.a"},
		"a guard on":         {[]string{r(`"force_local_destroy": true`, `"force_local_destroy": false`)}, ""},
		"a group that keeps less": {
			[]string{change(
				"vsla_protection_group.a", update, fmt.Sprintf(group, 7, 1, ""), fmt.Sprintf(group, 6, 2, `"vm-1"`),
			)},
			"protection_removed vsla_protection_group.a; weaker_than_tier vsla_protection_group.a; " +
				"weaker_than_tier vsla_protection_group.a",
		},
		"a group that keeps more": {
			[]string{change("vsla_protection_group.a", update, fmt.Sprintf(group, 6, 2, ""), fmt.Sprintf(group, 7, 1, ""))}, "",
		},
		"a group that is gone": {
			[]string{change("vsla_protection_group.a", `"delete"`, fmt.Sprintf(group, 6, 2, ""), "null")},
			"protection_removed vsla_protection_group.a",
		},
		"a tag renamed":   {[]string{change("vsla_tag.a", update, `{"name": "gold"}`, `{"name": "bronze"}`)}, "tags_changed vsla_tag.a"},
		"a tag described": {[]string{change("vsla_tag.a", update, `{"description": "a"}`, `{"description": "b"}`)}, ""},
		"a tag forgotten": {[]string{change("vsla_tag.a", `"forget"`, `{"name": "gold"}`, "null")}, "tags_changed vsla_tag.a"},
		"a tag deleted":   {[]string{change("vsla_tag.a", `"delete"`, `{"name": "gold"}`, "null")}, "tags_changed vsla_tag.a"},
		"a tag deleted from objects": {
			[]string{change("vsla_tag.a", replace, `{"name": "gold", "force_destroy": true}`, `{"name": "gold"}`)},
			"tags_removed vsla_tag.a",
		},
		"tags deleted": {
			[]string{change("vsla_tags.a", update, `{"tags": {"gold": "", "au": ""}}`, `{"tags": {"au": ""}}`)},
			"tags_changed vsla_tags.a",
		},
		"an association deleted": {
			[]string{change("vsla_tag_association.a", `"delete"`, `{"object_ids": ["vm-1"]}`, "null")},
			"tags_removed vsla_tag_association.a",
		},
		"fewer objects": {
			[]string{change(
				"vsla_tag_association.a", update, `{"object_ids": ["vm-1", "vm-2"]}`, `{"object_ids": ["vm-2", "vm-3"]}`,
			)},
			"tags_removed vsla_tag_association.a",
		},
		"detached objects": {
			[]string{change("vsla_tag_association.a", update, `{"object_ids": ["vm-1"]}`,
				`{"object_ids": ["vm-1"], "removes": ["vm-2"]}`)}, "tags_removed vsla_tag_association.a",
		},
		"unknown objects": {
			[]string{change("vsla_tag_association.a", update, `{"object_ids": ["vm-1"]}`, `{}`)},
			"tags_removed vsla_tag_association.a",
		},
		"unknown removals of a new association": {
			[]string{strings.Replace(change("vsla_tag_association.a", `"create"`, "null", `{"ownership": "exclusive"}`),
				`"after_unknown": {`, `"after_unknown": {"object_ids": true, "removes": true`, 1)},
			"tags_removed vsla_tag_association.a",
		},
		"a replaced tag": {
			[]string{change("vsla_tag_association.a", `"create"`, "null",
				`{"object_ids": ["vm-1"], "removes": [], "replaces": {"vm-1": "urn:bronze"}}`)},
			"tags_removed vsla_tag_association.a",
		},
		"more objects": {
			[]string{change("vsla_tag_association.a", update, `{"object_ids": ["vm-1"], "removes": ["vm-9"]}`,
				`{"object_ids": ["vm-1", "vm-2"], "removes": [], "replaces": {}}`)}, "",
		},
		"former removals": {
			[]string{change("vsla_object_tags.a", noChange, `{"tag_ids": ["t"], "removes": ["u"]}`,
				`{"tag_ids": ["t"], "removes": ["u"]}`)}, "",
		},
		"tags renamed": {
			[]string{change(
				"vsla_tags.a", update, `{"tags": {"gold": ""}}`, `{"tags": {"au": ""}, "renamed_from": {"au": "gold"}}`,
			)},
			"tags_changed vsla_tags.a",
		},
		"a category for fewer types": {
			[]string{change(
				"vsla_tag_category.a", update, `{"associable_types": ["a", "b"]}`, `{"associable_types": ["b", "c"]}`,
			)},
			"tags_changed vsla_tag_category.a",
		},
		"values of other types": {
			[]string{change("vsla_tag.a", update, `{"name": {"a": 1}}`, `{"name": [{}]}`)}, "tags_changed vsla_tag.a",
		},
	} {
		var got []string
		for _, f := range find(t, "", test.changes...) {
			got = append(got, f.Code+" "+f.Address)
		}
		slices.Sort(got)
		assert.Equal(t, test.want, strings.Join(got, "; "), name)
	}
}

func TestFind_unknown(t *testing.T) {
	t.Parallel()
	for actions, want := range map[string]int{update: 1, replace: 1 /* the resync */} {
		c := change("vsla_replication.a", actions, vm(1, `"network_encryption": true`), vm(1, gold))
		c = strings.Replace(c, `"after_unknown": {}`, `"after_unknown": {"network_encryption": true}`, 1)
		found := find(t, "", c)
		if actions == replace {
			found = slices.DeleteFunc(found, func(f weaker.Finding) bool { return f.Code == weaker.Protection })
		}
		assert.Len(t, found, want, actions)
	}
}

func TestFind_programs(t *testing.T) {
	t.Parallel()
	const configuration = `"module_calls": {"m": {"module": {"resources": [{
		"address": "terraform_data.x", "mode": "managed",
		"type": "terraform_data", "name": "x", "provisioners": [{"type": "local-exec"}]}]}}}`
	found := find(t, configuration, change("vsla_replication.a", update, vm(1, gold+", "+points), vm(1, silver)),
		change("vsla_replication.b", update, vm(2, gold), vm(2, silver)),
		change("vsla_tag.a", update, `{"name": "gold"}`, `{"name": "bronze"}`))
	if got, want := found[0].Address, "module.m.terraform_data.x"; got != want {
		t.Errorf("got %q first, want %q", got, want)
	}
	const want = "Protection gets weaker: 2 VMs, 1 other resource; Apply runs programs: 1 with provisioners"
	assert.Equal(t, want, weaker.Headline(found))
}

// TestFind_members checks the removal of a member from a group that has an RPO of 15 minutes, 2 replicas, and hourly
// snapshots that are kept for 2 days.
func TestFind_members(t *testing.T) {
	t.Parallel()
	const keeps = `"replication": {"cluster_pair_id": "p", "rpo_minutes": %d, "keep_last": %d},
		"snapshot_policies": {%q: {"every_hours": %d, "keep_days": 2}}`
	gold := fmt.Sprintf(keeps, 15, 2, "hourly", 1)
	moves := change("vsla_protection_group.gold", update,
		`{"member_vm_ids": ["vm-1", "vm-2"], `+gold+`}`, `{"vm_ids": ["vm-1"], "removes": ["vm-2"], `+gold+`}`)
	joins := func(what string) string {
		return change("vsla_protection_group.silver", update,
			`{"member_vm_ids": [], `+what+`}`, `{"vm_ids": ["vm-2"], "removes": [], `+what+`}`)
	}
	for name, test := range map[string]struct{ silver, code string }{
		"as good":             {joins(gold), ""},
		"another name":        {joins(fmt.Sprintf(keeps, 15, 2, "often", 1)), ""},
		"a longer RPO":        {joins(fmt.Sprintf(keeps, 16, 2, "hourly", 1)), weaker.Protection},
		"a paused group":      {joins(gold + `, "paused": true`), weaker.Protection},
		"fewer replicas":      {joins(fmt.Sprintf(keeps, 15, 1, "hourly", 1)), weaker.Protection},
		"fewer snapshots":     {joins(fmt.Sprintf(keeps, 15, 2, "hourly", 2)), weaker.Protection},
		"no replication":      {joins(`"replication": null`), weaker.Protection},
		"no group":            {change("vsla_tag.a", noChange, "{}", "{}"), weaker.Removed},
		"a group that is new": {change("vsla_protection_group.new", `"create"`, "null", `{"vm_ids": ["vm-2"], `+gold+`}`), ""},
	} {
		var codes []string
		for _, f := range find(t, "", moves, test.silver) {
			codes = append(codes, f.Code)
			assert.Equal(t, f.Code == weaker.Protection, f.VM == "vm-2", name)
		}
		assert.Equal(t, test.code, strings.Join(codes, " "), name)
	}
}
