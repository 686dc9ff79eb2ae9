package slacompliance_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func replicating(p *acctest.Protection, name string, rpo int64, vms ...int) lab.Info {
	info := lab.Info{
		Name: name,
		Replication: []lab.Replication{
			{Pair: lab.PairID(p.Cluster(0)), RPO: lab.Period{Unit: "MINUTE", Duration: rpo}},
		},
	}
	for _, n := range vms {
		info.Targets.VMs = append(info.Targets.VMs, p.VM(n))
	}
	return info
}

// startGroups starts a vCenter with protection groups and returns the ID of the tag of the VMs. The even-numbered VMs
// are in the first cluster.
func startGroups(t *testing.T, release string) (p *acctest.Protection, tag string) {
	t.Helper()
	p = acctest.StartProtection(t, acctest.ProtectionConfig{
		VCenter:   vcsim.Config{VMs: 16},
		Appliance: lab.Config{Switches: lab.Switches{Release: release}},
		Loose:     true,
	})
	p.Add(p.Cluster(0), replicating(p, "gold", 15, 0, 2, 4, 6, 12, 14))
	p.Add(p.Cluster(0), replicating(p, "silver", 60, 2)) // VM 2 is in two groups, and the longer RPO applies
	p.Add(p.Cluster(1), replicating(p, "elsewhere", 15, 1))
	paused := replicating(p, "paused", 15, 8)
	failedOver := replicating(p, "failed over", 15, 10)
	paused.Status = "PAUSED"
	failedOver.Status = "DEMOTED"
	p.Add(p.Cluster(0), paused)
	p.Add(p.Cluster(0), failedOver)
	p.SetVM(p.VM(0), lab.VMState{Status: "OK"})
	p.SetVM(p.VM(2), lab.VMState{Status: "SYNC"})
	p.SetVM(p.VM(4), lab.VMState{Status: "OK", Violation: new(int64(0))})
	p.SetVM(p.VM(8), lab.VMState{Status: "OK"})
	p.SetVM(p.VM(10), lab.VMState{Status: "OK"})
	p.SetVM(p.VM(14), lab.VMState{Status: "SOMETHING_NEW", ErrorType: "ALSO_NEW", Reason: "x"})
	p.SetVM(p.VM(12), lab.VMState{Status: "CONFIGURATION_ERROR", ErrorType: "INVALID_SEED", Reason: "x"})
	return p, p.Tag(t, "tier", "SINGLE", "gold", 0, 1, 2, 4, 6, 8, 10, 12, 14)
}

// TestProtectionGroups verifies the verdict of each VM, in a release that reports violations and in one that does not.
func TestProtectionGroups(t *testing.T) {
	t.Parallel()
	for release, verdicts := range map[string]map[int]string{
		"9.1.0.0": {
			0:  "compliant",
			1:  "unprotected",
			2:  "weaker_than_promised",
			4:  "in_violation",
			6:  "initial_sync",
			8:  "paused",
			10: "recovered",
			12: "error",
			14: "unknown_status",
		},
		"9.0.0.0": {0: "violation_unknown", 4: "violation_unknown", 6: "initial_sync", 8: "paused", 12: "error"},
	} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			p, tag := startGroups(t, release)
			const name = "data.vsla_sla_compliance.now"
			checks := []resource.TestCheckFunc{
				resource.TestCheckResourceAttr(name, "virtual_machines."+p.VM(0)+".protected_by", "protection_group"),
				resource.TestCheckResourceAttr(name, "virtual_machines."+p.VM(2)+".configured_rpo_minutes", "60"),
				resource.TestCheckResourceAttr(name, "compliant", "false"),
			}
			for n, verdict := range verdicts {
				at := "virtual_machines." + p.VM(n) + ".verdict"
				checks = append(checks, resource.TestCheckResourceAttr(name, at, verdict))
			}
			p.Run(t, resource.TestStep{
				Config: p.Provider() + tiers(tag, fmt.Sprintf("protection_clusters = [%q]", p.Cluster(0))),
				Check:  resource.ComposeAggregateTestCheckFunc(checks...),
			})
		})
	}
}

func tiers(tag, scope string) string {
	return fmt.Sprintf(`
data "vsla_sla_compliance" "now" {
  tiers = { gold = { tag_id = %q, rpo_minutes = 15 } }
  %s
}
`, tag, scope)
}

func TestProtectionGroups_scope(t *testing.T) {
	t.Parallel()
	p := acctest.StartProtection(t, acctest.ProtectionConfig{})
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0)
	p.Run(t,
		acctest.FailingStep(p.Provider()+tiers(tag, ""), `pairing_id,.*protection_clusters`),
		acctest.FailingStep(p.Provider()+tiers(tag, `protection_clusters = ["domain-c77"]`),
			`Unable to Compare Tiers.*cluster domain-c77`),
	)
}
