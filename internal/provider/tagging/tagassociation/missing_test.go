package tagassociation_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestAccTagAssociation_missingObjects verifies that the plan names new objects that do not exist, and that an object
// that has vanished since is drift.
func TestAccTagAssociation_missingObjects(t *testing.T) {
	t.Parallel()
	g := withTags(t, vcsim.Config{VMs: 4}, "MULTIPLE", "gold")
	vms := g.VMs()
	with := func(more ...string) string {
		return g.Provider() + g.association("gold", append([]string{vms[0].ID, vms[1].ID}, more...))
	}
	drift := resource.TestStep{Config: with(), PlanOnly: true, ExpectNonEmptyPlan: true}
	lines := `
resource "vsla_tag_association" "hosts" {
  tag_id      = "` + g.ids["gold"] + `"
  object_type = "HostSystem"
  object_ids = [
    "DC0_C0_H0",
    "vm-99999",
  ]
}
`
	g.Run(
		t,
		acctest.FailingStep(
			with(vms[2].Name),
			`"`+vms[2].Name+`" is not the ID of a VM. The VM with this name has the `+
				`ID `+vms[2].ID,
		),
		acctest.FailingStep(
			g.Provider()+lines,
			`\d: "DC0_C0_H0",.*is not the ID of a host. The host with this name has `+
				`the ID host-\d+`,
		),
		acctest.FailingStep(g.Provider()+lines, `\d: "vm-99999",.*Host "vm-99999" does not exist or is not visible`),
		resource.TestStep{Config: with()},
		acctest.After(func() { require.NoError(t, g.DestroyVM(vms[1].ID)) }, drift),
		resource.TestStep{RefreshState: true, ExpectNonEmptyPlan: true}, // saves the state without the VM
		drift,
		acctest.FailingStep(with("vm-99999"), `VM "vm-99999" does not exist or is not visible to this account`),
	)
}

// TestAccTagAssociation_missingOfMany verifies that the plan of many associations reads VMs by ID ten times, with three
// requests each because one is missing, and all names once.
func TestAccTagAssociation_missingOfMany(t *testing.T) {
	t.Parallel()
	const n = 40
	lab := acctest.Start(t, vcsim.Config{VMs: 3})
	text := lab.Provider() + fmt.Sprintf(`
resource "terraform_data" "tag" {}
resource "vsla_tag_association" "all" {
  count      = %d
  tag_id     = terraform_data.tag.id
  object_ids = ["%s", "vm-99999"]
}
`, n, lab.VMs()[0].ID)
	lab.Run(t, acctest.FailingStep(text, `VM "vm-99999" does not exist`))
	counts := lab.Traffic().Counts()
	assert.LessOrEqual(t, counts["soap:RetrievePropertiesEx"], 31, "%v", counts)
	assert.LessOrEqual(t, counts["soap:CreateContainerView"], 11, "%v", counts)
}
