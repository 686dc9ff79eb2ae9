package members_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestDataSources(t *testing.T) {
	t.Parallel()
	p := acctest.StartProtection(t, vcsim.Config{}, lab.Config{}, false) // VMs 0, 2, 4 and 6 are in the first cluster
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0, 1, 2)
	rules := lab.Targets{Rules: []lab.Rule{{Operator: "AND", Tags: []string{tag}}}}
	silver := p.Add(p.Cluster(0), lab.Info{Name: "silver\x1b[31m", Targets: rules, Replication: []lab.Replication{
		{Pair: lab.PairID(p.Cluster(0)), RPO: lab.Period{Unit: "HOUR", Duration: 1}},
	}})
	p.Add(p.Cluster(0), lab.Info{Name: "paused", Status: "PAUSED", Targets: lab.Targets{VMs: []string{p.VM(4)}}})
	p.AddSnapshots(silver, 3)
	p.Edit(silver, func(g *lab.Group) { g.Info.GUID = "guid" })
	violated := int64(0) // a violation of any duration counts
	p.SetVM(p.VM(0), lab.VMState{Status: "OK", Violation: &violated})
	p.SetVM(p.VM(2), lab.VMState{Status: "ERROR", ErrorType: "INSUFFICIENT_LICENSE", Reason: "No licence."})
	config := p.Provider() + fmt.Sprintf(`
data "vsla_protection_members" "new" {
  cluster_id = %[1]q
  tag_rules  = [{ tag_ids = [%[2]q], match = "all" }]
}
data "vsla_protection_members" "changed" {
  cluster_id          = %[1]q
  protection_group_id = %[3]q
  vm_ids              = [%[4]q, %[5]q]
}
data "vsla_cluster_pairs" "here" {
  cluster_id = %[1]q
}
data "vsla_protection_groups" "active" {
  cluster_id            = %[1]q
  name_regex            = "^silver"
  states                = ["ACTIVE"]
  read_virtual_machines = true
}
`, p.Cluster(0), tag, silver, p.VM(0), p.VM(4)) // the members of silver are VMs 0 and 2
	const preview, changed = "data.vsla_protection_members.new", "data.vsla_protection_members.changed"
	const pairs, groups = "data.vsla_cluster_pairs.here", "data.vsla_protection_groups.active"
	pair := "pairs." + lab.PairID(p.Cluster(0))
	p.Run(t,
		resource.TestStep{
			Config: config,
			Check: resource.ComposeAggregateTestCheckFunc(resource.TestCheckResourceAttr(preview, "vm_count", "2"),
				resource.TestCheckTypeSetElemAttr(preview, "member_vm_ids.*", p.VM(0)),
				resource.TestCheckTypeSetElemAttr(preview, "added_vm_ids.*", p.VM(2)),
				resource.TestCheckResourceAttr(preview, "excluded."+p.VM(1)+".reasons",
					"Not in this cluster, or a template."),
				resource.TestCheckResourceAttr(preview, "in_other_groups."+p.VM(0)+".0", silver),
				resource.TestCheckResourceAttr(pairs, "ids."+lab.PeerCluster, lab.PairID(p.Cluster(0))),
				resource.TestCheckResourceAttr(changed, "existing_vm_ids.0", p.VM(0)),
				resource.TestCheckResourceAttr(changed, "added_vm_ids.0", p.VM(4)),
				resource.TestCheckResourceAttr(changed, "removed_vm_ids.0", p.VM(2)),
				resource.TestCheckResourceAttr(pairs, pair+".licence_mode", "OPERATIONAL"),
				resource.TestCheckResourceAttr(pairs, pair+".peer_cluster_id", "domain-c99"),
				resource.TestCheckResourceAttr(pairs, pair+".peer_site_id", lab.PeerSite),
				resource.TestCheckResourceAttr(pairs, pair+".peer_vcenter_id", "e0000000-0000-4000-8000-00000000ffff"),
				resource.TestCheckResourceAttr(groups, "groups.%", "1"),
				resource.TestCheckResourceAttr(groups, "groups."+silver+".name", `silver\x1b[31m`),
				resource.TestCheckResourceAttr(groups, "groups."+silver+".rpo_minutes", "60"),
				resource.TestCheckResourceAttr(groups, "groups."+silver+".guid", "guid"),
				resource.TestCheckResourceAttr(groups, "groups."+silver+".snapshot_count", "3"),
				resource.TestCheckResourceAttr(groups, "virtual_machines.%", "2"),
				resource.TestCheckResourceAttr(groups, "virtual_machines."+p.VM(0)+".group_ids.0", silver),
				resource.TestCheckResourceAttr(groups, "virtual_machines."+p.VM(0)+".replica_datastore_ids.0",
					"datastore-99"),
				resource.TestCheckResourceAttr(groups, "virtual_machines."+p.VM(0)+".rpo_violated", "true"),
				resource.TestCheckResourceAttr(groups, "virtual_machines."+p.VM(2)+".error_type",
					"INSUFFICIENT_LICENSE")),
		},
		acctest.FailingStep(p.Provider()+`data "vsla_protection_members" "new" { cluster_id = "domain-c8" }`,
			`At least one of tag_rules`),
		acctest.FailingStep(p.Provider()+`data "vsla_protection_groups" "x" { cluster_id = "domain-c77" }`,
			`Unable to List Protection Groups`),
	)
}

func TestMembers_release90(t *testing.T) {
	t.Parallel()
	p := acctest.StartProtection(t, vcsim.Config{}, lab.Config{Switches: lab.Switches{Release: "9.0.0.0"}}, false)
	p.Run(t, acctest.FailingStep(p.Provider()+fmt.Sprintf(`data "vsla_protection_members" "x" {
  cluster_id = %q
  vm_ids     = [%q]
}`, p.Cluster(0), p.VM(0)), `The appliance has release 9.0`))
}
