package tagassociation_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func says(text string) plancheck.PlanCheck {
	return plancheck.ExpectKnownValue(address, tfjsonpath.New("summary"), knownvalue.StringExact(text))
}

func listed(lab *acctest.Lab, from, to int) string { return strings.Join(ids(lab, from, to), ", ") }

func TestAccTagAssociation_summary(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 13})
	lab.Run(t,
		resource.TestStep{
			Config: config(lab, ids(lab, 0, 12), ""),
			ConfigPlanChecks: pre(says("adds 12 VMs: "+listed(lab, 0, 10)+" and 2 more"),
				plancheck.ExpectUnknownValue(address, tfjsonpath.New("tag_id"))),
		}, resource.TestStep{
			Config:           config(lab, ids(lab, 2, 13), ""),
			ConfigPlanChecks: pre(says("adds 1 VM: " + listed(lab, 12, 13) + "; removes 2 VMs: " + listed(lab, 0, 2))),
		},
		acctest.After(lab.Traffic().Reset, resource.TestStep{
			Config: config(lab, ids(lab, 2, 13), ""),
			ConfigPlanChecks: pre(plancheck.ExpectEmptyPlan(),
				plancheck.ExpectKnownValue(address, tfjsonpath.New("summary"), knownvalue.Null())),
			Check: func(*terraform.State) error {
				assert.LessOrEqual(t, lab.Traffic().Count("soap:Login"), 0)
				return nil
			},
		}),
	)
}

// TestAccTagAssociation_summaryRenamed verifies that a VM can be renamed between the plan and its apply.
func TestAccTagAssociation_summaryRenamed(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	rename := before(func() { lab.Rename(lab.VMs()[0].ID, "renamed") })
	lab.Run(t, resource.TestStep{Config: config(lab, ids(lab, 0, 2)), ConfigPlanChecks: pre(rename)})
}
