package replications_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
		// Arguments that only affect Terraform.
		"adopt_existing",
		"retain_replica_disks_on_destroy",
		"force_local_destroy",
		"destroy_when_managed_by_recovery",
		"wait_for_initial_sync",
		"skip_capability_check",
		"timeouts",
	}
	arguments := 0
	for _, a := range schemas.ResourceSchemas["vsla_replication"].Block.Attributes {
		if !a.Required && !a.Optional {
			continue
		}
		arguments++
		if !slices.Contains(returned, a.Name) {
			assert.Contains(t, other, a.Name)
		}
	}
	assert.GreaterOrEqual(t, arguments, 20)
}

func TestAcc_settings(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 3, gateway.Switches{Enhanced: true})
	s.KeepReplications()
	// VM 2 has three disks.
	require.NoError(t, s.AddReplication(gateway.ReplicationOptions{
		VM:              s.VM(2),
		RPOMinutes:      30,
		Compression:     true,
		Quiesce:         true,
		DataSets:        true,
		NoAutoReplicate: true,
		Instances:       4,
		Days:            5,
		Policy:          1,
		LastDisk:        gateway.DiskOptions{Excluded: true},
	}))
	s.Advance(time.Hour)
	require.True(t, s.ChangeDisk(s.VM(2), 2001, gateway.DiskOptions{Datastore: 1}))
	id := s.Replications()[0].ID
	s.ChangeAnswers("getReplicationsIssues", 0, func(answer map[string]any) {
		answer["list"] = []any{
			map[string]any{
				"entity":      id,
				"entity_name": "en",
				"description": "ed",
				"timestamp":   1,
				"status":      "ERROR",
				"issue_type":  "VRS",
			},
			map[string]any{"entity": s.VM(1), "timestamp": 2},
			map[string]any{"entity": s.VM(2), "timestamp": 3},
		}
	})
	s.ChangeAnswers("getReplicatedVmDisks", 0, func(answer map[string]any) {
		for _, row := range gateway.Rows(answer) {
			if disk, ok := row["vm_disk"].(map[string]any); ok && fmt.Sprint(disk["device_key"]) == "2001" {
				row["destination_storage_policy_id"] = s.RemotePolicies()[2]
			}
		}
	})
	last := s.Now().Add(-90 * time.Second)
	s.ChangeAnswers("getAllReplications", 0, func(answer map[string]any) {
		for _, row := range gateway.Rows(answer) {
			maps.Copy(row, map[string]any{
				"name":                           "n",
				"source_site_name":               "from",
				"target_site_name":               "to",
				"current_rpo_violation":          21,
				"last_sync_time":                 last.UnixMilli(),
				"last_sync_duration":             22,
				"last_sync_size":                 23,
				"configuration_state":            "c",
				"configuration_error":            map[string]any{"message": "cm"},
				"last_group_error":               map[string]any{"message": "gm"},
				"recovery_state":                 "r",
				"recovery_error":                 "re",
				"recovery_solution":              "rs",
				"target_replication_server_uuid": "u",
				"replication_server_name":        "s",
				"status":                         map[string]any{"status": "SYNC_RPO_VIOLATION", "rpo_violation": true},
				"enhanced_replication":           true,
				"sync_progress": map[string]any{
					"progress":            31,
					"checksum_current":    32,
					"checksum_total":      33,
					"transferred_current": 34,
					"transferred_total":   35,
				},
			})
		}
	})
	settings := map[string]knownvalue.Check{
		"replication_id":    knownvalue.StringExact(id),
		"vm_id":             knownvalue.StringExact(s.VM(2)),
		"rpo_minutes":       knownvalue.Int64Exact(30),
		"last_sync_time":    knownvalue.StringExact(last.Format(time.RFC3339)),
		"last_sync_time_ms": knownvalue.Int64Exact(last.UnixMilli()),
		"lag_seconds":       knownvalue.Int64Exact(90),
		"source_vcenter_id": knownvalue.StringExact(s.LocalVCenterID()),
		"target_vcenter_id": knownvalue.StringExact(s.RemoteVCenterID()),
	}
	for name, want := range map[string]int64{
		"current_rpo_violation_minutes": 21,
		"last_sync_duration_seconds":    22,
		"last_sync_size_bytes":          23,
	} {
		settings[name] = knownvalue.Int64Exact(want)
	}
	for name, want := range map[string]string{
		"name":                           "n",
		"source_site_name":               "from",
		"target_site_name":               "to",
		"configuration_state":            "c",
		"configuration_error":            "cm",
		"last_group_error":               "gm",
		"recovery_state":                 "r",
		"recovery_error":                 "re",
		"recovery_solution":              "rs",
		"target_replication_server_uuid": "u",
		"target_replication_server_name": "s",
		"status":                         "SYNC_RPO_VIOLATION",
	} {
		settings[name] = knownvalue.StringExact(want)
	}
	for name, want := range map[string]bool{
		"network_compression":      true,
		"network_encryption":       false,
		"quiesce_guest":            true,
		"replicate_vm_data_sets":   true,
		"auto_replicate_new_disks": false,
		"paused":                   false,
		"rpo_violation":            true,
		"enhanced_replication":     true,
	} {
		settings[name] = knownvalue.Bool(want)
	}
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
}
data "vsla_replications" "issues" {
  pairing_id  = "` + s.PairingID() + `"
  vm_id       = "` + s.VM(2) + `"
  read_issues = true
}`,
		ConfigStateChecks: []statecheck.StateCheck{
			is("settings", knownvalue.ObjectPartial(settings)),
			is("settings", knownvalue.ObjectExact(map[string]knownvalue.Check{
				"instances_per_day": knownvalue.Int64Exact(4),
				"days":              knownvalue.Int64Exact(5),
			}), "point_in_time"),
			is("settings", knownvalue.ObjectExact(map[string]knownvalue.Check{
				"progress_percent":          knownvalue.Int64Exact(31),
				"checksum_current_bytes":    knownvalue.Int64Exact(32),
				"checksum_total_bytes":      knownvalue.Int64Exact(33),
				"transferred_current_bytes": knownvalue.Int64Exact(34),
				"transferred_total_bytes":   knownvalue.Int64Exact(35),
			}), "sync_progress"),
			statecheck.ExpectKnownValue("data.vsla_replications.settings", tfjsonpath.New("status_counts"),
				knownvalue.MapExact(map[string]knownvalue.Check{"SYNC_RPO_VIOLATION": knownvalue.Int64Exact(1)})),
			is("settings", knownvalue.Null(), "target_datastore_id"),
			is("settings", knownvalue.Null(), "disks"),
			is("settings", knownvalue.Null(), "issues"),
			is("issues", knownvalue.ListSizeExact(2), "issues"),
			is("issues", knownvalue.ListPartial(map[int]knownvalue.Check{
				0: knownvalue.ObjectExact(map[string]knownvalue.Check{
					"entity":      knownvalue.StringExact(id),
					"entity_name": knownvalue.StringExact("en"),
					"description": knownvalue.StringExact("ed"),
					"status":      knownvalue.StringExact("ERROR"),
					"type":        knownvalue.StringExact("VRS"),
				}),
			}), "issues"),
			is("disks", knownvalue.StringExact(s.Datastore(0)), "target_datastore_id"),
			is("disks", knownvalue.StringExact(s.RemotePolicies()[1]), "target_storage_policy_id"),
			is("disks", knownvalue.ObjectExact(map[string]knownvalue.Check{
				"enabled":             knownvalue.Bool(true),
				"target_datastore_id": knownvalue.StringExact(s.Datastore(1)),
				"storage_policy_id":   knownvalue.StringExact(s.RemotePolicies()[2]),
			}), "disks", "2001"),
			is("disks", knownvalue.Bool(false), "disks", "2002", "enabled"),
		},
	})
}

func TestAcc_filters(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{})
	s.KeepReplications()
	require.NoError(t, s.AddReplications(15, s.VM(0)))
	s.Advance(time.Minute)
	var config strings.Builder
	config.WriteString(s.Provider())
	filter := func(name, argument string) {
		fmt.Fprintf(
			&config,
			"data \"vsla_replications\" %q {\n  pairing_id = %q\n  %s\n}\n",
			name,
			s.PairingID(),
			argument,
		)
	}
	filter("by_vm", fmt.Sprintf("vm_id = %q\nread_issues = true", s.VM(0)))
	checks := []statecheck.StateCheck{
		statecheck.ExpectKnownValue("data.vsla_replications.by_vm", tfjsonpath.New("replications"),
			knownvalue.ListExact([]knownvalue.Check{
				knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"vm_id":          knownvalue.StringExact(s.VM(0)),
					"status":         knownvalue.StringExact("INITIAL_FULL_SYNC"),
					"last_sync_time": knownvalue.Null(),
					"sync_progress":  knownvalue.NotNull(),
					"issues":         knownvalue.ListSizeExact(0),
				}),
			})),
	}
	for name, test := range map[string]struct {
		argument string
		want     int64
	}{
		"other_vm":  {fmt.Sprintf("vm_id = %q", s.VM(1)), 0},
		"outgoing":  {`direction = "outgoing"`, 1},
		"incoming":  {`direction = "incoming"`, 0},
		"initial":   {`status = "INITIAL_FULL_SYNC"`, 1},
		"synced":    {`status = "OK"`, 0},
		"compliant": {`rpo_violation = false`, 1},
		"violating": {`rpo_violation = true`, 0},
	} {
		filter(name, test.argument)
		checks = append(checks, statecheck.ExpectKnownValue("data.vsla_replications."+name,
			tfjsonpath.New("replication_count"), knownvalue.Int64Exact(test.want)))
	}
	s.Run(t, resource.TestStep{Config: config.String(), ConfigStateChecks: checks})
}
