package tagassociation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

type given struct {
	*acctest.Lab
	t   *testing.T
	ids map[string]string
}

func withTags(t *testing.T, config vcsim.Config, cardinality string, names ...string) given {
	t.Helper()
	lab := acctest.Start(t, config)
	lab.KeepObjects()
	g := given{Lab: lab, t: t, ids: make(map[string]string)}
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: cardinality})
	require.NoError(t, err)
	for _, name := range names {
		g.ids[name], err = lab.Tags().AddTag(tagging.Tag{Name: name, CategoryID: category})
		require.NoError(t, err)
	}
	return g
}

func (g given) put(tag string, vms ...string) {
	g.t.Helper()
	for _, vm := range vms {
		if err := g.Tags().Attach(g.ids[tag], tagging.Object{Type: "VirtualMachine", ID: vm}); err != nil {
			g.t.Error(err)
		}
	}
}

func (g given) association(tag string, vms []string, extra ...string) string {
	return fmt.Sprintf("resource \"vsla_tag_association\" %q {\n  tag_id = %q\n  object_ids = %s\n  %s\n}\n",
		tag, g.ids[tag], quoted(vms), strings.Join(extra, "\n  "))
}

func quoted(list []string) string {
	if len(list) == 0 {
		return "[]"
	}
	return `["` + strings.Join(list, `", "`) + `"]`
}

func (g given) carry(tag string, vms []string) error {
	got := g.Tags().Objects(g.ids[tag])
	want := slices.Sorted(slices.Values(vms))
	not := func(in []string) func(string) bool { return func(s string) bool { return slices.Contains(in, s) } }
	missing := slices.DeleteFunc(slices.Clone(want), not(got))
	more := slices.DeleteFunc(slices.Clone(got), not(want))
	if len(missing)+len(more) > 0 {
		return fmt.Errorf("%s is on %d VMs, want %d: not on %v, but on %v", tag, len(got), len(want), missing, more)
	}
	return nil
}

type before func()

func (b before) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	b()
}

func plansRemovals(at string, ids ...string) plancheck.PlanCheck {
	sorted := slices.Sorted(slices.Values(ids))
	want := make([]knownvalue.Check, 0, len(ids))
	for _, id := range sorted {
		want = append(want, knownvalue.StringExact(id))
	}
	return plancheck.ExpectKnownValue(at, tfjsonpath.New("removes"), knownvalue.ListExact(want))
}

func pre(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: checks}
}

func TestAccTagAssociation_removesInPlan(t *testing.T) {
	t.Parallel()
	g := withTags(t, vcsim.Config{VMs: 9}, "MULTIPLE", "gold")
	vms := ids(g.Lab, 0, 9)
	at := "vsla_tag_association.gold"
	g.put("gold", vms[:5]...)
	config := func(vms []string, ownership string) string {
		return g.Provider() + g.association("gold", vms, fmt.Sprintf("ownership = %q", ownership))
	}
	g.Run(t,
		resource.TestStep{
			Config:           config(vms[:2], "exclusive"),
			ConfigPlanChecks: pre(plansRemovals(at, vms[2:5]...)),
			Check:            checks(func() error { return g.carry("gold", vms[:2]) }),
		},
		resource.TestStep{Config: config(vms[:2], "exclusive"), ConfigPlanChecks: pre(plancheck.ExpectEmptyPlan())},
		resource.TestStep{ // change object_ids; a VM tagged after the plan keeps its tag
			PreConfig:          func() { g.put("gold", vms[6]) },
			Config:             config(vms[1:3], "exclusive"),
			ConfigPlanChecks:   pre(plansRemovals(at, vms[0], vms[6]), before(func() { g.put("gold", vms[7]) })),
			Check:              checks(func() error { return g.carry("gold", []string{vms[1], vms[2], vms[7]}) }),
			ExpectNonEmptyPlan: true,
		}, resource.TestStep{ // the next plan removes that VM
			Config:           config(vms[1:3], "exclusive"),
			ConfigPlanChecks: pre(plansRemovals(at, vms[7])),
			Check:            checks(func() error { return g.carry("gold", vms[1:3]) }),
		},
		resource.TestStep{Config: config(vms[1:3], "additive"), ConfigPlanChecks: pre(plansRemovals(at))},
		resource.TestStep{ // an additive association ignores other objects
			PreConfig:        func() { g.put("gold", vms[4:6]...) },
			Config:           config(vms[1:3], "additive"),
			ConfigPlanChecks: pre(plancheck.ExpectEmptyPlan()),
		}, resource.TestStep{
			Config:           config(vms[2:3], "exclusive"),
			ConfigPlanChecks: pre(plansRemovals(at, vms[1], vms[4], vms[5])),
			Check:            checks(func() error { return g.carry("gold", vms[2:3]) }),
		},
	)
	assert.NoError(t, g.carry("gold", nil))
}

