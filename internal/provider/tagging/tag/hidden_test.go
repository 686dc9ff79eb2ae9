package tag_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccTag_hiddenObjects(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	hidden := lab.VMs()[0].ID
	lab.Run(t,
		resource.TestStep{
			Config: config(lab, "gold", ""),
			Check: func(*terraform.State) error {
				err := lab.Tags().Attach(lab.Tags().Tags()[0].ID, tagging.Object{Type: "VirtualMachine", ID: hidden})
				lab.LimitAccess(vcsim.AccessBelow, hidden)
				return err
			},
		},
		resource.TestStep{
			Config:      config(lab, "gold", ""),
			Destroy:     true,
			ExpectError: acctest.ErrorPattern(`Tag "gold" May Be in Use.*System\.Read.*force_destroy`),
		},
		resource.TestStep{Config: config(lab, "gold", "force_destroy = true"), Check: tags(lab, "gold")},
	)
}
