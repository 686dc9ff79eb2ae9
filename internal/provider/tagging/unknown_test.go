package tagging_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestAccUnknown verifies that a plan rejects IDs of tags and categories that are names or do not exist.
func TestAccUnknown(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 1})
	lab.KeepObjects()
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	tag, err := lab.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	const missing = "urn:vmomi:InventoryServiceTag:00000000-0000-4000-8000-000000000000:GLOBAL"
	refused := func(kind, arguments, pattern string) resource.TestStep {
		return resource.TestStep{
			Config:      lab.Provider() + fmt.Sprintf("resource %q \"x\" {\n%s\n}\n", kind, arguments),
			PlanOnly:    true,
			ExpectError: acctest.ErrorPattern(pattern),
		}
	}
	vm := fmt.Sprintf("object_id = %q\n", lab.VMs()[0].ID)
	lab.Run(t,
		refused("vsla_object_tags", vm+fmt.Sprintf("tag_ids = [\n%q,\n\"gold\",\n]", tag),
			`\d: "gold",.*is not the ID of a tag. The tag with this name has the ID `+tag),
		refused("vsla_object_tags", vm+"tag_ids = [\n\"sla/gold\"\n]", `\d: "sla/gold".*has the ID `+tag),
		refused("vsla_object_tags", vm+fmt.Sprintf("tag_ids = [\n%q\n]", missing), `Tag "`+missing+`" does not exist`),
		refused("vsla_tag_association", fmt.Sprintf("tag_id = \"gold\"\nobject_ids = [%q]", lab.VMs()[0].ID),
			`\d: tag_id = "gold".*has the ID `+tag),
		refused("vsla_tag", "name = \"a\"\ncategory_id = \"sla\"",
			`\d: category_id = "sla".*is not the ID of a category. The category with this name has the ID `+category),
		refused("vsla_tags", "tags = { a = \"\" }\ncategory_id = \"tier\"",
			`\d: category_id = "tier".*Category "tier" does not exist`),
	)
}
