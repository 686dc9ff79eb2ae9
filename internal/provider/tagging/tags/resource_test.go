package tags_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const (
	managed = "vsla_tags.sla"

	creates = "POST tag"
	reads   = "GET tag/{id}"
	changes = "PATCH tag/{id}"
	deletes = "DELETE tag/{id}"
	lists   = "POST tag:list-tags-for-category"
)

func tagged(lab *acctest.Lab, body string, more ...string) string {
	return lab.Provider() + `
resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "MULTIPLE"
}
resource "vsla_tags" "sla" {
  category_id = vsla_tag_category.sla.id
  ` + body + `
}
` + strings.Join(more, "\n")
}

func numbered(n int) string {
	return fmt.Sprintf(`tags = { for i in range(%d) : format("tag-%%04d", i) => "number ${i}" }`, n)
}

func names(lab *acctest.Lab) map[string]string {
	ids := make(map[string]string)
	for _, t := range lab.Tags().Tags() {
		ids[t.Name] = t.ID
	}
	return ids
}

func asInState(lab *acctest.Lab) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		attributes := s.RootModule().Resources[managed].Primary.Attributes
		list := lab.Tags().Tags()
		if n := strconv.Itoa(len(list)); attributes["ids.%"] != n || attributes["tags.%"] != n {
			return fmt.Errorf("vCenter has %s tags, state %s with %s ids", n, attributes["tags.%"], attributes["ids.%"])
		}
		for _, t := range list {
			if attributes["ids."+t.Name] != t.ID || attributes["tags."+t.Name] != t.Description {
				return fmt.Errorf("%+v is in state as %q, %q", t, attributes["ids."+t.Name], attributes["tags."+t.Name])
			}
		}
		return nil
	}
}

func count(lab *acctest.Lab, want map[string]int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		var errs []error
		for kind, n := range want {
			if got := lab.Traffic().Count(kind); got != n {
				errs = append(errs, fmt.Errorf("%d times %s, want %d", got, kind, n))
			}
		}
		return errors.Join(errs...)
	}
}

func planned(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(managed, action)}}
}

func TestAccTags_lifecycle(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	var first map[string]string
	lab.Run(t,
		resource.TestStep{
			PreConfig: lab.Traffic().Reset,
			Config:    tagged(lab, numbered(300)),
			// A single list request is enough, because the category is empty.
			Check: resource.ComposeTestCheckFunc(
				asInState(lab),
				count(lab, map[string]int{creates: 300, lists: 1, changes: 0, deletes: 0}),
			),
		}, resource.TestStep{
			PreConfig: lab.Traffic().Reset,
			Config:    tagged(lab, numbered(300)),
			PlanOnly:  true,
			Check:     count(lab, map[string]int{creates: 0, changes: 0}),
		}, resource.TestStep{
			PreConfig: func() {
				first = names(lab)
				lab.Traffic().Reset()
			},
			Config: tagged(
				lab,
				`tags = merge({ for i in range(299) : format("tag-%04d", i) => "number ${i}" }, { "tag-0007" = "", `+
					`"new" = "ä/ß" })`,
			),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			Check: resource.ComposeTestCheckFunc(
				asInState(lab),
				count(lab, map[string]int{creates: 1, changes: 1, deletes: 1}),
				func(*terraform.State) error {
					for name, id := range names(lab) {
						if name != "new" && first[name] != id {
							return fmt.Errorf("%s has become another tag", name)
						}
					}
					return nil
				},
			),
		},
	)
}

func TestAccTags_keepsAssociations(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 3})
	var vms []string
	for _, vm := range lab.VMs() {
		vms = append(vms, vm.ID)
	}
	gold := func(name string) string {
		return fmt.Sprintf(`
resource "vsla_tag_association" "gold" {
  tag_id     = vsla_tags.sla.ids[%q]
  object_ids = ["%s"]
}
`, name, strings.Join(vms, `", "`))
	}
	only := func(address string) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(managed, plancheck.ResourceActionUpdate),
			plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop),
		}}
	}
	var id string
	carried := func(name string) resource.TestCheckFunc {
		return resource.ComposeTestCheckFunc(asInState(lab), func(*terraform.State) error {
			assert.Equal(t, id, names(lab)[name], name)
			assert.Len(t, lab.Tags().Objects(id), 3, name)
			return nil
		}, count(lab, map[string]int{"POST tag-association:detach-tag-from-multiple-objects": 0, deletes: 0}))
	}
	association := "vsla_tag_association.gold"
	lab.Run(t,
		resource.TestStep{Config: tagged(lab, `tags = { gold = "" }`, gold("gold"))},
		acctest.After(func() {
			id = names(lab)["gold"]
			lab.Traffic().Reset()
		}, resource.TestStep{
			Config:           tagged(lab, `tags = { gold = "15 minutes", silver = "" }`, gold("gold")),
			ConfigPlanChecks: only(association),
			Check:            carried("gold"),
		}),
		resource.TestStep{
			Config: tagged(lab, `
  tags         = { platinum = "15 minutes", silver = "" }
  renamed_from = { platinum = "gold" }`, gold("platinum")),
			ConfigPlanChecks: only(association),
			Check:            carried("platinum"),
		}, resource.TestStep{ // renamed_from can remain in the configuration
			Config: tagged(lab, `
  tags         = { platinum = "15 minutes", silver = "" }
  renamed_from = { platinum = "gold" }`, gold("platinum")),
			PlanOnly: true,
		},
		acctest.After(func() { assert.NoError(t, lab.Tags().Rename(id, "renamed by hand")) }, resource.TestStep{
			Config:           tagged(lab, `tags = { platinum = "15 minutes", silver = "" }`, gold("platinum")),
			ConfigPlanChecks: only(association),
			Check:            carried("platinum"),
		}),
		// The configuration follows a rename in vCenter.
		acctest.After(func() { assert.NoError(t, lab.Tags().Rename(id, "au")) }, resource.TestStep{
			Config:           tagged(lab, `tags = { au = "15 minutes", silver = "" }`, gold("au")),
			ConfigPlanChecks: only(association),
			Check:            carried("au"),
		}),
		acctest.After(func() { assert.NoError(t, lab.Tags().Rename(id, "gold")) }, resource.TestStep{
			Config: tagged(lab, `
  tags           = { gold = "15 minutes", silver = "" }
  adopt_existing = true
  force_destroy  = true`, gold("gold")),
			ConfigPlanChecks: only(association),
			Check:            carried("gold"),
		}),
	)
}

