package report_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	nethtml "golang.org/x/net/html"

	names "terraform-provider-vsla/internal/dev/hostile"
)

func named(t *testing.T, name string) []byte {
	t.Helper()
	tier := estimated(t, 440)
	tier["label"] = name
	vm := object{
		"name":                   name,
		"tier":                   name,
		"promised_rpo_minutes":   15,
		"configured_rpo_minutes": nil,
		"status":                 name,
		"verdict":                "unprotected",
		"cluster":                name,
		"power_state":            name,
		"used_gib":               10,
		"samples":                3,
		"mean_write_mbps":        1.5,
	}
	group := data("vsla_protection_group", "x", replicated(name, object{
		"cluster_id":        name,
		"status":            name,
		"member_vm_ids":     []any{name},
		"replication":       object{"cluster_pair_id": name, "rpo_minutes": 15},
		"snapshot_policies": object{name: object{"keep_days": 1}},
	}))
	group["mode"], group["address"] = "managed", "vsla_protection_group.x"
	return state(t, group,
		data("vsla_replication_estimate", `tier["`+name+`"]`, tier),
		data("vsla_sla_compliance", "gold", object{
			"compliant":               false,
			"pairing_id":              name,
			"tiers":                   object{name: object{"tag_id": name, "rpo_minutes": 15}},
			"unprotected":             []any{name},
			"untagged_but_replicated": []any{name + "2"},
			"virtual_machines":        object{name: vm},
		}),
		data("vsla_virtual_machines", "db", object{
			"vm_count":         1,
			"total_used_gib":   10,
			"mean_used_gib":    10,
			"name_regex":       name,
			"virtual_machines": object{name: vm},
		}),
		data("vsla_change_rates", "db", object{
			"virtual_machines": object{name: vm},
			"warnings":         []any{name},
		}),
		data("vsla_something_new", "x", object{
			"verdict":      "misses",
			"reasons":      []any{name},
			"explanations": []any{name},
			name:           name,
			"warnings":     []any{name},
		}),
	)
}

func TestWrite_hostile(t *testing.T) {
	t.Parallel()
	harmless := shape(t, html(t, build(t, named(t, "name"))))
	for _, name := range names.Names() {
		r := build(t, named(t, name))
		page := html(t, r)
		checkPage(t, page)
		assert.Equal(t, harmless, shape(t, page), name)
		var text bytes.Buffer
		require.NoError(t, r.WriteMarkdown(&text))
		assert.Empty(t, names.Effect(text.String()), "%v, %v", name, text.String())
	}
}

func shape(t *testing.T, page string) []string {
	t.Helper()
	root, err := nethtml.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var list []string
	for _, e := range elements(root) {
		if e.Parent.Namespace == "svg" {
			continue
		}
		list = append(list, e.Data+" "+strings.Join(slices.Sorted(maps.Keys(e.attributes)), " "))
	}
	return list
}

// TestWrite_disguise verifies that no name can disguise the text around it: "a" and "b" are in the same line.
func TestWrite_disguise(t *testing.T) {
	t.Parallel()
	r := build(t, named(t, "a\u202e\x1b\u2028b\nc"))
	var text bytes.Buffer
	require.NoError(t, r.WriteMarkdown(&text))
	for _, out := range []string{text.String(), html(t, r)} {
		assert.Contains(t, out, "a\ufffd\ufffd\ufffdb c")
		assert.NotContains(t, out, "\u202e")
		assert.NotContains(t, out, "\x1b")
		assert.NotContains(t, out, "\u2028")
	}
}
