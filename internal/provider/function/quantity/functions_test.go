package quantity_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"terraform-provider-vsla/internal/dev/acctest"
)

func output(call string) string {
	return fmt.Sprintf("output \"x\" {\n  value = provider::vsla::%s\n}\n", call)
}

func TestAccQuantityFunctions(t *testing.T) {
	t.Parallel()
	const instance = "e594ad24-0000-4000-8000-00000000000a"
	var steps []resource.TestStep
	for call, want := range map[string]knownvalue.Check{
		`parse_size_gib("102400 MB")`:     knownvalue.Float64Exact(95.367431640625), // 102,400 * 10^6 / 2^30
		`parse_rate_mbps("112.625 MB/s")`: knownvalue.Float64Exact(901),             // 112.625 * 8
		// 2^33 bit / (8.589934592 * 10^6 bit/s)
		`transfer_seconds(1, 8.589934592)`: knownvalue.Float64Exact(1000),
		`format_duration(13638.2)`:         knownvalue.StringExact("3h 47m 18s"),
		`replication_object_id("VirtualMachine", "vm-42", "` + instance + `")`: knownvalue.StringExact(
			"VirtualMachine:vm-42:" + instance),
	} {
		steps = append(steps, resource.TestStep{
			Config:            output(call),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("x", want)},
		})
	}
	for call, want := range map[string]string{
		`parse_size_gib("100")`:                       `"size"\s+parameter.*has\s+no\s+unit`,
		`parse_rate_mbps("10 mb")`:                    `"rate"\s+parameter.*could\s+mean\s+bits\s+or\s+bytes`,
		`transfer_seconds(1, 0)`:                      `"mbps"\s+parameter.*must\s+be`,
		`transfer_seconds(-1, 1)`:                     `"gib"\s+parameter.*must\s+be`,
		`format_duration(-1)`:                         `"seconds"\s+parameter.*must\s+be`,
		`replication_object_id("", "vm-42", "x")`:     `"type"\s+parameter`,
		`replication_object_id("A", "vm:42", "x")`:    `"moid"\s+parameter`,
		`replication_object_id("A", "vm-42", "uuid")`: `"vcenter_uuid"\s+parameter`,
	} {
		steps = append(steps, acctest.FailingStep(output(call), want))
	}
	acctest.RunOffline(t, steps...)
}
