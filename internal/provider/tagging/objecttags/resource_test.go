package objecttags_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const (
	address = "vsla_object_tags.vm"
	attach  = "POST tag-association:attach-multiple-tags-to-object"
	detach  = "POST tag-association:detach-multiple-tags-from-object"
)

// estate has the SINGLE category sla with gold and silver, the MULTIPLE category marks with a, b and c, and an ignored
// category with x.
type estate struct {
	*acctest.Lab

	ids map[string]string
	vm  tagging.Object
}

func start(t *testing.T) estate {
	t.Helper()
	return startAt(t, vcsim.Config{})
}

func startAt(t *testing.T, config vcsim.Config) estate {
	t.Helper()
	lab := acctest.Start(t, config)
	lab.KeepObjects()
	e := estate{
		Lab: lab,
		ids: map[string]string{},
		vm:  tagging.Object{Type: "VirtualMachine", ID: lab.VMs()[0].ID},
	}
	for _, c := range []struct {
		name, cardinality string
		tags              []string
	}{
		{"sla", "SINGLE", []string{"gold", "silver"}},
		{"marks", "MULTIPLE", []string{"a", "b", "c"}},
		{"backup-x", "MULTIPLE", []string{"x"}},
	} {
		category, err := lab.Tags().AddCategory(tagging.Category{Name: c.name, Cardinality: c.cardinality})
		require.NoError(t, err)
		for _, tag := range c.tags {
			e.ids[tag], err = lab.Tags().AddTag(tagging.Tag{Name: tag, CategoryID: category})
			require.NoError(t, err)
		}
	}
	return e
}

func (e estate) config(ownership string, tags ...string) string {
	quoted := make([]string, 0, len(tags))
	for _, tag := range tags {
		id, ok := e.ids[tag]
		if !ok {
			id = tag
		}
		quoted = append(quoted, fmt.Sprintf("%q", id))
	}
	return e.Provider(`ignore_tag_categories = ["backup-*"]`) + fmt.Sprintf(`
resource "vsla_object_tags" "vm" {
  object_id = %q
  tag_ids   = [%s]
  ownership = %q
}
`, e.vm.ID, strings.Join(quoted, ", "), ownership)
}

func (e estate) put(t *testing.T, tags ...string) func() {
	t.Helper()
	return func() {
		for _, tag := range tags {
			assert.NoError(t, e.Tags().Attach(e.ids[tag], e.vm))
		}
	}
}

// carries checks that the VM carries exactly the given tags, and that the state contains as many tags as are owned by
// the resource, which are those that its configuration lists.
func (e estate) carries(owned int, tags ...string) resource.TestCheckFunc {
	want := slices.Sorted(slices.Values(tags))
	return func(s *terraform.State) error {
		if got := e.carried(); !slices.Equal(got, want) {
			return fmt.Errorf("the VM carries %v, want %v", got, want)
		}
		return resource.TestCheckResourceAttr(address, "tag_ids.#", strconv.Itoa(owned))(s)
	}
}

