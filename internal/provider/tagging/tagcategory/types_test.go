package tagcategory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

var everyType = []string{
	"Folder",
	"Datacenter",
	"HostSystem",
	"ClusterComputeResource",
	"ResourcePool",
	"VirtualApp",
	"VirtualMachine",
	"Datastore",
	"StoragePod",
	"Network",
	"HostNetwork",
	"OpaqueNetwork",
	"DistributedVirtualPortgroup",
	"DistributedVirtualSwitch",
	"VmwareDistributedVirtualSwitch",
	"com.vmware.content.Library",
	"com.vmware.content.library.Item",
}

// TestAccTagCategory_allObjects verifies that the vSphere Client's list of all types is equivalent to an empty list,
// both in vCenter and in the configuration.
func TestAccTagCategory_allObjects(t *testing.T) {
	t.Parallel()
	listed := `["` + strings.Join(everyType, `", "`) + `"]`
	for name, has := range map[string][]string{"listed in vCenter": everyType, "none in vCenter": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lab := acctest.Start(t, vcsim.Config{VMs: -1})
			id, err := lab.Tags().AddCategory(tagging.Category{
				Name:            "sla",
				Cardinality:     "SINGLE",
				AssociableTypes: has,
			})
			require.NoError(t, err)
			config := func(types, description string) string {
				return lab.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name             = "sla"
  description      = %q
  cardinality      = "SINGLE"
  associable_types = %s
}
`, description, types)
			}
			none := config("null", "")
			lab.Run(t,
				resource.TestStep{
					Config:             none,
					ResourceName:       "vsla_tag_category.sla",
					ImportState:        true,
					ImportStateId:      id,
					ImportStatePersist: true,
				},
				resource.TestStep{Config: none, PlanOnly: true},
				resource.TestStep{Config: config("null", "promises")},
				resource.TestStep{Config: config("null", "promises"), PlanOnly: true},
				resource.TestStep{
					Config: config(listed, "promises"),
					Check:  resource.TestCheckResourceAttr("vsla_tag_category.sla", "associable_types.#", "17"),
				},
				resource.TestStep{Config: config(listed, "promises"), PlanOnly: true},
			)
		})
	}
}
