package tags_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccTags_createFails(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]fault.Rule{
		"unavailable": {Kind: creates, Skip: 20, Status: http.StatusServiceUnavailable},
		"refused":     {Kind: creates, Skip: 20, Status: http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lab := acctest.Start(t, vcsim.Config{VMs: -1})
			var after map[string]string
			lab.Run(
				t,
				acctest.After(func() { lab.Traffic().Break(rule) },
					acctest.FailingStep(tagged(lab, numbered(60)), `Unable to Create Tags.*of 60 succeeded`)),
				resource.TestStep{
					PreConfig: func() {
						after = names(lab)
						require.GreaterOrEqual(t, len(after), 20)
						assert.NotEqual(t, 60, len(after))
						lab.Traffic().Mend()
						lab.Traffic().Reset()
					},
					// tag-0000 exists but is no longer configured.
					Config: tagged(lab, `tags = { for i in range(1, 60) : format("tag-%04d", i) => "number ${i}" }`),
					Check: resource.ComposeTestCheckFunc(asInState(lab), func(*terraform.State) error {
						now := names(lab)
						kept := 0
						for name, id := range after {
							if name == "tag-0000" {
								continue
							}
							kept++
							if now[name] != id {
								return fmt.Errorf("%s was created anew", name)
							}
						}
						return count(lab, map[string]int{creates: 59 - kept, deletes: len(after) - kept})(nil)
					}),
				}, resource.TestStep{
					Config:   tagged(lab, `tags = { for i in range(1, 60) : format("tag-%04d", i) => "number ${i}" }`),
					PlanOnly: true,
				},
			)
		})
	}
}

func TestAccTags_anotherWriter(t *testing.T) {
	t.Parallel()
	for name, adopt := range map[string]bool{"refused": false, "adopted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lab := acctest.Start(t, vcsim.Config{VMs: 1})
			var theirs string
			lab.Traffic().Break(fault.Rule{
				Kind:  creates,
				Times: 1,
				Before: func(*http.Request) {
					var err error
					theirs, err = lab.Tags().AddTag(tagging.Tag{
						Name:        "tag-0029",
						Description: "theirs",
						CategoryID:  lab.Tags().Categories()[0].ID,
					})
					assert.NoError(t, err)
				},
			})
			adopting := tagged(lab, numbered(30)+"\n  adopt_existing = true")
			steps := []resource.TestStep{
				{
					Config: adopting,
					Check: resource.ComposeTestCheckFunc(asInState(lab), func(*terraform.State) error {
						if names(lab)["tag-0029"] != theirs {
							return errors.New("their tag was created anew")
						}
						return count(lab, map[string]int{deletes: 0, creates: 30})(nil)
					}),
				},
			}
			if !adopt {
				steps = append([]resource.TestStep{{
					Config:      tagged(lab, numbered(30)),
					ExpectError: acctest.ErrorPattern(`1 of these tags already.*"tag-0029"`),
				}}, steps...)
			}
			lab.Run(t, steps...)
		})
	}
}

func TestAccTags_createFailsThenDestroy(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Run(t,
		acctest.After(func() { lab.Traffic().Break(fault.Rule{Kind: creates, Skip: 5, Status: http.StatusForbidden}) },
			acctest.FailingStep(tagged(lab, numbered(20)), `Unable to Create Tags`)),
		acctest.After(lab.Traffic().Mend, resource.TestStep{
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
		}),
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
		acctest.After(func() {
			before = names(lab)
			lab.Traffic().Break(fault.Rule{Kind: changes, Skip: 15, Status: http.StatusServiceUnavailable})
		}, acctest.FailingStep(described("new", 50), `Unable to Change Tags.*of 40 succeeded`)),
		acctest.After(func() {
			lab.Traffic().Mend()
			lab.Traffic().Reset()
		}, resource.TestStep{
			Config:           described("new", 50),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
			Check: resource.ComposeTestCheckFunc(asInState(lab),
				count(lab, map[string]int{changes: 25, creates: 10, deletes: 0})),
		}),
		resource.TestStep{
			PreConfig: func() {
				lab.Traffic().Break(fault.Rule{Kind: deletes, Skip: 4, Status: http.StatusServiceUnavailable})
			},
			Config:      described("new", 40),
			ExpectError: acctest.ErrorPattern(`Unable to Delete Tags.*of 10 succeeded`),
		}, resource.TestStep{
			PreConfig: func() {
				assert.Len(t, names(lab), 46)
				lab.Traffic().Mend()
			},
			Config: described("new", 40),
			Check: resource.ComposeTestCheckFunc(asInState(lab), func(*terraform.State) error {
				for name, id := range names(lab) {
					if before[name] != id {
						return fmt.Errorf("%s was created anew", name)
					}
				}
				return nil
			}),
		}, resource.TestStep{
			PreConfig: func() {
				lab.Traffic().Break(fault.Rule{
					Kind:   deletes,
					Skip:   4,
					Status: http.StatusForbidden,
				})
			},
			Config:      described("new", 40),
			Destroy:     true,
			ExpectError: acctest.ErrorPattern(`Unable to Delete Tags`),
		}, resource.TestStep{
			PreConfig: func() { lab.Traffic().Mend() },
			Config:    described("new", 36), // recreates deleted tags that are still configured
			Check:     asInState(lab),
		},
	)
}
