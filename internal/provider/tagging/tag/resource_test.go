package tag_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const address = "vsla_tag.gold"

func config(lab *acctest.Lab, name, extra string) string {
	return lab.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "SINGLE"
}
resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = %q
  %s
}
`, name, extra)
}

func action(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

func description(want string) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New("description"), knownvalue.StringExact(want))
}

func tags(lab *acctest.Lab, want ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		var got []string
		for _, tag := range lab.Tags().Tags() {
			got = append(got, tag.Name)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("vCenter has tags %v, want %v", got, want)
		}
		return nil
	}
}

func TestAccTag_lifeCycle(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	sameID := statecheck.CompareValue(sameValue{})
	lab.Run(t,
		resource.TestStep{
			Config: config(lab, "gold", `description = "15 minutes"`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
				plancheck.ExpectUnknownValue(address, tfjsonpath.New("id")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				description("15 minutes"),
				sameID.AddStateValue(address, tfjsonpath.New("id")),
			},
			Check: tags(lab, "gold"),
		},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: "sla/gold"},
		resource.TestStep{ // rename the tag in place and remove the description
			Config:           config(lab, "platinum", ""),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{
				description(""),
				sameID.AddStateValue(address, tfjsonpath.New("id")),
			},
			Check: tags(lab, "platinum"),
		}, resource.TestStep{
			PreConfig: func() {
				assert.NoError(t, lab.Tags().Describe(lab.Tags().Tags()[0].ID, "mine now"))
			},
			Config:            config(lab, "platinum", ""),
			ConfigPlanChecks:  action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{description("")},
		},
		acctest.After(func() { assert.NoError(t, lab.Tags().RemoveTag(lab.Tags().Tags()[0].ID)) }, resource.TestStep{
			Config:           config(lab, "platinum", ""),
			ConfigPlanChecks: action(plancheck.ResourceActionCreate),
			Check:            tags(lab, "platinum"),
		}),
	)
}

type sameValue struct{}

func (sameValue) CompareValues(values ...any) error {
	for _, v := range values {
		if v != values[0] {
			return fmt.Errorf("%v is not %v", v, values[0])
		}
	}
	return nil
}

func TestAccTag_nameTaken(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.KeepObjects()
	lab.Run(t,
		resource.TestStep{Config: config(lab, "other", "")},
		acctest.After(func() {
			_, err := lab.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: lab.Tags().Categories()[0].ID})
			assert.NoError(t, err)
		}, acctest.FailingStep(config(lab, "other", "")+`
resource "vsla_tag" "second" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
}`, `not adopted automatically.*id = "sla/gold"`)),
		resource.TestStep{ // the suggested import works
			Config: config(lab, "other", "") + `
resource "vsla_tag" "second" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
}
import {
  to = vsla_tag.second
  id = "sla/gold"
}`,
			Check: tags(lab, "gold", "other"),
		},
	)
}

func TestAccTag_replyLost(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Run(t,
		resource.TestStep{
			PreConfig: func() {
				lab.Traffic().Break(fault.Rule{Kind: "POST tag", CloseConnection: true, HandleFirst: true})
				lab.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: http.StatusServiceUnavailable})
			},
			Config:      config(lab, "gold", ""),
			ExpectError: acctest.ErrorPattern(`Unable to Create Tag "gold".*unknown whether the change was made`),
		}, resource.TestStep{ // Terraform replaces the tainted tag without creating a second tag
			PreConfig: lab.Traffic().Mend,
			Config:    config(lab, "gold", ""),
			Check:     tags(lab, "gold"),
		},
	)
}

func TestAccTag_readBackFails(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Times: 10, Status: http.StatusServiceUnavailable})
	lab.Run(t,
		acctest.FailingStep(config(lab, "gold", ""), `Unable to Read Tag "gold"`),
		resource.TestStep{
			PreConfig:        lab.Traffic().Mend,
			Config:           config(lab, "gold", ""),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check:            tags(lab, "gold"),
		},
	)
}

func TestAccTag_goneBeforeDestroy(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Run(t,
		resource.TestStep{Config: config(lab, "gold", "")},
		resource.TestStep{
			// Delete the tag between the refresh and the destroy.
			PreConfig: func() {
				lab.Traffic().Break(fault.Rule{
					Kind:  "DELETE tag/{id}",
					Times: 1,
					Before: func(*http.Request) {
						assert.NoError(t, lab.Tags().RemoveTag(lab.Tags().Tags()[0].ID))
					},
				})
			},
			Config:  config(lab, "gold", ""),
			Destroy: true,
		},
	)
}

// TestAccTag_destroyMany verifies that destroying tags reads their category once in a run, not once for each tag.
func TestAccTag_destroyMany(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	var tags strings.Builder
	for i := range 5 {
		fmt.Fprintf(&tags, `
resource "vsla_tag" "t%d" {
  category_id = vsla_tag_category.sla.id
  name        = "t%[1]d"
}`, i)
	}
	category := lab.Provider() + `
resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "SINGLE"
}`
	before := 0
	lab.Run(t,
		resource.TestStep{Config: category + tags.String()},
		acctest.After(func() {
			// Without a list of content libraries, the category tells whether its tags can be attached to one.
			lab.Traffic().Break(fault.Rule{
				Kind:   "GET content/{id}",
				Status: http.StatusNotFound,
				Body:   "<html>404</html>",
			})
			before = lab.Traffic().Count("GET category/{id}")
		}, resource.TestStep{
			Config: category,
			Check: func(*terraform.State) error {
				// One read refreshes the category for the plan, and the apply reads it once.
				assert.Equal(t, 2, lab.Traffic().Count("GET category/{id}")-before)
				return nil
			},
		}),
	)
}

func TestAccTag_refused(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Run(
		t,
		acctest.FailingStep(config(lab, "", ""), `name UTF-8 character count must be between 1 and 256, got: 0`),
		acctest.After(func() { lab.Tags().Deny(tagging.Create, true) },
			acctest.FailingStep(config(lab, "gold", ""), `Create vSphere Tag`)),
		resource.TestStep{
			PreConfig: func() { lab.Tags().Deny(tagging.Create, false) },
			Config:    config(lab, "gold", ""),
		},
		acctest.FailingStep(config(lab, "gold", "")+"\n"+`import { 
  to = vsla_tag.gold2
  id = "sla/nothing"
}
resource "vsla_tag" "gold2" {
  category_id = vsla_tag_category.sla.id
  name        = "nothing"
}`, `object does not exist.*sla/nothing`),
	)
}

func TestAccTag_unknownCategory(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Run(t, acctest.FailingStep(lab.Provider()+`
resource "vsla_tag" "gold" {
  category_id = "urn:vmomi:InventoryServiceCategory:none:GLOBAL"
  name        = "gold"
}`, `category_id = .*does not exist or is not visible`))
}

func TestAccTagDataSource(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	base := config(lab, "gold/main", `description = "d"`)
	lookup := func(name, arguments string) string {
		return fmt.Sprintf("data \"vsla_tag\" %q {\n%s\n  depends_on = [vsla_tag.gold]\n}\n", name, arguments)
	}
	found := func(name string) resource.TestCheckFunc {
		at := "data.vsla_tag." + name
		return resource.ComposeTestCheckFunc(resource.TestCheckResourceAttrPair(at, "id", address, "id"),
			resource.TestCheckResourceAttr(at, "name", "gold/main"),
			resource.TestCheckResourceAttr(at, "category_name", "sla"),
			resource.TestCheckResourceAttrPair(at, "category_id", address, "category_id"),
			resource.TestCheckResourceAttr(at, "description", "d"))
	}
	lab.Run(
		t,
		resource.TestStep{
			Config: base +
				lookup("by_id", "id = vsla_tag.gold.id") +
				lookup("by_category_id", "name = \"gold/main\"\ncategory_id = vsla_tag_category.sla.id") +
				lookup("by_category_name", "name = \"gold/main\"\ncategory_name = \"sla\""),
			Check: resource.ComposeTestCheckFunc(found("by_id"), found("by_category_id"), found("by_category_name")),
		},
		resource.TestStep{
			ResourceName:      address,
			ImportState:       true,
			ImportStateVerify: true,
			ImportStateId:     "sla/gold/main",
		},
		acctest.FailingStep(base+lookup("x", `name = "gold/main"`), `Missing Tag Category.*\d: name =`),
		acctest.FailingStep(base+lookup("x", `id = "a"`+"\n"+`name = "b"`), `Invalid Attribute Combination`),
		acctest.FailingStep(base+lookup("x", "name = \"no\"\ncategory_name = \"sla\""), `Unable to Read Tag "no"`),
		acctest.FailingStep(base+lookup("x", "name = \"no\"\ncategory_name = \"nor\""),
			`Category "nor": not found\. Available: "sla"`),
		resource.TestStep{Config: base},
	)
}

func TestCLI_lookUpsByName(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.KeepObjects()
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	for i := range 1000 {
		_, err := lab.Tags().AddTag(tagging.Tag{Name: fmt.Sprintf("tag-%d", i), CategoryID: category})
		require.NoError(t, err)
	}
	w, dir := acctest.Workspace(t, lab, "examples/readme")
	text := `
terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}
data "vsla_tag" "x" {
  count         = 100
  name          = "tag-${count.index * 7}"
  category_name = "sla"
}
output "names" {
  value = data.vsla_tag.x[*].name
}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.tf"), []byte(text), 0o600))
	out := acctest.RunTerraform(t, w, 0, "plan", "-input=false", "-no-color")
	assert.Contains(t, out, `"tag-693"`)
	// The run logs in and out, requests the category twice, lists the tags once, and reads each of the thousand tags.
	assert.LessOrEqual(t, lab.Traffic().Total(), 1010, "%+v", lab.Traffic().Counts())
}
