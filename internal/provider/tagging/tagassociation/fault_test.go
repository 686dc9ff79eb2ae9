package tagassociation_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccTagAssociation_oneOfManyRefused(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{Hosts: 4, VMs: 1000})
	bad := lab.VMs()[499].ID
	lab.Tags().Refuse(bad, true)
	lab.Run(t,
		acctest.Fails(config(lab, ids(lab, 0, 1000)),
			`(?i)applied the others.*attach tag sla/gold:.*refused 1 of the objects: `+bad+` \(The object`),
		resource.TestStep{ // the other objects have the tag and are in state
			RefreshState: true, ExpectNonEmptyPlan: true,
			Check: resource.ComposeTestCheckFunc(resource.TestCheckResourceAttr(address, "object_ids.#", "999"),
				carriers(lab, append(ids(lab, 0, 499), ids(lab, 500, 1000)...))),
		},
		resource.TestStep{ // after the refusal ends, one apply fixes it without detaching the tag
			PreConfig: func() { lab.Tags().Refuse(bad, false); lab.Traffic().Reset() },
			Config:    config(lab, ids(lab, 0, 1000)),
			Check: resource.ComposeTestCheckFunc(carriers(lab, ids(lab, 0, 1000)), func(*terraform.State) error {
				if got := lab.Traffic().Count(detach); got > 0 {
					return fmt.Errorf("%d detach requests", got)
				}
				return nil
			}),
		},
	)
}

// TestAccTagAssociation_unfinishedAndChanged verifies that associations of a failed create are detached only if they
// are no longer listed.
func TestAccTagAssociation_unfinishedAndChanged(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	bad := lab.VMs()[3].ID
	lab.Tags().Refuse(bad, true)
	lab.Run(t,
		acctest.Fails(config(lab, ids(lab, 0, 4)), bad),
		resource.TestStep{
			PreConfig: lab.Traffic().Reset,
			Config:    config(lab, ids(lab, 1, 3)),
			Check: resource.ComposeTestCheckFunc(carriers(lab, ids(lab, 1, 3)), func(*terraform.State) error {
				if got := lab.Traffic().Count(detach); got != 1 {
					return fmt.Errorf("%d detach requests, want one, for the first VM", got)
				}
				return nil
			}),
		},
		acctest.Fails(config(lab, ids(lab, 1, 4)), bad), // an update
		resource.TestStep{ // not tainted
			Config:           config(lab, ids(lab, 1, 3)),
			ConfigPlanChecks: action(plancheck.ResourceActionNoop),
			Check:            carriers(lab, ids(lab, 1, 3)),
		},
		resource.TestStep{
			PreConfig:        func() { lab.Tags().Refuse(bad, false) },
			Config:           config(lab, ids(lab, 1, 4)),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            carriers(lab, ids(lab, 1, 4)),
		},
	)
}

func TestAccTagAssociation_permissionLost(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.Run(t,
		resource.TestStep{Config: config(lab, ids(lab, 0, 2))},
		resource.TestStep{
			PreConfig:   func() { lab.Tags().Deny(tagging.Read, true) },
			Config:      config(lab, ids(lab, 0, 2)),
			ExpectError: acctest.Says(`Permission denied, or no such object.*Read-only`),
		},
		resource.TestStep{ // all objects are still in state
			PreConfig:        func() { lab.Tags().Deny(tagging.Read, false) },
			Config:           config(lab, ids(lab, 0, 2)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		resource.TestStep{
			PreConfig:   func() { lab.Tags().Deny(tagging.Assign, true) },
			Config:      config(lab, ids(lab, 0, 3)),
			ExpectError: acctest.Says(`Assign or Unassign vSphere Tag`),
		},
		resource.TestStep{
			PreConfig:        func() { lab.Tags().Deny(tagging.Assign, false) },
			Config:           config(lab, ids(lab, 0, 3)),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            carriers(lab, ids(lab, 0, 3)),
		},
	)
}

// TestAccTagAssociation_hidden verifies that unreadable VMs stay in the state of an additive association with a
// warning, and deleted VMs do not. Once readable again, unlisted VMs are untagged.
func TestAccTagAssociation_hidden(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	vms := ids(lab, 0, 4)
	lab.Run(t,
		resource.TestStep{Config: config(lab, vms)},
		resource.TestStep{
			PreConfig: func() {
				assert.NoError(t, lab.DestroyVM(vms[3]))
				lab.LimitAccess(vcsim.AccessRoot, vms[1], vms[2])
			},
			RefreshState: true, ExpectNonEmptyPlan: true,
			Check: resource.TestCheckResourceAttr(address, "object_ids.#", "3"),
		},
		acctest.Fails(config(lab, vms[:2]), vms[2]),
		resource.TestStep{
			PreConfig: func() { lab.LimitAccess(vcsim.AccessPropagates) },
			Config:    config(lab, vms[:2]), Check: carriers(lab, vms[:2]),
		},
	)
}
