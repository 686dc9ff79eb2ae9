package vr_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

func TestReplications_filterRefused(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{FilterByNameOnly: true, SessionTTL: -1, SessionIdle: -1})
	c := l.client(t)
	require.NoError(t, l.AddReplications(15, l.vm(0), l.vm(1)))
	l.Advance(time.Minute)
	// In the first round, the filter is rejected with and without a sort property, so the third request reads the whole
	// list.
	for _, requests := range []int{3, 1} {
		l.Traffic().Reset()
		of, err := c.Replications(t.Context(), l.PairingID(), l.vm(1), vr.Direct)
		require.NoError(t, err)
		require.Len(t, of, 1)
		assert.Equal(t, l.vm(1), of[0].VMID)
		assert.Equal(t, requests, l.Traffic().Count("getAllReplications"))
	}
	vms, err := c.VMsByProperty(t.Context(), l.PairingID(), l.LocalVCenterID(), "id", l.vm(2))
	require.NoError(t, err)
	require.Len(t, vms, 1)
	assert.Equal(t, l.vm(2), vms[0].ID)
}

func TestReplications_incompleteRow(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
	require.NoError(t, l.AddReplications(15, l.vm(0), l.vm(1)))
	l.Advance(time.Minute)
	name := l.protected.VMs()[1].Name
	lacking := func(field string) func(map[string]any) {
		return func(result map[string]any) {
			for _, row := range gateway.Rows(result) {
				if row["vm_id"] == l.vm(1) {
					delete(row, field)
				}
			}
		}
	}
	l.ChangeAnswers("getAllReplications", 0, lacking("rpo"))
	c := l.client(t)
	for vm, want := range map[string]int{l.vm(0): 1, l.vm(2): 0} {
		of, err := c.Replications(t.Context(), l.PairingID(), vm, vr.Shared)
		require.NoError(t, err, vm)
		assert.Len(t, of, want, vm)
	}
	_, err := c.Replications(t.Context(), l.PairingID(), l.vm(1), vr.Shared)
	require.ErrorIs(t, err, vr.ErrPartial)
	assert.Contains(t, err.Error(), name)
	assert.Contains(t, err.Error(), "rpo")
	all, unknown, err := c.AllReplications(t.Context(), l.PairingID())
	require.NoError(t, err)
	assert.Len(t, all, 2)
	assert.Len(t, unknown, 1)
	l.MendAnswers()
	l.ChangeAnswers("getAllReplications", 0, func(result map[string]any) {
		lacking("rpo")(result)
		lacking("vm_id")(result)
	})
	c = l.client(t)
	_, err = c.Replications(t.Context(), l.PairingID(), l.vm(2), vr.Shared)
	require.ErrorIs(t, err, vr.ErrPartial)
	_, _, err = c.AllReplications(t.Context(), l.PairingID())
	assert.ErrorIs(t, err, vr.ErrPartial)
}

func TestReplications_errors(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
	require.NoError(t, l.AddReplications(15, l.vm(0)))
	l.Advance(time.Minute)
	for form, value := range map[string]any{
		"disk full":        "disk full",
		"disk full (ds 1)": map[string]any{"message": "disk full", "details": "ds 1"},
		"":                 nil,
	} {
		l.MendAnswers()
		l.ChangeAnswers("getAllReplications", 0, func(result map[string]any) {
			for _, row := range gateway.Rows(result) {
				row["configuration_error"] = value
				row["last_group_error"] = value
				row["recovery_error"] = value
			}
		})
		all, err := l.client(t).Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Unverified)
		require.NoError(t, err)
		require.Len(t, all, 1)
		for _, got := range []string{all[0].ConfigurationError, all[0].GroupError, all[0].RecoveryError} {
			assert.Equal(t, form, got)
		}
	}
}

