package tagassociation_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestAccTagAssociation_import imports an association by the ID of its resource, by the names of its tag, and by the ID
// of its tag with another object type or with two of its four VMs.
func TestAccTagAssociation_import(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	same := func(id string) resource.TestStep {
		return resource.TestStep{
			ResourceName:            address,
			ImportState:             true,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: []string{"removes", "summary"},
			ImportStateId:           id,
		}
	}
	other := func(suffix, objectType, objects string) resource.TestStep {
		return resource.TestStep{
			ResourceName:      address,
			ImportState:       true,
			ImportStateIdFunc: func(*terraform.State) (string, error) { return tagID(lab) + suffix, nil },
			ImportStateCheck: func(states []*terraform.InstanceState) error {
				assert.Equal(t, objectType, states[0].Attributes["object_type"])
				assert.Equal(t, objects, states[0].Attributes["object_ids.#"])
				return nil
			},
		}
	}
	lab.Run(t,
		resource.TestStep{Config: config(lab, ids(lab, 1, 5))},
		same(""),
		same("sla/gold"),
		same("sla/gold/VirtualMachine"),
		other("/HostSystem", "HostSystem", "0"),
		other("/VirtualMachine/"+strings.Join(ids(lab, 2, 4), ","), "VirtualMachine", "2"),
	)
}
