package tag_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccTag_adopt(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.KeepObjects()
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	gold, err := lab.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	config := func(adopt string) string {
		return lab.Provider() + fmt.Sprintf(`
resource "vsla_tag" "gold" {
  category_id = %q
  name        = "gold"
  description = "15 min"
  %s
}
`, category, adopt)
	}
	lab.Run(t,
		acctest.FailingStep(config(""), `import \{.*set adopt_existing = true to adopt the tag`),
		resource.TestStep{
			Config: config("adopt_existing = true"),
			Check:  resource.TestCheckResourceAttr(address, "id", gold),
		},
		acctest.After(func() { assert.Equal(t, "15 min", lab.Tags().Tags()[0].Description) }, resource.TestStep{
			Config:           config("adopt_existing = true"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		}),
	)
}

// TestAccTag_createBeforeDestroy verifies that a replacement that creates first keeps the adopted category and tags.
func TestAccTag_createBeforeDestroy(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	config := func(revision, adopt string) string {
		arguments := `
  adopt_existing = ` + adopt + `
  force_destroy  = true
  lifecycle {
    create_before_destroy = true
    replace_triggered_by  = [terraform_data.revision]
  }
}
`
		return lab.Provider() + `
resource "terraform_data" "revision" { input = "` + revision + `" }
resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "MULTIPLE"` + arguments + `
resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"` + arguments + `
resource "vsla_tags" "other" {
  category_id = vsla_tag_category.sla.id
  tags        = { silver = "" }` + arguments
	}
	var before []tagging.Tag
	lab.Run(t,
		resource.TestStep{Config: config("1", "false")},
		acctest.After(func() { before = lab.Tags().Tags() },
			acctest.FailingStep(config("2", "false"), `create_before_destroy.*adopt_existing = true keeps it`)),
		resource.TestStep{Config: config("1", "true")},
		resource.TestStep{
			Config: config("3", "true"),
			Check: func(*terraform.State) error {
				assert.Len(t, before, 2)
				assert.ElementsMatch(t, before, lab.Tags().Tags())
				return nil
			},
		},
	)
}

// TestAccTag_onLibrary verifies that a tag on a content library is not deleted if the account cannot read the library.
// Reading the library requires a global permission in addition to a propagating role on the root folder.
func TestAccTag_onLibrary(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.Run(t,
		resource.TestStep{
			Config: config(lab, "gold", ""),
			Check: func(*terraform.State) error {
				err := lab.Tags().Attach(lab.Tags().Tags()[0].ID, lab.Library())
				lab.Tags().Hide(lab.Library().ID)
				lab.Traffic().Break(fault.Rule{Kind: "GET content/{id}", Status: http.StatusForbidden})
				return err
			},
		},
		resource.TestStep{
			Config:      config(lab, "gold", ""),
			Destroy:     true,
			ExpectError: acctest.ErrorPattern(`Tag "gold" May Be in Use.*content libraries.*global permission`),
		},
		acctest.After(func() { lab.Traffic().Mend() }, resource.TestStep{
			Config: config(lab, "gold", "force_destroy = true"),
			Check:  tags(lab, "gold"),
		}),
	)
}

// TestAccTag_proxyPage verifies that tags stay in state and a delete fails if a proxy responds to every tagging request
// with a 404 page.
func TestAccTag_proxyPage(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	page := func() {
		for _, kind := range []string{
			"GET tag/{id}",
			"GET category/{id}",
			"DELETE tag/{id}",
			"DELETE category/{id}",
			"GET tag",
			"GET category",
			"POST tag:list-tags-for-category",
			"POST tag-association:list-attached-objects-on-tags",
			"GET /api/vcenter/tagging/tags",
			"GET /api/vcenter/tagging/categories",
			"GET content/{id}",
		} {
			lab.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusNotFound, Body: "<html>404 Not Found</html>"})
		}
	}
	unanswered := acctest.ErrorPattern(`Unable to.*no usable response`)
	lab.Run(t,
		resource.TestStep{Config: config(lab, "gold", "")},
		resource.TestStep{PreConfig: page, RefreshState: true, ExpectError: unanswered},
		resource.TestStep{Config: config(lab, "gold", ""), PlanOnly: true, ExpectError: unanswered},
		resource.TestStep{Config: config(lab, "gold", ""), Destroy: true, ExpectError: unanswered},
		acctest.After(func() { lab.Traffic().Mend() }, resource.TestStep{
			Config:           config(lab, "gold", ""),
			ConfigPlanChecks: action(plancheck.ResourceActionNoop),
			Check:            tags(lab, "gold"),
		}),
		acctest.After(func() {
			lab.Traffic().Break(fault.Rule{
				Kind:   "DELETE tag/{id}",
				Status: http.StatusNotFound,
				Body:   "<html>404 Not Found</html>",
			})
		}, resource.TestStep{Config: config(lab, "gold", ""), Destroy: true, ExpectError: unanswered}),
		acctest.After(func() { lab.Traffic().Mend() }, resource.TestStep{
			Config: config(lab, "gold", ""),
			Check:  tags(lab, "gold"),
		}),
	)
}
