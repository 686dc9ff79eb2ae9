package slacompliance_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const address = "data.vsla_sla_compliance.x"

// estate has two sites and the tags of two tiers. gold promises an RPO of 15 minutes, and silver an RPO of 60 minutes.
type estate struct {
	*acctest.Sites
	gold, silver string
}

// start returns an estate in which all VMs are powered on and use 1 MB each, so that an initial sync takes almost no
// time.
func start(t *testing.T, protected vcsim.Config, switches gateway.Switches) *estate {
	t.Helper()
	e := &estate{Sites: acctest.StartSitesWith(t, protected, switches)}
	e.KeepReplications()
	e.gold, e.silver = tags(t, e.Protected)
	for _, vm := range e.Protected.VMs() {
		e.SetUsed(vm.ID, 1e6)
		if vm.PowerState != "poweredOn" && vm.ConnectionState == "connected" && !vm.Template {
			require.NoError(t, e.Protected.SetPower(vm.ID, types.VirtualMachinePowerStatePoweredOn))
		}
	}
	return e
}

func tags(t *testing.T, v *vcsim.VCenter) (gold, silver string) {
	t.Helper()
	category, err := v.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	gold, err = v.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	silver, err = v.Tags().AddTag(tagging.Tag{Name: "silver", CategoryID: category})
	require.NoError(t, err)
	return gold, silver
}

func (e *estate) id(n int) string { return e.Protected.VMs()[n].ID }

func (e *estate) tag(t *testing.T, tag string, n int) {
	t.Helper()
	require.NoError(t, e.Protected.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: e.id(n)}))
}

func (e *estate) replicate(t *testing.T, rpo int64, vms ...int) {
	t.Helper()
	ids := make([]string, 0, len(vms))
	for _, n := range vms {
		ids = append(ids, e.id(n))
	}
	require.NoError(t, e.AddReplications(rpo, ids...))
}

func (e *estate) settle() { e.Advance(30 * time.Minute) }

func (e *estate) config(lines string) string {
	return e.ProviderAt(e.Protected) + e.dataSource(e.PairingID(), e.gold, e.silver, lines)
}

func (e *estate) dataSource(pairing, gold, silver, lines string) string {
	return fmt.Sprintf(`
data "vsla_sla_compliance" "x" {
  pairing_id = %q
  tiers = {
    gold   = { tag_id = %q, rpo_minutes = 15 }
    silver = { tag_id = %q, rpo_minutes = 60 }
  }
  %s
}
`, pairing, gold, silver, lines)
}

func holds(list string, ids ...string) resource.TestCheckFunc {
	checks := []resource.TestCheckFunc{resource.TestCheckResourceAttr(address, list+".#", strconv.Itoa(len(ids)))}
	for i, id := range ids {
		checks = append(checks, resource.TestCheckResourceAttr(address, fmt.Sprintf("%s.%d", list, i), id))
	}
	return resource.ComposeAggregateTestCheckFunc(checks...)
}

// is checks the attributes of a VM. An empty value means null.
func (e *estate) is(n int, tier, promised, configured, status, verdict string) resource.TestCheckFunc {
	at := "virtual_machines." + e.id(n) + "."
	checks := []resource.TestCheckFunc{resource.TestCheckResourceAttr(address, at+"name", e.Protected.VMs()[n].Name)}
	for attribute, want := range map[string]string{
		"tier": tier, "promised_rpo_minutes": promised, "configured_rpo_minutes": configured,
		"status": status, "verdict": verdict,
	} {
		if want == "" {
			checks = append(checks, resource.TestCheckNoResourceAttr(address, at+attribute))
			continue
		}
		checks = append(checks, resource.TestCheckResourceAttr(address, at+attribute, want))
	}
	return resource.ComposeAggregateTestCheckFunc(checks...)
}

func replicating(p *acctest.Protection, name string, rpo int64, vms ...int) lab.Info {
	info := lab.Info{Name: name, Replication: []lab.Replication{
		{Pair: lab.PairID(p.Cluster(0)), RPO: lab.Period{Unit: "MINUTE", Duration: rpo}},
	}}
	for _, n := range vms {
		info.Targets.VMs = append(info.Targets.VMs, p.VM(n))
	}
	return info
}

