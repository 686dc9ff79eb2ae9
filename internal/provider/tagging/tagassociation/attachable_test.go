package tagassociation_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

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
		acctest.FailingStep(config(`"HostSystem"`, association),
			`Tag Cannot Be Attached to Object Type[\s\S]*\d: object_ids = [\s\S]*associable_types`),
		acctest.After(func() { assert.Equal(t, 0, lab.Traffic().Count(attach)) }, resource.TestStep{
			Config: config(`"HostSystem", "VirtualMachine"`, association),
			Check:  resource.TestCheckResourceAttr("vsla_tag_association.gold", "object_ids.#", "1"),
		}),
	)
	assert.Equal(t, 1, lab.Traffic().Count(attach))
}
