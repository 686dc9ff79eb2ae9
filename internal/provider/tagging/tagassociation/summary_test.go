package tagassociation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func says(text string) plancheck.PlanCheck {
	return plancheck.ExpectKnownValue(address, tfjsonpath.New("summary"), knownvalue.StringExact(text))
}

func named(lab *acctest.Lab, from, to int) string {
	var list []string
	for _, vm := range lab.VMs()[from:to] {
		list = append(list, fmt.Sprintf("%s (%s)", vm.Name, vm.ID))
	}
	return strings.Join(list, ", ")
}

func TestAccTagAssociation_summary(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 13})
	lab.Run(t,
		resource.TestStep{
			Config: config(lab, ids(lab, 0, 12), ""),
			ConfigPlanChecks: pre(says("adds 12 VMs: "+named(lab, 0, 10)+" and 2 more"),
				plancheck.ExpectUnknownValue(address, tfjsonpath.New("tag_id"))),
		}, resource.TestStep{
			Config:           config(lab, ids(lab, 2, 13), ""),
			ConfigPlanChecks: pre(says("adds 1 VM: " + named(lab, 12, 13) + "; removes 2 VMs: " + named(lab, 0, 2))),
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

func TestAccTagAssociation_summaryWithoutNames(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	lab.Traffic().Break(fault.Rule{Kind: "soap:Login", Status: 503})
	lab.Run(t, resource.TestStep{
		Config:           config(lab, ids(lab, 0, 2), ""),
		ConfigPlanChecks: pre(plancheck.ExpectUnknownValue(address, tfjsonpath.New("summary"))),
		Check:            resource.TestCheckResourceAttr(address, "summary", ""),
	}, resource.TestStep{ // allow logins again, because deleting the tag requires reading permissions
		PreConfig: lab.Traffic().Mend, Config: config(lab, ids(lab, 0, 2), ""),
	})
}
