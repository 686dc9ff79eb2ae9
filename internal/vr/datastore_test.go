package vr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

// TestFindDatastore_new verifies that a datastore that is missing in the shared list is found in a new one. One that
// does not exist in the new one either is not looked for again.
func TestFindDatastore_new(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	id := l.datastore(t, c)
	find := func(id string) error {
		_, err := c.FindDatastore(t.Context(), l.PairingID(), l.RemoteVCenterID(), id)
		return err
	}
	l.ChangeAnswers("getVrCapableTargetDatastores", 1, func(answer map[string]any) {
		answer["list"], answer["_meta"] = []any{}, map[string]any{"total": 0}
	})
	missing := "Datastore:datastore-999:" + l.RemoteVCenterID()
	require.ErrorIs(t, find(missing), vr.ErrNotFound)
	before := l.Traffic().Count("getVrCapableTargetDatastores")
	require.NoError(t, find(id))
	require.ErrorIs(t, find(missing), vr.ErrNotFound)
	assert.Equal(t, before+1, l.Traffic().Count("getVrCapableTargetDatastores"))
}
