package actions_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// reconnects invokes the action and checks its progress messages and error, the number of requests, and whether the
// sites are disconnected afterwards. fails is part of the expected error, or empty if the action must succeed.
func reconnects(
	t *testing.T, s *acctest.Sites, what string, config map[string]any, says, fails string, requests int, apart bool,
) {
	t.Helper()
	s.Traffic().Reset()
	progress, failed := invoke(t, s, "reconnect", "", config)
	assert.Contains(t, strings.Join(progress, "\n"), says, what)
	assert.Contains(t, failed, fails, what)
	assert.Equal(t, fails == "", failed == "", what)
	assert.Equal(t, requests, s.Traffic().Count("reconnectVrPairing"), what)
	assert.Equal(t, apart, s.IsDisconnected(), what)
	for _, secret := range append(s.SessionIDs(), s.Password(), s.RemotePassword()) {
		assert.NotContains(t, strings.Join(append(progress, failed), "\n"), secret, what)
	}
}

func TestReconnect(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{NeedThumbprint: true})
	reconnects(t, s, "connected", nil, "nothing to do", "", 0, false)
	reconnects(t, s, "by force", map[string]any{"force": true}, "done", "", 1, false)
	s.BreakPairing()
	reconnects(t, s, "certificate not trusted", nil, "", "CERTIFICATE_NOT_TRUSTED", 1, true)
	with := map[string]any{"remote_thumbprint": s.RemoteThumbprint()}
	with["remote_address"] = "vc.recovery.lab:7444"
	reconnects(t, s, "another port", with, "", "vc.recovery.lab:7444 does not answer", 1, true)
	with["remote_address"] = "vc.recovery.lab:443"
	reconnects(t, s, "apart", with, "done, the sites are connected", "", 1, false)
	s.BreakPairing()
	with["wait"] = false
	reconnects(t, s, "without waiting", with, "the task is complete", "", 1, false)
	reconnects(t, s, "no such pairing", map[string]any{"pairing_id": s.LocalVCenterID()}, "", "pairing does not exist",
		0, false)
}

func TestReconnect_busy(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string]gateway.Switches{
		"by an answer": {},
		"by a task":    {FailInTask: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 1, switches)
			s.BreakPairing()
			s.StartReconnect()
			reconnects(t, s, "busy", map[string]any{"force": true}, "done", "", 2, false)
		})
	}
}

func TestReconnect_fails(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	s.BreakPairing()

	s.RemoteDown(true)
	reconnects(t, s, "remote site down", nil, "", "REMOTE_SITE_NOT_AVAILABLE", 1, true)
	reconnects(t, s, "remote site down, by force", map[string]any{"force": true}, "", "REMOTE_SITE_NOT_AVAILABLE", 1,
		true)
	s.RemoteDown(false)

	s.BreakTasks(gateway.TaskRule{Operation: "reconnectVrPairing", Fail: "The lookup service failed.", Details: "ls"})
	reconnects(t, s, "task failure", nil, "", "its task failed", 1, true)
	s.MendTasks()
	s.BreakTasks(gateway.TaskRule{Operation: "reconnectVrPairing", Fail: "Wrong password, try again."})
	reconnects(t, s, "account refused", nil, "", "Wrong password", 1, true)
	s.MendTasks()

	s.Traffic().Break(fault.Rule{
		Kind:   "reconnectVrPairing",
		Times:  1,
		Before: func(*http.Request) { s.ExpireSessions() },
	})
	reconnects(t, s, "session end", nil, "done", "", 2, false)

	s.BreakPairing()
	s.Traffic().Break(fault.Rule{Kind: "reconnectVrPairing", Times: 1, HandleFirst: true, CloseConnection: true})
	reconnects(t, s, "answer lost", nil, "done", "", 1, false)

	s.Sleep(func(ctx context.Context, d time.Duration) error {
		s.Advance(d)
		s.BreakPairing()
		return ctx.Err()
	})
	s.BreakPairing()
	reconnects(t, s, "apart again", nil, "SUCCESS", "sites of the pairing are not connected", 1, true)
}

func TestReconnect_validate(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	provider, ok := s.Configured(t).(tfprotov6.ProviderServerWithActions) //nolint:staticcheck // see invoke
	require.True(t, ok, "the provider has no actions")
	schema, err := provider.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	const name = "vsla_replication_reconnect"
	sha256 := "5d" + strings.Repeat(":2B", 31)
	sha1 := "5d" + strings.Repeat(":2B", 19)
	for _, test := range []struct {
		argument, value string
		fine            bool
	}{
		{"remote_address", "vc.example.com", true},
		{"remote_address", "vc.example.com:8443", true},
		{"remote_address", "[2001:db8::1]:443", true},
		{"remote_address", "https://vc.example.com", false},
		{"remote_address", "vc.example.com/psc", false},
		{"remote_address", "user@vc.example.com", false},
		{"remote_address", "vc.example.com:0", false},
		{"remote_address", "vc.example.com:65536", false},
		{"remote_address", "", false},
		{"remote_thumbprint", sha256, true},
		{"remote_thumbprint", sha1, true},
		{"remote_thumbprint", sha1 + ":2B", false},
		{"remote_thumbprint", strings.ReplaceAll(sha1, ":", ""), false},
		{"timeout", "90s", true},
		{"timeout", "soon", false},
	} {
		answer, err := provider.ValidateActionConfig(t.Context(), &tfprotov6.ValidateActionConfigRequest{
			ActionType: name,
			Config: acctest.Object(t, schema.ActionSchemas[name].Schema, map[string]any{
				"pairing_id":  s.PairingID(),
				test.argument: test.value,
			}),
		})
		require.NoError(t, err)
		at := slices.ContainsFunc(answer.Diagnostics, func(d *tfprotov6.Diagnostic) bool {
			return strings.Contains(d.Attribute.String(), test.argument)
		})
		require.Equal(t, test.fine, len(answer.Diagnostics) == 0, "%+v", answer.Diagnostics)
		assert.NotEqual(t, test.fine, at, "%+v", answer.Diagnostics)
	}
	assert.Equal(t, 0, s.Traffic().Total())
}
