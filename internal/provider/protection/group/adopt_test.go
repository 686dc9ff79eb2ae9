package group_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

// TestAdoptExisting verifies that the plan shows the group that a create adopts, like an update of it, and that the
// apply changes it.
func TestAdoptExisting(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	id := p.Add(p.Cluster(0), lab.Info{Name: "gold", Targets: lab.Targets{VMs: []string{p.VM(0), p.VM(2)}}})
	const left = "an interrupted create may have left it behind"
	adopting := gold(p, byID(p, 2, 4), "adopt_existing = true")
	known := func(attribute string, check knownvalue.Check) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(name, tfjsonpath.New("adopts").AtMapKey(attribute), check)
	}
	p.Run(t,
		refused(gold(p, byID(p, 2, 4)), "Alternatively, set adopt_existing = true to adopt the group."),
		acctest.After(func() { assert.NotContains(t, strings.Join(p.Warnings(), ""), left) },
			refused(gold(p, byID(p, 0, 2)), "The object already exists")),
		resource.TestStep{
			PreConfig: func() { assert.Contains(t, strings.Join(p.Warnings(), ""), left) },
			Config:    adopting,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				known("protection_group_id", knownvalue.StringExact(id)),
				known("vm_ids", knownvalue.ListExact([]knownvalue.Check{
					knownvalue.StringExact(p.VM(0)),
					knownvalue.StringExact(p.VM(2)),
				})),
				plancheck.ExpectKnownValue(name, tfjsonpath.New("removes"), knownvalue.ListExact([]knownvalue.Check{
					knownvalue.StringExact(p.VM(0)),
				})),
			}},
			Check: func(*terraform.State) error {
				g := p.GroupByName("gold")
				assert.Equal(t, id, g.ID)
				assert.Equal(t, []string{p.VM(2), p.VM(4)}, g.Info.Targets.VMs)
				return nil
			},
		},
		step(adopting, resource.TestCheckNoResourceAttr(name, "adopts.protection_group_id")),
	)
	assert.Equal(t, 2, p.Traffic().Count("create"), "only the rejected creates")
}

// TestAdoptReplaced adopts a group that the same apply removes, in a replacement that creates first.
func TestAdoptReplaced(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	config := gold(p, byID(p, 0), "adopt_existing = true", "lifecycle {\n  create_before_destroy = true\n}")
	p.Run(t, step(config), resource.TestStep{Taint: []string{name}, Config: config})
	assert.Equal(t, 1, p.Traffic().Count("create"))
}

// TestOtherAddress verifies that a plan that moves a group to another address proposes a moved block.
func TestOtherAddress(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	config := gold(p, byID(p, 0))
	p.Run(t, step(config), resource.TestStep{
		Config: strings.Replace(
			config,
			`"vsla_protection_group" "gold"`,
			`"vsla_protection_group" "renamed"`,
			1,
		),
		PlanOnly:           true,
		ExpectNonEmptyPlan: true,
	})
	assert.Contains(t, strings.Join(p.Warnings(), ""), "from = vsla_protection_group.OLD")
}

func TestNameTaken(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	var id string
	p.Traffic().Break(fault.Rule{
		Kind:  "create",
		Times: 1,
		Before: func(*http.Request) {
			id = p.Add(p.Cluster(0), lab.Info{Name: "gold", Targets: lab.Targets{VMs: []string{p.VM(0)}}})
		},
	})
	config := gold(p, byID(p, 0))
	p.Run(t,
		refused(config, fmt.Sprintf("import { to = vsla_protection_group.NAME id = \"%s/pg-", p.Cluster(0))),
		acctest.After(func() {
			require.Equal(t, id, p.GroupByName("gold").ID)
			assert.Len(t, p.Groups(), 1)
			p.Remove(id)
		}, resource.TestStep{Config: config}),
	)
}
