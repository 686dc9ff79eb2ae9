package vr_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
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

func TestNew_refuses(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]vr.Config{
		"no server":      {User: "u"},
		"no user":        {Server: "h"},
		"user info":      {Server: "https://me:secret@h", User: "u"},
		"query":          {Server: "https://h?secret=1", User: "u"},
		"another scheme": {Server: "ftp://h/secret", User: "u"},
		"plain HTTP":     {Server: "http://vr.example.com", User: "u", Password: "secret"},
		"no host":        {Server: "https:///secret", User: "u"},
		"limit":          {Server: "h", User: "u", RequestsPerMinute: -1},
		"time-out":       {Server: "h", User: "u", Settings: transport.Settings{Timeout: -1}},
		"CA file":        {Server: "h", User: "u", Settings: transport.Settings{CAFile: "/does/not/exist"}},
	} {
		_, err := vr.New(config)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "secret", name)
	}
	c, err := vr.New(vr.Config{Server: " appliance:8043 ", User: "u"})
	require.NoError(t, err)
	assert.Equal(t, "appliance:8043", c.Server())
}

func TestCertificate(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t, func(c *vr.Config) { c.CAFile = "" })
	_, err := c.Pairings(t.Context())
	require.ErrorIs(t, err, vr.ErrCertificate)
	c = l.client(t, func(c *vr.Config) {
		c.CAFile = ""
		c.Insecure = true
	})
	_, err = c.Pairings(t.Context())
	assert.NoError(t, err)
}

func TestVersion(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	l.Traffic().Break(fault.Rule{Kind: "POST /api/rest/vr/v9/session", Status: http.StatusNotFound})
	_, err := l.client(t, func(c *vr.Config) { c.Server = l.URL() + "/api/rest/vr/v9" }).Pairings(t.Context())
	assert.ErrorIs(t, err, vr.ErrVersion)
}

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

// TestLists_null verifies that null in place of a list does not pass for an empty list.
func TestLists_null(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"list": null}`, `{}`} {
		l := startLab(t, gateway.Switches{})
		l.Traffic().Break(fault.Rule{Kind: "getVrPairings", Status: http.StatusOK, Body: body})
		_, err := l.client(t).Pairings(t.Context())
		assert.ErrorContains(t, err, "a list is missing or null", body)
	}
}

// TestLogin_notUnderstood verifies that a login whose response nobody understands is repeated once, because each might
// open a session.
func TestLogin_notUnderstood(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	l.Traffic().Break(fault.Rule{Kind: "login", Status: http.StatusOK, Body: "<html>"})
	_, err := l.client(t).Pairings(t.Context())
	require.ErrorIs(t, err, vr.ErrUnavailable)
	assert.Equal(t, 2, l.Traffic().Count("login"))
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

func TestLists(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{PageCap: 7, FilterContains: true})
	c := l.client(t)
	name := l.protected.VMs()[3].Name
	for value, want := range map[string]int{name: 1, name[:len(name)-1]: 0} { // part of a name must not match
		all, err := c.VMsByProperty(t.Context(), l.PairingID(), l.LocalVCenterID(), "name", value)
		require.NoError(t, err, value)
		assert.Len(t, all, want, value)
	}
	for i := range 9 {
		l.replicate(t, c, l.vm(i))
	}
	read := func() (int, error) {
		l.Advance(61 * time.Second)
		all, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared)
		return len(all), err
	}
	for name, test := range map[string]struct {
		times  int
		mutate func(map[string]any)
		want   error
	}{
		"as it is":                {1, func(map[string]any) {}, nil},
		"links are null":          {0, gateway.NullLinks, nil},
		"a row comes twice":       {1, gateway.DuplicateRow, nil},
		"rows always come twice":  {0, gateway.DuplicateRow, vr.ErrPartial},
		"the total is too large":  {0, gateway.WrongTotal(5), vr.ErrPartial},
		"the total was too large": {2, gateway.WrongTotal(5), nil},
		"later fields":            {0, gateway.ExtraFields, nil},
		"an unknown status":       {0, gateway.UnknownValue("status"), nil},
		"an announced gap":        {0, gateway.MetaError("$.list[0].rpo"), vr.ErrPartial},
		"no meta":                 {1, gateway.NullMeta, nil},
	} {
		l.ChangeAnswers("getAllReplications", test.times, test.mutate)
		n, err := read()
		l.MendAnswers()
		if test.want == nil {
			require.NoError(t, err, name)
			assert.Equal(t, 9, n, name)
		}
		if test.want != nil {
			assert.ErrorIs(t, err, test.want, name)
		}
	}
}

func TestUnknownValues(t *testing.T) {
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

func TestCancel(t *testing.T) {
	t.Parallel()
	c := startLab(t, gateway.Switches{}).client(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Pairings(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}
