package adopt

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	provider "terraform-provider-vsla/internal/provider/replication"
	"terraform-provider-vsla/internal/vsphere"
)

// small returns a reading with two tiers and no replications. The VMs vm-1 and vm-2 are tagged gold, but only the given
// VMs are visible.
func small(visible ...string) Reading {
	r := Reading{
		categories:   []vsphere.Category{{ID: "c", Name: "sla"}},
		tierCategory: "sla",
		omissions:    make(omissions),
		objects: map[string][]vsphere.Object{"1": {
			{Type: vmType, ID: "vm-1"},
			{Type: vmType, ID: "vm-2"},
		}},
		vms: make(map[string]string),
	}
	for id, name := range map[string]string{"1": "gold", "2": "odd ${x}"} {
		tag := vsphere.NamedTag{Tag: vsphere.Tag{ID: id, Name: name, Description: "what"}, Category: "sla"}
		r.tags = append(r.tags, tag)
	}
	for _, id := range visible {
		r.vms[id] = "name of " + id
	}
	return r
}

// TestConfigure_oneHidden verifies that the import lists the IDs of the visible VMs if another tagged VM is hidden, so
// that the hidden VM keeps its tag.
func TestConfigure_oneHidden(t *testing.T) {
	t.Parallel()
	for want, visible := range map[string][]string{
		"1/VirtualMachine":      {"vm-1", "vm-2"},
		"1/VirtualMachine/vm-1": {"vm-1"},
	} {
		r := small(visible...)
		assert.Equal(t, want, r.Configure().associations["sla/gold"], "%+v", visible)
	}
}

// TestFiles_sharedKey verifies that no configuration is written if an object would have no import.
func TestFiles_sharedKey(t *testing.T) {
	t.Parallel()
	r := small("vm-1", "vm-2")
	r.tags = append(r.tags, r.tags...)
	c := r.Configure()
	_, err := c.Files()
	assert.EqualError(t, err, "2 associations and replications have only 1 different keys; nothing was written")
}

func TestTiersFile_withoutReplications(t *testing.T) {
	t.Parallel()
	r := small("vm-1", "vm-2")
	c := r.Configure()
	got, err := c.tiersFile()
	want := `  tiers = {
    gold = {
      description = "what"
      # rpo_minutes = 60 # Set this before you replicate VMs of this tier.
    }
    "odd $${x}" = {
`
	require.NoError(t, err)
	assert.Contains(t, string(got), want)
}

func TestSettings_complete(t *testing.T) {
	t.Parallel()
	var schema resource.SchemaResponse
	provider.NewResource().Schema(context.Background(), resource.SchemaRequest{}, &schema)
	adopted := settingsOf(replication{})
	left := map[string]string{
		"vm_id":                        "the key of for_each",
		"rpo_minutes":                  "an argument of the tier",
		"target_replication_server_id": "chosen by vSphere Replication",
		"paused":                       "not managed by default",
	}
	const switches = "retain_replica_disks_on_destroy force_local_destroy destroy_when_managed_by_recovery " +
		"wait_for_initial_sync skip_capability_check adopt_existing timeouts" // not settings of vSphere Replication
	for name := range strings.FieldsSeq(switches) {
		left[name] = "used by Terraform only"
	}
	for name, a := range schema.Schema.Attributes {
		_, ok := adopted[name]
		if !ok && (a.IsRequired() || a.IsOptional()) {
			assert.NotEmpty(t, left[name], "settingsOf has no %s", name)
		}
	}
	config, err := configuration.ReadFile("configuration/replications.tf")
	require.NoError(t, err)
	for name := range adopted {
		assert.Contains(t, string(config), "each.value."+name+"\n", "replications.tf does not set %s", name)
	}
}

func TestCompareIDs(t *testing.T) {
	t.Parallel()
	ids := []string{"VirtualMachine:vm-3130:e0", "VirtualMachine:vm-99:e0", "VirtualMachine:vm-313:e0"}
	slices.SortFunc(ids, compareIDs)
	assert.Equal(t, []string{"VirtualMachine:vm-99:e0", "VirtualMachine:vm-313:e0", "VirtualMachine:vm-3130:e0"}, ids)
}
