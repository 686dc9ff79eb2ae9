package connection_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// TestLogins_shared: a password that one service refuses is not sent to another: vCenter's single sign-on counts the
// refusals of all, and locks the account after five.
func TestLogins_shared(t *testing.T) {
	t.Parallel()
	of := map[string]service{"vSphere": vSphere(t), "vSphere Replication": replication(t)}
	settings := of["vSphere"].settings
	settings.Replication = of["vSphere Replication"].settings.Replication
	settings.CAFile, settings.Insecure = "", true
	settings.User, settings.Password = "vsla@vsphere.local", "old"
	r := &settings.Replication
	r.User, r.Password, r.RemoteUser, r.RemotePassword = settings.User, "old", settings.User, "old"
	set := connection.NewSet(connection.Settings{Settings: settings}, &connection.Sessions{})
	logins := map[*fault.Traffic]string{}
	for name, s := range of {
		for _, c := range s.calls {
			if c.login {
				logins[c.traffic] = c.kind
			}
			assert.Error(t, c.run(context.WithoutCancel(t.Context()), set),
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
