package difference_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/report/difference"
)

// TestProtection: a plan in which every verdict stays, and a VM gets a longer RPO at another address, gets worse.
func TestProtection(t *testing.T) {
	t.Parallel()
	read := func(text string) *document.Document {
		t.Helper()
		d, err := document.Read(strings.NewReader(text))
		require.NoError(t, err)
		return d
	}
	const (
		sides = `{"address": "vsla_replication.%", "mode": "managed", "type": "vsla_replication", "name": "%", "change": {
			"actions": ["delete", "create"], "before": {"vm_id": "VirtualMachine:vm-1:x", "pairing_id": "p", "rpo_minutes": 15},
			"after": {"vm_id": "VirtualMachine:vm-1:x", "pairing_id": "p", "rpo_minutes": 240}}}`
		plan = `{"format_version": "1.2", "planned_values": {}, "configuration": {}, "resource_changes": [`
	)
	before := read(`{"format_version": "1.0"}`)
	d := difference.New(before, read(plan+strings.ReplaceAll(sides, "%", "a")+"]}"))
	want := "Protection gets weaker: 1 VM"
	assert.True(t, strings.HasPrefix(d.Headline, want) && d.GetsWorse() && d.Outcome == difference.Worse,
		"got %q, worse: %t, %s, want %q first", d.Headline, d.GetsWorse(), d.Outcome, want)
	for _, says := range []string{
		"vsla_replication.a vm-1 is synced from nothing", "vsla_replication.a vm-1 has a longer RPO",
	} {
		assert.Contains(t, strings.ReplaceAll(d.Markdown(10_000), `\_`, "_"), says)
	}
	same := difference.New(before, read(plan+"]}"))
	assert.False(t, same.GetsWorse(), "got %q, want no plan without changes to get worse", same.Headline)
}
