package tagassociation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestAccTagAssociation_linked: one apply makes a tag at a vCenter, and attaches it at a linked one, where it arrives a
// minute later.
func TestAccTagAssociation_linked(t *testing.T) {
	t.Parallel()
	first := acctest.Start(t, vcsim.Config{VMs: 1})
	second := acctest.Start(t, vcsim.Config{Site: 1, VMs: 2, LinkedTo: first.VCenter})
	second.OnWait(first.Advance)
	vms := []string{second.VMs()[0].ID, second.VMs()[1].ID}
	slices.Sort(vms)
	config := first.Provider() + strings.Replace(second.Provider(), "vsla", "second", 1) + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name          = "sla"
  cardinality   = "MULTIPLE"
  force_destroy = true
}

resource "vsla_tag" "gold" {
  name          = "gold"
  category_id   = vsla_tag_category.sla.id
  force_destroy = true
}

resource "vsla_tag_association" "second" {
  provider    = second
  tag_id      = vsla_tag.gold.id
  object_type = "VirtualMachine"
  object_ids  = ["%s"]
}
`, strings.Join(vms, `", "`))
	beside := map[string]func() (tfprotov6.ProviderServer, error){"second": second.Server()}
	first.RunBeside(t, beside, resource.TestStep{Config: config, Check: func(*terraform.State) error {
		assert.Equal(t, vms, second.Tags().Objects(second.Tags().Tags()[0].ID))
		return nil
	}})
	first.Advance(2 * time.Minute) // what was destroyed has left the second one, too
}
