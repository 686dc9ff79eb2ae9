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

// config returns a configuration that reads the replications with additional arguments.
func config(s *acctest.Sites, arguments string) string {
	return fmt.Sprintf(
		"%s\ndata \"vsla_replications\" \"all\" {\n  pairing_id = %q\n%s\n}\n",
		s.Provider(),
		s.PairingID(),
		arguments,
	)
}

// first checks an attribute of the first replication that config reads.
func first(want knownvalue.Check, steps ...string) statecheck.StateCheck {
	at := tfjsonpath.New("replications").AtSliceIndex(0)
	for _, step := range steps {
		at = at.AtMapKey(step)
	}
	return statecheck.ExpectKnownValue("data.vsla_replications.all", at, want)
}

func TestAcc_settings(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 3, gateway.Switches{Enhanced: true})
	s.KeepReplications()
	require.NoError(t, s.AddReplication(gateway.ReplicationOptions{
		VM:              s.VM(2),
		RPOMinutes:      30,
		Compression:     true,
		Quiesce:         true,
		DataSets:        true,
		NoAutoReplicate: true,
		Instances:       4,
		Days:            5,
	}))
	s.Run(t, resource.TestStep{
		Config: config(s, ""),
		ConfigStateChecks: []statecheck.StateCheck{
			first(knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"replication_id":           knownvalue.StringExact(s.Replications()[0].ID),
				"vm_id":                    knownvalue.StringExact(s.VM(2)),
				"source_vcenter_id":        knownvalue.StringExact(s.LocalVCenterID()),
				"target_vcenter_id":        knownvalue.StringExact(s.RemoteVCenterID()),
				"rpo_minutes":              knownvalue.Int64Exact(30),
				"network_compression":      knownvalue.Bool(true),
				"network_encryption":       knownvalue.Bool(false),
				"quiesce_guest":            knownvalue.Bool(true),
				"replicate_vm_data_sets":   knownvalue.Bool(true),
				"auto_replicate_new_disks": knownvalue.Bool(false),
				"paused":                   knownvalue.Bool(false),
				"target_datastore_id":      knownvalue.Null(),
				"disks":                    knownvalue.Null(),
				"issues":                   knownvalue.Null(),
			})),
			first(knownvalue.ObjectExact(map[string]knownvalue.Check{
				"instances_per_day": knownvalue.Int64Exact(4),
				"days":              knownvalue.Int64Exact(5),
			}), "point_in_time"),
		},
	})
}

func TestAcc_status(t *testing.T) {
	t.Parallel()
	s := startReplicated(t)
	last := s.Now().Add(-90 * time.Second)
	answer := map[string]any{}
	want := map[string]knownvalue.Check{
		"last_sync_time": knownvalue.StringExact(last.Format(time.RFC3339)),
		"lag_seconds":    knownvalue.Int64Exact(90),
		"rpo_violation":  knownvalue.Bool(true),
	}
	for _, test := range []struct {
		field     string
		value     any
		attribute string
		want      knownvalue.Check
	}{
		{"name", "n", "name", knownvalue.StringExact("n")},
		{"source_site_name", "from", "source_site_name", knownvalue.StringExact("from")},
		{"target_site_name", "to", "target_site_name", knownvalue.StringExact("to")},
		{
			field:     "status",
			value:     map[string]any{"status": "SYNC_RPO_VIOLATION", "rpo_violation": true},
			attribute: "status",
			want:      knownvalue.StringExact("SYNC_RPO_VIOLATION"),
		},
		{"current_rpo_violation", 21, "current_rpo_violation_minutes", knownvalue.Int64Exact(21)},
		{"last_sync_time", last.UnixMilli(), "last_sync_time_ms", knownvalue.Int64Exact(last.UnixMilli())},
		{"last_sync_duration", 22, "last_sync_duration_seconds", knownvalue.Int64Exact(22)},
		{"last_sync_size", 23, "last_sync_size_bytes", knownvalue.Int64Exact(23)},
		{"configuration_state", "c", "configuration_state", knownvalue.StringExact("c")},
		{
			field:     "configuration_error",
			value:     map[string]any{"message": "cm"},
			attribute: "configuration_error",
			want:      knownvalue.StringExact("cm"),
		},
		{"last_group_error", map[string]any{"message": "gm"}, "last_group_error", knownvalue.StringExact("gm")},
		{"recovery_state", "r", "recovery_state", knownvalue.StringExact("r")},
		{"recovery_error", "re", "recovery_error", knownvalue.StringExact("re")},
		{"recovery_solution", "rs", "recovery_solution", knownvalue.StringExact("rs")},
		{"target_replication_server_uuid", "u", "target_replication_server_uuid", knownvalue.StringExact("u")},
		{"replication_server_name", "s", "target_replication_server_name", knownvalue.StringExact("s")},
		{"enhanced_replication", true, "enhanced_replication", knownvalue.Bool(true)},
	} {
		answer[test.field] = test.value
		want[test.attribute] = test.want
	}
	changeReplications(s, answer)
	s.Run(t, resource.TestStep{
		Config: config(s, ""),
		ConfigStateChecks: []statecheck.StateCheck{
			first(knownvalue.ObjectPartial(want)),
			statecheck.ExpectKnownValue(
				"data.vsla_replications.all",
				tfjsonpath.New("status_counts"),
				knownvalue.MapExact(map[string]knownvalue.Check{"SYNC_RPO_VIOLATION": knownvalue.Int64Exact(1)}),
			),
		},
	})
}

