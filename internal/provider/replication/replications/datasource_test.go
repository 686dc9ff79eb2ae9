package replications_test

import (
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestSchema_settings verifies that the data source returns each argument of the resource.
func TestSchema_settings(t *testing.T) {
	t.Parallel()
	provider := acctest.StartSites(t, 1, gateway.Switches{}).Configured(t)
	schemas, err := provider.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	var returned []string
	for _, a := range schemas.DataSourceSchemas["vsla_replications"].Block.Attributes {
		if a.Name == "replications" {
			for _, nested := range a.NestedType.Attributes {
				returned = append(returned, nested.Name)
			}
		}
	}
	other := []string{
		"pairing_id",                   // argument of the data source
		"disk_format",                  // not reported by the API
		"target_replication_server_id", // not set by imports; see target_replication_server_uuid
		// Used only by Terraform.
		"retain_replica_disks_on_destroy", "force_local_destroy", "destroy_when_managed_by_recovery",
		"wait_for_initial_sync", "skip_capability_check", "timeouts",
	}
	arguments := 0
	for _, a := range schemas.ResourceSchemas["vsla_replication"].Block.Attributes {
		if !a.Required && !a.Optional {
			continue
		}
		arguments++
		assert.False(t, !slices.Contains(returned, a.Name) && !slices.Contains(other, a.Name),
			"got no attribute %s in replications, want every argument of vsla_replication", a.Name)
	}
	assert.GreaterOrEqual(t, arguments, 20)
}

// TestAcc_settings verifies the settings of a replication configured by another client, and optionally its disks.
func TestAcc_settings(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 3, gateway.Switches{})
	s.Keep()
	// VM 2 has three disks.
	require.NoError(t, s.AddReplication(gateway.Replicated{
		VM: s.VM(2), RPOMinutes: 30, Compression: true, Quiesce: true, DataSets: true, KeepsNewDisksOut: true,
		Instances: 4, Days: 5, Policy: 1, LastDisk: gateway.Other{LeftOut: true},
	}))
	s.Advance(time.Hour)
	is := func(name string, want knownvalue.Check, path ...string) statecheck.StateCheck {
		at := tfjsonpath.New("replications").AtSliceIndex(0)
		for _, step := range path {
			at = at.AtMapKey(step)
		}
		return statecheck.ExpectKnownValue("data.vsla_replications."+name, at, want)
	}
	s.Run(t, resource.TestStep{
		Config: s.Provider() + `
data "vsla_replications" "settings" {
  pairing_id = "` + s.PairingID() + `"
}
data "vsla_replications" "disks" {
  pairing_id = "` + s.PairingID() + `"
  read_disks = true
}`,
		ConfigStateChecks: []statecheck.StateCheck{
			is("settings", knownvalue.Bool(true), "network_compression"),
			is("settings", knownvalue.Bool(false), "network_encryption"),
			is("settings", knownvalue.Bool(true), "quiesce_guest"),
			is("settings", knownvalue.Bool(true), "replicate_vm_data_sets"),
			is("settings", knownvalue.Bool(false), "auto_replicate_new_disks"),
			is("settings", knownvalue.Bool(false), "paused"),
			is("settings", knownvalue.Int64Exact(4), "point_in_time", "instances_per_day"),
			is("settings", knownvalue.Int64Exact(5), "point_in_time", "days"),
			is("settings", knownvalue.Null(), "target_datastore_id"),
			is("settings", knownvalue.Null(), "disks"),
			is("disks", knownvalue.StringExact(s.Datastore(0)), "target_datastore_id"),
			is("disks", knownvalue.StringExact(s.RemotePolicies()[1]), "target_storage_policy_id"),
			is("disks", knownvalue.Bool(false), "disks", "2002", "enabled"),
		},
	})
}
