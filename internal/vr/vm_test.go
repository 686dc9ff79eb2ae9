package vr_test

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

func TestDisks_areEchoed(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	var sent []byte
	l.Traffic().Break(fault.Rule{
		Kind:   "configureReplication",
		Status: http.StatusBadRequest,
		Before: func(r *http.Request) { sent, _ = io.ReadAll(r.Body) },
	})
	l.ChangeAnswers("getLocalVmDisks", 0, gateway.ExtraFields)
	_, err := c.Configure(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID(), l.settings(t, c, l.vm(0)))
	require.ErrorIs(t, err, vr.ErrInvalid)
	var specs []struct {
		Disks []struct {
			Disk map[string]any `json:"vm_disk"`
		} `json:"disks"`
	}
	err = json.Unmarshal(sent, &specs)
	require.NoError(t, err)
	require.Len(t, specs, 1)
	require.GreaterOrEqual(t, len(specs[0].Disks), 2)
	for _, d := range specs[0].Disks {
		require.NotNil(t, d.Disk["a_later_field"])
		assert.NotNil(t, d.Disk["source_path"])
	}
}

// TestDisks_batches verifies that the disks of several VMs take few requests, also if they must be asked for.
func TestDisks_batches(t *testing.T) {
	t.Parallel()
	for _, omits := range []bool{false, true} {
		l := startLab(t, gateway.Switches{Latest: gateway.Latest{OmitDisks: omits}})
		c := l.client(t)
		_, err := c.Pairings(t.Context())
		require.NoError(t, err)
		var callers sync.WaitGroup
		for i := range 20 {
			callers.Go(func() {
				disks, err := c.Disks(t.Context(), l.PairingID(), l.LocalVCenterID(), l.vm(i))
				assert.GreaterOrEqual(t, len(disks), 2)
				assert.NoError(t, err)
			})
		}
		callers.Wait()
		assert.Less(t, l.Traffic().Count("getLocalVmDisks")+l.Traffic().Count("getLocalVms"), 10, omits)
	}
}
