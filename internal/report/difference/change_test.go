package difference_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/report/difference"
)

func changeOf(t *testing.T, i difference.Item, name string) difference.Change {
	t.Helper()
	for _, c := range i.Changes {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("%s of %s does not change: %+v", name, i.Address, i.Changes)
	return difference.Change{}
}

func wave(number float64, vms ...any) map[string]any {
	return map[string]any{
		"number":           number,
		"start_seconds":    number * 60,
		"duration_seconds": 60.0,
		"virtual_machines": vms,
	}
}

func TestChanges_shapes(t *testing.T) {
	t.Parallel()
	const address = "data.vsla_migration_plan.x"
	list := func(all ...any) []any { return all }
	for name, test := range map[string]struct {
		attribute     string
		before, after any
		want          []string
	}{
		"another order": {"ids", list("a", "b"), list("b", "a"), nil},
		"a list": {
			"ids",
			list("vm-10", "vm-9"), list("vm-9", "vm-11", "vm-2"),
			[]string{"IDs: 2 → 3 (added vm-2, vm-11; removed vm-10)"},
		},
		"a long list": {
			"ids",
			[]any{},
			list("a", "b", "c", "d", "e", "f", "g"),
			[]string{"IDs: 0 → 7 (added a, b, c, d, e and 2 more)"},
		},
		"replaced": {"ids", list("a"), list("b"), []string{"IDs: 1 → 1 (added b; removed a)"}},
		"no list":  {"ids", nil, list("b"), []string{"IDs: – → 1 (added b)"}},
		"a map": {
			"vms",
			map[string]any{"vm-1": map[string]any{"name": "db", "used_gib": 1.0}},
			map[string]any{
				"vm-1": map[string]any{"name": "db", "used_gib": 2.0},
				"vm-2": map[string]any{"name": "app"},
			},
			[]string{"Vms: 1 → 2 (added app)", "db: used: 1 GiB → 2 GiB ()"},
		},
		"a map of numbers": {
			"counts",
			map[string]any{"hosts": 1.0},
			map[string]any{"hosts": 2.0},
			[]string{"hosts: counts: 1 → 2 ()"},
		},
		"waves": {
			"waves", list(wave(1, "a", "b"), wave(2, "c")), list(wave(1, "a"), wave(2, "b", "d")),
			[]string{"Waves: 2 → 2 (other entries)"},
		},
		"more waves": {
			"waves", list(wave(1, "a", "b")), list(wave(1, "a"), wave(2, "b")),
			[]string{"Waves: 1 → 2 ()"},
		},
		"the same waves later": {"waves", list(wave(1, "a"), wave(2, "b")), list(wave(1, "a"), wave(2, "b")), nil},
		"below the digits":     {"duration_seconds", 100.2, 100.200001, nil},
		"other entries": {
			"rounds",
			list(map[string]any{"a": 1.0}), list(map[string]any{"a": 2.0}),
			[]string{"Rounds: 1 → 1 (other entries)"},
		},
	} {
		with := func(v any) thing { return thing{address: address, values: map[string]any{test.attribute: v}} }
		i := result(t, compared(t, state(with(test.before)), planOf(with(test.after))), address)
		var got []string
		for _, c := range i.Changes {
			got = append(got, c.Label+": "+c.Before+" → "+c.After+" ("+c.Detail+")")
		}
		assert.Equal(t, test.want, got, name)
		assert.Equal(t, test.want == nil, i.Category == difference.Unchanged, "%s: %s", name, i.Category)
	}
}

func TestNotKnown(t *testing.T) {
	t.Parallel()
	pair := pairs(t)["unknown"]
	d := compared(t, pair[0], pair[1])
	require.Equal(t, difference.Unclear, d.Outcome)
	i := result(t, d, gold)
	if i.Category != difference.Unknown || i.VerdictChange != difference.VerdictLost ||
		!strings.Contains(i.Sentence, "its arguments depend on values that are known after apply") {
		t.Errorf("%+v", i)
	}
	c := changeOf(t, i, "throughput_mbps")
	require.Equal(t, "901 Mbit/s", c.Before)
	assert.Equal(t, "known after apply", c.After)
	for mbps, want := range map[float64]difference.Outcome{440: difference.Worse, 1802: difference.Better} {
		known := compared(t, pair[1], planOf(tier(t, gold, 15, mbps), tier(t, silver, 60, 901)))
		require.Equal(t, want, known.Outcome, "%+v", mbps)
		assert.Equal(t, difference.VerdictKnown, result(t, known, gold).VerdictChange, "%+v", mbps)
	}
	same := compared(t, pair[1], pair[1])
	assert.False(t, same.Changed(), "what is not known on both sides is a change: %s", same.Headline)
}

func TestDestroy(t *testing.T) {
	t.Parallel()
	after := planOf(tier(t, gold, 15, 901), thing{address: "vsla_tag.x", actions: []string{"delete"}})
	after.destroys = true
	d := compared(t, state(tier(t, gold, 15, 901)), after)
	if d.Outcome != difference.Removed || !slices.Contains(d.Notes, "This plan destroys all resources.") ||
		result(t, d, gold).Category != difference.Gone {
		t.Errorf("outcome %s, notes %q; want %s and a note on the destruction", d.Outcome, d.Notes, difference.Removed)
	}
}

func TestNothing(t *testing.T) {
	t.Parallel()
	d := compared(t, state(), planOf())
	require.False(t, d.Changed(), "%s: %s", d.Outcome, d.Headline)
	assert.Equal(t, "No promise is affected: there are no vsla results on either side.", d.Headline)
}

type world struct {
	plan      bool
	destroys  bool
	resources []thing
}

type thing struct {
	address string
	values  map[string]any
	// sensitive lists the attributes marked as sensitive; unknown lists the attributes known only after apply.
	sensitive, unknown []string
	// deferred marks a data source that is read during apply.
	deferred bool
	// former is the address before a move.
	former  string
	actions []string
}

func calculated(t *testing.T, address string, inputs map[string]any) thing {
	t.Helper()
	c, ok := registry.OfDataSource(kindOf(address))
	require.True(t, ok, "no calculator for %s", address)
	values, err := c.Evaluate(inputs)
	require.NoError(t, err, address)
	all := maps.Clone(inputs)
	maps.Copy(all, values)
	return thing{address: address, values: all}
}

// wholeDay is the peak factor with which the change of a whole day falls into 15 minutes: 1440 / 15.
const wholeDay = 96.0

// tier returns an estimate for 15 VMs of 100 GiB with a daily change of 5%. In total, 75 GiB (644,245,094,400 bits)
// changes per day, all of it within 15 minutes. The promise holds with at most 0.9 of a link: an RPO of 15 minutes
// needs 795.4 Mbit/s with likely inputs, and 906.7 Mbit/s with the margin of 1.14 of a measured transfer.
func tier(t *testing.T, address string, rpoMinutes, mbps float64) thing {
	t.Helper()
	return calculated(t, address, map[string]any{
		"vm_count":             15.0,
		"vm_size_gib":          100.0,
		"daily_change_percent": 5.0,
		"throughput_mbps":      mbps,
		"rpo_minutes":          rpoMinutes,
		"peak_factor":          wholeDay,
		"throughput_basis":     "transfer",
	})
}

func kindOf(address string) string {
	for step := range strings.SplitSeq(address, ".") {
		if strings.HasPrefix(step, "vsla_") {
			return step
		}
	}
	return ""
}

func marks(names []string) map[string]any {
	all := map[string]any{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

func (w world) document(t *testing.T) *document.Document {
	t.Helper()
	d, err := document.Read(bytes.NewReader(w.json(t)))
	require.NoError(t, err)
	return d
}

func (w world) json(t *testing.T) []byte {
	t.Helper()
	var data, resources, changes []any
	for _, r := range w.resources {
		mode := "managed"
		if strings.Contains(r.address, "data.vsla_") {
			mode = "data"
		}
		base := map[string]any{
			"address":       r.address,
			"mode":          mode,
			"type":          kindOf(r.address),
			"name":          "x",
			"provider_name": "registry.terraform.io/vsla/vsla",
		}
		state := maps.Clone(base)
		state["values"], state["sensitive_values"] = r.values, marks(r.sensitive)
		change := maps.Clone(base)
		actions := r.actions
		if len(actions) == 0 {
			actions = []string{"no-op"}
		}
		if r.deferred {
			actions, change["action_reason"] = []string{"read"}, "read_because_config_unknown"
		}
		change["change"] = map[string]any{
			"actions":         actions,
			"after":           r.values,
			"after_sensitive": marks(r.sensitive),
			"after_unknown":   marks(r.unknown),
		}
		if len(r.actions) == 1 && r.actions[0] == "delete" && !w.destroys {
			change["action_reason"] = "delete_because_no_resource_config"
		}
		if r.former != "" {
			change["previous_address"] = r.former
		}
		gone := len(r.actions) == 1 && (r.actions[0] == "delete" || r.actions[0] == "forget")
		switch {
		case mode == "data" && !r.deferred:
			data = append(data, state)
			continue
		case mode == "managed" && !gone:
			resources = append(resources, state)
		}
		changes = append(changes, change)
	}
	module := func(all ...any) map[string]any {
		return map[string]any{"root_module": map[string]any{"resources": all}}
	}
	file := map[string]any{"format_version": "1.0", "terraform_version": "1.11.4"}
	if w.plan {
		file["format_version"] = "1.2"
		file["planned_values"] = module(resources...)
		file["resource_changes"] = changes
		file["prior_state"] = map[string]any{"format_version": "1.0", "values": module(data...)}
	} else {
		file["values"] = module(append(data, resources...)...)
	}
	text, err := json.Marshal(file)
	require.NoError(t, err)
	return text
}

func state(resources ...thing) world { return world{resources: resources} }

func planOf(resources ...thing) world { return world{plan: true, resources: resources} }

func compared(t *testing.T, before, after world) *difference.Difference {
	t.Helper()
	return difference.New(before.document(t), after.document(t))
}

func result(t *testing.T, d *difference.Difference, address string) difference.Item {
	t.Helper()
	for _, i := range d.Results {
		if i.Address == address {
			return i
		}
	}
	t.Fatalf("%s is not in the difference", address)
	return difference.Item{}
}

const limit = 65536

func forms(t *testing.T, d *difference.Difference) map[string]string {
	t.Helper()
	text, err := json.MarshalIndent(d, "", "  ")
	require.NoError(t, err)
	c := d.Review("baseline.json")
	return map[string]string{
		".md":   d.Markdown(limit),
		".json": string(text) + "\n",
		".page": fmt.Sprintln(c.Headline, c.Lines, c.Tables),
	}
}
