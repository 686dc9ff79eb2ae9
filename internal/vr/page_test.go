package vr_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

// TestList_asAppliancesAnswer reads 10 replications in pages of 4 from gateways that differ in what the API leaves
// open: three requests, and one more where the first one is refused.
func TestList_asAppliancesAnswer(t *testing.T) {
	t.Parallel()
	const n = 10
	for name, test := range map[string]struct {
		switches gateway.Switches
		spoil    func(map[string]any)
		first    int
	}{
		"plainly":                   {first: 3},
		"sorted by name only":       {switches: gateway.Switches{SortByNameOnly: true}, first: 4},
		"with a content type only":  {switches: gateway.Switches{RequireContentType: true}, first: 3},
		"by links, without a total": {spoil: linksOnly, first: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.switches.PageCap = 4
			test.switches.SessionTTL, test.switches.SessionIdle = -1, -1
			l := start(t, test.switches)
			c := l.client(t)
			vms := make([]string, n)
			for i := range n {
				vms[i] = l.vm(i)
			}
			require.NoError(t, l.AddReplications(15, vms...))
			l.Advance(time.Minute)
			if test.spoil != nil {
				l.Spoil("getAllReplications", 0, test.spoil)
			}
			for round, requests := range []int{test.first, 3} {
				l.Traffic().Reset()
				all, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Glance)
				require.NoError(t, err, round)
				assert.Len(t, all, n, round)
				assert.Equal(t, requests, l.Traffic().Count("getAllReplications"), round)
				l.Advance(2 * time.Minute)
			}
		})
	}
}

// linksOnly removes the total, so that only the link announces another page. Its host is not the gateway's.
func linksOnly(answer map[string]any) {
	meta, _ := answer["_meta"].(map[string]any)
	links, _ := meta["links"].(map[string]any)
	delete(meta, "total")
	if next, ok := links["next"].(map[string]any); ok {
		href, _ := next["href"].(string)
		_, query, _ := strings.Cut(href, "?")
		next["href"] = "https://elsewhere.invalid/api?" + query
	}
}

// TestReplications_filterRefused: a gateway that filters by name only is asked for the whole list, and for nothing else
// from then on.
func TestReplications_filterRefused(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{FilterByNameOnly: true, SessionTTL: -1, SessionIdle: -1})
	c := l.client(t)
	require.NoError(t, l.AddReplications(15, l.vm(0), l.vm(1)))
	l.Advance(time.Minute)
	// The first time the filter is refused with and without a property to sort by.
	for _, requests := range []int{3, 1} {
		l.Traffic().Reset()
		of, err := c.Replications(t.Context(), l.PairingID(), l.vm(1), vr.Direct)
		assert.True(t, err == nil && len(of) == 1 && of[0].VMID == l.vm(1),
			"got %+v, %v; want that of %s", of, err, l.vm(1))
		assert.Equal(t, requests, l.Traffic().Count("getAllReplications"))
	}
	vms, err := c.VMsByProperty(t.Context(), l.PairingID(), l.LocalVCenterID(), "id", l.vm(2))
	assert.True(t, err == nil && len(vms) == 1 && vms[0].ID == l.vm(2),
		"got %d VMs, %v; want %s", len(vms), err, l.vm(2))
}

// TestReplications_incompleteRow: a row that lacks a field says nothing about other VMs. Its own VM is named, and known
// to be replicated without its settings.
func TestReplications_incompleteRow(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
	require.NoError(t, l.AddReplications(15, l.vm(0), l.vm(1)))
	l.Advance(time.Minute)
	name := l.protected.VMs()[1].Name
	lacking := func(field string) func(map[string]any) {
		return func(answer map[string]any) {
			for _, row := range gateway.Rows(answer) {
				if row["vm_id"] == l.vm(1) {
					delete(row, field)
				}
			}
		}
	}
	l.Spoil("getAllReplications", 0, lacking("rpo"))
	c := l.client(t)
	for vm, want := range map[string]int{l.vm(0): 1, l.vm(2): 0} {
		of, err := c.Replications(t.Context(), l.PairingID(), vm, vr.Shared)
		require.NoError(t, err, vm)
		assert.Len(t, of, want, vm)
	}
	_, err := c.Replications(t.Context(), l.PairingID(), l.vm(1), vr.Shared)
	if !errors.Is(err, vr.ErrPartial) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "rpo") {
		t.Errorf("got %v, want ErrPartial about rpo of %s", err, name)
	}
	all, unknown, err := c.Judgeable(t.Context(), l.PairingID())
	assert.True(t, err == nil && len(all) == 2 && len(unknown) == 1,
		"got %d replications, %v unknown, %v; want 2 and 1", len(all), unknown, err)
	l.MendAnswers()
	l.Spoil("getAllReplications", 0, func(answer map[string]any) {
		lacking("rpo")(answer)
		lacking("vm_id")(answer)
	})
	c = l.client(t)
	_, err = c.Replications(t.Context(), l.PairingID(), l.vm(2), vr.Shared)
	assert.ErrorIs(t, err, vr.ErrPartial)
	_, _, err = c.Judgeable(t.Context(), l.PairingID())
	assert.ErrorIs(t, err, vr.ErrPartial)
}

// TestReplications_errors: each of the three errors of a replication is read as a text and as an object.
func TestReplications_errors(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{SessionTTL: -1, SessionIdle: -1})
	require.NoError(t, l.AddReplications(15, l.vm(0)))
	l.Advance(time.Minute)
	for form, value := range map[string]any{
		"disk full":        "disk full",
		"disk full (ds 1)": map[string]any{"message": "disk full", "details": "ds 1"},
		"":                 nil,
	} {
		l.MendAnswers()
		l.Spoil("getAllReplications", 0, func(answer map[string]any) {
			for _, row := range gateway.Rows(answer) {
				row["configuration_error"], row["last_group_error"], row["recovery_error"] = value, value, value
			}
		})
		all, err := l.client(t).Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Glance)
		require.NoError(t, err)
		require.Len(t, all, 1)
		for _, got := range []string{all[0].ConfigurationError, all[0].GroupError, all[0].RecoveryError} {
			assert.Equal(t, form, got)
		}
	}
}
