package tagcategory_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccTagCategory_adopt(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	const adopt = "description = \"tiers\"\n  adopt_existing = true"
	lab.Run(t,
		acctest.FailingStep(config(lab, "sla", "MULTIPLE", ""),
			`import \{.*set adopt_existing = true to adopt the category`),
		acctest.FailingStep(config(lab, "sla", "SINGLE", adopt), `Cardinality Cannot Be Narrowed`),
		resource.TestStep{
			PreConfig: func() {
				c := lab.Tags().Categories()
				require.Len(t, c, 1)
				assert.Empty(t, c[0].Description)
			},
			Config: config(lab, "sla", "MULTIPLE", adopt),
			// The plan shows what is there.
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectKnownValue(
				address, tfjsonpath.New("adopts"), knownvalue.ObjectExact(map[string]knownvalue.Check{
					"id":               knownvalue.StringExact(category),
					"description":      knownvalue.StringExact(""),
					"cardinality":      knownvalue.StringExact("MULTIPLE"),
					"associable_types": knownvalue.SetSizeExact(0),
				}),
			)}},
			Check: resource.TestCheckResourceAttr(address, "id", category),
		},
		acctest.After(func() { assert.Equal(t, "tiers", lab.Tags().Categories()[0].Description) }, resource.TestStep{
			Config:           config(lab, "sla", "MULTIPLE", adopt),
			ConfigPlanChecks: empty(),
		}),
	)
}

// TestAccTagCategory_appeared verifies that an apply does not adopt a category that its plan did not show.
func TestAccTagCategory_appeared(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Traffic().Break(fault.Rule{
		Kind: "POST category",
		Before: func(*http.Request) {
			_, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "SINGLE"})
			assert.NoError(t, err)
		},
		Times: 1,
	})
	lab.Run(t, acctest.FailingStep(config(lab, "sla", "MULTIPLE", "adopt_existing = true"), `Exists Since the Plan`))
	assert.Equal(t, "SINGLE", lab.Tags().Categories()[0].Cardinality)
	assert.NoError(t, lab.Tags().RemoveCategory(lab.Tags().Categories()[0].ID))
}
