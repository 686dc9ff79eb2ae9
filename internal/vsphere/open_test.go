package vsphere_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestRead_leavesNothingOpen verifies that vCenter keeps no pages, views or event collectors for a read that failed
// half way. The session still exists, so it would not end them.
func TestRead_leavesNothingOpen(t *testing.T) {
	t.Parallel()
	vms := func(t *testing.T, c *vsphere.Client) error {
		t.Helper()
		_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
		return err
	}
	events := func(t *testing.T, c *vsphere.Client) error {
		t.Helper()
		query := vsphere.EventQuery{VMIDs: newVMIDs(100), From: vcsim.Epoch, To: vcsim.Epoch.Add(240 * time.Hour)}
		_, err := c.ReplicationEvents(t.Context(), query, func(vsphere.ReplicationEvent) {})
		return err
	}
	sample := func(t *testing.T, c *vsphere.Client) error {
		t.Helper()
		ids := []string{"hbr.primary.DeltaCompletedEvent"}
		_, _, err := c.SampleEvents(t.Context(), ids, "", vcsim.Epoch, vcsim.Epoch.Add(240*time.Hour), 2)
		return err
	}
	for name, test := range map[string]struct {
		refused string
		read    func(*testing.T, *vsphere.Client) error
	}{
		"a further page": {"soap:ContinueRetrievePropertiesEx", vms},
		"the events":     {"soap:ReadNextEvents", events},
		"the sample":     {"soap:ReadNextEvents", sample},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, _ := startLab(t, vcsim.Config{Page: 2})
			v.Events().Serve(hourlyEvents{newVMIDs(100), 240})
			v.Traffic().Break(fault.Rule{Kind: test.refused, Status: http.StatusForbidden})
			require.Error(t, test.read(t, c))
			assert.Positive(t, v.Traffic().Count(test.refused))
			assert.Zero(t, v.OpenPages())
			assert.Zero(t, v.Events().Collectors())
			assert.Equal(t, v.Traffic().Count("soap:CreateContainerView"), v.Traffic().Count("soap:DestroyView"))
		})
	}
}
