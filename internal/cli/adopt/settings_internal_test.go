package adopt

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/stretchr/testify/assert"

	provider "terraform-provider-vsla/internal/provider/replication"
)

// TestSettings_complete checks that every argument of vsla_replication is adopted.
func TestSettings_complete(t *testing.T) {
	t.Parallel()
	var schema resource.SchemaResponse
	provider.NewResource().Schema(context.Background(), resource.SchemaRequest{}, &schema)
	adopted := settingsOf(replication{})
	left := map[string]string{
		"vm_id": "the key of for_each", "rpo_minutes": "an argument of the tier",
		"target_replication_server_id": "chosen by vSphere Replication", "paused": "not managed by default",
		"disk_format": "not reported by vSphere Replication",
	}
	const switches = "retain_replica_disks_on_destroy force_local_destroy destroy_when_managed_by_recovery " +
		"wait_for_initial_sync skip_capability_check timeouts" // unknown to vSphere Replication
	for name := range strings.FieldsSeq(switches) {
		left[name] = "used by Terraform only"
	}
	for name, a := range schema.Schema.Attributes {
		_, ok := adopted[name]
		assert.False(t, !ok && (a.IsRequired() || a.IsOptional()) && left[name] == "",
			"settingsOf has no %s: adopt would drop it", name)
	}
}

// TestTextOf: a name cannot read as another in a pull request, and stays the name that it is.
func TestTextOf(t *testing.T) {
	t.Parallel()
	got, want := textOf("a\u202egold\u2028\u009b<é>"), `"a\u202egold\u2028\u009b<é>"`
	assert.Equal(t, want, got)
}
