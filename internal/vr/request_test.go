package vr_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

// TestErrors_visible verifies that the text of a server adds no line to a job's log.
func TestErrors_visible(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	l.Traffic().Break(fault.Rule{
		Kind:   "getVrPairings",
		Status: http.StatusBadRequest,
		Body:   `{"message":"no\n::error::x\u001b[2J"}`,
	})
	_, err := l.client(t).Pairings(t.Context())
	assert.ErrorContains(t, err, `no\n::error::x\x1b[2J`)
}

func TestReads_areRepeated(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	_, err := c.Pairings(t.Context())
	require.NoError(t, err)
	for name, rule := range map[string]fault.Rule{
		"connection cut": {CloseConnection: true},
		"500":            {Status: 500},
		"503":            {Status: 503},
		"HTML":           {Status: 200, Body: "<html>login</html>"},
		"cut short":      {Status: 200, Body: `{"list":[{"pairing`},
		"empty":          {Status: 200},
		"bad gateway":    {Status: 502, Body: "<html>"},
	} {
		rule.Kind = "getVrPairings"
		rule.Times = 2
		l.Traffic().Reset()
		l.Traffic().Break(rule)
		_, err := c.Pairings(t.Context())
		require.NoError(t, err, name)
		assert.Equal(t, 3, l.Traffic().Count("getVrPairings"), name)
		l.Traffic().Mend()
		rule.Times = 0
		l.Traffic().Reset()
		l.Traffic().Break(rule)
		_, err = c.Pairings(t.Context())
		require.ErrorIs(t, err, vr.ErrUnavailable, name)
		// Go's HTTP client retries a read once if an idle connection turns out to be closed.
		got := l.Traffic().Count("getVrPairings")
		if got != 5 {
			assert.True(t, rule.CloseConnection, "%s, always: %d requests", name, got)
			assert.Equal(t, 6, got, "%s, always", name)
		}
		l.Traffic().Mend()
	}
}

func TestWrites_areNotRepeated(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]fault.Rule{
		"cut after it was done": {CloseConnection: true, HandleFirst: true},
		"cut before":            {CloseConnection: true},
		"500 after":             {Status: 500, HandleFirst: true},
		"502 before":            {Status: 502},
		"empty answer after":    {Status: 202, HandleFirst: true},
		"no task":               {Status: 202, Body: `{"list":[]}`, HandleFirst: true},
		"announced as incomplete": {
			Status:      202,
			HandleFirst: true,
			Body:        `{"list":[{"id":"t","status":"QUEUED"}],"_meta":{"errors":[{"field":"$.list"}]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, gateway.Switches{})
			c := l.client(t)
			settings := l.settings(t, c, l.vm(0))
			rule.Kind = "configureReplication"
			l.Traffic().Break(rule)
			_, err := c.Configure(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID(), settings)
			require.ErrorIs(t, err, vr.ErrUncertain)
			assert.Equal(t, 1, l.Traffic().Count("configureReplication"))
			_, err = c.AwaitReplication(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID())
			require.Equal(t, err == nil, rule.HandleFirst)
			if !rule.HandleFirst {
				assert.ErrorIs(t, err, vr.ErrNotFound, "looking for it")
			}
		})
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	gate := fault.NewGate()
	l.Traffic().Break(fault.Rule{Kind: "getVrPairings", Before: gate.Hold})
	_, err := l.client(t, func(c *vr.Config) { c.Timeout = time.Second }).Pairings(t.Context())
	require.ErrorIs(t, err, vr.ErrUncertain)
	assert.Equal(t, 1, l.Traffic().Count("getVrPairings"))
	gate.Open()
}

func TestEmptyID(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t)
	for name, call := range map[string]func() error{
		"pairing": func() error {
			_, err := c.Pairing(t.Context(), "")
			return err
		},
		"replication": func() error {
			_, err := c.Pause(t.Context(), l.PairingID(), "")
			return err
		},
		"destroy": func() error {
			_, err := c.DestroyLocally(t.Context(), l.PairingID(), "", false)
			return err
		},
		"vm": func() error {
			_, err := c.Configure(t.Context(), l.PairingID(), "", "x", vr.Settings{})
			return err
		},
		"disks": func() error {
			_, err := c.Reconfigure(t.Context(), l.PairingID(), "x", vr.Settings{})
			return err
		},
	} {
		require.ErrorIs(t, call(), vr.ErrInvalid, name)
	}
	got := l.Traffic().Count("destroyReplication") +
		l.Traffic().Count("pauseReplication") +
		l.Traffic().Count("configureReplication")
	assert.Equal(t, 0, got)
}

func TestEscape(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	var mu sync.Mutex
	var paths []string
	c := l.client(t, func(c *vr.Config) {
		c.Wrap = func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				paths = append(paths, r.URL.EscapedPath())
				return next.RoundTrip(r)
			})
		}
	})
	_, err := c.Sync(t.Context(), l.PairingID(), "a/../b?c#d%e:f")
	require.ErrorIs(t, err, vr.ErrNotFound)
	want := "/api/rest/vr/v2/pairings/" + l.PairingID() + "/replications/a%2F..%2Fb%3Fc%23d%25e:f/actions/sync"
	assert.Contains(t, paths, want)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestCancel(t *testing.T) {
	t.Parallel()
	c := startLab(t, gateway.Switches{}).client(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Pairings(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestLongAnswer(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t, func(c *vr.Config) {
		c.Wrap = func(next http.RoundTripper) http.RoundTripper { return longBody{next} }
	})
	_, err := c.Pairings(t.Context())
	n := l.Traffic().Count("getVrPairings")
	require.ErrorIs(t, err, transport.ErrTooLarge)
	assert.Equal(t, 1, n)
	assert.Contains(t, err.Error(), "larger than 64 MiB")
}

type longBody struct{ next http.RoundTripper }

func (l longBody) RoundTrip(r *http.Request) (*http.Response, error) {
	result, err := l.next.RoundTrip(r)
	if err == nil && !strings.HasSuffix(r.URL.Path, "session") {
		result.ContentLength = transport.MaxResponseSize + 1
	}
	return result, err
}
