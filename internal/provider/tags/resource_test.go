package tags_test

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"terraform-provider-vsla/internal/acctest"
	"terraform-provider-vsla/internal/lab/fault"
	"terraform-provider-vsla/internal/lab/tagging"
	"terraform-provider-vsla/internal/lab/vcsim"
)

const (
	managed = "vsla_tags.sla"

	creates = "POST tag"
	reads   = "GET tag/{id}"
	changes = "PATCH tag/{id}"
	deletes = "DELETE tag/{id}"
	lists   = "POST tag:list-tags-for-category"
)

// tagged is a configuration with one category and the given body of vsla_tags, and more after it.
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

// numbered is the argument tags with n names.
func numbered(n int) string {
	return fmt.Sprintf(`tags = { for i in range(%d) : format("tag-%%04d", i) => "number ${i}" }`, n)
}

// names gives the lab's tags as name to id.
func names(lab *acctest.Lab) map[string]string {
	ids := make(map[string]string)
	for _, t := range lab.Tags().Tags() {
		ids[t.Name] = t.ID
	}
	return ids
}

// asInState checks that the lab has just the tags of the state, with their ids and descriptions.
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

// count checks the number of requests of one kind since the last reset.
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
			PreConfig: lab.Traffic().Reset, Config: tagged(lab, numbered(300)),
			// One listing says that the category is empty.
			Check: resource.ComposeTestCheckFunc(asInState(lab), count(lab, map[string]int{creates: 300, lists: 1, changes: 0, deletes: 0})),
		},
		resource.TestStep{
			// One listing and one read each. The step refreshes three times: in its plan, its apply and its check for an empty plan.
			PreConfig: lab.Traffic().Reset, Config: tagged(lab, numbered(300)), PlanOnly: true,
			Check: count(lab, map[string]int{creates: 0, changes: 0}),
		},
		resource.TestStep{
			PreConfig:        func() { first = names(lab); lab.Traffic().Reset() },
			Config:           tagged(lab, `tags = merge({ for i in range(299) : format("tag-%04d", i) => "number ${i}" }, { "tag-0007" = "", "new" = "ä/ß" })`),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			Check: resource.ComposeTestCheckFunc(asInState(lab), count(lab, map[string]int{creates: 1, changes: 1, deletes: 1}), func(*terraform.State) error {
				for name, id := range names(lab) {
					if name != "new" && first[name] != id {
						return fmt.Errorf("%s has become another tag", name)
					}
				}
				return nil
			}),
		},
	)
}

// TestAccTags_requests: a refresh is one listing and one read for each tag.
func TestAccTags_requests(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Run(t,
		resource.TestStep{Config: tagged(lab, numbered(50))},
		resource.TestStep{PreConfig: lab.Traffic().Reset, RefreshState: true},
		resource.TestStep{
			PreConfig: func() {
				runs := lab.Traffic().Count(lists)
				if got := lab.Traffic().Count(reads); runs == 0 || got != 50*runs {
					t.Errorf("%d reads in %d refreshes of 50 tags", got, runs)
				}
			},
			Config: tagged(lab, numbered(50)),
		},
	)
}

// TestAccTags_keepsAssociations: neither a new tag, nor a rename, nor a rename behind the configuration's back touches what
// carries the tags.
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
			if got := names(lab)[name]; got != id || len(lab.Tags().Objects(id)) != 3 {
				return fmt.Errorf("%s is %s on %v; it was %s on three machines", name, got, lab.Tags().Objects(got), id)
			}
			return nil
		}, count(lab, map[string]int{"POST tag-association:detach-tag-from-multiple-objects": 0, deletes: 0}))
	}
	association := "vsla_tag_association.gold"
	lab.Run(t,
		resource.TestStep{Config: tagged(lab, `tags = { gold = "" }`, gold("gold"))},
		resource.TestStep{
			PreConfig:        func() { id = names(lab)["gold"]; lab.Traffic().Reset() },
			Config:           tagged(lab, `tags = { gold = "15 minutes", silver = "" }`, gold("gold")),
			ConfigPlanChecks: only(association), Check: carried("gold"),
		},
		resource.TestStep{
			Config: tagged(lab, `
  tags         = { platinum = "15 minutes", silver = "" }
  renamed_from = { platinum = "gold" }`, gold("platinum")),
			ConfigPlanChecks: only(association), Check: carried("platinum"),
		},
		resource.TestStep{ // the entry may stay
			Config: tagged(lab, `
  tags         = { platinum = "15 minutes", silver = "" }
  renamed_from = { platinum = "gold" }`, gold("platinum")), PlanOnly: true,
		},
		resource.TestStep{
			PreConfig: func() {
				if err := lab.Tags().Rename(id, "renamed by hand"); err != nil {
					t.Error(err)
				}
			},
			Config:           tagged(lab, `tags = { platinum = "15 minutes", silver = "" }`, gold("platinum")),
			ConfigPlanChecks: only(association), Check: carried("platinum"),
		},
	)
}

