package tagcategory_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const address = "vsla_tag_category.sla"

func config(lab *acctest.Lab, name, cardinality, extra string) string {
	return lab.Provider() + fmt.Sprintf(
		"resource \"vsla_tag_category\" \"sla\" {\n  name = %q\n  cardinality = %q\n  %s\n}\n", name, cardinality,
		extra)
}

func action(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

func empty() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
}

func typesAre(names ...string) statecheck.StateCheck {
	checks := make([]knownvalue.Check, 0, len(names))
	for _, n := range names {
		checks = append(checks, knownvalue.StringExact(n))
	}
	return statecheck.ExpectKnownValue(address, tfjsonpath.New("associable_types"), knownvalue.SetExact(checks))
}

func TestAccTagCategory_lifeCycle(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Run(t,
		resource.TestStep{
			Config:            config(lab, "sla", "SINGLE", `associable_types = ["VirtualMachine"]`),
			ConfigPlanChecks:  action(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{typesAre("VirtualMachine")},
		},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: "sla"},
		resource.TestStep{ // all changes that vCenter supports in place
			Config: config(lab, "tiers", "MULTIPLE",
				`associable_types = ["Datastore", "VirtualMachine", "HostSystem"]`+"\n"+`description = "d"`),
			ConfigPlanChecks:  action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{typesAre("Datastore", "HostSystem", "VirtualMachine")},
		}, resource.TestStep{
			Config:   config(lab, "tiers", "SINGLE", `associable_types = ["VirtualMachine"]`),
			PlanOnly: true,
			ExpectError: acctest.ErrorPattern(
				`Associable Types Cannot Be Removed.*\d: associable_types =.*Datastore HostSystem`),
		}, resource.TestStep{
			Config:      config(lab, "tiers", "SINGLE", ""),
			PlanOnly:    true,
			ExpectError: acctest.ErrorPattern(`Cardinality Cannot Be Narrowed.*\d: cardinality =`),
		}, resource.TestStep{
			PreConfig: func() {
				assert.NoError(t, lab.Tags().RemoveCategory(lab.Tags().Categories()[0].ID))
			},
			Config:           config(lab, "tiers", "MULTIPLE", ""),
			ConfigPlanChecks: action(plancheck.ResourceActionCreate),
		}, resource.TestStep{
			Config:      config(lab, "tiers", "MULTIPLE", `associable_types = ["VirtualMachine"]`),
			PlanOnly:    true,
			ExpectError: acctest.ErrorPattern(`\d: associable_types =.*every type that is not listed`),
		},
	)
}

func TestAccTagCategory_everyType(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	empty := config(lab, "sla", "SINGLE", "associable_types = []")
	lab.Run(t, resource.TestStep{Config: empty}, resource.TestStep{Config: empty, PlanOnly: true})
}

func TestAccTagCategory_replyLost(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Traffic().Break(fault.Rule{Kind: "POST category", Times: 1, CloseConnection: true, HandleFirst: true})
	lab.Run(t, resource.TestStep{Config: config(lab, "sla", "SINGLE", "")})
	assert.Equal(t, 2, lab.Traffic().Count("POST category"))
}

func TestAccTagCategory_inUse(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	tag := func() {
		id, err := lab.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: lab.Tags().Categories()[0].ID})
		require.NoError(t, err)
		require.NoError(t, lab.Tags().Attach(id, tagging.Object{Type: "VirtualMachine", ID: lab.VMs()[0].ID}))
	}
	lab.Run(t,
		resource.TestStep{Config: config(lab, "sla", "SINGLE", "")},
		acctest.After(tag, resource.TestStep{
			Config:      config(lab, "sla", "SINGLE", ""),
			Destroy:     true,
			ExpectError: acctest.ErrorPattern(`Tag Category "sla" Still in Use.*force_destroy`),
		}),
		resource.TestStep{Config: config(lab, "sla", "SINGLE", "force_destroy = true")},
		resource.TestStep{Config: config(lab, "sla", "SINGLE", "force_destroy = true"), Destroy: true},
	)
	assert.Empty(t, lab.Tags().Categories())
}

func TestAccTagCategory_badInput(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.Run(t, acctest.FailingStep(config(lab, "sla", "SOME", ""), `cardinality.*"SINGLE" "MULTIPLE"`),
		acctest.FailingStep(config(lab, "", "SINGLE", ""),
			`name UTF-8 character count must be between 1 and 256, got: 0`),
		acctest.FailingStep(config(lab, "sla", "SINGLE", `associable_types = ["VirtualMachine", "All"]`),
			`associable_types = .*"All" is not an object type: leave associable_types out`))
}

// TestAccTagCategory_plainSimulator uses govmomi's unmodified simulator, which keeps the order of the types and rejects
// an update whose list does not start with the existing ones.
func TestAccTagCategory_plainSimulator(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1, Plain: true})
	two := `associable_types = ["VirtualMachine", "HostSystem"]`
	three := `associable_types = ["Datastore", "HostSystem", "VirtualMachine"]`
	lab.Run(
		t,
		resource.TestStep{Config: config(lab, "sla", "SINGLE", two)},
		resource.TestStep{Config: config(lab, "sla", "SINGLE", two), ConfigPlanChecks: empty()},
		resource.TestStep{
			Config:           config(lab, "sla", "SINGLE", three),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
		},
		resource.TestStep{Config: config(lab, "sla", "SINGLE", three), ConfigPlanChecks: empty()},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: "sla"},
	)
}

func TestAccTagCategoryDataSource(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	base := config(lab, "sla", "SINGLE", `associable_types = ["VirtualMachine"]`)
	lookup := func(arguments string) string {
		return fmt.Sprintf("data \"vsla_tag_category\" \"x\" {\n%s\n  depends_on = [vsla_tag_category.sla]\n}\n",
			arguments)
	}
	found := resource.ComposeTestCheckFunc(
		resource.TestCheckResourceAttrPair("data.vsla_tag_category.x", "id", address, "id"),
		resource.TestCheckResourceAttr("data.vsla_tag_category.x", "name", "sla"),
		resource.TestCheckResourceAttr("data.vsla_tag_category.x", "cardinality", "SINGLE"),
		resource.TestCheckResourceAttr("data.vsla_tag_category.x", "associable_types.0", "VirtualMachine"))
	lab.Run(t, acctest.FailingStep(base+lookup(`name = "none"`), `name = "none".*object does not exist`),
		acctest.FailingStep(base+lookup(``), `Invalid Attribute Combination`),
		resource.TestStep{Config: base + lookup(`name = "sla"`), Check: found},
		resource.TestStep{Config: base + lookup(`id = vsla_tag_category.sla.id`), Check: found})
}
