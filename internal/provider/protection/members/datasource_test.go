package members_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	p := acctest.StartProtection(t, acctest.ProtectionConfig{}) // VMs 0, 2, 4 and 6 are in the first cluster
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0, 1, 2)
	rules := lab.Targets{Rules: []lab.Rule{{Operator: "AND", Tags: []string{tag}}}}
	silver := p.Add(p.Cluster(0), lab.Info{Name: "silver", Targets: rules}) // its members are VMs 0 and 2
	config := p.Provider() + fmt.Sprintf(`
data "vsla_protection_members" "new" {
  cluster_id = %[1]q
  tag_rules  = [{ tag_ids = [%[2]q], match = "all" }]
}
data "vsla_protection_members" "changed" {
  cluster_id          = %[1]q
  protection_group_id = %[3]q
  vm_ids              = [%[4]q]
  vm_name_patterns    = [%[5]q]
}
`, p.Cluster(0), tag, silver, p.VM(0), p.VCenter.VMs()[6].Name)
	const preview, changed = "data.vsla_protection_members.new", "data.vsla_protection_members.changed"
	p.Run(t,
		acctest.FailingStep(p.Provider()+`data "vsla_protection_members" "new" { cluster_id = "domain-c8" }`,
			`At least one of tag_rules`),
		resource.TestStep{
			Config: config,
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr(preview, "vm_count", "2"),
				resource.TestCheckTypeSetElemAttr(preview, "member_vm_ids.*", p.VM(0)),
				resource.TestCheckTypeSetElemAttr(preview, "added_vm_ids.*", p.VM(2)),
				resource.TestCheckResourceAttr(preview, "excluded."+p.VM(1)+".name", p.VCenter.VMs()[1].Name),
				resource.TestCheckResourceAttr(preview, "excluded."+p.VM(1)+".reasons",
					"Not in this cluster, or a template."),
				resource.TestCheckResourceAttr(preview, "in_other_groups."+p.VM(0)+".0", silver),
				resource.TestCheckResourceAttr(preview, "summary",
					"VMs that would be members: 2. Added: 2; removed: 0; excluded: 1; in other groups: 2."),
				resource.TestCheckResourceAttr(changed, "existing_vm_ids.0", p.VM(0)),
				resource.TestCheckResourceAttr(changed, "added_vm_ids.0", p.VM(6)),
				resource.TestCheckResourceAttr(changed, "removed_vm_ids.0", p.VM(2)),
			),
		},
	)
}

func TestMembers_release90(t *testing.T) {
	t.Parallel()
	p := acctest.StartProtection(t, acctest.ProtectionConfig{
		Appliance: lab.Config{Switches: lab.Switches{Release: "9.0.0.0"}},
	})
	p.Run(t, acctest.FailingStep(p.Provider()+fmt.Sprintf(`data "vsla_protection_members" "x" {
  cluster_id = %q
  vm_ids     = [%q]
}`, p.Cluster(0), p.VM(0)), `The appliance has release 9.0`))
}