func TestAccTags_drift(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	config := tagged(lab, `tags = { gold = "a", silver = "b" }`)
	lab.Run(t,
		resource.TestStep{Config: config},
		resource.TestStep{
			PreConfig: func() {
				ids := names(lab)
				if err := errors.Join(lab.Tags().RemoveTag(ids["gold"]), lab.Tags().Describe(ids["silver"], "by hand")); err != nil {
					t.Error(err)
				}
			},
			Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate), Check: asInState(lab),
		},
		resource.TestStep{
			PreConfig: func() {
				if err := lab.Tags().RemoveCategory(lab.Tags().Categories()[0].ID); err != nil {
					t.Error(err)
				}
			},
			Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionCreate), Check: asInState(lab),
		},
	)
}

func TestAccTags_validation(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	var steps []resource.TestStep
	for body, want := range map[string]string{
		`tags = { "" = "" }`: `character count must be between 1 and 256`,
		`tags = { "` + strings.Repeat("x", 257) + `" = "" }`:                       `character count must be between 1 and 256`,
		`tags = { gold = null }`:                                                   `(?i)null`,
		"tags = { gold = \"\" }\n  renamed_from = { silver = \"bronze\" }":         `tags has no such name`,
		"tags = { gold = \"\", au = \"\" }\n  renamed_from = { gold = \"au\" }":    `tags lists both`,
		"tags = { a = \"\", b = \"\" }\n  renamed_from = { a = \"c\", b = \"c\" }": `are said to have been`,
	} {
		steps = append(steps, resource.TestStep{Config: tagged(lab, body), PlanOnly: true, ExpectError: regexp.MustCompile(`(?s)` + strings.ReplaceAll(want, " ", `\s+`))})
	}
	lab.Run(t, steps...)
}

