package slacompliance_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestAccSLACompliance_excludedDisk: an estimate is without the disks that replications leave out. It takes no request
// more while there are none, and one more for up to 1,000 VMs with such disks.
func TestAccSLACompliance_excludedDisk(t *testing.T) {
	t.Parallel()
	e := start(t, vcsim.Config{VMs: 3}, gateway.Switches{})
	for n := range 3 {
		e.tag(t, e.gold, n)
	}
	e.replicate(t, 15, 2)
	e.settle()
	retrieved := func(per *int) resource.TestCheckFunc {
		return func(*terraform.State) error {
			traffic := e.Protected.Traffic()
			reads := traffic.Count("POST tag-association:list-attached-objects-on-tags")
			if reads == 0 {
				return fmt.Errorf("the data source was not read: %v", traffic.Counts())
			}
			*per = traffic.Count("soap:RetrievePropertiesEx") / reads
			return nil
		}
	}
	var plain, whole, excluding int
	e.Run(
		t,
		resource.TestStep{Config: e.config(""), Check: retrieved(&plain)},
		resource.TestStep{
			PreConfig: e.Protected.Traffic().Reset,
			Config:    e.config("throughput_mbps = 100"),
			Check: resource.ComposeAggregateTestCheckFunc(
				// 6 GiB of the first, 24.5 of the second, and 16, 20 and 24 of the third.
				near("estimates.gold.total_gib", 6+24.5+60), retrieved(&whole),
			),
		},
		resource.TestStep{
			PreConfig: func() {
				e.Protected.SetReplicated(e.id(2), 15, 2000, 2002)
				e.Protected.Traffic().Reset()
			},
			Config: e.config("throughput_mbps = 100"),
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr(address, "estimates.gold.vm_count", "3"),
				near("estimates.gold.total_gib", 6+24.5+40), retrieved(&excluding),
			),
		},
	)
	if plain == 0 || whole != plain || excluding != plain+1 {
		t.Errorf("%d requests for VMs without estimates, %d with, %d with excluded disks", plain, whole, excluding)
	}
}
