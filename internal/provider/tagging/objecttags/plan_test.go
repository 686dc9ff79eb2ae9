package objecttags_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
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
		plancheck.ExpectKnownValue(address, tfjsonpath.New("removes"), knownvalue.ListExact(want)), between(then),
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
	e.put("c", "silver", "x")()
	e.Run(t,
		resource.TestStep{ // gold replaces silver, and c is kept
			Config:           e.config("additive", "gold", "a"),
			ConfigPlanChecks: e.removes(nil, "silver"),
			Check:            e.carries(2, "a", "c", "gold", "x"),
		}, resource.TestStep{
			Config: e.config("category", "gold", "b"), ConfigPlanChecks: e.removes(nil, "a", "c"),
			Check: e.carries(2, "b", "gold", "x"),
		},
		acctest.After(e.put("c"), resource.TestStep{ // exclusive also removes c and gold
			Config: e.config("exclusive", "b"), ConfigPlanChecks: e.removes(nil, "c", "gold"),
			Check: e.carries(1, "b", "x"),
		}),
		resource.TestStep{Config: e.config("exclusive", "b"), ConfigPlanChecks: empty()},
	)
}

func TestAccObjectTags_taggedAfterPlan(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.put("c")()
	e.Run(t,
		resource.TestStep{
			Config: e.config("exclusive", "a"), ConfigPlanChecks: e.removes(e.put("b"), "c"),
			ExpectError: acctest.ErrorPattern(`inconsistent final plan`),
		},
		acctest.After(func() { assert.Equal(t, []string{"b", "c"}, e.carried()) }, resource.TestStep{
			Config: e.config("exclusive", "a"), ConfigPlanChecks: e.removes(nil, "b", "c"), Check: e.carries(1, "a"),
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
	e.put("c")()
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

const listTags = "POST tag-association:list-attached-tags"

func (e estate) destroyVM() {
	if err := e.DestroyVM(e.vm.ID); err != nil {
		e.t.Error(err)
	}
}

// TestAccObjectTags_objectGone verifies that the resource is removed from state if its object was deleted, even though
// vCenter reports a missing privilege. Recreating the resource fails with an error that states the reason.
func TestAccObjectTags_objectGone(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.Tags().ForbidGone(true)
	config := e.config("additive", "gold")
	e.Run(t,
		resource.TestStep{Config: config},
		acctest.After(e.destroyVM,
			acctest.FailingStep(config, `object does not exist[\s\S]*the object does not exist`)),
		resource.TestStep{Config: e.Provider()},
	)
}

func TestAccObjectTags_goneWhileDestroying(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.Tags().ForbidGone(true)
	e.Run(t,
		resource.TestStep{Config: e.config("additive", "gold")},
		resource.TestStep{
			PreConfig: func() {
				e.Traffic().Reset()
				e.Traffic().Break(fault.Rule{Kind: listTags, Skip: 1, Times: 1, Before: func(*http.Request) { e.destroyVM() }})
			},
			Config: e.Provider(),
		},
	)
	assert.Equal(t, 2, e.Traffic().Count(listTags))
}

// TestAccObjectTags_newObject tags an object created in the same apply, which vCenter rejects for the first few
// seconds.
func TestAccObjectTags_newObject(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.Run(t, acctest.After(func() { e.Tags().RefuseNext(e.vm.ID, 3) }, resource.TestStep{
		Config: e.Provider() + fmt.Sprintf(`
resource "terraform_data" "vm" {
  input = %q
}
resource "vsla_object_tags" "vm" {
  object_id = terraform_data.vm.output
  tag_ids   = [%q]
}
`, e.vm.ID, e.ids["gold"]),
		Check: e.carries(1, "gold"),
	}))
}

func TestAccObjectTags_exchange(t *testing.T) {
	t.Parallel()
	e := startAt(t, vcsim.Config{Release: tagging.Release91})
	const patch = "PATCH /api/vcenter/tagging/associations"
	e.Run(t,
		resource.TestStep{Config: e.config("additive", "gold", "a"), Check: e.carries(2, "gold", "a")},
		acctest.After(func() {
			e.Traffic().Reset()
			e.Tags().RefuseAttach(e.ids["silver"], e.vm.ID, true)
		}, acctest.FailingStep(e.config("additive", "silver", "a"), `changed nothing`)),
		acctest.After(func() {
			assert.Equal(t, "[a gold]", fmt.Sprint(e.carried()))
			e.Tags().RefuseAttach(e.ids["silver"], e.vm.ID, false)
		}, resource.TestStep{Config: e.config("additive", "silver", "a"), Check: e.carries(2, "silver", "a")}),
	)
	assert.Equal(t, 2, e.Traffic().Count(patch))
	// The destroy uses the older detach request, which also shows that such requests are counted.
	attached, detached := e.Traffic().Count(attach), e.Traffic().Count(detach)
	require.Equal(t, 0, attached)
	assert.Equal(t, 1, detached)
}
