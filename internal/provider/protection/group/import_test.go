package group_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"terraform-provider-vsla/internal/dev/acctest"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

func TestImportGroup(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0, 2)
	whole := func(more ...string) string {
		return gold(p, append(more, byID(p, 0), byTag(tag),
			`snapshot_policies = { hourly = { every_hours = 1, keep_days = 2 } }`,
			replicate(p, 15, "long_term = { daily = { hour = 2, keep_days = 7 } }"))...)
	}
	config := whole()
	id := func(form string) resource.ImportStateIdFunc {
		return func(*terraform.State) (string, error) {
			return fmt.Sprintf(form, p.Cluster(0), p.GroupByName("gold").ID), nil
		}
	}
	verify := func(id resource.ImportStateIdFunc) resource.TestStep {
		return resource.TestStep{ResourceName: name, ImportState: true, ImportStateVerify: true, ImportStateIdFunc: id}
	}
	generated := resource.TestStep{ // fails unless the plan for the generated configuration is empty
		ResourceName:      name,
		ImportState:       true,
		ImportStateIdFunc: id("%s/%s"),
		GenerateConfig:    true,
		ImportStateKind:   resource.ImportBlockWithID,
	}
	p.Run(t,
		step(config),
		generated,
		verify(id("%s/%s")),
		verify(id("%s/name:gold%.0s")),
		resource.TestStep{
			PreConfig: func() { p.Edit(p.GroupByName("gold").ID, func(g *lab.Group) { g.Info.Locked = true }) },
			Config:    whole("locked = true"),
		},
		generated,
		resource.TestStep{
			PreConfig: func() {
				p.Edit(p.GroupByName("gold").ID, func(g *lab.Group) { g.Info.Locked = false })
			},
			ResourceName:      name,
			ImportState:       true,
			ImportStateIdFunc: id("%s/name:other%.0s"),
			ExpectError:       acctest.ErrorPattern(`Unable to Import Protection Group`),
		},
		resource.TestStep{
			PreConfig:    func() { p.Edit(p.GroupByName("gold").ID, func(g *lab.Group) { g.Info.Status = "DORMANT" }) },
			ResourceName: name,
			ImportState:  true,
			ImportStateIdFunc: func(*terraform.State) (string, error) {
				return p.Cluster(0) + "/" + p.Groups()[0].ID, nil
			},
			ExpectError: acctest.ErrorPattern(`the status of the group is DORMANT`),
		},
		resource.TestStep{
			PreConfig: func() { p.Edit(p.Groups()[0].ID, func(g *lab.Group) { g.Info.Status = "ACTIVE" }) },
			Config:    config,
		},
	)
}