func TestAccTags_existing(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	config := func(body string) string {
		return lab.Provider() + `
data "vsla_tag_category" "sla" { name = "sla" }
resource "vsla_tags" "sla" {
  category_id = data.vsla_tag_category.sla.id
  ` + body + `
}
`
	}
	category := add(t, lab, "sla", 12) // tag-000 to tag-011
	before := names(lab)
	object := tagging.Object{Type: "VirtualMachine", ID: lab.VMs()[0].ID}
	if err := lab.Tags().Attach(before["tag-000"], object); err != nil {
		t.Fatal(err)
	}
	taken := `tags = { for i in range(13) : format("tag-%03d", i) => "mine" }`
	lab.Run(t,
		resource.TestStep{
			PreConfig: lab.Traffic().Reset,
			Config:    config(taken),
			// Ten are named and two counted; the way out is in the message.
			ExpectError: regexp.MustCompile(`(?s)12 of these tags already.*"tag-000", "tag-001".*and\s+2\s+more.*adopt_existing =\s+true.*import \{`),
		},
		resource.TestStep{
			PreConfig: func() {
				if got := lab.Traffic().Count(creates); got != 0 || len(names(lab)) != 12 {
					t.Errorf("%d tags were created beside those that exist", got)
				}
			},
			Config: config(taken + "\n  adopt_existing = true"),
			Check: resource.ComposeTestCheckFunc(asInState(lab), count(lab, map[string]int{creates: 1, changes: 12, deletes: 0}), func(*terraform.State) error {
				for name, id := range before {
					if names(lab)[name] != id {
						return fmt.Errorf("%s is another tag", name)
					}
				}
				if got := lab.Tags().Objects(before["tag-000"]); len(got) != 1 {
					return fmt.Errorf("its associations are %v", got)
				}
				return nil
			}),
		},
		resource.TestStep{
			ResourceName: managed, ImportState: true, ImportStateId: "sla", ImportStateVerify: true, ImportStateVerifyIgnore: []string{"adopt_existing"},
		},
		resource.TestStep{
			ResourceName: managed, ImportState: true, ImportStateId: category, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"adopt_existing"},
		},
		resource.TestStep{ResourceName: managed, ImportState: true, ImportStateId: "none", ExpectError: regexp.MustCompile(`(?s)no\s+such\s+object`)},
		resource.TestStep{
			// What something carries is not deleted, and nothing else with it.
			Config: config(`tags = { "tag-011" = "mine" }`), ExpectError: regexp.MustCompile(`(?s)1\s+association\s+of\s+1\s+tag\s+\(1\s+VirtualMachine\)`),
		},
		resource.TestStep{
			PreConfig: func() {
				if len(names(lab)) != 13 {
					t.Errorf("tags were deleted: %v", names(lab))
				}
			},
			Config: config("tags = { \"tag-011\" = \"mine\" }\n  force_destroy = true"), Check: asInState(lab),
		},
		resource.TestStep{
			PreConfig: func() {
				if err := lab.Tags().Attach(before["tag-011"], object); err != nil {
					t.Error(err)
				}
			},
			Config: config(`tags = { "tag-011" = "mine" }`), // no longer forced
		},
		resource.TestStep{Config: config(`tags = { "tag-011" = "mine" }`), Destroy: true, ExpectError: regexp.MustCompile(`(?s)Tags Still in Use.*force_destroy`)},
		resource.TestStep{
			PreConfig: func() {
				if err := lab.Tags().Detach(before["tag-011"], object); err != nil {
					t.Error(err)
				}
			},
			Config: config(`tags = { "tag-011" = "mine" }`),
		},
	)
	if err := lab.Tags().RemoveCategory(category); err != nil {
		t.Fatal(err)
	}
}

func TestAccTags_categories(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	text := strings.Replace(tagged(lab, numbered(3)), lab.Provider(), lab.Provider(`ignore_tag_categories = ["sl*"]`), 1)
	lab.Run(t,
		resource.TestStep{Config: text, ExpectError: regexp.MustCompile(`(?s)category_id = vsla_tag_category.sla.id.*excludes\s+category\s+"sla"`)},
		resource.TestStep{
			Config:      lab.Provider() + "resource \"vsla_tags\" \"sla\" {\n  category_id = \"urn:vmomi:InventoryServiceCategory:none:GLOBAL\"\n  tags = { gold = \"\" }\n}\n",
			ExpectError: regexp.MustCompile(`(?s)category_id =.*no\s+such\s+object`),
		},
	)
}

// TestAccTags_createFails: what an apply had created when it failed is kept, and the next one goes on from there.
func TestAccTags_createFails(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]fault.Rule{
		"unavailable":    {Kind: creates, Skip: 20, Status: http.StatusServiceUnavailable},
		"connection cut": {Kind: creates, Skip: 20, Cut: true},
		"refused":        {Kind: creates, Skip: 20, Status: http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lab := acctest.Start(t, vcsim.Config{VMs: -1})
			var after map[string]string
			lab.Run(t,
				resource.TestStep{
					PreConfig: func() { lab.Traffic().Break(rule) },
					Config:    tagged(lab, numbered(60)), ExpectError: regexp.MustCompile(`(?s)Unable to Create Tags.*of\s+60\s+were\s+done`),
				},
				resource.TestStep{
					PreConfig: func() {
						if after = names(lab); len(after) < 20 || len(after) == 60 {
							t.Errorf("%d tags were created", len(after))
						}
						lab.Traffic().Mend()
						lab.Traffic().Reset()
					},
					// Not tag-0000: it was created, and is no longer wanted.
					Config: tagged(lab, `tags = { for i in range(1, 60) : format("tag-%04d", i) => "number ${i}" }`),
					Check: resource.ComposeTestCheckFunc(asInState(lab), func(*terraform.State) error {
						now, kept := names(lab), 0
						for name, id := range after {
							if name == "tag-0000" {
								continue
							}
							if kept++; now[name] != id {
								return fmt.Errorf("%s was created anew", name)
							}
						}
						return count(lab, map[string]int{creates: 59 - kept, deletes: len(after) - kept})(nil)
					}),
				},
				resource.TestStep{Config: tagged(lab, `tags = { for i in range(1, 60) : format("tag-%04d", i) => "number ${i}" }`), PlanOnly: true},
			)
		})
	}
}

