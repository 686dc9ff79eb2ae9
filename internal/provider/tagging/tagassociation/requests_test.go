package tagassociation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccTagAssociation_requestCounts(t *testing.T) {
	t.Parallel()
	const vms, requests = 2500, 2
	lab := acctest.Start(t, vcsim.Config{Hosts: 4, VMs: vms})
	lab.Run(t,
		resource.TestStep{
			Config: config(lab, ids(lab, 0, vms)),
			Check: resource.ComposeTestCheckFunc(carriers(lab, ids(lab, 0, vms)), func(*terraform.State) error {
				// Verify that requests are counted at all.
				if got := lab.Traffic().Count("POST tag"); got != 1 {
					return fmt.Errorf("counted %d create requests for one tag", got)
				}
				if got := lab.Traffic().Count(attach); got != requests {
					return fmt.Errorf("%d VMs took %d attach requests, want %d", vms, got, requests)
				}
				lab.Traffic().Reset()
				return nil
			}),
		}, resource.TestStep{
			RefreshState: true,
			Check: func(*terraform.State) error {
				refreshes := lab.Traffic().Count("GET tag/{id}")
				lists := lab.Traffic().Count(list)
				// A refresh lists the objects once. The tag is read for itself and for the names of the association.
				assert.Positive(t, lists)
				assert.Equal(t, 2*lists, refreshes)
				return nil
			},
		},
	)
	assert.Equal(t, requests, lab.Traffic().Count(detach))
}

// TestAccTagAssociation_hundred verifies that a refresh of 100 associations sends one request for the objects of a
// single tag, at most nine for the objects of several tags, and one for all associations.
func TestAccTagAssociation_hundred(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 5})
	text := lab.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "MULTIPLE"
}
resource "vsla_tags" "sla" {
  category_id = vsla_tag_category.sla.id
  tags        = { for i in range(100) : format("tag-%%03d", i) => "" }
}
resource "vsla_tag_association" "all" {
  count      = 100
  tag_id     = vsla_tags.sla.ids[format("tag-%%03d", count.index)]
  object_ids = [%s]
}
`, `"`+strings.Join(ids(lab, 0, 5), `", "`)+`"`)
	lab.Run(t,
		resource.TestStep{Config: text},
		resource.TestStep{PreConfig: lab.Traffic().Reset, Config: text, PlanOnly: true},
		acctest.After(func() {
			runs := lab.Traffic().Count("POST session")
			counts := lab.Traffic().Counts() // each run logs in once
			single := counts[list]
			all := counts["GET /api/vcenter/tagging/associations"]
			bulk := counts["POST tag-association:list-attached-objects-on-tags"]
			assert.NotZero(t, runs)
			assert.Equal(t, runs, single)
			assert.Equal(t, runs, all)
			assert.LessOrEqual(t, bulk, 9*runs)
		}, resource.TestStep{Config: text, PlanOnly: true}),
	)
}
