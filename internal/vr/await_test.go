package vr_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

// TestAwaitReplication_late lists a new replication only after the last poll, which is the eighth listing.
func TestAwaitReplication_late(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	id := l.replicate(t, l.client(t), l.vm(0))
	l.Traffic().Break(fault.Rule{Kind: "getAllReplications", Times: 7, Status: http.StatusOK, Body: `{"list":[]}`})
	found, err := l.client(t).AwaitReplication(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID())
	require.NoError(t, err)
	assert.Equal(t, id, found.ID)
}

// TestAwaitGone_nextPoll removes a replication during the first wait, so that the next poll has to list again.
func TestAwaitGone_nextPoll(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	id := l.replicate(t, l.client(t), l.vm(0))
	waits := 0
	c := l.client(t, func(c *vr.Config) {
		sleep := c.Sleep
		c.Sleep = func(ctx context.Context, d time.Duration) error {
			waits++
			l.RemoveReplication(l.vm(0))
			return sleep(ctx, d)
		}
	})
	require.NoError(t, c.AwaitGone(t.Context(), l.PairingID(), id))
	assert.Equal(t, 1, waits)
}
