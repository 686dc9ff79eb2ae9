package tagassociation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		acctest.FailingStep(config(lab, ids(lab, 0, 1000)),
			`(?i)applied the others.*attach tag sla/gold:.*refused 1 of the objects: `+bad+` \(The object`),
		resource.TestStep{ // all other objects have the tag and are in state
			RefreshState:       true,
			ExpectNonEmptyPlan: true,
			Check: resource.ComposeTestCheckFunc(resource.TestCheckResourceAttr(address, "object_ids.#", "999"),
				carriers(lab, append(ids(lab, 0, 499), ids(lab, 500, 1000)...))),
		}, resource.TestStep{ // one apply attaches the missing tag without detaching any
			PreConfig: func() {
				lab.Tags().Refuse(bad, false)
				lab.Traffic().Reset()
			},
			Config: config(lab, ids(lab, 0, 1000)),
			Check: resource.ComposeTestCheckFunc(carriers(lab, ids(lab, 0, 1000)), func(*terraform.State) error {
				if got := lab.Traffic().Count(detach); got > 0 {
					return fmt.Errorf("%d detach requests", got)
				}
				return nil
			}),
		},
	)
}

func TestAccTagAssociation_unfinishedAndChanged(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	bad := lab.VMs()[3].ID
	lab.Tags().Refuse(bad, true)
	lab.Run(t,
		acctest.FailingStep(config(lab, ids(lab, 0, 4)), bad),
		acctest.After(lab.Traffic().Reset, resource.TestStep{
			Config: config(lab, ids(lab, 1, 3)),
			Check: resource.ComposeTestCheckFunc(carriers(lab, ids(lab, 1, 3)), func(*terraform.State) error {
				if got := lab.Traffic().Count(detach); got != 1 {
					return fmt.Errorf("%d detach requests, want one, for the first VM", got)
				}
				return nil
			}),
		}),
		acctest.FailingStep(config(lab, ids(lab, 1, 4)), bad), // the failed change is an update
		resource.TestStep{ // the association is not tainted
			Config:           config(lab, ids(lab, 1, 3)),
			ConfigPlanChecks: action(plancheck.ResourceActionNoop),
			Check:            carriers(lab, ids(lab, 1, 3)),
		},
		acctest.After(func() { lab.Tags().Refuse(bad, false) }, resource.TestStep{
			Config:           config(lab, ids(lab, 1, 4)),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            carriers(lab, ids(lab, 1, 4)),
		}),
	)
}

