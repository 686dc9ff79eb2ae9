package connection_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	appliance "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// call is a request sent by a client. kind is its name in fault rules.
type call struct {
	kind    string
	traffic *fault.Traffic
	url     string
	run     func(context.Context, *connection.Set) error
	// login is true for requests that open a session. soap is true for requests that govmomi sends.
	login bool
	soap  bool
}

type service struct {
	settings connect.Settings
	calls    []call
	secrets  []string
	sessions func() int
}

var services = map[string]func(*testing.T) service{
	"vSphere":              vSphere,
	"vSphere Replication":  replication,
	"vSAN Data Protection": protection,
}

func vcenter(t *testing.T, site int) *vcsim.VCenter {
	t.Helper()
	v, err := vcsim.Start(t.Context(), vcsim.Config{Site: site, VMs: 2})
	require.NoError(t, err)
	t.Cleanup(func() { _ = v.Close() })
	return v
}

func caFile(t *testing.T, certificates ...[]byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, slices.Concat(certificates...), 0o600))
	return file
}

func vSphere(t *testing.T) service {
	t.Helper()
	v := vcenter(t, 0)
	vm := v.VMs()[0].ID
	with := func(run func(context.Context, *vsphere.Client) error) func(context.Context, *connection.Set) error {
		return func(ctx context.Context, set *connection.Set) error {
			return run(ctx, set.VSphere(&diag.Diagnostics{}))
		}
	}
	categories := with(func(ctx context.Context, c *vsphere.Client) error {
		_, err := c.CategoryIDs(ctx)
		return err
	})
	names := with(func(ctx context.Context, c *vsphere.Client) error {
		_, err := c.VMNames(ctx, []string{vm})
		return err
	})
	attach := with(func(ctx context.Context, c *vsphere.Client) error {
		return c.AttachTag(ctx, "tag", []vsphere.Object{{Type: "VirtualMachine", ID: vm}})
	})
	return service{
		settings: connect.Settings{
			Server:   v.URL(),
			User:     v.User(),
			Password: v.Password(),
			CAFile:   caFile(t, v.CAPEM()),
		},
		calls: []call{
			{"POST session", v.Traffic(), v.URL(), categories, true, false},
			{"GET category", v.Traffic(), v.URL(), categories, false, false},
			{"POST tag-association:attach-tag-to-multiple-objects", v.Traffic(), v.URL(), attach, false, false},
			{"soap:Login", v.Traffic(), v.URL(), names, true, true},
			{"soap:RetrievePropertiesEx", v.Traffic(), v.URL(), names, false, true},
		},
		secrets: []string{v.Password()},
		sessions: func() int {
			rest, soap := v.Sessions()
			return rest + soap
		},
	}
}

func replication(t *testing.T) service {
	t.Helper()
	g, err := gateway.Start(t.Context(), gateway.Config{Protected: vcenter(t, 0), Recovery: vcenter(t, 1)})
	require.NoError(t, err)
	t.Cleanup(g.Close)
	list := func(ctx context.Context, set *connection.Set) error {
		_, err := set.Replication(&diag.Diagnostics{}).Replications(ctx, g.PairingID(), "", vr.Recent)
		return err
	}
	pause := func(ctx context.Context, set *connection.Set) error {
		_, err := set.Replication(&diag.Diagnostics{}).Pause(ctx, g.PairingID(), "GID-1")
		return err
	}
	return service{
		settings: connect.Settings{
			CAFile: caFile(t, g.CAPEM()),
			Replication: connect.Replication{
				Server:         g.URL(),
				User:           g.User(),
				Password:       g.Password(),
				RemoteUser:     g.RemoteUser(),
				RemotePassword: g.RemotePassword(),
			},
		},
		calls: []call{
			{"login", g.Traffic(), g.URL(), list, true, false},
			{"createRemoteSession", g.Traffic(), g.URL(), list, true, false},
			{"getAllReplications", g.Traffic(), g.URL(), list, false, false},
			{"pauseReplication", g.Traffic(), g.URL(), pause, false, false},
		},
		secrets:  []string{g.Password(), g.RemotePassword()},
		sessions: g.Sessions,
	}
}

