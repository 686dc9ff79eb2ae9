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

// TestAccTagAssociation_linked: one apply makes a tag at a vCenter, and attaches it at a linked one, where it arrives a
// minute later.
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
	first.RunBeside(t, beside, resource.TestStep{Config: config, Check: func(*terraform.State) error {
		assert.Equal(t, vms, second.Tags().Objects(second.Tags().Tags()[0].ID))
		return nil
	}})
	first.Advance(2 * time.Minute) // what was destroyed has left the second one, too
}

// TestAccTagAssociation_attachable verifies that the plan rejects an object type that the category does not allow,
// unless the same plan adds the type.
func TestAccTagAssociation_attachable(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	config := func(types, association string) string {
		return lab.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name             = "sla"
  cardinality      = "SINGLE"
  associable_types = [%s]
}
resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
}
%s`, types, association)
	}
	association := fmt.Sprintf(`
resource "vsla_tag_association" "gold" {
  tag_id     = vsla_tag.gold.id
  object_ids = [%q]
}
`, lab.VMs()[0].ID)
	attach := "POST tag-association:attach-tag-to-multiple-objects"
	lab.Run(t,
		resource.TestStep{Config: config(`"HostSystem"`, "")},
		acctest.Fails(config(`"HostSystem"`, association),
			`Tag Cannot Be Attached to This Type[\s\S]*\d: object_ids = [\s\S]*associable_types`),
		resource.TestStep{
			PreConfig: func() {
				assert.Equal(t, 0, lab.Traffic().Count(attach))
			},
			Config: config(`"HostSystem", "VirtualMachine"`, association),
			Check:  resource.TestCheckResourceAttr("vsla_tag_association.gold", "object_ids.#", "1"),
		},
	)
	assert.Equal(t, 1, lab.Traffic().Count(attach))
}
