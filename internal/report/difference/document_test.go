package difference_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/report/difference"
)

type world struct {
	plan      bool
	destroys  bool
	resources []thing
	outputs   map[string]any
}

type thing struct {
	address string
	values  map[string]any
	// sensitive are the attributes that are marked, unknown those that are known after apply.
	sensitive, unknown []string
	// deferred is read during apply.
	deferred bool
	// former is the address before a move, actions are what a plan does; "delete" is in no planned values.
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

// tier is an estimate of 15 VMs of 100 GiB, of which 5% changes in a day: 75 GiB are 644,245,094,400 bit.
func tier(t *testing.T, address string, rpoMinutes, mbps float64) thing {
	t.Helper()
	return calculated(t, address, map[string]any{
		"vm_count": 15.0, "vm_size_gib": 100.0, "daily_change_percent": 5.0, "throughput_mbps": mbps,
		"rpo_minutes": rpoMinutes,
	})
}

func managed(address string, values map[string]any, actions ...string) thing {
	return thing{address: address, values: values, actions: actions}
}

// kindOf returns the type in an address: the part before the name.
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
			"address": r.address, "mode": mode, "type": kindOf(r.address), "name": "x",
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
			"actions": actions, "after": r.values, "after_sensitive": marks(r.sensitive), "after_unknown": marks(r.unknown),
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
	outputs := map[string]any{}
	for name, value := range w.outputs {
		outputs[name] = map[string]any{"sensitive": false, "value": value}
	}
	file := map[string]any{"format_version": "1.0", "terraform_version": "1.11.4"}
	if w.plan {
		planned := module(resources...)
		planned["outputs"] = outputs
		file["format_version"], file["planned_values"], file["resource_changes"] = "1.2", planned, changes
		file["prior_state"] = map[string]any{"format_version": "1.0", "values": module(data...)}
	} else {
		values := module(append(data, resources...)...)
		values["outputs"] = outputs
		file["values"] = values
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
	for _, i := range append(append([]difference.Item{}, d.Results...), d.Resources...) {
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
		".md": d.Markdown(limit), ".json": string(text) + "\n", ".page": fmt.Sprintln(c.Headline, c.Lines, c.Tables),
	}
}