func TestAccTagAssociation_permissionLost(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.Run(t,
		resource.TestStep{Config: config(lab, ids(lab, 0, 2))},
		acctest.After(func() { lab.Tags().Deny(tagging.Read, true) },
			acctest.FailingStep(config(lab, ids(lab, 0, 2)), `Permission denied, or no such object.*Read-only`)),
		resource.TestStep{ // state still contains all objects
			PreConfig:        func() { lab.Tags().Deny(tagging.Read, false) },
			Config:           config(lab, ids(lab, 0, 2)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		acctest.After(func() { lab.Tags().Deny(tagging.Assign, true) },
			acctest.FailingStep(config(lab, ids(lab, 0, 3)), `Assign or Unassign vSphere Tag`)),
		acctest.After(func() { lab.Tags().Deny(tagging.Assign, false) }, resource.TestStep{
			Config:           config(lab, ids(lab, 0, 3)),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            carriers(lab, ids(lab, 0, 3)),
		}),
	)
}

// TestAccTagAssociation_hidden verifies that an additive association keeps unreadable VMs in state with a warning, and
// removes deleted VMs. VMs that are no longer listed are untagged once they are readable again.
func TestAccTagAssociation_hidden(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	vms := ids(lab, 0, 4)
	lab.Run(t,
		resource.TestStep{Config: config(lab, vms)},
		acctest.After(func() {
			require.NoError(t, lab.DestroyVM(vms[3]))
			lab.LimitAccess(vcsim.AccessRoot, vms[1], vms[2])
		}, resource.TestStep{
			RefreshState:       true,
			ExpectNonEmptyPlan: true,
			Check:              resource.TestCheckResourceAttr(address, "object_ids.#", "3"),
		}),
		acctest.FailingStep(config(lab, vms[:2]), vms[2]),
		acctest.After(func() { lab.LimitAccess(vcsim.AccessPropagates) }, resource.TestStep{
			Config: config(lab, vms[:2]),
			Check:  carriers(lab, vms[:2]),
		}),
	)
}

// TestAccTagAssociation_linked verifies that one apply can create a tag on one vCenter and attach it to VMs on a linked
// one. The tag is replicated after a minute.
func TestAccTagAssociation_linked(t *testing.T) {
	t.Parallel()
	first := acctest.Start(t, vcsim.Config{VMs: 1})
	second := acctest.Start(t, vcsim.Config{Site: 1, VMs: 2, LinkedTo: first.VCenter})
	second.OnWait(first.Advance)
	vms := []string{second.VMs()[0].ID, second.VMs()[1].ID}
	slices.Sort(vms)
	config := first.Provider() + strings.Replace(second.Provider(), "vsla", "second", 1) + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name          = "sla"
  cardinality   = "MULTIPLE"
  force_destroy = true
}

resource "vsla_tag" "gold" {
  name          = "gold"
  category_id   = vsla_tag_category.sla.id
  force_destroy = true
}

resource "vsla_tag_association" "second" {
  provider    = second
  tag_id      = vsla_tag.gold.id
  object_type = "VirtualMachine"
  object_ids  = ["%s"]
}
`, strings.Join(vms, `", "`))
	beside := map[string]func() (tfprotov6.ProviderServer, error){"second": second.Server()}
	step := resource.TestStep{
		Config: config,
		Check: func(*terraform.State) error {
			assert.Equal(t, vms, second.Tags().Objects(second.Tags().Tags()[0].ID))
			return nil
		},
	}
	first.RunCase(t, resource.TestCase{
		ProtoV6ProviderFactories: beside,
		Steps:                    []resource.TestStep{step},
	})
	first.Advance(2 * time.Minute) // wait until the deletes are replicated
}

// TestAccTagAssociation_prefix verifies that types with the prefix "urn:vim25:" are those without it.
func TestAccTagAssociation_prefix(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	config := func(prefix string) string {
		return lab.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name             = "sla"
  cardinality      = "SINGLE"
  associable_types = ["%[1]sVirtualMachine", "%[1]sHostSystem"]
}
resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
}
resource "vsla_tag" "silver" {
  category_id = vsla_tag_category.sla.id
  name        = "silver"
}
resource "vsla_tag_association" "gold" {
  tag_id      = vsla_tag.gold.id
  object_type = "%[1]sVirtualMachine"
  object_ids  = [%[2]q]
}
resource "vsla_object_tags" "silver" {
  object_type = "%[1]sHostSystem"
  object_id   = %[3]q
  tag_ids     = [vsla_tag.silver.id]
}
data "vsla_tagged_objects" "silver" {
  tag_ids     = [vsla_tag.silver.id]
  object_type = "%[1]sHostSystem"
  depends_on  = [vsla_object_tags.silver]
}
`, prefix, lab.VMs()[0].ID, lab.VMs()[0].HostID)
	}
	kept := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction("vsla_tag_category.sla", plancheck.ResourceActionUpdate),
		plancheck.ExpectResourceAction("vsla_tag_association.gold", plancheck.ResourceActionUpdate),
		plancheck.ExpectResourceAction("vsla_object_tags.silver", plancheck.ResourceActionUpdate),
	}}
	one := resource.TestCheckResourceAttr("data.vsla_tagged_objects.silver", "objects.#", "1")
	lab.Run(t,
		resource.TestStep{Config: config("urn:vim25:"), Check: one},
		resource.TestStep{Config: config("urn:vim25:"), PlanOnly: true},
		resource.TestStep{Config: config(""), ConfigPlanChecks: kept, Check: one},
		resource.TestStep{Config: config("urn:vim25:"), ConfigPlanChecks: kept},
	)
}
