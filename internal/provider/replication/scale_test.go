package replication_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestAccReplication_hundred: 100 replications through Terraform itself. What is asked for each VM is asked once in
// each of Terraform's processes, a plan without changes takes a handful of requests, and a change is made in place.
// TestPace_hundred has the sums, and the request limits: here time does not pass as it would.
func TestAccReplication_hundred(t *testing.T) {
	t.Parallel()
	const n = 100
	s := acctest.StartSites(t, n, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
	var ids strings.Builder
	for i := range n {
		fmt.Fprintf(&ids, "    %q,\n", s.VM(i))
	}
	all := func(rpo int) string {
		return s.Provider() + fmt.Sprintf(`
locals {
  vms = [
%s  ]
}
resource "vsla_replication" "vm" {
  count               = length(local.vms)
  pairing_id          = %q
  vm_id               = local.vms[count.index]
  target_datastore_id = %q
  rpo_minutes         = %d
}
`, ids.String(), s.PairingID(), s.Datastore(0), rpo)
	}
	s.SetDatastore(s.Datastore(0), true, "GREEN", 1<<50)
	count := func(what string, most map[string]int) resource.TestCheckFunc {
		return func(*terraform.State) error {
			counts := s.Traffic().Counts()
			t.Logf("%s: %d requests, %v", what, s.Traffic().Total(), counts)
			for operation, limit := range most {
				if counts[operation] == 0 || counts[operation] > limit {
					t.Errorf("%s: %d requests %s, want 1 to %d", what, counts[operation], operation, limit)
				}
			}
			s.Traffic().Reset()
			return nil
		}
	}
	s.Run(t,
		resource.TestStep{
			Config: all(60),
			Check: resource.ComposeTestCheckFunc(
				// The plan and the apply ask what each VM allows, the apply what disks it has and became.
				count("create", map[string]int{"configureReplication": n, "getVmCapability": 2 * n, "getReplicatedVmDisks": n}),
				func(*terraform.State) error {
					all := s.Replications()
					if len(all) != n {
						t.Errorf("%d replications", len(all))
					}
					for _, r := range all {
						if r.Configured != 1 {
							t.Errorf("%+v", r)
						}
					}
					return nil
				},
			),
		},
		resource.TestStep{
			PreConfig: s.Traffic().Reset, Config: all(60),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		resource.TestStep{
			PreConfig: func() {
				// Each run of the CLI is one login; the step before had at least two.
				runs, total := s.Traffic().Count("login"), s.Traffic().Total()
				t.Logf("empty plans: %d requests in %d runs", total, runs)
				if runs == 0 || total > 10*runs {
					t.Errorf("%d requests in %d runs", total, runs)
				}
				s.Traffic().Reset()
			},
			Config: all(30),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("vsla_replication.vm[0]", plancheck.ResourceActionUpdate),
				plancheck.ExpectResourceAction("vsla_replication.vm[99]", plancheck.ResourceActionUpdate),
			}},
			Check: resource.ComposeTestCheckFunc(
				count("change", map[string]int{"reconfigureReplication": n, "getVmCapability": 2 * n, "getReplicatedVmDisks": n}),
				func(*terraform.State) error {
					for _, r := range s.Replications() {
						if r.RPOMinutes != 30 || r.Configured != 2 {
							t.Errorf("%+v", r)
						}
					}
					return nil
				},
			),
		},
	)
	if err := count("destroy and the refreshes around it", map[string]int{"unconfigureReplication": n})(nil); err != nil {
		t.Error(err)
	}
}
