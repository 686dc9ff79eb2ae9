package tagassociation_test

import (
	"errors"
	"fmt"
	"slices"
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
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
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
			ResourceName:            address,
			ImportState:             true,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: []string{"removes", "summary"},
		}, resource.TestStep{
			ResourceName:            address,
			ImportState:             true,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: []string{"removes", "summary"},
			ImportStateId:           "sla/gold",
		}, resource.TestStep{
			ResourceName:            address,
			ImportState:             true,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: []string{"removes", "summary"},
			ImportStateId:           "sla/gold/VirtualMachine",
		}, resource.TestStep{ // import of another object type
			ResourceName:      address,
			ImportState:       true,
			ImportStateIdFunc: func(*terraform.State) (string, error) { return tagID(lab) + "/HostSystem", nil },
			ImportStateCheck: func(states []*terraform.InstanceState) error {
				assert.Equal(t, "HostSystem", states[0].Attributes["object_type"])
				assert.Equal(t, "0", states[0].Attributes["object_ids.#"])
				return nil
			},
		}, resource.TestStep{ // import of two of the four tagged VMs
			ResourceName: address,
			ImportState:  true,
			ImportStateIdFunc: func(*terraform.State) (string, error) {
				return tagID(lab) + "/VirtualMachine/" + strings.Join(ids(lab, 2, 4), ","), nil
			},
			ImportStateCheck: func(states []*terraform.InstanceState) error {
				assert.Equal(t, "VirtualMachine", states[0].Attributes["object_type"])
				assert.Equal(t, "2", states[0].Attributes["object_ids.#"])
				return nil
			},
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

func TestAccTagAssociation_requestCounts(t *testing.T) {
	t.Parallel()
	const vms, requests = 2500, 2
	lab := acctest.Start(t, vcsim.Config{Hosts: 4, VMs: vms})
	lab.Run(t,
		resource.TestStep{
			Config: config(lab, ids(lab, 0, vms)),
			Check: resource.ComposeTestCheckFunc(carriers(lab, ids(lab, 0, vms)), func(*terraform.State) error {
				// Verify that requests are counted at all.
				if got := lab.Traffic().Count("POST tag"); got != 1 {
					return fmt.Errorf("counted %d create requests for one tag", got)
				}
				if got := lab.Traffic().Count(attach); got != requests {
					return fmt.Errorf("%d VMs took %d attach requests, want %d", vms, got, requests)
				}
				lab.Traffic().Reset()
				return nil
			}),
		}, resource.TestStep{
			RefreshState: true,
			Check: func(*terraform.State) error {
				refreshes := lab.Traffic().Count("GET tag/{id}")
				lists := lab.Traffic().Count(list)
				// A refresh lists the objects once. The tag is read for itself and for the names of the association.
				assert.Positive(t, lists)
				assert.Equal(t, 2*lists, refreshes)
				return nil
			},
		},
	)
	assert.Equal(t, requests, lab.Traffic().Count(detach))
}

// TestAccTagAssociation_hundred verifies that a refresh of 100 associations sends one request for the objects of a
// single tag, at most nine for the objects of several tags, and one for all associations.
func TestAccTagAssociation_hundred(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 5})
	text := lab.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "MULTIPLE"
}
resource "vsla_tags" "sla" {
  category_id = vsla_tag_category.sla.id
  tags        = { for i in range(100) : format("tag-%%03d", i) => "" }
}
resource "vsla_tag_association" "all" {
  count      = 100
  tag_id     = vsla_tags.sla.ids[format("tag-%%03d", count.index)]
  object_ids = [%s]
}
`, `"`+strings.Join(ids(lab, 0, 5), `", "`)+`"`)
	lab.Run(t,
		resource.TestStep{Config: text},
		resource.TestStep{PreConfig: lab.Traffic().Reset, Config: text, PlanOnly: true},
		acctest.After(func() {
			runs := lab.Traffic().Count("POST session")
			counts := lab.Traffic().Counts() // each run logs in once
			single := counts[list]
			all := counts["GET /api/vcenter/tagging/associations"]
			bulk := counts["POST tag-association:list-attached-objects-on-tags"]
			assert.NotZero(t, runs)
			assert.Equal(t, runs, single)
			assert.Equal(t, runs, all)
			assert.LessOrEqual(t, bulk, 9*runs)
		}, resource.TestStep{Config: text, PlanOnly: true}),
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

// TestAccTagAssociation_plainSimulator uses govmomi's unmodified simulator, because users also test with it. It returns
// empty responses to bulk calls and ignores a bulk detach.
func TestAccTagAssociation_plainSimulator(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{Plain: true})
	step := func(from, to int) resource.TestStep {
		return resource.TestStep{
			Config:            config(lab, ids(lab, from, to)),
			ConfigStateChecks: []statecheck.StateCheck{size(to - from)},
			Check:             simulatorCarries(t, lab, ids(lab, from, to)),
		}
	}
	lab.Run(t, step(0, 3), step(1, 4), step(3, 4))
}

func simulatorCarries(t *testing.T, lab *acctest.Lab, want []string) resource.TestCheckFunc {
	t.Helper()
	return func(s *terraform.State) (err error) {
		c, err := vsphere.New(vsphere.Config{
			Server:   lab.URL(),
			User:     lab.User(),
			Password: lab.Password(),
			Settings: transport.Settings{CAFile: lab.CAFile()},
		})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.Close(t.Context())) }()
		id := s.RootModule().Resources["vsla_tag.gold"].Primary.ID
		var got []string
		for _, vm := range lab.VMs() {
			tags, err := c.TagsOfObject(t.Context(), vsphere.Object{Type: "VirtualMachine", ID: vm.ID})
			if err != nil {
				return err
			}
			if slices.Contains(tags, id) {
				got = append(got, vm.ID)
			}
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("%v carry the tag, want %v", got, want)
		}
		return nil
	}
}
