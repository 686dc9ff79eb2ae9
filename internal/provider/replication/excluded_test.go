package replication_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// atVCenter is a configuration with a connection to the vCenter of the VM.
func atVCenter(s *acctest.Sites, config string) string {
	return strings.Replace(config, s.Provider(), s.ProviderAt(s.Protected), 1)
}

// TestAccReplication_excludedDisk verifies that a disk excluded by another client is drift. One request to vCenter
// checks all replications, and the gateway is asked only for the disks of the changed one.
func TestAccReplication_excludedDisk(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{})
	second := strings.Replace(strings.TrimPrefix(onTwoDisks(s, 15), s.Provider()), `"vm"`, `"second"`, 1)
	both := atVCenter(s, config(s, 15)) + second
	const excluded = "vsla_replication.second"
	s.Run(
		t,
		resource.TestStep{Config: both},
		resource.TestStep{
			PreConfig: func() {
				assert.True(t, s.ChangeDisk(s.VM(1), 2001, gateway.Other{LeftOut: true}), "the VM is not replicated")
			},
			RefreshState:       true,
			ExpectNonEmptyPlan: true,
			RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(excluded, plancheck.ResourceActionUpdate),
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop),
			}},
		},
		resource.TestStep{
			Config: both,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(excluded, tfjsonpath.New("disks"), knownvalue.Null()),
			},
			Check: func(*terraform.State) error {
				for _, r := range s.Replications() {
					for _, d := range r.Disks {
						assert.True(t, d.Replicated, "disk %d of %s is not replicated", d.Key, r.VM)
					}
				}
				return nil
			},
		},
		resource.TestStep{
			PreConfig: func() { s.Traffic().Reset() },
			Config:    both,
			PlanOnly:  true,
		},
	)
	assert.Equal(t, 0, s.Traffic().Count("getReplicatedVmDisks"))
}
