// Package tagging_test tests all tagging resources and data sources with each vCenter release that changed the tagging
// API.
package tagging_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const life = `
resource "vsla_tag_category" "sla" {
  name             = "sla"
  description      = "%[1]s"
  cardinality      = "SINGLE"
  associable_types = ["VirtualMachine"]
}

resource "vsla_tags" "tiers" {
  category_id = vsla_tag_category.sla.id
  tags        = { gold = "%[1]s", silver = "", bronze = "" }
}

resource "vsla_tag" "tin" {
  category_id = vsla_tag_category.sla.id
  name        = "tin"
  description = "%[1]s"
}

resource "vsla_tag_association" "gold" {
  tag_id     = vsla_tags.tiers.ids["gold"]
  object_ids = ["%[2]s", "%[3]s"]
}

resource "vsla_object_tags" "third" {
  object_id = "%[4]s"
  tag_ids   = [%[5]s]
}

data "vsla_tags" "all" {
  category_name = "sla"
  depends_on    = [vsla_tags.tiers, vsla_tag.tin]
}

data "vsla_tag" "gold" {
  name          = "gold"
  category_name = "sla"
  depends_on    = [vsla_tags.tiers]
}

data "vsla_tag_category" "sla" {
  name       = "sla"
  depends_on = [vsla_tag_category.sla]
}
`

func TestAccTagging_byRelease(t *testing.T) {
	t.Parallel()
	for _, release := range []tagging.Release{
		tagging.Release70,
		tagging.Release80,
		tagging.Release90,
		tagging.Release91,
	} {
		t.Run(string(release), func(t *testing.T) {
			t.Parallel()
			var rest, api atomic.Int32
			count := func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch {
					case strings.HasPrefix(r.URL.Path, tagging.RESTPrefix):
						rest.Add(1)
					case strings.HasPrefix(r.URL.Path, tagging.APIPrefix):
						api.Add(1)
					}
					next.ServeHTTP(w, r)
				})
			}
			lab := acctest.Start(t, vcsim.Config{VMs: 3, Release: release, Wrap: count})
			vms := lab.VMs()
			config := func(text, third string) string {
				return lab.Provider() + fmt.Sprintf(life, text, vms[0].ID, vms[1].ID, vms[2].ID, third)
			}
			before := config("before", `vsla_tags.tiers.ids["silver"]`)
			after := config("after", `vsla_tag.tin.id`)
			lab.Run(
				t,
				resource.TestStep{
					Config: before,
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckResourceAttr("data.vsla_tags.all", "ids.%", "4"),
						resource.TestCheckResourceAttr("data.vsla_tag.gold", "description", "before"),
						resource.TestCheckResourceAttr("data.vsla_tag_category.sla", "cardinality", "SINGLE"),
						resource.TestCheckResourceAttr("vsla_tag_association.gold", "object_ids.#", "2"),
					),
				},
				resource.TestStep{Config: before, PlanOnly: true},
				resource.TestStep{
					Config: after,
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckResourceAttr("data.vsla_tag.gold", "description", "after"),
						resource.TestCheckResourceAttrPair("vsla_object_tags.third", "tag_ids.0", "vsla_tag.tin", "id"),
					),
				},
				resource.TestStep{Config: after, PlanOnly: true},
				resource.TestStep{
					ResourceName:      "vsla_tag.tin",
					ImportState:       true,
					ImportStateId:     "sla/tin",
					ImportStateVerify: true,
				},
			)
			below := &api
			other := &rest
			if release < tagging.Release80 {
				below, other = other, below
			}
			require.NotEqualValues(t, 0, below.Load(), "%d requests below /rest, %d below /api", rest.Load(),
				api.Load())
			assert.EqualValues(t, 0, other.Load(), "%d requests below /rest, %d below /api", rest.Load(), api.Load())
		})
	}
}
