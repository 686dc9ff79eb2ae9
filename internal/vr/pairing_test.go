package vr_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/vr"
)

// TestPairing_sides verifies that instance UUIDs are compared regardless of case, because vCenter and the gateway may
// write the same UUID differently.
func TestPairing_sides(t *testing.T) {
	t.Parallel()
	p := vr.Pairing{Local: vr.Site{VCenterID: "AB-1"}, Remote: vr.Site{VCenterID: "cd-2"}}
	assert.False(t, p.IsSingleVCenter())
	for vcenter, want := range map[string][2]vr.Site{"ab-1": {p.Local, p.Remote}, "CD-2": {p.Remote, p.Local}} {
		source, target, ok := p.Sides(vr.VMID("vm-1", vcenter))
		assert.True(t, ok, vcenter)
		assert.Equal(t, want, [2]vr.Site{source, target}, vcenter)
	}
	_, _, ok := p.Sides(vr.VMID("vm-1", "ef-3"))
	assert.False(t, ok, "a VM of a third vCenter")
	p.Remote.VCenterID = "ab-1"
	assert.True(t, p.IsSingleVCenter())
}

// rewriter changes requests before they are sent, and the bodies of responses.
type rewriter struct {
	next     http.RoundTripper
	path     func(string) string
	response *strings.Replacer
}

func (w rewriter) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.path != nil {
		r = r.Clone(r.Context())
		r.URL.Path = w.path(r.URL.Path)
	}
	answer, err := w.next.RoundTrip(r)
	if err != nil || w.response == nil {
		return answer, err
	}
	defer answer.Body.Close() //nolint:errcheck // it has been read
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	text := w.response.Replace(string(content))
	answer.Body = io.NopCloser(bytes.NewBufferString(text))
	answer.ContentLength = int64(len(text))
	return answer, nil
}

// with sets the wrapper of a client's transport to the rewriter.
func (w rewriter) with(c *vr.Config) {
	c.Wrap = func(next http.RoundTripper) http.RoundTripper {
		w.next = next
		return w
	}
}

// TestFindMoved looks for the replication of a deleted pairing in a gateway with two other pairings.
func TestFindMoved(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{SelfPairing: true})
	l.replicate(t, l.client(t), l.vm(0))
	all, err := l.client(t).Pairings(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)
	self := all[0].ID
	if self == l.PairingID() {
		self = all[1].ID
	}
	for name, test := range map[string]struct {
		target string
		both   bool
		want   error
	}{
		"in one":              {target: l.RemoteVCenterID()},
		"written in capitals": {target: strings.ToUpper(l.RemoteVCenterID())},
		"to another vCenter":  {target: "another", want: vr.ErrPairing},
		"contained in both":   {target: l.RemoteVCenterID(), both: true, want: vr.ErrPairing},
	} {
		w := rewriter{}
		if test.both {
			w.path = func(path string) string {
				return strings.Replace(path, self+"/replications", l.PairingID()+"/replications", 1)
			}
		}
		c := l.client(t, w.with)
		pairing, found, err := c.FindMoved(t.Context(), "deleted", l.vm(0), test.target)
		require.ErrorIs(t, err, test.want, name)
		if test.want == nil {
			assert.Equal(t, l.PairingID(), pairing, name)
			assert.Equal(t, l.vm(0), found.VMID, name)
		}
	}
}

// partial contains the ways in which a gateway answers without the data of a remote site: with an error, or silently.
var partial = map[string]gateway.Switches{"announced": {}, "silent": {PartialSilent: true}}

func TestIsConnected(t *testing.T) {
	t.Parallel()
	for name, switches := range partial {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, switches)
			c := l.client(t)
			check := func(what string, want bool) {
				t.Helper()
				got, err := c.IsConnected(t.Context(), l.PairingID())
				require.NoError(t, err, what)
				require.Equal(t, want, got, what)
			}
			check("at first", true)
			l.BreakPairing()
			check("apart", false)
			l.StartReconnect()
			require.NoError(t, c.AwaitConnected(t.Context(), l.PairingID()))
			l.RemoteDown(true)
			check("down", false)
			l.RemoteDown(false)
			check("up", true)
		})
	}
}

// TestIsConnected_warning verifies that a pairing with a warning is connected.
func TestIsConnected_warning(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	for status, want := range map[string]bool{"WARNING": true, "ERROR": false} {
		w := rewriter{response: strings.NewReplacer(`"server_status":"OK"`, `"server_status":"`+status+`"`)}
		got, err := l.client(t, w.with).IsConnected(t.Context(), l.PairingID())
		require.NoError(t, err, status)
		assert.Equal(t, want, got, status)
	}
}

func TestIsConnected_forbidden(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	l.Traffic().Break(fault.Rule{Kind: "getVrPairing", Status: http.StatusForbidden})
	_, err := l.client(t).IsConnected(t.Context(), l.PairingID())
	assert.ErrorIs(t, err, vr.ErrPermission)
}

// TestAwaitConnected waits for a pairing that is broken, and then for its reconnection.
func TestAwaitConnected(t *testing.T) {
	t.Parallel()
	for name, switches := range partial {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, switches)
			c := l.client(t)
			l.BreakPairing()
			require.ErrorIs(t, c.AwaitConnected(t.Context(), l.PairingID()), vr.ErrDisconnected)
			l.StartReconnect()
			require.NoError(t, c.AwaitConnected(t.Context(), l.PairingID()))
		})
	}
}

// TestAwaitConnected_login checks that waiting for the pairing does not repeat a rejected login.
func TestAwaitConnected_login(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t, func(config *vr.Config) { config.RemotePassword = "wrong" })
	for range 2 {
		require.ErrorIs(t, c.AwaitConnected(t.Context(), l.PairingID()), vr.ErrRemoteLogin)
	}
	assert.Equal(t, 1, l.Traffic().Count("createRemoteSession"))
}