// TestAccTags_createAnswersLost: a tag that was created although no answer said so is found by the id that it was given.
func TestAccTags_createAnswersLost(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]fault.Rule{
		"unavailable":    {Kind: creates, Skip: 20, Status: http.StatusServiceUnavailable, Done: true},
		"connection cut": {Kind: creates, Skip: 20, Cut: true, Done: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lab := acctest.Start(t, vcsim.Config{VMs: -1})
			lab.Traffic().Break(rule)
			lab.Run(t,
				resource.TestStep{Config: tagged(lab, numbered(40)), Check: asInState(lab)},
				resource.TestStep{Config: tagged(lab, numbered(40)), PlanOnly: true},
			)
		})
	}
}

// TestAccTags_limitedService: a service that bears 360 requests a second refuses some, and everything is done once.
func TestAccTags_limitedService(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Traffic().SetLimit(360, lab.Now)
	lab.Run(t,
		resource.TestStep{Config: tagged(lab, numbered(1000)), Check: resource.ComposeTestCheckFunc(asInState(lab), func(*terraform.State) error {
			if got := lab.Traffic().Refused(); got == 0 || lab.Traffic().Count(creates)-1000 > got {
				return fmt.Errorf("%d requests were refused, %d creates sent", got, lab.Traffic().Count(creates))
			}
			return nil
		})},
		resource.TestStep{Config: tagged(lab, numbered(1000)), PlanOnly: true},
	)
}

// TestAccTags_sessionExpires: while tags are created, read and deleted, every session ends.
func TestAccTags_sessionExpires(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	for _, kind := range []string{creates, reads, deletes} {
		lab.Traffic().Break(fault.Rule{Kind: kind, Skip: 50, Times: 1, Before: func(*http.Request) { lab.ExpireSessions() }})
	}
	lab.Run(t,
		resource.TestStep{Config: tagged(lab, numbered(200)), Check: resource.ComposeTestCheckFunc(asInState(lab), func(*terraform.State) error {
			// Ten requests were under way when the session ended; each of them is sent once more, by one fresh login.
			if got := lab.Traffic().Count(creates); got <= 200 || got > 210 {
				return fmt.Errorf("%d creates for 200 tags", got)
			}
			return nil
		})},
		resource.TestStep{Config: tagged(lab, numbered(200)), PlanOnly: true},
	)
}

// TestAccTags_anotherWriter: somebody else creates one of the tags while an apply runs.
func TestAccTags_anotherWriter(t *testing.T) {
	t.Parallel()
	for name, adopt := range map[string]bool{"refused": false, "adopted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lab := acctest.Start(t, vcsim.Config{VMs: 1})
			var theirs string
			lab.Traffic().Break(fault.Rule{Kind: creates, Times: 1, Before: func(*http.Request) {
				var err error
				if theirs, err = lab.Tags().AddTag(tagging.Tag{Name: "tag-0029", Description: "theirs", CategoryID: lab.Tags().Categories()[0].ID}); err != nil {
					t.Error(err)
				}
			}})
			adopting := tagged(lab, numbered(30)+"\n  adopt_existing = true")
			steps := []resource.TestStep{{Config: adopting, Check: resource.ComposeTestCheckFunc(asInState(lab), func(*terraform.State) error {
				if names(lab)["tag-0029"] != theirs {
					return errors.New("their tag was created anew")
				}
				return count(lab, map[string]int{deletes: 0, creates: 30})(nil)
			})}}
			if !adopt {
				steps = append([]resource.TestStep{{
					Config: tagged(lab, numbered(30)), ExpectError: regexp.MustCompile(`(?s)1 of these tags already.*"tag-0029"`),
				}}, steps...)
			}
			lab.Run(t, steps...)
		})
	}
}

