package vr_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/lab/vrcontract"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

// lab is a simulated vSphere Replication appliance with two vCenters. Its virtual clock advances while a client waits.
type lab struct {
	*gateway.Gateway
	protected *vcsim.VCenter
	caFile    string

	mu     sync.Mutex
	waits  []time.Duration
	events []vr.Event
}

func startLab(t *testing.T, switches gateway.Switches) *lab {
	t.Helper()
	site := func(n int) *vcsim.VCenter {
		v, err := vcsim.Start(t.Context(), vcsim.Config{Site: n, VMs: 40})
		require.NoError(t, err)
		t.Cleanup(func() { _ = v.Close() })
		return v
	}
	l := &lab{protected: site(0), caFile: filepath.Join(t.TempDir(), "ca.pem")}
	contract := vrcontract.Load(t)
	if switches.Latest != (gateway.Latest{}) {
		contract = vrcontract.LoadLatest(t)
	}
	g, err := gateway.Start(t.Context(), gateway.Config{
		Protected: l.protected,
		Recovery:  site(1),
		Switches:  switches,
		Wrap:      func(next http.Handler) http.Handler { return contract.Strict(t, next) },
	})
	require.NoError(t, err)
	t.Cleanup(g.Close)
	l.Gateway = g
	require.NoError(t, os.WriteFile(l.caFile, g.CAPEM(), 0o600))
	return l
}

func (l *lab) sleep(ctx context.Context, d time.Duration) error {
	l.mu.Lock()
	l.waits = append(l.waits, d)
	l.mu.Unlock()
	l.Advance(d)
	return ctx.Err()
}

func (l *lab) sleepCount(d time.Duration) (times int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.waits {
		if w == d {
			times++
		}
	}
	return times
}

func (l *lab) config() vr.Config {
	return vr.Config{
		Server:         l.URL(),
		User:           l.User(),
		Password:       l.Password(),
		RemoteUser:     l.RemoteUser(),
		RemotePassword: l.RemotePassword(),
		Settings: transport.Settings{
			CAFile:    l.caFile,
			Now:       l.Now,
			Sleep:     l.sleep,
			UserAgent: "test",
			Observe: func(_ context.Context, e vr.Event) {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.events = append(l.events, e)
			},
		},
	}
}

func (l *lab) client(t *testing.T, change ...func(*vr.Config)) *vr.Client {
	t.Helper()
	config := l.config()
	for _, f := range change {
		f(&config)
	}
	c, err := vr.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) }) // in some tests, even the logout fails
	return c
}

func (l *lab) vm(n int) string { return vr.VMID(l.protected.VMs()[n].ID, l.LocalVCenterID()) }

func (l *lab) datastore(t *testing.T, c *vr.Client) string {
	t.Helper()
	stores, err := c.Datastores(t.Context(), l.PairingID(), l.RemoteVCenterID())
	require.NoError(t, err)
	return stores[0].ID
}

func (l *lab) settings(t *testing.T, c *vr.Client, vm string) vr.Settings {
	t.Helper()
	disks, err := c.Disks(t.Context(), l.PairingID(), l.LocalVCenterID(), vm)
	require.NoError(t, err)
	datastore := l.datastore(t, c)
	s := vr.Settings{Options: vr.Options{RPOMinutes: 15, AutoReplicate: true}}
	for _, d := range disks {
		s.Disks = append(s.Disks,
			vr.DiskSettings{Disk: d, Replicate: true, DatastoreID: datastore, Format: "SAME_AS_SOURCE"})
	}
	return s
}

func (l *lab) replicate(t *testing.T, c *vr.Client, vm string) string {
	t.Helper()
	task, err := c.Configure(t.Context(), l.PairingID(), vm, l.RemoteVCenterID(), l.settings(t, c, vm))
	require.NoError(t, err)
	require.NoError(t, c.Wait(t.Context(), task, nil))
	r, err := c.AwaitReplication(t.Context(), l.PairingID(), vm, l.RemoteVCenterID())
	require.NoError(t, err)
	return r.ID
}

func (l *lab) assertNoSecrets(t *testing.T, text string) {
	t.Helper()
	for _, secret := range append(l.SessionIDs(), l.Password(), l.RemotePassword()) {
		assert.NotContains(t, text, secret)
	}
}
