package groups_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

func TestAccProtectionGroups(t *testing.T) {
	t.Parallel()
	p := acctest.StartProtection(t, acctest.ProtectionConfig{}) // VMs 0, 2, 4 and 6 are in the first cluster
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0, 2)
	pair := lab.PairID(p.Cluster(0))
	replication := lab.Replication{Pair: pair, RPO: lab.Period{Unit: "HOUR", Duration: 1}}
	replication.Retention.Short.KeepLast = 2
	silver := p.Add(p.Cluster(0), lab.Info{
		Name:        "silver\x1b[31m",
		GUID:        "guid",
		Locked:      true,
		Replication: []lab.Replication{replication},
		Targets: lab.Targets{
			Patterns: []string{"none-*"},
			Rules:    []lab.Rule{{Operator: "AND", Tags: []string{tag}}},
		},
	})
	others := lab.Targets{VMs: []string{p.VM(4)}}
	p.Add(p.Cluster(0), lab.Info{Name: "silver, paused", Status: "PAUSED", Targets: others})
	p.Add(p.Cluster(0), lab.Info{Name: "bronze", Targets: others})
	p.AddSnapshots(silver, 3)
	violated := int64(0) // a violation of any duration counts
	p.SetVM(p.VM(0), lab.VMState{Status: "OK", Violation: &violated})
	p.SetVM(p.VM(2), lab.VMState{Status: "ERROR", ErrorType: "INSUFFICIENT_LICENSE", Reason: "No licence."})
	is := func(attribute, want string) resource.TestCheckFunc {
		return resource.TestCheckResourceAttr("data.vsla_protection_groups.active", attribute, want)
	}
	group := "groups." + silver
	vm := func(n int) string { return "virtual_machines." + p.VM(n) }
	p.Run(t,
		resource.TestStep{
			Config: p.Provider() + fmt.Sprintf(`
data "vsla_protection_groups" "active" {
  cluster_id            = %q
  name_regex            = "^silver"
  states                = ["ACTIVE"]
  read_virtual_machines = true
}
`, p.Cluster(0)),
			Check: resource.ComposeAggregateTestCheckFunc(
				is("groups.%", "1"),
				is(group+".name", `silver\x1b[31m`),
				is(group+".status", "ACTIVE"),
				is(group+".locked", "true"),
				is(group+".guid", "guid"),
				is(group+".tag_ids.0", tag),
				is(group+".vm_name_patterns.0", "none-*"),
				is(group+".rpo_minutes", "60"),
				is(group+".cluster_pair_id", pair),
				is(group+".keep_last", "2"),
				is(group+".vm_ids.#", "2"),
				resource.TestCheckTypeSetElemAttr("data.vsla_protection_groups.active", group+".vm_ids.*", p.VM(0)),
				is(group+".snapshot_count", "3"),
				is("virtual_machines.%", "2"),
				is(vm(0)+".name", p.VCenter.VMs()[0].Name),
				is(vm(0)+".group_ids.0", silver),
				is(vm(0)+".status", "OK"),
				is(vm(0)+".replica_datastore_ids.0", "datastore-99"),
				is(vm(0)+".rpo_violated", "true"),
				is(vm(2)+".rpo_violated", "false"),
				is(vm(2)+".error_type", "INSUFFICIENT_LICENSE"),
				is(vm(2)+".reasons.0", "No licence."),
			),
		},
		acctest.FailingStep(p.Provider()+`data "vsla_protection_groups" "x" { cluster_id = "domain-c77" }`,
			`Unable to List Protection Groups`),
	)
}