// TestAccTags_createFailsThenDestroy: an unfinished create that is given up leaves nothing.
func TestAccTags_createFailsThenDestroy(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Run(t,
		resource.TestStep{
			PreConfig:   func() { lab.Traffic().Break(fault.Rule{Kind: creates, Skip: 5, Status: http.StatusForbidden}) },
			Config:      tagged(lab, numbered(20)),
			ExpectError: regexp.MustCompile(`Unable to Create Tags`),
		},
		resource.TestStep{
			PreConfig: lab.Traffic().Mend,
			Config: lab.Provider() + `
resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "MULTIPLE"
}
`,
			Check: func(*terraform.State) error {
				if left := names(lab); len(left) > 0 {
					return fmt.Errorf("left: %v", left)
				}
				return nil
			},
		},
	)
}

// TestAccTags_replacedForReal: a tag set that moves to another category is deleted in the first.
func TestAccTags_replacedForReal(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	config := func(category string) string {
		return lab.Provider() + `
resource "vsla_tag_category" "a" {
  name        = "a"
  cardinality = "MULTIPLE"
}
resource "vsla_tag_category" "b" {
  name        = "b"
  cardinality = "MULTIPLE"
}
resource "vsla_tags" "sla" {
  category_id = vsla_tag_category.` + category + `.id
  tags        = { gold = "", silver = "" }
}
`
	}
	lab.Run(t,
		resource.TestStep{Config: config("a"), Check: asInState(lab)},
		resource.TestStep{Config: config("b"), ConfigPlanChecks: planned(plancheck.ResourceActionDestroyBeforeCreate), Check: asInState(lab)},
		resource.TestStep{Taint: []string{managed}, PreConfig: lab.Traffic().Reset, Config: config("b"), Check: resource.ComposeTestCheckFunc(
			asInState(lab), count(lab, map[string]int{creates: 0, deletes: 0}))},
	)
}

func TestAccTags_updateAndDeleteFail(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	described := func(text string, n int) string {
		return tagged(lab, fmt.Sprintf(`tags = { for i in range(%d) : format("tag-%%04d", i) => %q }`, n, text))
	}
	var before map[string]string
	lab.Run(t,
		resource.TestStep{Config: described("old", 40)},
		resource.TestStep{
			PreConfig: func() {
				before = names(lab)
				lab.Traffic().Break(fault.Rule{Kind: changes, Skip: 15, Status: http.StatusServiceUnavailable})
			},
			Config: described("new", 50), ExpectError: regexp.MustCompile(`(?s)Unable to Change Tags.*of\s+40\s+were\s+done`),
		},
		resource.TestStep{
			PreConfig: func() { lab.Traffic().Mend(); lab.Traffic().Reset() },
			Config:    described("new", 50), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			Check: resource.ComposeTestCheckFunc(asInState(lab), count(lab, map[string]int{changes: 25, creates: 10, deletes: 0})),
		},
		resource.TestStep{
			PreConfig: func() { lab.Traffic().Break(fault.Rule{Kind: deletes, Skip: 4, Status: http.StatusServiceUnavailable}) },
			Config:    described("new", 40), ExpectError: regexp.MustCompile(`(?s)Unable to Delete Tags.*of\s+10\s+were\s+done`),
		},
		resource.TestStep{
			PreConfig: func() {
				if got := len(names(lab)); got != 46 {
					t.Errorf("%d tags are left", got)
				}
				lab.Traffic().Mend()
			},
			Config: described("new", 40), Check: resource.ComposeTestCheckFunc(asInState(lab), func(*terraform.State) error {
				for name, id := range names(lab) {
					if before[name] != id {
						return fmt.Errorf("%s was created anew", name)
					}
				}
				return nil
			}),
		},
		resource.TestStep{
			PreConfig: func() { lab.Traffic().Break(fault.Rule{Kind: deletes, Skip: 4, Status: http.StatusForbidden}) },
			Config:    described("new", 40), Destroy: true, ExpectError: regexp.MustCompile(`(?s)Unable to Delete Tags`),
		},
		resource.TestStep{
			PreConfig: func() { lab.Traffic().Mend() },
			Config:    described("new", 36), // the four deleted ones are planned again or no longer listed
			Check:     asInState(lab),
		},
	)
}

func TestAccTags_warnsPastTheSupported(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	w, _ := acctest.Workspace(t, lab, "internal/provider/tags/testdata/many")
	out := acctest.Terraform(t, w, 0, "plan", "-no-color")
	if strings.Count(out, "vCenter 8.0 U3 supports 8000") != 1 || !strings.Contains(out, "has 9000 tags or more") {
		t.Error(out[max(0, len(out)-2000):])
	}
}
