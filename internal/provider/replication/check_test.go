package replication_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func TestAccReplication_validate(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	wrong := func(expect string, config string) resource.TestStep {
		return resource.TestStep{Config: config, ExpectError: says(expect)}
	}
	s.Run(t,
		wrong("rpo_minutes value must be between 1 and 1440", config(s, 0)),
		wrong("rpo_minutes value must be between 1 and 1440", config(s, 1441)),
		wrong("rpo_minutes must be a whole number, got 15.5", strings.Replace(config(s, 15), "= 15", "= 15.5", 1)),
		wrong("point_in_time.days must be a whole number, got 0.5",
			config(s, 15, "point_in_time = { instances_per_day = 1, days = 0.5 }")),
		wrong("must be a device key", config(s, 15, `disks = { disk1 = {} }`)),
		wrong("Home Folder Is Always Replicated", config(s, 15, `disks = { home = { enabled = false } }`)),
		wrong("Seed Not Supported for Home Folder", config(s, 15, `disks = { home = { seed_path = "a/b.vmdk" } }`)),
		wrong(`No Initial Sync While Paused.*\d: wait_for_initial_sync =`,
			config(s, 15, "paused = true", "wait_for_initial_sync = true")),
		wrong("instances_per_day", config(s, 15, "point_in_time = { instances_per_day = 0, days = 1 }")),
		wrong("must be VirtualMachine:", s.Provider()+`
resource "vsla_replication" "vm" {
  pairing_id          = "00000000-0000-4000-8000-000000000000"
  vm_id               = "vm-42"
  target_datastore_id = "Datastore:datastore-1:00000000-0000-4000-8000-000000000000"
  rpo_minutes         = 15
}`),
	)
	assert.Equal(t, 0, s.Traffic().Total())
}

func TestAccReplication_capability(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	none := gateway.Capability{Status: "OK", MinRPOMinutes: 15, AutoReplicate: true}
	with := func(c gateway.Capability) func() { return func() { s.SetCapability(s.VM(0), c) } }
	s.Run(
		t,
		acctest.After(with(none), acctest.FailingStep(config(s, 14), "rpo_minutes must be at least 15, got 14")),
		resource.TestStep{
			Config:      config(s, 15, "quiesce_guest = true"),
			ExpectError: says("quiescing is not supported"),
		},
		acctest.FailingStep(config(s, 15, "network_compression = true"), "traffic compression is not supported"),
		acctest.FailingStep(config(s, 15, "network_encryption = true"), "traffic encryption is not supported"),
		acctest.FailingStep(config(s, 15, "point_in_time = { instances_per_day = 1, days = 1 }"),
			"keeping point-in-time instances is not supported"),
		acctest.After(with(gateway.Capability{Status: "VM_IS_ENCRYPTED", Reasons: []string{"The VM is encrypted."}}),
			acctest.FailingStep(config(s, 15), "reports VM_IS_ENCRYPTED.*The VM is encrypted")),
		acctest.After(with(gateway.Capability{Status: "OK"}),
			acctest.FailingStep(config(s, 15), "automatic replication of new disks is not supported")),
		acctest.After(func() { s.Deny("getVmCapability") },
			acctest.FailingStep(config(s, 15), "to skip the check, set skip_capability_check = true")),
		acctest.After(func() {
			s.Allow()
			with(none)()
		}, resource.TestStep{
			Config: config(s, 15),
			Check: func(*terraform.State) error {
				assert.Equal(t, 1, s.Traffic().Count("configureReplication"))
				return nil
			},
		}),
		resource.TestStep{Config: config(s, 5), ExpectError: says("rpo_minutes must be at least 15, got 5")},
		resource.TestStep{
			Config:      config(s, 5, "skip_capability_check = true"),
			ExpectError: says("RPO_TOO_LOW"),
		}, // error code of the gateway
	)
}

func TestPlan_unusualVMs(t *testing.T) {
	t.Parallel()
	const n = 8
	s := acctest.StartSites(t, n, gateway.Switches{})
	can := gateway.DefaultCapability()
	can.MinRPOMinutes = 60
	for i := range n {
		s.SetCapability(s.VM(i), can)
	}
	f := &fleet{s: s}
	p := f.start(t)
	for i := range n {
		config := f.config(t, p, i, 30)
		answer, err := p.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName:         typeName,
			PriorState:       p.none(t),
			ProposedNewState: config,
			Config:           config,
		})
		require.NoError(t, err)
		require.Len(t, answer.Diagnostics, 1, "%+v", i+1)
		assert.Equal(t, "Not Supported by VM", answer.Diagnostics[0].Summary, "%+v", i+1)
	}
}

func atVCenter(s *acctest.Sites, config string) string {
	return strings.Replace(config, s.Provider(), s.ProviderAt(s.Protected), 1)
}

// The provider checks all replications with a single vCenter request, and reads only the disks of the changed
// replication from the gateway. The UUID of vCenter is written in capitals, which makes no difference.
func TestAccReplication_excludedDisk(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{})
	second := strings.Replace(strings.TrimPrefix(onTwoDisks(s, 15), s.Provider()), `"vm"`, `"second"`, 1)
	second = strings.Replace(second, s.LocalVCenterID(), strings.ToUpper(s.LocalVCenterID()), 1)
	both := atVCenter(s, config(s, 15)) + second
	const excluded = "vsla_replication.second"
	s.Run(
		t,
		resource.TestStep{Config: both},
		resource.TestStep{
			PreConfig: func() {
				vm := strings.Replace(s.VM(1), s.LocalVCenterID(), strings.ToUpper(s.LocalVCenterID()), 1)
				assert.True(t, s.ChangeDisk(vm, 2001, gateway.DiskOptions{Excluded: true}), "the VM is not replicated")
			},
			RefreshState:       true,
			ExpectNonEmptyPlan: true,
			RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(excluded, plancheck.ResourceActionUpdate),
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop),
			}},
		}, resource.TestStep{
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
		resource.TestStep{PreConfig: func() { s.Traffic().Reset() }, Config: both, PlanOnly: true},
	)
	assert.Equal(t, 0, s.Traffic().Count("getReplicatedVmDisks"))
}