func (e estate) carried() []string {
	var names []string
	for name, id := range e.ids {
		if slices.Contains(e.Tags().Objects(id), e.vm.ID) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func plans(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

func empty() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
}

func TestAccObjectTags_additive(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.put(t, "c")()
	e.Run(
		t,
		resource.TestStep{
			Config:           e.config("additive", "gold", "a"),
			ConfigPlanChecks: plans(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("tag_names"),
				knownvalue.MapPartial(map[string]knownvalue.Check{e.ids["gold"]: knownvalue.StringExact("sla/gold")}))},
			Check: e.carries(2, "gold", "a", "c"),
		},
		resource.TestStep{Config: e.config("additive", "a", "gold", "a"), ConfigPlanChecks: empty()},
		resource.TestStep{
			ResourceName:  address,
			ImportState:   true,
			ImportStateId: e.vm.ID,
			ImportStateCheck: func(states []*terraform.InstanceState) error {
				// An import reads all tags of the object.
				if got := states[0].Attributes["tag_ids.#"]; got != "3" {
					return fmt.Errorf("%s tags are imported", got)
				}
				return nil
			},
		},
		resource.TestStep{ // replace a tag of a SINGLE category
			Config:           e.config("additive", "silver", "b", "b"),
			ConfigPlanChecks: plans(plancheck.ResourceActionUpdate),
			Check:            e.carries(3, "silver", "b", "c"),
		},
		acctest.After(func() { assert.NoError(t, e.Tags().Detach(e.ids["b"], e.vm)) }, resource.TestStep{
			Config:           e.config("additive", "silver", "b"),
			ConfigPlanChecks: plans(plancheck.ResourceActionUpdate),
			Check:            e.carries(2, "silver", "b", "c"),
		}),
	)
	// A destroy keeps a tag that was not listed.
	assert.Equal(t, []string{"c"}, e.carried())
}

func TestAccObjectTags_otherType(t *testing.T) {
	t.Parallel()
	e := start(t)
	datastore := tagging.Object{Type: "Datastore", ID: e.Datastores()[0].ID}
	e.Run(t, resource.TestStep{
		Config: e.Provider() + fmt.Sprintf(`
resource "vsla_object_tags" "vm" {
  object_type = "Datastore"
  object_id   = %q
  tag_ids     = [%q]
}
`, datastore.ID, e.ids["gold"]),
		Check: resource.ComposeTestCheckFunc(
			resource.TestCheckResourceAttr(address, "id", "Datastore/"+datastore.ID),
			func(*terraform.State) error {
				assert.Equal(t, []tagging.Association{{Tag: e.ids["gold"], Object: datastore}}, e.Tags().Associations())
				return nil
			},
		),
	})
}

func TestAccObjectTags_category(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.put(t, "c", "silver", "x")()
	e.Run(
		t,
		resource.TestStep{ // the resource owns marks but not sla
			Config: e.config("category", "a"),
			Check:  e.carries(1, "a", "silver", "x"),
		},
		resource.TestStep{
			PreConfig:        e.put(t, "b"),
			Config:           e.config("category", "a"),
			ConfigPlanChecks: plans(plancheck.ResourceActionUpdate),
			Check:            e.carries(1, "a", "silver", "x"),
		},
		resource.TestStep{Config: e.config("category", "a", "gold"), Check: e.carries(2, "a", "gold", "x")},
	)
}

func TestAccObjectTags_exclusive(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.put(t, "c", "silver", "x")()
	e.Run(
		t,
		resource.TestStep{Config: e.config("exclusive", "a"), Check: e.carries(1, "a", "x")},
		resource.TestStep{
			PreConfig:        e.put(t, "gold"),
			Config:           e.config("exclusive", "a"),
			ConfigPlanChecks: plans(plancheck.ResourceActionUpdate),
			Check:            e.carries(1, "a", "x"),
		},
		resource.TestStep{PreConfig: e.put(t, "x"), Config: e.config("exclusive", "a"), ConfigPlanChecks: empty()},
		acctest.FailingStep(e.config("exclusive", "a", "x"), `Tag Category Is Ignored.*\d: tag_ids =.*"x"`),
		resource.TestStep{Config: e.config("exclusive", "a")},
	)
}

// TestAccObjectTags_twoOfSingle lists two tags of a SINGLE category in the create and in an update of the resource.
func TestAccObjectTags_twoOfSingle(t *testing.T) {
	t.Parallel()
	e := start(t)
	const pattern = `Listed for Two Tags.*sla/silver and sla/gold`
	e.Run(
		t,
		acctest.FailingStep(e.config("additive", "a", "gold", "silver"), pattern),
		resource.TestStep{Config: e.config("additive", "a", "gold"), Check: e.carries(2, "a", "gold")},
		acctest.FailingStep(e.config("additive", "gold", "silver"), pattern),
		resource.TestStep{Config: e.config("additive", "a", "gold"), ConfigPlanChecks: empty()},
	)
}

func TestAccObjectTags_attachRefused(t *testing.T) {
	t.Parallel()
	e := start(t)
	config := e.config("additive", "a", "gold")
	e.Run(
		t,
		acctest.After(func() { e.Tags().RefuseAttach(e.ids["gold"], e.vm.ID, true) },
			acctest.FailingStep(config, `applied the others.*refused 1 of the tags`)),
		acctest.After(func() { e.Tags().RefuseAttach(e.ids["gold"], e.vm.ID, false) },
			resource.TestStep{Config: config, Check: e.carries(2, "a", "gold")}),
	)
}

func TestAccObjectTags_assignDenied(t *testing.T) {
	t.Parallel()
	e := start(t)
	config := e.config("additive", "b", "gold")
	e.Run(
		t,
		resource.TestStep{Config: e.config("additive", "a", "gold"), Check: e.carries(2, "a", "gold")},
		acctest.After(func() { e.Tags().Deny(tagging.Assign, true) },
			acctest.FailingStep(config, `Assign or Unassign vSphere Tag`)),
		acctest.After(func() { e.Tags().Deny(tagging.Assign, false) }, resource.TestStep{ // no tag is lost
			Config:           config,
			ConfigPlanChecks: plans(plancheck.ResourceActionUpdate),
			Check:            e.carries(2, "b", "gold"),
		}),
	)
}

func TestAccObjectTags_readDenied(t *testing.T) {
	t.Parallel()
	e := start(t)
	config := e.config("additive", "b", "gold")
	e.Run(
		t,
		resource.TestStep{Config: config},
		acctest.After(func() { e.Tags().Deny(tagging.Read, true) },
			acctest.FailingStep(config, `Unable to Read Tags.*Read-only`)),
		acctest.After(func() { e.Tags().Deny(tagging.Read, false) },
			resource.TestStep{Config: config, ConfigPlanChecks: empty()}),
	)
}

func TestAccObjectTags_badInput(t *testing.T) {
	t.Parallel()
	e := start(t)
	e.Run(
		t,
		acctest.FailingStep(e.config("additive", ""), `tag_ids\[0\] string length must be at least 1, got: 0`),
		acctest.FailingStep(e.config("mine", "a"), `"category"`),
	)
}

// TestAccObjectTags_thousandTags verifies that 1,000 tags are attached in one request and detached in another, because
// a request contains up to 2,000 tags.
func TestAccObjectTags_thousandTags(t *testing.T) {
	t.Parallel()
	e := start(t)
	category, err := e.Tags().AddCategory(tagging.Category{Name: "many", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	var names []string
	for i := range 1000 {
		name := fmt.Sprintf("tag-%04d", i)
		e.ids[name], err = e.Tags().AddTag(tagging.Tag{Name: name, CategoryID: category})
		require.NoError(t, err)
		names = append(names, name)
	}
	e.Run(t, resource.TestStep{Config: e.config("additive", names...), Check: e.carries(1000, names...)})
	assert.Equal(t, 1, e.Traffic().Count(attach))
	assert.Equal(t, 1, e.Traffic().Count(detach))
}

func TestAccObjectTags_plainSimulator(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{Plain: true})
	config := func(tags string) string {
		return lab.Provider() + fmt.Sprintf(`
resource "vsla_tag_category" "c" {
  name        = "c"
  cardinality = "MULTIPLE"
}
resource "vsla_tag" "t" {
  count       = 3
  category_id = vsla_tag_category.c.id
  name        = "t${count.index}"
}
resource "vsla_object_tags" "vm" {
  object_id = %q
  tag_ids   = %s
}`, lab.VMs()[0].ID, tags)
	}
	lab.Run(
		t,
		resource.TestStep{
			Config: config("slice(vsla_tag.t[*].id, 0, 2)"),
			Check:  resource.TestCheckResourceAttr(address, "tag_ids.#", "2"),
		},
		resource.TestStep{
			Config: config("slice(vsla_tag.t[*].id, 1, 3)"),
			Check:  resource.TestCheckResourceAttr(address, "tag_ids.#", "2"),
		},
	)
}
