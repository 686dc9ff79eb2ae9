package group_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"terraform-provider-vsla/internal/dev/acctest"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

// start starts a vCenter with an appliance. VMs 0, 2, 4 and 6 are in the first cluster.
func start(t *testing.T, switches lab.Switches) *acctest.Protection {
	t.Helper()
	return acctest.StartProtection(t, acctest.ProtectionConfig{Appliance: lab.Config{Switches: switches}})
}

// gold returns a configuration with the group gold, whose body consists of the lines.
func gold(p *acctest.Protection, lines ...string) string {
	return p.Provider() + group(p, "gold", lines...)
}

// group returns a group of the first cluster, whose body consists of the lines.
func group(p *acctest.Protection, name string, lines ...string) string {
	return fmt.Sprintf("resource \"vsla_protection_group\" %q {\n  cluster_id = %q\n  name = %q\n  %s\n}\n",
		name, p.Cluster(0), name, strings.Join(lines, "\n  "))
}

// byTag returns a rule for the VMs that have all tags.
func byTag(tags ...string) string {
	return fmt.Sprintf(`tag_rules = [{ tag_ids = ["%s"], match = "all" }]`, strings.Join(tags, `", "`))
}

// byID returns a rule for the VMs at these positions.
func byID(p *acctest.Protection, vms ...int) string {
	ids := make([]string, 0, len(vms))
	for _, n := range vms {
		ids = append(ids, p.VM(n))
	}
	return fmt.Sprintf(`vm_ids = ["%s"]`, strings.Join(ids, `", "`))
}

// replicate returns a replication block with more lines.
func replicate(p *acctest.Protection, rpo int, more string) string {
	return fmt.Sprintf("replication = {\n cluster_pair_id = %q\n rpo_minutes = %d\n %s\n}",
		lab.PairID(p.Cluster(0)), rpo, more)
}

// step applies a configuration, after which the plan must be empty.
func step(config string, checks ...resource.TestCheckFunc) resource.TestStep {
	return resource.TestStep{
		Config: config,
		Check:  resource.ComposeAggregateTestCheckFunc(checks...),
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		},
	}
}

// members checks that a list attribute of the group gold contains the VMs at these positions.
func members(p *acctest.Protection, attribute string, vms ...int) resource.TestCheckFunc {
	ids := make([]string, 0, len(vms))
	for _, n := range vms {
		ids = append(ids, p.VM(n))
	}
	slices.Sort(ids)
	checks := []resource.TestCheckFunc{resource.TestCheckResourceAttr(name, attribute+".#", strconv.Itoa(len(ids)))}
	for i, id := range ids {
		checks = append(checks, resource.TestCheckResourceAttr(name, fmt.Sprintf("%s.%d", attribute, i), id))
	}
	return resource.ComposeTestCheckFunc(checks...)
}

// refusedAt expects an error at an argument.
func refusedAt(argument, config, message string) resource.TestStep {
	return acctest.FailingStep(config, `\d: `+argument+` =.*`+regexp.QuoteMeta(message))
}

// refused expects an error.
func refused(config, message string) resource.TestStep {
	return acctest.FailingStep(config, regexp.QuoteMeta(message))
}

// warnings returns the warnings that contain the text.
func warnings(p *acctest.Protection, text string) []string {
	return slices.DeleteFunc(p.Warnings(), func(w string) bool { return !strings.Contains(w, text) })
}
