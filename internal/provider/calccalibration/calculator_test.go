package calccalibration_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/acctest"
	"terraform-provider-vsla/internal/lab/gateway"
)

// TestAccReplicationCalibration_byHand: the documented example through both doors, known at plan.
func TestAccReplicationCalibration_byHand(t *testing.T) {
	t.Parallel()
	const input = `
  last_sync_size_bytes       = 2 * pow(2, 30)
  last_sync_duration_seconds = 300
  rpo_minutes                = 15
  vm_size_gib                = 1000
  throughput_mbps            = 100
  daily_change_percent       = 28.8
`
	const address = "data.vsla_replication_calibration.x"
	acctest.Offline(t, resource.TestStep{
		Config: `
data "vsla_replication_calibration" "x" {` + input + `}
output "function" {
  value = provider::vsla::replication_calibration({` + input + `})
}
output "before_the_first" {
  value = provider::vsla::replication_calibration({
    last_sync_size_bytes = null, last_sync_duration_seconds = null, rpo_minutes = 15, vm_size_gib = 1000, throughput_mbps = 100, daily_change_percent = 5
  })
}`,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectKnownOutputValueAtPath("function", tfjsonpath.New("optimistic"), knownvalue.Bool(true)),
		}},
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(address, tfjsonpath.New("interval_seconds"), knownvalue.Float64Exact(600)),
			statecheck.ExpectKnownValue(address, tfjsonpath.New("effective_daily_change_gib"), knownvalue.Float64Exact(288)),
			statecheck.ExpectKnownValue(address, tfjsonpath.New("optimistic"), knownvalue.Bool(true)),
			statecheck.ExpectKnownValue(
				address,
				tfjsonpath.New("reasons"),
				knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("throughput_below_assumed")}),
			),
			statecheck.ExpectKnownOutputValueAtPath(
				"before_the_first",
				tfjsonpath.New("effective_throughput_mbps"),
				knownvalue.Null(),
			),
			statecheck.ExpectKnownOutputValueAtPath("before_the_first", tfjsonpath.New("optimistic"), knownvalue.Null()),
			statecheck.ExpectKnownOutputValueAtPath(
				"before_the_first",
				tfjsonpath.New("estimated_sync_seconds"),
				knownvalue.NotNull(),
			),
		},
	})
}

// TestAccReplicationCalibration_measured compares with a link and a change rate that are known: those of the stand-in.
func TestAccReplicationCalibration_measured(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	s.Keep()
	vm := s.Protected.VMs()[0].ID
	if err := s.Protected.SetPower(vm, types.VirtualMachinePowerStatePoweredOn); err != nil {
		t.Log(err) // it is on
	}
	const changed = 1e6 // bytes a second: 80.5 GiB a day
	s.SetUsed(vm, 1e9)
	s.SetChangeRate(vm, changed)
	if err := s.AddReplications(60, vm); err != nil {
		t.Fatal(err)
	}
	s.Advance(24 * time.Hour)
	syncs := s.Replications()[0].Syncs
	last, before := syncs[len(syncs)-1], syncs[len(syncs)-2]
	interval := last.Start.Sub(before.Start).Seconds()
	within := func(name string, want, tolerance float64) resource.TestCheckFunc {
		return resource.TestCheckResourceAttrWith("data.vsla_replication_calibration.x", name, func(text string) error {
			got, err := strconv.ParseFloat(text, 64)
			if err == nil && math.Abs(got/want-1) > tolerance {
				return fmt.Errorf("%s is %v, want %v", name, got, want)
			}
			return err
		})
	}
	s.Run(t, resource.TestStep{
		Config: s.Provider() + fmt.Sprintf(`
data "vsla_replication_status" "x" {
  pairing_id = %q
  vm_id      = %q
}
data "vsla_replication_calibration" "x" {
  last_sync_size_bytes       = data.vsla_replication_status.x.last_sync_size_bytes
  last_sync_duration_seconds = data.vsla_replication_status.x.last_sync_duration_seconds
  rpo_minutes                = data.vsla_replication_status.x.rpo_minutes
  interval_seconds           = %v
  vm_size_gib                = 100
  throughput_mbps            = 100
  daily_change_percent       = 80.5
}
`, s.PairingID(), s.VM(0), interval),
		Check: resource.ComposeAggregateTestCheckFunc(
			// The link of 12.5e6 bytes/s; the duration is rounded up to whole seconds.
			within("effective_throughput_mbps", 100, 1/last.End.Sub(last.Start).Seconds()),
			within("effective_daily_change_gib", changed*86400/(1<<30), 1e-3),
			resource.TestCheckResourceAttr("data.vsla_replication_calibration.x", "optimistic", "false"),
		),
	})
}
