package objecttags_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
)

func (e estate) removes(then func(), tags ...string) resource.ConfigPlanChecks {
	ids := make([]string, 0, len(tags))
	for _, tag := range tags {
		ids = append(ids, e.ids[tag])
	}
	slices.Sort(ids)
	want := make([]knownvalue.Check, 0, len(ids))
	for _, id := range ids {
		want = append(want, knownvalue.StringExact(id))
	}
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectKnownValue(address, tfjsonpath.New("removes"), knownvalue.ListExact(want)),
		between(then),
	}}
}

type between func()

func (b between) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	if b != nil {
		b()
	}
}

func TestAccObjectTags_removesInPlan(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.put(t, "c", "silver", "x")()
	e.Run(t,
		resource.TestStep{ // gold replaces silver, and c is kept
			Config:           e.config("additive", "gold", "a"),
			ConfigPlanChecks: e.removes(nil, "silver"),
			Check:            e.carries(2, "a", "c", "gold", "x"),
		}, resource.TestStep{
			Config:           e.config("category", "gold", "b"),
			ConfigPlanChecks: e.removes(nil, "a", "c"),
			Check:            e.carries(2, "b", "gold", "x"),
		},
		acctest.After(e.put(t, "c"), resource.TestStep{ // exclusive also removes c and gold
			Config:           e.config("exclusive", "b"),
			ConfigPlanChecks: e.removes(nil, "c", "gold"),
			Check:            e.carries(1, "b", "x"),
		}),
		resource.TestStep{Config: e.config("exclusive", "b"), ConfigPlanChecks: empty()},
	)
}

func TestAccObjectTags_taggedAfterPlan(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.put(t, "c")()
	e.Run(t,
		resource.TestStep{
			Config:           e.config("exclusive", "a"),
			ConfigPlanChecks: e.removes(e.put(t, "b"), "c"),
			ExpectError:      acctest.ErrorPattern(`inconsistent final plan`),
		},
		acctest.After(func() { assert.Equal(t, []string{"b", "c"}, e.carried()) }, resource.TestStep{
			Config:           e.config("exclusive", "a"),
			ConfigPlanChecks: e.removes(nil, "b", "c"),
			Check:            e.carries(1, "a"),
		}),
	)
}

// TestAccObjectTags_moveRefused verifies that a detached tag is restored if its replacement cannot be attached, and
// that the error names the tag a, which remains detached.
func TestAccObjectTags_moveRefused(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.Run(t,
		resource.TestStep{Config: e.config("additive", "silver", "a")},
		acctest.After(func() { e.Tags().RefuseAttach(e.ids["gold"], e.vm.ID, true) }, acctest.FailingStep(
			e.config("additive", "gold"), `Other Tags Were Detached.*The apply detached marks/a before`)),
		acctest.After(func() {
			assert.Equal(t, []string{"silver"}, e.carried())
			e.Tags().RefuseAttach(e.ids["gold"], e.vm.ID, false)
		}, resource.TestStep{Config: e.config("additive", "gold"), Check: e.carries(1, "gold")}),
	)
}

func TestAccObjectTags_unknownTags(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.put(t, "c")()
	config := e.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "new" {
  name        = "new"
  cardinality = "SINGLE"
}
resource "vsla_tag" "new" {
  category_id = vsla_tag_category.new.id
  name        = "new"
}
resource "vsla_object_tags" "vm" {
  object_id = %q
  tag_ids   = [vsla_tag.new.id]
  ownership = "exclusive"
}
`, e.vm.ID)
	e.Run(t,
		resource.TestStep{Config: config, ConfigPlanChecks: e.removes(nil, "c"), Check: e.carries(1)},
		resource.TestStep{Config: config, ConfigPlanChecks: empty()},
	)
}
