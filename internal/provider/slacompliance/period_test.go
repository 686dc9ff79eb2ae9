package slacompliance_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

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
	violations := 0
	late := map[string][2]float64{} // minutes on the first and second day
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
	// hours, that is, 495 minutes in total, or 5.7% of the period. The clock starts at midnight, and the link is down
	// on the second day.
	e.Run(t,
		resource.TestStep{
			Config: tiers(", compliance_percent = 99", ""),
			Check: resource.ComposeAggregateTestCheckFunc(
				compliant("false"), verdict("gold", "broken"), verdict("silver", "not_promised"),
				resource.TestCheckResourceAttr(address, "periods.gold.promised_compliance_percent", "99"),
				resource.TestCheckNoResourceAttr(address, "periods.silver.promised_compliance_percent"),
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
