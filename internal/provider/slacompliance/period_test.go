package slacompliance_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/lab/gateway"
	"terraform-provider-vsla/internal/lab/vcsim"
)

// TestAccSLACompliance_period: over two days the link is down for three hours. Gold promises 99 %, which that breaks;
// silver has a VM without replication.
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
	late, violations := 0.0, 0
	for _, r := range e.Replications()[:3] {
		for _, v := range r.Violations {
			violations++
			late += v.End.Sub(v.Start).Minutes()
		}
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
	// Three VMs for two days are 8,640 minutes; they are about three times 2.75 hours late, 5.7 %.
	e.Run(t,
		resource.TestStep{
			Config: tiers(", compliance_percent = 99", ""),
			Check: resource.ComposeAggregateTestCheckFunc(
				compliant("false"), verdict("gold", "broken"), verdict("silver", "not_promised"),
				lasted("periods.gold.violation_minutes", late),
				resource.TestCheckResourceAttr(address, "periods.gold.vm_count", "3"),
				resource.TestCheckResourceAttr(address, "periods.gold.unknown_vm_count", "0"),
				resource.TestCheckResourceAttr(address, "periods.gold.violations", strconv.Itoa(violations)),
				holds("unprotected"), holds("in_violation"),
			),
		},
		resource.TestStep{
			Config: tiers(", compliance_percent = 90", ", compliance_percent = 90"),
			Check: resource.ComposeAggregateTestCheckFunc(
				compliant("true"), verdict("gold", "kept"), verdict("silver", "kept"),
			),
		},
		resource.TestStep{
			PreConfig: func() {
				// Nothing of the period is in the log any more.
				e.Protected.Events().Lose(vcsim.Epoch, vcsim.Epoch.Add(100*time.Hour))
			},
			Config: tiers(", compliance_percent = 1", ""),
			Check: resource.ComposeAggregateTestCheckFunc(
				compliant("false"), verdict("gold", "unknown"),
				resource.TestCheckNoResourceAttr(address, "periods.gold.compliance_percent"),
				resource.TestCheckResourceAttr(address, "periods.gold.unknown_vm_count", "3"),
			),
		},
	)
}

// lasted compares minutes: events have milliseconds.
func lasted(attribute string, want float64) resource.TestCheckFunc {
	return resource.TestCheckResourceAttrWith(address, attribute, func(text string) error {
		got, err := strconv.ParseFloat(text, 64)
		if err == nil && math.Abs(got-want) > 0.01 {
			err = fmt.Errorf("%s is %v, want %v", attribute, got, want)
		}
		return err
	})
}

// TestAccSLACompliance_periodMissing: a promise for a period needs the period.
func TestAccSLACompliance_periodMissing(t *testing.T) {
	t.Parallel()
	e := start(t, vcsim.Config{VMs: 1}, gateway.Switches{})
	e.Run(t, resource.TestStep{
		Config: e.ProviderAt(e.Protected) + `
data "vsla_sla_compliance" "x" {
  pairing_id = ` + strconv.Quote(e.PairingID()) + `
  tiers      = { gold = { tag_id = "` + e.gold + `", rpo_minutes = 15, compliance_percent = 99 } }
}
`,
		ExpectError: says("Set lookback_hours"),
	})
}
