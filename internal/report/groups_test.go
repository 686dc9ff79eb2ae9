package report_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func replicated(name string, more object) object {
	values := object{
		"name":                name,
		"cluster_id":          "domain-c8",
		"protection_group_id": "pg-" + name,
		"status":              "ACTIVE",
		"locked":              false,
		"tag_rules":           []any{object{"tag_ids": []any{"t1"}, "match": "all"}},
		"vm_ids":              nil,
		"vm_name_patterns":    nil,
		"member_vm_ids":       []any{"vm-1", "vm-2"},
		"removes":             []any{},
		"paused":              nil,
		"snapshot_policies":   nil,
		"replication": object{
			"cluster_pair_id": "pair-1",
			"rpo_minutes":     15,
			"keep_last":       1,
			"long_term":       object{"hourly": nil, "daily": object{"hour": 2, "keep_days": 7}},
		},
	}
	maps.Copy(values, more)
	return values
}

func judging(verdicts ...string) object {
	vms := object{}
	for i, verdict := range verdicts {
		vms["vm-"+string(rune('1'+i))] = object{"name": "web", "verdict": verdict, "tier": "gold"}
	}
	return data("vsla_sla_compliance", "now", object{"compliant": false, "virtual_machines": vms, "tiers": object{}})
}

func groupPlan(t *testing.T, known []object, groups ...object) []byte {
	t.Helper()
	var resources, changes []object
	for _, g := range groups {
		values, _ := g["values"].(object)
		name, _ := values["name"].(string)
		one := data("vsla_protection_group", name, values)
		one["mode"], one["address"] = "managed", "vsla_protection_group."+name
		change := object{
			"actions":          g["actions"],
			"before":           values,
			"after":            values,
			"after_unknown":    g["unknown"],
			"before_sensitive": g["sensitive"],
			"after_sensitive":  g["sensitive"],
		}
		if actions, _ := g["actions"].([]string); !slices.Contains(actions, "delete") {
			resources = append(resources, one)
		}
		changes = append(changes, object{
			"address":       one["address"],
			"mode":          "managed",
			"type":          "vsla_protection_group",
			"name":          name,
			"provider_name": one["provider_name"],
			"change":        change,
		})
	}
	text, err := json.Marshal(object{
		"format_version":    "1.2",
		"terraform_version": "1.11.4",
		"resource_changes":  changes,
		"planned_values":    object{"root_module": object{"resources": resources}},
		"prior_state": object{
			"format_version":    "1.0",
			"terraform_version": "1.11.4",
			"values":            object{"root_module": object{"resources": known}},
		},
	})
	require.NoError(t, err)
	return text
}

func TestBuild_protectionGroups(t *testing.T) {
	t.Parallel()
	known := []object{
		judging("compliant", "compliant", "in_violation"),
		data("vsla_cluster_pairs", "here",
			object{"pairs": object{"pair-1": object{"peer_cluster_name": "dr-cluster"}}}),
		data("vsla_protection_members", "tier", object{
			"cluster_id":       "domain-c8",
			"tag_rules":        []any{object{"tag_ids": []any{"t1"}, "match": "all"}},
			"vm_ids":           nil,
			"vm_name_patterns": nil,
			"vm_count":         7,
		}),
		data("vsla_protection_groups", "all", object{
			"cluster_id": "domain-c8",
			"groups": object{
				"pg-same": object{"name": "same", "status": "ACTIVE", "vm_ids": []any{"vm-1"}},
				"pg-9": object{
					"name":            hostile,
					"status":          "PAUSED",
					"locked":          true,
					"vm_ids":          []any{"vm-9"},
					"rpo_minutes":     60,
					"cluster_pair_id": "pair-9",
					"keep_last":       3,
				},
			},
		}),
	}
	group := func(name, action string, more object, unknown object) object {
		return object{
			"values":    replicated(name, more),
			"actions":   []string{action},
			"unknown":   unknown,
			"sensitive": object{},
		}
	}
	withheld := group("withheld", "no-op", nil, object{})
	withheld["sensitive"] = object{"name": true}
	r := build(t, groupPlan(t, known,
		group("same", "no-op", nil, object{}),
		group("late", "no-op", object{"member_vm_ids": []any{"vm-1", "vm-3"}}, object{}),
		group("partly", "no-op", object{"member_vm_ids": []any{"vm-1", "vm-8"}}, object{}),
		group("new", "create", object{"member_vm_ids": nil, "status": nil, "protection_group_id": nil},
			object{"member_vm_ids": true, "status": true, "protection_group_id": true}),
		group("shrinks", "update", object{"removes": []any{"vm-4", "vm-5"}, "locked": true}, object{}),
		group("moving", "update", object{"removes": nil, "member_vm_ids": nil, "tag_rules": nil},
			object{"removes": true, "member_vm_ids": true, "tag_rules": true}),
		group("gone", "delete", nil, object{}),
		group("local", "no-op", object{
			"replication":       nil,
			"snapshot_policies": object{"hourly": object{"every_hours": 1, "keep_days": 2}},
		}, object{}),
		withheld,
	))
	section := r.Sections[len(r.Sections)-1]
	require.Equal(t, "groups", section.ID, "got sections %+v, want the groups at the end", r.Sections)
	const usual = "15 min; dr-cluster; last 1, daily for 7 days; no"
	want := []string{
		"gone; delete; domain-c8; 2; " + usual + "; no verdict; its members lose this protection",
		"late; –; domain-c8; 2; " + usual + "; does not hold; 1 of 2 members compliant",
		"local; –; domain-c8; 2; –; –; snapshots hourly for 2 days; no; no verdict; local snapshots only",
		"moving; update; domain-c8; known after apply; removals not known; " + usual +
			"; not known; its members are known after apply",
		"new; create; domain-c8; 7 (preview); " + usual + "; not known; not known before apply",
		"partly; –; domain-c8; 2; " + usual + "; not known; 1 of 2 members compliant, 1 not evaluated",
		"same; –; domain-c8; 2; " + usual + "; holds; 2 of 2 members compliant",
		"shrinks; update; domain-c8; 2; this change removes 2; 15 min; dr-cluster; last 1, daily for 7 days; " +
			"by this plan, permanently; holds; 2 of 2 members compliant",
		"vsla_protection_group.withheld; –; –; –; –; –; –; –; not known; withheld: a value is marked as sensitive",
		hostile + "; –; domain-c8; 1; 60 min; pair-9; last 3; yes, permanently; does not hold; paused: no VM " +
			"is protected",
	}
	assert.Equal(t, want, texts(section.Tables[0]))
	checkPage(t, html(t, r))
}

func TestBuild_groupsAlone(t *testing.T) {
	t.Parallel()
	one := data("vsla_protection_group", "x", replicated(strings.Repeat("x", 64<<10), nil))
	one["mode"], one["address"] = "managed", "vsla_protection_group.x"
	r := build(t, state(t, one))
	require.Equal(t, "No result in the file has a verdict.", r.Headline)
	require.Len(t, r.Sections, 1)
	assert.Equal(t, "no vsla_sla_compliance evaluates its members", r.Sections[0].Tables[0].Rows[0][9].Text)
	checkPage(t, html(t, r))
}
