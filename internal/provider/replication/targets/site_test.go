package targets_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestAccReplicationSite verifies that only the lists in read are requested, and that a list that the account may not
// read does not fail the others.
func TestAccReplicationSite(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	const (
		listDatastores = "getVrCapableTargetDatastores"
		listServers    = "getAllVrServersInPairing"
		listPolicies   = "getVcStoragePolicies"
	)
	config := func(more string) string {
		return s.Provider() + fmt.Sprintf("data \"vsla_replication_site\" \"x\" {\n  pairing_id = %q\n  %s\n}\n",
			s.PairingID(), more)
	}
	is := func(list string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.vsla_replication_site.x", tfjsonpath.New(list), check)
	}
	s.Run(t,
		resource.TestStep{
			Config: config(""),
			ConfigStateChecks: []statecheck.StateCheck{
				is("datastores", knownvalue.ListSizeExact(2)),
				is("servers", knownvalue.Null()),
				is("storage_policies", knownvalue.Null()),
				is("vcenter_id", knownvalue.StringExact(s.RemoteVCenterID())),
			},
		},
		acctest.After(func() {
			assert.Zero(t, s.Traffic().Count(listServers))
			assert.Zero(t, s.Traffic().Count(listPolicies))
			s.Traffic().Reset()
			s.Traffic().Break(fault.Rule{Kind: listPolicies, Status: http.StatusForbidden})
		}, resource.TestStep{
			Config: config(`read = ["servers", "storage_policies"]`),
			ConfigStateChecks: []statecheck.StateCheck{
				is("datastores", knownvalue.Null()),
				is("servers", knownvalue.ListSizeExact(2)),
				is("storage_policies", knownvalue.Null()),
			},
		}),
		acctest.After(func() { assert.Zero(t, s.Traffic().Count(listDatastores)) },
			acctest.FailingStep(config(`read = ["storage_policies"]`), "HTTP 403")),
		acctest.FailingStep(config(`read = ["disks"]`), "value must be one of"),
		acctest.FailingStep(config(`vcenter_id = "x"`), "must be one of the two vCenters of the pairing"),
	)
}

func TestAccReplicationSite_lists(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	store := s.Recovery.Datastores()[0]
	s.SetDatastore(s.Datastore(0), false, "RED", 7)
	s.ChangeAnswers("getAllVrServersInPairing", 0, func(answer map[string]any) {
		for i, row := range gateway.Rows(answer) {
			maps.Copy(row, map[string]any{
				"id":                 fmt.Sprint("s", i),
				"uuid":               "u",
				"name":               "n",
				"hostname":           "h",
				"replication_count":  3,
				"connected":          true,
				"decommissioned":     true,
				"internally_managed": false,
				"fault":              "f",
			})
		}
	})
	policies := []string{"Datastore Default", "Replica Policy", "Encryption Policy"}
	is := func(name, list string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.vsla_replication_site."+name, tfjsonpath.New(list), check)
	}
	text := knownvalue.StringExact
	objects := func(n int, element func(int) map[string]knownvalue.Check) knownvalue.Check {
		all := make([]knownvalue.Check, n)
		for i := range all {
			all[i] = knownvalue.ObjectExact(element(i))
		}
		return knownvalue.SetExact(all)
	}
	s.Run(t, resource.TestStep{
		Config: s.Provider() + fmt.Sprintf(`
data "vsla_replication_site" "all" {
  pairing_id = %[1]q
  read       = ["datastores", "servers", "storage_policies"]
}
data "vsla_replication_site" "one" {
  pairing_id     = %[1]q
  datastore_name = data.vsla_replication_site.all.datastores[1].name
}
data "vsla_replication_site" "accessible" {
  pairing_id      = %[1]q
  accessible_only = true
}
data "vsla_replication_site" "none" {
  pairing_id     = %[1]q
  datastore_name = "none"
}
`, s.PairingID()),
		ConfigStateChecks: []statecheck.StateCheck{
			is("all", "datastores", knownvalue.ListSizeExact(2)),
			is("all", "datastores", knownvalue.ListPartial(map[int]knownvalue.Check{
				0: knownvalue.ObjectExact(map[string]knownvalue.Check{
					"id":               text(s.Datastore(0)),
					"name":             text(store.Name),
					"type":             text("DATASTORE"),
					"parent_id":        text(store.ParentID + ":" + s.RemoteVCenterID()),
					"parent_name":      text(store.ParentName),
					"capacity_bytes":   knownvalue.Int64Exact(store.CapacityBytes),
					"free_bytes":       knownvalue.Int64Exact(7),
					"file_system_type": text(store.Type),
					"overall_status":   text("RED"),
					"maintenance_mode": text("normal"),
					"accessible":       knownvalue.Bool(false),
					"nkp_supported":    knownvalue.Bool(true),
				}),
			})),
			is("all", "servers", objects(2, func(i int) map[string]knownvalue.Check {
				return map[string]knownvalue.Check{
					"id":                 text(fmt.Sprint("s", i)),
					"uuid":               text("u"),
					"name":               text("n"),
					"hostname":           text("h"),
					"replication_count":  knownvalue.Int64Exact(3),
					"connected":          knownvalue.Bool(true),
					"decommissioned":     knownvalue.Bool(true),
					"internally_managed": knownvalue.Bool(false),
					"fault":              text("f"),
				}
			})),
			is("all", "storage_policies", objects(3, func(i int) map[string]knownvalue.Check {
				return map[string]knownvalue.Check{
					"id":                      text(s.RemotePolicies()[i]),
					"name":                    text(policies[i]),
					"vm_encryption_supported": knownvalue.Bool(i == 2),
				}
			})),
			is("one", "datastores", knownvalue.ListExact([]knownvalue.Check{
				knownvalue.ObjectPartial(map[string]knownvalue.Check{"id": text(s.Datastore(1))}),
			})),
			is("accessible", "datastores", knownvalue.ListSizeExact(1)),
			is("none", "datastores", knownvalue.ListSizeExact(0)),
		},
	})
}
