package tags_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccTags_existing(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	config := func(body string) string {
		return lab.Provider() + `
data "vsla_tag_category" "sla" { name = "sla" }
resource "vsla_tags" "sla" {
  category_id = data.vsla_tag_category.sla.id
  ` + body + `
}
`
	}
	category := add(t, lab, "sla", 12) // tag-000 to tag-011
	before := names(lab)
	object := tagging.Object{Type: "VirtualMachine", ID: lab.VMs()[0].ID}
	require.NoError(t, lab.Tags().Attach(before["tag-000"], object))
	taken := `tags = { for i in range(13) : format("tag-%03d", i) => "mine" }`
	lab.Run(
		t,
		resource.TestStep{
			PreConfig: lab.Traffic().Reset,
			Config:    config(taken),
			// The message lists ten tags, the number of other tags, and both remedies.
			ExpectError: acctest.ErrorPattern(`12 of these tags already exist.*"tag-000", "tag-001".*and 2 more.*` +
				`adopt_existing = true.*import \{`),
		},
		acctest.After(func() {
			require.Equal(t, 0, lab.Traffic().Count(creates))
			assert.Len(t, names(lab), 12)
		}, resource.TestStep{
			Config: config(taken + "\n  adopt_existing = true"),
			Check: resource.ComposeTestCheckFunc(
				asInState(lab),
				count(lab, map[string]int{creates: 1, changes: 12, deletes: 0}),
				func(*terraform.State) error {
					for name, id := range before {
						if names(lab)[name] != id {
							return fmt.Errorf("%s is another tag", name)
						}
					}
					if got := lab.Tags().Objects(before["tag-000"]); len(got) != 1 {
						return fmt.Errorf("its associations are %v", got)
					}
					return nil
				},
			),
		}),
		resource.TestStep{
			ResourceName:            managed,
			ImportState:             true,
			ImportStateId:           "sla",
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: []string{"adopt_existing"},
		}, resource.TestStep{
			ResourceName:            managed,
			ImportState:             true,
			ImportStateId:           category,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: []string{"adopt_existing"},
		}, resource.TestStep{
			ResourceName:  managed,
			ImportState:   true,
			ImportStateId: "none",
			ExpectError:   acctest.ErrorPattern(`object does not exist`),
		}, resource.TestStep{
			// No tag is deleted if any of them is in use.
			Config:      config(`tags = { "tag-011" = "mine" }`),
			ExpectError: acctest.ErrorPattern(`1 association of 1 tag \(1 VirtualMachine\)`),
		},
		acctest.After(func() { assert.Len(t, names(lab), 13) }, resource.TestStep{
			Config: config("tags = { \"tag-011\" = \"mine\" }\n  force_destroy = true"),
			Check:  asInState(lab),
		}),
		resource.TestStep{
			PreConfig: func() {
				assert.NoError(t, lab.Tags().Attach(before["tag-011"], object))
			},
			Config: config(`tags = { "tag-011" = "mine" }`), // reset force_destroy
		}, resource.TestStep{
			Config:      config(`tags = { "tag-011" = "mine" }`),
			Destroy:     true,
			ExpectError: acctest.ErrorPattern(`Tags Still in Use.*force_destroy`),
		},
		acctest.After(func() { assert.NoError(t, lab.Tags().Detach(before["tag-011"], object)) }, resource.TestStep{
			Config: config(`tags = { "tag-011" = "mine" }`),
		}),
	)
	require.NoError(t, lab.Tags().RemoveCategory(category))
}

func TestAccTags_replacedForReal(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	config := func(category string) string {
		return lab.Provider() + `
resource "vsla_tag_category" "a" {
  name        = "a"
  cardinality = "MULTIPLE"
}
resource "vsla_tag_category" "b" {
  name        = "b"
  cardinality = "MULTIPLE"
}
resource "vsla_tags" "sla" {
  category_id = vsla_tag_category.` + category + `.id
  tags        = { gold = "", silver = "" }
}
`
	}
	lab.Run(
		t,
		resource.TestStep{Config: config("a"), Check: asInState(lab)},
		resource.TestStep{
			Config:           config("b"),
			ConfigPlanChecks: planned(plancheck.ResourceActionDestroyBeforeCreate),
			Check:            asInState(lab),
		}, resource.TestStep{
			Taint:     []string{managed},
			PreConfig: lab.Traffic().Reset,
			Config:    config("b"),
			Check: resource.ComposeTestCheckFunc(
				asInState(lab),
				count(lab, map[string]int{creates: 0, deletes: 0}),
			),
		},
	)
}