// TestProtectionGroups covers acceptance case 21 and the compliance part of cases 20 and 30.
func TestProtectionGroups(t *testing.T) {
	t.Parallel()
	for release, want := range map[string][]string{
		// The even-numbered VMs from 0 to 14 are in the listed cluster.
		"9.1.0.0": {
			"0 compliant", "1 unprotected", "2 weaker_than_promised", "4 in_violation", "6 initial_sync", "8 paused",
			"10 recovered", "12 error", "14 unknown_status",
		},
		"9.0.0.0": {"0 violation_unknown", "4 violation_unknown", "6 initial_sync", "8 paused", "12 error"},
	} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			p := acctest.StartProtection(t, vcsim.Config{VMs: 16}, lab.Config{Switches: lab.Switches{Release: release}}, true)
			tag := p.Tag(t, "tier", "SINGLE", "gold", 0, 1, 2, 4, 6, 8, 10, 12, 14)
			p.Add(p.Cluster(0), replicating(p, "gold", 15, 0, 2, 4, 6, 12, 14))
			p.Add(p.Cluster(0), replicating(p, "silver", 60, 2)) // VM 2 is in two groups, and the longer RPO applies
			p.Add(p.Cluster(1), replicating(p, "elsewhere", 15, 1))
			paused, failedOver := replicating(p, "paused", 15, 8), replicating(p, "failed over", 15, 10)
			paused.Status, failedOver.Status = "PAUSED", "DEMOTED"
			p.Add(p.Cluster(0), paused)
			p.Add(p.Cluster(0), failedOver)
			none := int64(0)
			p.SetVM(p.VM(0), lab.VMState{Status: "OK"})
			p.SetVM(p.VM(2), lab.VMState{Status: "SYNC"})
			p.SetVM(p.VM(4), lab.VMState{Status: "OK", Violation: &none})
			p.SetVM(p.VM(8), lab.VMState{Status: "OK"})
			p.SetVM(p.VM(10), lab.VMState{Status: "OK"})
			p.SetVM(p.VM(14), lab.VMState{Status: "SOMETHING_NEW", ErrorType: "ALSO_NEW", Reason: "x"})
			p.SetVM(p.VM(12), lab.VMState{Status: "CONFIGURATION_ERROR", ErrorType: "INVALID_SEED", Reason: "x"})
			const name = "data.vsla_sla_compliance.now"
			checks := []resource.TestCheckFunc{
				resource.TestCheckResourceAttr(name, "virtual_machines."+p.VM(0)+".protected_by", "protection_group"),
				resource.TestCheckResourceAttr(name, "virtual_machines."+p.VM(2)+".configured_rpo_minutes", "60"),
				resource.TestCheckResourceAttr(name, "compliant", "false"),
			}
			for _, row := range want {
				var n int
				var verdict string
				_, err := fmt.Sscan(row, &n, &verdict)
				require.NoError(t, err)
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
	p := acctest.StartProtection(t, vcsim.Config{}, lab.Config{}, false)
	tag := p.Tag(t, "tier", "SINGLE", "gold", 0)
	p.Run(t,
		acctest.FailingStep(p.Provider()+tiers(tag, ""), `pairing_id,.*protection_clusters`),
		acctest.FailingStep(p.Provider()+tiers(tag, `protection_clusters = ["domain-c77"]`),
			`Unable to Compare Tiers.*cluster domain-c77`),
	)
}

// TestAccSLACompliance_period verifies the verdicts for a period of two days, during which the link is down for three
// hours. In the first step, gold promises 99% compliance and does not achieve it. Silver has one VM with an RPO of 60
// minutes.
func TestAccSLACompliance_period(t *testing.T) {
	t.Parallel()
	e := start(t, vcsim.Config{VMs: 4}, gateway.Switches{})
	for n := range 3 {
		e.tag(t, e.gold, n)
	}
	e.tag(t, e.silver, 3)
	for n := range 4 {
		e.SetChangeRate(e.id(n), 1e5)
	}
	e.replicate(t, 15, 0, 1, 2)
	e.replicate(t, 60, 3)
	e.Advance(24 * time.Hour)
	e.RemoteDown(true)
	e.Advance(3 * time.Hour)
	e.RemoteDown(false)
	e.Advance(21 * time.Hour)
	midnight := vcsim.Epoch.Add(24 * time.Hour)
	violations, late := 0, map[string][2]float64{} // minutes on the first and second day
	for i, r := range e.Replications() {
		tier := "gold"
		if i == 3 {
			tier = "silver"
		} else {
			violations += len(r.Violations)
		}
		days := late[tier]
		for _, v := range r.Violations {
			all := v.End.Sub(v.Start)
			before := min(all, max(0, midnight.Sub(v.Start)))
			days[0] += before.Minutes()
			days[1] += (all - before).Minutes()
		}
		late[tier] = days
	}
	tiers := func(gold, silver string) string {
		return e.ProviderAt(e.Protected) + `
data "vsla_sla_compliance" "x" {
  pairing_id     = ` + strconv.Quote(e.PairingID()) + `
  lookback_hours = 48
  tiers = {
    gold   = { tag_id = "` + e.gold + `", rpo_minutes = 15` + gold + ` }
    silver = { tag_id = "` + e.silver + `", rpo_minutes = 60` + silver + ` }
  }
}
`
	}
	verdict := func(tier, want string) resource.TestCheckFunc {
		return resource.TestCheckResourceAttr(address, "periods."+tier+".verdict", want)
	}
	compliant := func(want string) resource.TestCheckFunc {
		return resource.TestCheckResourceAttr(address, "compliant", want)
	}
	day := func(tier string, n int, date string) resource.TestCheckFunc {
		at := fmt.Sprintf("periods.%s.days.%d.", tier, n)
		return resource.ComposeAggregateTestCheckFunc(resource.TestCheckResourceAttr(address, at+"date", date),
			lasted(at+"violation_minutes", late[tier][n]))
	}
	// For the three gold VMs, the period of two days adds up to 8,640 minutes. Each VM's RPO is violated for about 2.75
	// hours, that is, 495 minutes in total, or 5.7% of the period. The clock starts at midnight, and the link is down on
	// the second day.
	e.Run(t,
		resource.TestStep{
			Config: tiers(", compliance_percent = 99", ""),
			Check: resource.ComposeAggregateTestCheckFunc(
				compliant("false"), verdict("gold", "broken"), verdict("silver", "not_promised"),
				lasted("periods.gold.violation_minutes", late["gold"][0]+late["gold"][1]),
				resource.TestCheckResourceAttr(address, "periods.gold.days.#", "2"),
				day("gold", 0, "2024-01-01"), day("gold", 1, "2024-01-02"),
				day("silver", 0, "2024-01-01"), day("silver", 1, "2024-01-02"),
				lasted("periods.gold.days.1.known_minutes", 3*1440),
				lasted("periods.gold.days.1.unknown_minutes", 0),
				resource.TestCheckResourceAttrPair(
					address, "periods.gold.days.0.unknown_minutes", address, "periods.gold.unknown_minutes"),
				resource.TestCheckResourceAttr(address, "periods.gold.vm_count", "3"),
				resource.TestCheckResourceAttr(address, "periods.gold.unknown_vm_count", "0"),
				resource.TestCheckResourceAttr(address, "periods.gold.violations", strconv.Itoa(violations)),
				holds("unprotected"), holds("in_violation"),
			),
		}, resource.TestStep{
			Config: tiers(", compliance_percent = 90", ", compliance_percent = 90"),
			Check: resource.ComposeAggregateTestCheckFunc(
				compliant("true"), verdict("gold", "kept"), verdict("silver", "kept")),
		},
		acctest.After(func() {
			// Keep only the events of the last two hours, which are 4% of the period and contain no violation.
			e.Protected.Events().DeleteEvents(vcsim.Epoch, vcsim.Epoch.Add(46*time.Hour))
		}, resource.TestStep{
			Config: tiers(", compliance_percent = 99.9", ", compliance_percent = 1"),
			Check: resource.ComposeAggregateTestCheckFunc(
				compliant("false"), verdict("gold", "unknown"), verdict("silver", "kept"),
				resource.TestCheckResourceAttr(address, "periods.gold.compliance_percent", "100"),
				resource.TestCheckResourceAttr(address, "periods.gold.unknown_vm_count", "3"),
				resource.TestMatchResourceAttr(address, "summary", regexp.MustCompile("unknown for 3 VMs"))),
		}),
		resource.TestStep{
			PreConfig: func() {
				e.Protected.Events().DeleteEvents(vcsim.Epoch, vcsim.Epoch.Add(100*time.Hour))
			},
			Config: tiers(", compliance_percent = 1", ""),
			Check: resource.ComposeAggregateTestCheckFunc(compliant("false"), verdict("gold", "unknown"),
				resource.TestCheckNoResourceAttr(address, "periods.gold.compliance_percent"),
				resource.TestCheckNoResourceAttr(address, "periods.gold.days.0.compliance_percent"),
				lasted("periods.gold.days.0.unknown_minutes", 3*1440), lasted("periods.gold.days.0.known_minutes", 0),
				resource.TestCheckResourceAttr(address, "periods.gold.unknown_vm_count", "3")),
		},
	)
}

// lasted compares minutes with a tolerance, because events have millisecond resolution.
func lasted(attribute string, want float64) resource.TestCheckFunc {
	return resource.TestCheckResourceAttrWith(address, attribute, func(text string) error {
		got, err := strconv.ParseFloat(text, 64)
		if err == nil && math.Abs(got-want) > 0.01 {
			err = fmt.Errorf("%s is %v, want %v", attribute, got, want)
		}
		return err
	})
}
