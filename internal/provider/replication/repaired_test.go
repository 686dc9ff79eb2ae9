package replication_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestAccReplication_pairedAgain verifies that plans stop when the pairing has another id, with the old or the new
// pairing_id: the pairing is part of the resource's identity, which the framework keeps constant in an update. The
// steps of the troubleshooting guide keep the replication and end in an empty plan.
func TestAccReplication_pairedAgain(t *testing.T) {
	t.Parallel()
	const again = "11111111-2222-4333-8444-555555555555"
	s := acctest.StartSites(t, 1, gateway.Switches{})
	before := config(s, 15)
	after := strings.Replace(before, s.PairingID(), again, 1)
	var id string
	same := func(*terraform.State) error {
		assert.Equal(t, id, only(t, s).ID)
		assert.Zero(t, s.Traffic().Count("unconfigureReplication"))
		assert.Equal(t, 1, s.Traffic().Count("configureReplication"))
		return nil
	}
	s.Run(t,
		resource.TestStep{Config: before, Check: func(*terraform.State) error {
			id = only(t, s).ID
			return nil
		}},
		resource.TestStep{
			PreConfig:   func() { s.PairAgain(again) },
			Config:      before,
			ExpectError: says("The replication server has no such pairing"),
		},
		resource.TestStep{Config: after, ExpectError: says("The replication server has no such pairing")},
		resource.TestStep{
			Config: s.Provider() + "removed {\n  from = vsla_replication.vm\n  lifecycle {\n    destroy = false\n  }\n}\n",
			Check:  same,
		},
		resource.TestStep{
			Config:           after + "import {\n  to = vsla_replication.vm\n  id = \"" + again + "/" + s.VM(0) + "\"\n}\n",
			ConfigPlanChecks: action(plancheck.ResourceActionNoop),
			Check:            same,
		},
	)
}