func protection(t *testing.T) service {
	t.Helper()
	v := vcenter(t, 0)
	a, err := appliance.Start(t.Context(), appliance.Config{VCenter: v})
	require.NoError(t, err)
	t.Cleanup(a.Close)
	cluster := v.Clusters()[0].ID
	list := func(ctx context.Context, set *connection.Set) error {
		_, err := set.Protection(&diag.Diagnostics{}).Groups(ctx, cluster, 0)
		return err
	}
	create := func(ctx context.Context, set *connection.Set) error {
		_, err := set.Protection(&diag.Diagnostics{}).Create(ctx, cluster,
			snapservice.Spec{Name: "gold", Targets: snapservice.Targets{VMs: []string{v.VMs()[0].ID}}},
			snapservice.WaitOptions{})
		return err
	}
	return service{
		settings: connect.Settings{
			Server:     v.URL(),
			CAFile:     caFile(t, v.CAPEM(), a.CAPEM()),
			Protection: connect.Protection{Server: a.URL(), User: v.User(), Password: v.Password()},
		},
		calls: []call{
			{"POST /sts/STSService", v.Traffic(), v.URL(), list, true, true},
			{"POST session", a.Traffic(), a.URL(), list, true, false},
			{"list", a.Traffic(), a.URL(), list, false, false},
			{"create", a.Traffic(), a.URL(), create, false, false},
		},
		secrets: []string{v.Password()},
		sessions: func() int {
			open, _ := a.Sessions()
			return open
		},
	}
}

// TestLogins_shared verifies that a password rejected by one service is not sent to another. vCenter Single Sign-On
// counts the rejected logins of all services and locks the account after five.
func TestLogins_shared(t *testing.T) {
	t.Parallel()
	of := map[string]service{"vSphere": vSphere(t), "vSphere Replication": replication(t)}
	settings := of["vSphere"].settings
	settings.Replication = of["vSphere Replication"].settings.Replication
	settings.CAFile = ""
	settings.Insecure = true
	settings.User = "vsla@vsphere.local"
	settings.Password = "old"
	r := &settings.Replication
	r.User = settings.User
	r.Password = "old"
	r.RemoteUser = settings.User
	r.RemotePassword = "old"
	set := connection.NewSet(connection.Settings{Settings: settings}, &connection.Sessions{})
	logins := map[*fault.Traffic]string{}
	for name, s := range of {
		for _, c := range s.calls {
			if c.login {
				logins[c.traffic] = c.kind
			}
			require.Error(t, c.run(context.WithoutCancel(t.Context()), set),
				"%s: %s succeeds with the wrong password", name, c.kind)
		}
	}
	sent := 0
	for traffic := range logins {
		for kind, n := range traffic.Counts() {
			if kind == "POST session" || kind == "soap:Login" || kind == "login" {
				sent += n
			}
		}
	}
	assert.Equal(t, 1, sent)
}

func TestState_concurrent(t *testing.T) {
	t.Parallel()
	set := connection.NewSet(connection.Settings{}, new(connection.Sessions))
	const resources = 1000
	var all sync.WaitGroup
	for range resources {
		all.Go(func() { connection.State[counter](set).Add(1) })
	}
	all.Wait()
	assert.EqualValues(t, resources, connection.State[counter](set).Load())
}

func TestSessions_locks(t *testing.T) {
	t.Parallel()
	var (
		sessions connection.Sessions
		all      sync.WaitGroup
	)
	settings := connection.Settings{Settings: connect.Settings{Server: "vc", User: "user", Password: "secret"}}
	for range 20 {
		set := connection.NewSet(settings, &sessions)
		for range 2 {
			all.Go(func() { assert.NotNil(t, set.VSphere(new(diag.Diagnostics))) })
		}
		all.Go(func() { assert.NoError(t, sessions.Close(t.Context())) })
	}
	all.Wait()
}