// TestAccTags_drift verifies that the plan restores deleted and changed tags, and that ids follow names that were
// swapped in vCenter.
func TestAccTags_drift(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	config := tagged(lab, `tags = { gold = "a", silver = "b" }`)
	swap := func() {
		ids := names(lab)
		assert.NoError(t, errors.Join(lab.Tags().Rename(ids["gold"], "x"), lab.Tags().Rename(ids["silver"], "gold"),
			lab.Tags().Rename(ids["gold"], "silver")))
	}
	lab.Run(t,
		resource.TestStep{Config: config},
		acctest.After(func() {
			ids := names(lab)
			err := errors.Join(lab.Tags().RemoveTag(ids["gold"]), lab.Tags().Describe(ids["silver"], "by hand"))
			assert.NoError(t, err)
		}, resource.TestStep{
			Config:           config,
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			Check:            asInState(lab),
		}),
		// Only the descriptions change.
		acctest.After(swap, resource.TestStep{
			Config:           config,
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			Check:            asInState(lab),
		}),
		acctest.After(func() {
			swap()
			ids := names(lab)
			assert.NoError(t,
				errors.Join(lab.Tags().Describe(ids["gold"], "a"), lab.Tags().Describe(ids["silver"], "b")))
		}, resource.TestStep{
			Config:           config,
			ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
			Check:            asInState(lab),
		}),
		resource.TestStep{
			PreConfig: func() {
				assert.NoError(t, lab.Tags().RemoveCategory(lab.Tags().Categories()[0].ID))
			},
			Config:           config,
			ConfigPlanChecks: planned(plancheck.ResourceActionCreate),
			Check:            asInState(lab),
		},
	)
}

func TestAccTags_validation(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	var steps []resource.TestStep
	for body, want := range map[string]string{
		`tags = { "" = "" }`: `character count must be between 1 and 256`,
		`tags = { "` + strings.Repeat("x", 257) + `" = "" }`: `character count must be ` +
			`between 1 and 256`,
		`tags = { gold = null }`: `(?i)null`,
		"tags = { gold = \"\" }\n  renamed_from = { silver = \"bronze\" }": `\d: renamed_from =.*but tags ` +
			`does not`,
		"tags = { gold = \"\", au = \"\" }\n  renamed_from = { gold = \"au\" }": `\d: renamed_from =.*tags ` +
			`contains both`,
		"tags = { a = \"\", b = \"\" }\n  renamed_from = { a = \"c\", b = \"c\" }": `\d: renamed_from =.*are ` +
			`renamed from`,
	} {
		steps = append(steps, resource.TestStep{
			Config:      tagged(lab, body),
			PlanOnly:    true,
			ExpectError: acctest.ErrorPattern(`` + strings.ReplaceAll(want, " ", ` `)),
		})
	}
	lab.Run(t, steps...)
}

func TestAccTags_categories(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	text := strings.Replace(tagged(lab, numbered(3)), lab.Provider(), lab.Provider(`ignore_tag_categories = ["sl*"]`),
		1)
	lab.Run(
		t,
		acctest.FailingStep(text, `category_id = vsla_tag_category.sla.id.*Category "sla" is excluded`),
		acctest.FailingStep(lab.Provider()+"resource \"vsla_tags\" \"sla\" {\n  category_id = "+
			"\"urn:vmomi:InventoryServiceCategory:none:GLOBAL\"\n  tags = { gold = \"\" }\n}\n",
			`category_id =.*does not exist or is not visible`),
	)
}

func TestAccTags_warnsPastTheSupported(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	w, _ := acctest.Workspace(t, lab, "internal/provider/tagging/tags/testdata/many")
	out := acctest.RunTerraform(t, w, 0, "plan", "-no-color")
	require.Equal(t, 1, strings.Count(out, "vCenter 8.0 U3 supports only 8000"))
	assert.Contains(t, out, "has at least 9000 tags")
}
