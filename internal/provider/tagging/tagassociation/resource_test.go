package tagassociation_test

import (
	"fmt"
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
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const (
	address = "vsla_tag_association.gold"
	attach  = "POST tag-association:attach-tag-to-multiple-objects"
	detach  = "POST tag-association:detach-tag-from-multiple-objects"
	list    = "POST tag-association:list-attached-objects"
)

func config(lab *acctest.Lab, ids []string, extra ...string) string {
	return lab.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "SINGLE"
}
resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
}
resource "vsla_tag_association" "gold" {
  tag_id     = vsla_tag.gold.id
  object_ids = [%s]
  %s
}
`, `"`+strings.Join(ids, `", "`)+`"`, strings.Join(extra, "\n  "))
}

func ids(lab *acctest.Lab, from, to int) []string {
	var list []string
	for _, vm := range lab.VMs()[from:to] {
		list = append(list, vm.ID)
	}
	return list
}

func carriers(lab *acctest.Lab, want []string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		got := lab.Tags().Objects(tagID(lab))
		if len(got) != len(want) {
			return fmt.Errorf("%d VMs carry the tag, want %d: %v", len(got), len(want), got)
		}
		in := strings.Join(got, " ") + " "
		for _, id := range want {
			if !strings.Contains(in, id+" ") {
				return fmt.Errorf("%s does not carry the tag", id)
			}
		}
		return nil
	}
}

func tagID(lab *acctest.Lab) string {
	for _, tag := range lab.Tags().Tags() {
		if tag.Name == "gold" {
			return tag.ID
		}
	}
	return ""
}

func size(n int) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New("object_ids"), knownvalue.ListSizeExact(n))
}

func nameIs(attribute, name string) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), knownvalue.StringExact(name))
}

func action(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

func TestAccTagAssociation_lifeCycle(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	reversed := []string{lab.VMs()[2].ID, lab.VMs()[1].ID, lab.VMs()[0].ID, lab.VMs()[0].ID}
	lab.Run(t,
		resource.TestStep{
			Config:           config(lab, reversed),
			ConfigPlanChecks: action(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{
				size(4),
				nameIs("tag_name", "gold"),
				nameIs("category_name", "sla"),
			},
			Check: carriers(lab, ids(lab, 0, 3)),
		}, resource.TestStep{ // order and duplicates are ignored
			Config:           config(lab, ids(lab, 0, 3)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		}, resource.TestStep{
			Config: config(lab, ids(lab, 1, 5)),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(address, tfjsonpath.New("tag_name"), knownvalue.StringExact("gold")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{size(4)},
			Check:             carriers(lab, ids(lab, 1, 5)),
		}, resource.TestStep{
			PreConfig: func() {
				assert.NoError(t,
					lab.Tags().Detach(tagID(lab), tagging.Object{Type: "VirtualMachine", ID: lab.VMs()[1].ID}))
			},
			Config:           config(lab, ids(lab, 1, 5)),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check:            carriers(lab, ids(lab, 1, 5)),
		},
		acctest.After(func() { assert.NoError(t, lab.Tags().RemoveTag(tagID(lab))) }, resource.TestStep{
			Config:           config(lab, ids(lab, 1, 5)),
			ConfigPlanChecks: action(plancheck.ResourceActionCreate),
			Check:            carriers(lab, ids(lab, 1, 5)),
		}),
	)
}

func TestAccTagAssociation_ownership(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.Run(t,
		resource.TestStep{
			Config: config(lab, ids(lab, 0, 2), `ownership = "exclusive"`),
			Check:  carriers(lab, ids(lab, 0, 2)),
		}, resource.TestStep{ // the host keeps the tag, because it has another type
			PreConfig: func() {
				assert.NoError(t,
					lab.Tags().Attach(tagID(lab), tagging.Object{Type: "HostSystem", ID: lab.VMs()[0].HostID}))
			},
			Config:           config(lab, ids(lab, 0, 2), `ownership = "exclusive"`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check:            carriers(lab, append(ids(lab, 0, 2), lab.VMs()[0].HostID)),
		}, resource.TestStep{ // the tag is not deleted, because the host still has it
			Config:      config(lab, ids(lab, 0, 2)),
			Destroy:     true,
			ExpectError: acctest.ErrorPattern(`Tag "gold" Still in Use.*1 association of 1 tag \(1 HostSystem\)`),
		}, resource.TestStep{
			PreConfig: func() {
				assert.NoError(t,
					lab.Tags().Detach(tagID(lab), tagging.Object{Type: "HostSystem", ID: lab.VMs()[0].HostID}))
			},
			Config: config(lab, ids(lab, 0, 2)),
			Check:  carriers(lab, ids(lab, 0, 2)),
		},
	)
}

func TestAccTagAssociation_badInput(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.Run(t,
		acctest.FailingStep(config(lab, []string{""}), `object_ids\[0\] string length must be at least 1, got: 0`),
		acctest.FailingStep(config(lab, ids(lab, 0, 1), `ownership = "mine"`), `\d: ownership =.*"additive"`),
		acctest.FailingStep(config(lab, ids(lab, 0, 1), `object_type = "Host"`),
			`\d: object_type =.*only "HostSystem"`))
}

func TestAccTagAssociation_ignoredCategory(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	text := strings.Replace(config(lab, ids(lab, 0, 1)), lab.Provider(),
		lab.Provider(`ignore_tag_categories = ["sl*"]`),
		1)
	lab.Run(t, acctest.FailingStep(text, `Tag Category Is Ignored.*\d: tag_id =.*"sla"`))
}