// TestReplication_partial checks that the client notices if the gateway omits data because the remote session is
// missing, even if the response does not say so. The client then logs in and reads again, or returns an error if the
// site is down.
func TestReplication_partial(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string]gateway.Switches{
		"announced":              {},
		"silent":                 {PartialSilent: true},
		"announced, rows lost":   {PartialDropsRows: true},
		"silent, rows lost":      {PartialSilent: true, PartialDropsRows: true},
		"announced, 403":         {RemoteStatus: 403},
		"silent, 500":            {PartialSilent: true, RemoteStatus: 500},
		"silent, rows lost, 500": {PartialSilent: true, PartialDropsRows: true, RemoteStatus: 500, DownStatus: 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, switches)
			c := l.client(t)
			id := l.replicate(t, c, l.vm(0))
			for reading, read := range map[string]func() (vr.Replication, error){
				"single": func() (vr.Replication, error) {
					return c.Replication(t.Context(), l.PairingID(), id, vr.Direct)
				},
				"listed": func() (vr.Replication, error) {
					l.Advance(time.Minute + time.Second) // the listing has expired
					all, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared)
					if err != nil || len(all) != 1 {
						return vr.Replication{}, errors.Join(err, errors.New("not one row"))
					}
					return all[0], nil
				},
			} {
				l.ExpireRemoteSessions()
				r, err := read()
				require.NoError(t, err, reading)
				assert.Equal(t, "recovery", r.TargetSite, reading)
				assert.NotEmpty(t, r.ServerUUID, reading)
				assert.Equal(t, "NOT_STARTED", r.RecoveryState, reading)
				l.RemoteDown(true)
				_, err = read()
				require.ErrorIs(t, err, vr.ErrRemote, reading)
				l.RemoteDown(false)
			}
		})
	}
}

// TestReplication_gone checks that a replication is known not to exist only if the pairing and the remote site can be
// read.
func TestReplication_gone(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	id := l.replicate(t, c, l.vm(0))
	l.RemoveReplication(l.vm(0))
	l.Advance(time.Minute + time.Second)
	_, err := c.Replication(t.Context(), l.PairingID(), id, vr.Shared)
	require.ErrorIs(t, err, vr.ErrNotFound)
	l.RemoteDown(true)
	_, err = c.Replication(t.Context(), l.PairingID(), id, vr.Shared)
	require.NotErrorIs(t, err, vr.ErrNotFound)
	require.ErrorIs(t, err, vr.ErrRemote)
	l.RemoteDown(false)
	for _, operation := range []string{"getRemoteSession", "getVrPairing"} {
		l.Traffic().Break(fault.Rule{Kind: operation, Status: http.StatusNotFound})
		_, err := c.Replication(t.Context(), l.PairingID(), id, vr.Shared)
		require.NotErrorIs(t, err, vr.ErrNotFound, operation)
		require.ErrorIs(t, err, vr.ErrPairing, operation)
		l.Traffic().Mend()
	}
	_, err = c.Replication(t.Context(), "00000000-0000-4000-8000-000000000000", id, vr.Shared)
	require.NotErrorIs(t, err, vr.ErrNotFound)
	assert.ErrorIs(t, err, vr.ErrPairing)
}

// TestReplication_forbidden checks that a missing privilege is neither retried nor taken for a missing remote session,
// and that the error identifies the request.
func TestReplication_forbidden(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	id := l.replicate(t, c, l.vm(0))
	l.Deny("getReplicationInfo", "pauseReplication")
	l.Traffic().Reset()
	_, err := c.Replication(t.Context(), l.PairingID(), id, vr.Direct)
	require.ErrorIs(t, err, vr.ErrPermission)
	assert.Equal(t, 1, l.Traffic().Count("getReplicationInfo"))
	assert.Equal(t, 0, l.Traffic().Count("createRemoteSession"))
	_, pauseErr := c.Pause(t.Context(), l.PairingID(), id)
	require.ErrorIs(t, pauseErr, vr.ErrPermission)
	result, ok := transport.AsAPIError(err)
	require.True(t, ok, "%v", err)
	require.NotEmpty(t, result.OperationID)
	require.Equal(t, http.StatusForbidden, result.Status)
	require.Equal(t, "GET /pairings/{pairing_id}/replications/{replication_id}", result.Operation)
	for _, part := range []string{
		result.OperationID,
		"GET /pairings/{pairing_id}/replications/{replication_id}",
		"HTTP 403",
		"lacks a privilege",
	} {
		assert.Contains(t, err.Error(), part)
	}
}

func TestReplication_unknownValues(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	id := l.replicate(t, c, l.vm(0))
	l.ChangeAnswers("getReplicationInfo", 0, gateway.UnknownValue("status"))
	l.ChangeAnswers("getReplicationInfo", 0, gateway.UnknownValue("configuration_state"))
	r, err := c.Replication(t.Context(), l.PairingID(), id, vr.Direct)
	require.NoError(t, err)
	assert.Equal(t, "RECONFIGURING", r.Status.Code)
}
