package tag_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestAccTag_adopt verifies that adopt_existing keeps the id of an existing tag and updates it, and that a change
// rejected by vCenter leaves the tag unchanged.
func TestAccTag_adopt(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	gold, err := lab.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	config := func(cardinality, adopt string) string {
		return lab.Provider() + `
resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "` + cardinality + `"
  description = "tiers"
  ` + adopt + `
}
resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
  description = "15 min"
  ` + adopt + `
}
`
	}
	lab.Run(t,
		acctest.Fails(config("MULTIPLE", ""), `import \{.*With adopt_existing = true the category`),
		acctest.Fails(config("SINGLE", "adopt_existing = true"), `Cardinality Cannot Be Narrowed`),
		resource.TestStep{
			PreConfig: func() {
				c := lab.Tags().Categories()
				require.Len(t, c, 1)
				assert.Equal(t, "", c[0].Description)
			},
			Config: config("MULTIPLE", "adopt_existing = true"),
			Check: resource.ComposeTestCheckFunc(resource.TestCheckResourceAttr("vsla_tag_category.sla", "id", category),
				resource.TestCheckResourceAttr("vsla_tag.gold", "id", gold)),
		},
		resource.TestStep{
			PreConfig: func() {
				assert.Equal(t, "15 min", lab.Tags().Tags()[0].Description)
				assert.Equal(t, "tiers", lab.Tags().Categories()[0].Description)
			},
			Config:           config("MULTIPLE", "adopt_existing = true"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
}
