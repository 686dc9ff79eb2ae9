package gate_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/gate"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
)

// missing stands for a value that is left out.
type missing struct{}

// mutate calls try with the plan after each mutation of the named values: missing, null, of another type, or bad.
func mutate(t *testing.T, plan func() document, find func(document) document, values map[string][]any,
	optional func(name string) bool, try func(name string, value any, plan document),
) {
	t.Helper()
	for name, bad := range values {
		all := append([]any{"?", document{"x": "y"}, []any{[]any{}}}, bad...)
		if !optional(name) {
			all = append(all, missing{}, nil)
		}
		for _, value := range all {
			p := plan()
			at := find(p)
			require.NotNil(t, at, name)
			if _, out := value.(missing); out {
				delete(at, name)
			} else {
				at[name] = value
			}
			try(name, value, p)
		}
	}
}

// TestEvaluate_mutations changes each value that the gate relies on. Every change must be denied or unreadable.
func TestEvaluate_mutations(t *testing.T) {
	t.Parallel()
	b := load[base](t, "base.yaml")
	cases := load[struct {
		Results           map[string]map[string][]any
		Replication, Plan map[string][]any
		Optional          []string
	}](t, "mutations.yaml")
	honest := b.plan(t, row{})
	plan := func() document { return copied(t, honest) }
	lines, err := yaml.Marshal(b.Settings)
	require.NoError(t, err)
	tried := 0
	try := func(where string) func(string, any, document) {
		return func(name string, value any, p document) {
			tried++
			text, err := json.Marshal(p)
			require.NoError(t, err)
			read, err := tfplan.Read(text)
			if err != nil {
				return
			}
			s, err := settings.Read(bytes.NewReader(lines), "policy.yaml")
			require.NoError(t, err)
			d := gate.Evaluate(read, s, gate.Context{Today: today})
			assert.False(t, d.Passes, "%s.%s = %v", where, name, value)
		}
	}
	optional := func(where string) func(string) bool {
		return func(name string) bool { return slices.Contains(cases.Optional, where+"."+name) }
	}
	for address, values := range cases.Results {
		find := func(p document) document { return valuesOf(p, address) }
		mutate(t, plan, find, values, optional(address), try(address))
		for _, key := range []string{"mode", "type", "address", "provider_name", "values"} {
			p := plan()
			delete(recordOf(p, address), key)
			try(address)(key, missing{}, p)
		}
	}
	mutate(t, plan, replicationOf, cases.Replication, optional("replication"), try("replication"))
	mutate(t, plan, func(p document) document { return p }, cases.Plan, optional("plan"), try("plan"))
	assert.GreaterOrEqual(t, tried, 250)
}

func copied(t *testing.T, d document) (c document) {
	t.Helper()
	text, err := json.Marshal(d)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &c))
	return c
}

func recordOf(p document, address string) document {
	prior, _ := p["prior_state"].(document)
	values, _ := prior["values"].(document)
	root, _ := values["root_module"].(document)
	list, _ := root["resources"].([]any)
	for _, r := range list {
		if record, ok := r.(document); ok && record["address"] == address {
			return record
		}
	}
	return nil
}

func valuesOf(p document, address string) document {
	values, _ := recordOf(p, address)["values"].(document)
	return values
}

func replicationOf(p document) document {
	list, _ := p["resource_changes"].([]any)
	for _, c := range list {
		if record, ok := c.(document); ok && record["type"] == "vsla_replication" {
			change, _ := record["change"].(document)
			after, _ := change["after"].(document)
			return after
		}
	}
	return nil
}
