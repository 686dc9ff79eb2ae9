package targets_test

import (
	"fmt"
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
		resource.TestStep{Config: config(""), ConfigStateChecks: []statecheck.StateCheck{
			is("datastores", knownvalue.ListSizeExact(2)),
			is("servers", knownvalue.Null()),
			is("storage_policies", knownvalue.Null()),
			is("vcenter_id", knownvalue.StringExact(s.RemoteVCenterID())),
		}},
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
