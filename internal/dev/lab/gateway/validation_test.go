package gateway_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// with is a copy of a JSON object with other values; the value missing takes one out.
func with(object map[string]any, pairs ...any) map[string]any {
	object = maps.Clone(object)
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			panic("a name is a string")
		}
		if pairs[i+1] == missing {
			delete(object, name)
			continue
		}
		object[name] = pairs[i+1]
	}
	return object
}

const missing = "\x00missing"

// disk is the i-th disk of a configuration, 0 for the VM's folder, with other values.
func disk(t *testing.T, spec map[string]any, i int, pairs ...any) map[string]any {
	t.Helper()
	disks, ok := spec["disks"].([]any)
	require.True(t, ok, "no disks in %v", spec)
	d, ok := disks[i].(map[string]any)
	require.True(t, ok, "no disk in %v", spec)
	changed := append([]any{}, disks...)
	changed[i] = with(d, pairs...)
	return with(spec, "disks", changed)
}

// vmDisk returns a disk as it was read, with other values.
func vmDisk(t *testing.T, spec map[string]any, i int, pairs ...any) map[string]any {
	t.Helper()
	disks, ok := spec["disks"].([]any)
	require.True(t, ok, "no disks in %v", spec)
	d, ok := disks[i].(map[string]any)
	require.True(t, ok, "no disk in %v", spec)
	read, ok := d["vm_disk"].(map[string]any)
	require.True(t, ok, "no vm_disk in %v", d)
	return disk(t, spec, i, "vm_disk", with(read, pairs...))
}

// TestForm_configure: the appliance refuses bodies of the wrong form, and nothing happens.
func TestForm_configure(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{FailInTask: true}}) // form is never a task
	good := l.spec(t, 1)
	refusals := map[string]any{
		"an object":    good,
		"empty array":  []any{},
		"a string":     []any{"replicate this"},
		"null":         []any{nil},
		"half a body":  []byte(`[{"vm_id":`),
		"two bodies":   []byte(`[][]`),
		"no JSON":      []byte(`rpo=15`),
		"rpo 0":        []any{with(good, "rpo", 0)},
		"rpo 4":        []any{with(good, "rpo", 4)},
		"rpo 1441":     []any{with(good, "rpo", 1441)},
		"rpo 15.5":     []any{with(good, "rpo", 15.5)},
		"rpo as text":  []any{with(good, "rpo", "15")},
		"rpo null":     []any{with(good, "rpo", nil)},
		"bad format":   []any{disk(t, good, 1, "destination_disk_format", "SLIM")},
		"quiesce text": []any{with(good, "quiesce_enabled", "true")},
		"mpit text":    []any{with(good, "mpit_instances", "3")},
		"disks null":   []any{with(good, "disks", nil)},
		"disks empty":  []any{with(good, "disks", []any{})},
		"disk key":     []any{vmDisk(t, good, 1, "device_key", "2000")},
	}
	for _, name := range []string{
		"vm_id", "target_vc_id", "rpo", "network_compression_enabled", "auto_replicate_new_disks",
		"lwd_encryption_enabled", "mpit_enabled", "disks",
	} {
		refusals["without "+name] = []any{with(good, name, missing)}
	}
	for _, name := range []string{
		"vm_disk", "enabled_for_replication", "destination_datastore_id", "destination_disk_format",
	} {
		refusals["a disk without "+name] = []any{disk(t, good, 1, name, missing)}
	}
	refusals["a disk without vm_id"] = []any{vmDisk(t, good, 1, "vm_id", missing)}
	for name, body := range refusals {
		a := l.call(t, http.MethodPost, l.pairing+"/replications", body)
		assert.True(t, a.status == http.StatusBadRequest && a.text(t, "op_id") != "" && a.text(t, "message") != "",
			"%s is answered %d %s", name, a.status, a.raw)
	}
	assert.Empty(t, l.Replications())
}