func TestAccTagAssociation_taggedBetweenPlanAndCreate(t *testing.T) {
	t.Parallel()
	g := withTags(t, vcsim.Config{VMs: 5}, "MULTIPLE", "gold")
	vms := ids(g.Lab, 0, 5)
	at := "vsla_tag_association.gold"
	g.put("gold", vms[1])
	config := g.Provider() + g.association("gold", vms[:1], `ownership = "exclusive"`)
	g.Run(t,
		resource.TestStep{
			Config:           config,
			ConfigPlanChecks: pre(plansRemovals(at, vms[1]), before(func() { g.put("gold", vms[2]) })),
			ExpectError:      acctest.ErrorPattern(`inconsistent final plan`),
		},
		acctest.After(func() { assert.NoError(t, g.carry("gold", vms[1:3])) }, resource.TestStep{
			Config:           config,
			ConfigPlanChecks: pre(plansRemovals(at, vms[1], vms[2])),
			Check:            checks(func() error { return g.carry("gold", vms[:1]) }),
		}),
	)
}

func TestAccTagAssociation_unknownObjects(t *testing.T) {
	t.Parallel()
	g := withTags(t, vcsim.Config{VMs: 5}, "MULTIPLE", "gold", "silver")
	vms := ids(g.Lab, 0, 5)
	g.put("gold", vms[1:3]...)
	unknown := func(tag string, vms []string, ownership string) string {
		return g.Provider() + fmt.Sprintf(`
resource "terraform_data" "vms" {
  input = %[1]s
}
resource "vsla_tag_association" %[2]q {
  tag_id     = %[3]q
  object_ids = terraform_data.vms.output
  ownership  = %[4]q
}
`, quoted(vms), tag, g.ids[tag], ownership)
	}
	at := "vsla_tag_association.silver"
	g.Run(
		t,
		acctest.FailingStep(unknown("gold", vms[:1], "exclusive"), // objects tagged by other clients could be untagged
			`Objects to Untag Unknown Until Apply.*\d: object_ids =.*which of 2 VMs`),
		resource.TestStep{ // no other object has the tag
			Config:           unknown("silver", vms[:2], "exclusive"),
			ConfigPlanChecks: pre(plansRemovals(at)),
			Check: checks(func() error { return g.carry("silver", vms[:2]) },
				func() error { return g.carry("gold", vms[1:3]) }),
		}, resource.TestStep{ // an object in state might be untagged, so removes is unknown
			Config:           unknown("silver", vms[1:3], "exclusive"),
			ConfigPlanChecks: pre(plancheck.ExpectUnknownValue(at, tfjsonpath.New("removes"))),
			Check:            checks(func() error { return g.carry("silver", vms[1:3]) }),
		}, resource.TestStep{
			Config:           unknown("silver", vms[1:3], "exclusive"),
			ConfigPlanChecks: pre(plancheck.ExpectEmptyPlan()),
		},
	)
}

func TestAccTagAssociation_newTag(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	lab.Run(t, resource.TestStep{
		Config:           config(lab, ids(lab, 0, 1), `ownership = "exclusive"`),
		ConfigPlanChecks: pre(plansRemovals(address)),
		Check:            carriers(lab, ids(lab, 0, 1)),
	})
}