// startReplicated starts two sites and replicates VM 2, which has three disks.
func startReplicated(t *testing.T) *acctest.Sites {
	t.Helper()
	s := acctest.StartSites(t, 3, gateway.Switches{Enhanced: true})
	s.KeepReplications()
	require.NoError(t, s.AddReplications(30, s.VM(2)))
	s.Advance(time.Hour)
	return s
}

// changeReplications replaces fields of each listed replication.
func changeReplications(s *acctest.Sites, fields map[string]any) {
	s.ChangeAnswers("getAllReplications", 0, func(answer map[string]any) {
		for _, row := range gateway.Rows(answer) {
			maps.Copy(row, fields)
		}
	})
}

func TestAcc_syncProgress(t *testing.T) {
	t.Parallel()
	s := startReplicated(t)
	changeReplications(s, map[string]any{"sync_progress": map[string]any{
		"progress":            31,
		"checksum_current":    32,
		"checksum_total":      33,
		"transferred_current": 34,
		"transferred_total":   35,
	}})
	s.Run(t, resource.TestStep{
		Config: config(s, ""),
		ConfigStateChecks: []statecheck.StateCheck{
			first(knownvalue.ObjectExact(map[string]knownvalue.Check{
				"progress_percent":          knownvalue.Int64Exact(31),
				"checksum_current_bytes":    knownvalue.Int64Exact(32),
				"checksum_total_bytes":      knownvalue.Int64Exact(33),
				"transferred_current_bytes": knownvalue.Int64Exact(34),
				"transferred_total_bytes":   knownvalue.Int64Exact(35),
			}), "sync_progress"),
		},
	})
}

// TestAcc_disks reads the disks of a VM whose disk 2001 has another target than the others, and whose disk 2002 is
// excluded.
func TestAcc_disks(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 3, gateway.Switches{})
	s.KeepReplications()
	require.NoError(t, s.AddReplication(gateway.ReplicationOptions{
		VM:         s.VM(2),
		RPOMinutes: 30,
		Policy:     1,
		LastDisk:   gateway.DiskOptions{Excluded: true},
	}))
	s.Advance(time.Hour)
	require.True(t, s.ChangeDisk(s.VM(2), 2001, gateway.DiskOptions{Datastore: 1}))
	s.ChangeAnswers("getReplicatedVmDisks", 0, func(answer map[string]any) {
		for _, row := range gateway.Rows(answer) {
			if disk, ok := row["vm_disk"].(map[string]any); ok && fmt.Sprint(disk["device_key"]) == "2001" {
				row["destination_storage_policy_id"] = s.RemotePolicies()[2]
			}
		}
	})
	s.Run(t, resource.TestStep{
		Config: config(s, "  read_disks = true"),
		ConfigStateChecks: []statecheck.StateCheck{
			first(knownvalue.StringExact(s.Datastore(0)), "target_datastore_id"),
			first(knownvalue.StringExact(s.RemotePolicies()[1]), "target_storage_policy_id"),
			first(knownvalue.ObjectExact(map[string]knownvalue.Check{
				"enabled":             knownvalue.Bool(true),
				"target_datastore_id": knownvalue.StringExact(s.Datastore(1)),
				"storage_policy_id":   knownvalue.StringExact(s.RemotePolicies()[2]),
			}), "disks", "2001"),
			first(knownvalue.Bool(false), "disks", "2002", "enabled"),
		},
	})
}

// TestAcc_issues reads the issues of a replication, of its VM and of another VM.
func TestAcc_issues(t *testing.T) {
	t.Parallel()
	s := startReplicated(t)
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
	s.Run(t, resource.TestStep{
		Config: config(s, fmt.Sprintf("  vm_id       = %q\n  read_issues = true", s.VM(2))),
		ConfigStateChecks: []statecheck.StateCheck{
			first(knownvalue.ListSizeExact(2), "issues"),
			first(knownvalue.ListPartial(map[int]knownvalue.Check{
				0: knownvalue.ObjectExact(map[string]knownvalue.Check{
					"entity":      knownvalue.StringExact(id),
					"entity_name": knownvalue.StringExact("en"),
					"description": knownvalue.StringExact("ed"),
					"status":      knownvalue.StringExact("ERROR"),
					"type":        knownvalue.StringExact("VRS"),
				}),
			}), "issues"),
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
