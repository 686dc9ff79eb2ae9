package replication_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func TestAccReplication_unknownObjects(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{})
	vm := func(id string) string {
		return s.Provider() + `
resource "vsla_replication" "vm" {
  pairing_id          = "` + s.PairingID() + `"
  vm_id               = "VirtualMachine:` + id + `:` + s.LocalVCenterID() + `"
  target_datastore_id = "` + s.Datastore(0) + `"
  rpo_minutes         = 15
}
`
	}
	known := s.Protected.VMs()[1]
	s.Run(
		t,
		acctest.FailingStep(
			vm(known.Name),
			`\d: vm_id =.*"`+known.Name+`" is not the ID of a VM. The VM with this name has `+
				`the ID `+known.ID,
		),
		acctest.FailingStep(
			vm("vm-99999"),
			`\d: vm_id =.*VM "vm-99999" does not exist in vCenter .* or is not visible`,
		),
	)
	assert.Zero(t, s.Traffic().Count("configureReplication"))
}

// TestPlan_unknownDatastore verifies that 30 replications to a datastore that does not exist list the datastores twice:
// once, and once more because the datastore may be new.
func TestPlan_unknownDatastore(t *testing.T) {
	t.Parallel()
	const n = 30
	s := acctest.StartSites(t, n, gateway.Switches{})
	f := &fleet{s: s, states: make([]*tfprotov6.DynamicValue, n)}
	p := f.start(t)
	wrong := map[string]any{"target_datastore_id": "Datastore:datastore-999:" + s.RemoteVCenterID()}
	assert.Contains(t, planned(t, p, s, 0, wrong), "ERROR: target_datastore_id: Unknown Datastore")
	f.each(func(i int) {
		assert.Contains(t, planned(t, p, s, i, wrong), "ERROR: target_datastore_id: Unknown Datastore")
	})
	assert.LessOrEqual(t, s.Traffic().Count("getVrCapableTargetDatastores"), 2, "%v", s.Traffic().Counts())
}
