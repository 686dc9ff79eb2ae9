package actions_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func invoke(t *testing.T, s *acctest.Sites, verb, id string, more map[string]any) (progress []string, failed string) {
	t.Helper()
	provider := s.Configured(t)
	actions, ok := provider.(tfprotov6.ProviderServerWithActions) //nolint:staticcheck // deprecated, no replacement yet
	require.True(t, ok, "the provider has no actions")
	schema, err := provider.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	name := "vsla_replication_" + verb
	arguments := map[string]any{"pairing_id": s.PairingID(), "replication_id": id}
	maps.Copy(arguments, more)
	if id == "" {
		delete(arguments, "replication_id")
	}
	stream, err := actions.InvokeAction(t.Context(), &tfprotov6.InvokeActionRequest{
		ActionType: name, Config: acctest.Object(t, schema.ActionSchemas[name].Schema, arguments),
	})
	require.NoError(t, err)
	var errs []string
	for event := range stream.Events {
		switch e := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, e.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			for _, d := range e.Diagnostics {
				errs = append(errs, d.Summary+": "+d.Detail)
			}
		}
	}
	return progress, strings.Join(errs, "\n")
}

func TestActions(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string]gateway.Switches{
		"lenient":                    {},
		"strict, and the task waits": {StrictState: true, SyncTaskWaits: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 1, switches)
			s.SetUsed(s.VM(0), 1<<30)
			s.SetChangeRate(s.VM(0), 1e4)
			config := s.Provider() + `
resource "vsla_replication" "vm" {
  pairing_id            = "` + s.PairingID() + `"
  vm_id                 = "` + s.VM(0) + `"
  target_datastore_id   = "` + s.Datastore(0) + `"
  rpo_minutes           = 1440
  wait_for_initial_sync = true
}`
			s.Run(t, resource.TestStep{Config: config, Check: func(*terraform.State) error {
				check(t, s, s.Replications()[0].ID)
				return nil
			}})
		})
	}
}

func check(t *testing.T, s *acctest.Sites, id string) {
	t.Helper()
	for _, step := range []struct {
		verb, says, fails string
		paused            bool
		requests          int
	}{
		{verb: "pause", says: "done", paused: true, requests: 1},
		{verb: "pause", says: "nothing to do", paused: true},
		{verb: "sync", fails: "is paused", paused: true},
		{verb: "resume", says: "done", requests: 1},
		{verb: "resume", says: "nothing to do"},
		{verb: "sync", says: "done", requests: 1},
	} {
		before := s.Replications()[0]
		s.Traffic().Reset()
		progress, failed := invoke(t, s, step.verb, id, nil)
		if !strings.Contains(strings.Join(progress, "\n"), step.says) || !strings.Contains(failed, step.fails) ||
			(failed != "" && step.fails == "") {
			t.Errorf("%s: %q, %q", step.verb, progress, failed)
		}
		after := s.Replications()[0]
		assert.Equal(t, step.paused, after.Paused)
		assert.Equal(t, step.requests, s.Traffic().Count(step.verb+"Replication"))
		assert.False(t, step.verb == "sync" && step.fails == "" && after.SyncCount <= before.SyncCount,
			"no sync ended: %d, %d before", after.SyncCount, before.SyncCount)
	}
	_, failed := invoke(t, s, "pause", "", map[string]any{"vm_id": s.VM(0)})
	require.Equal(t, "", failed)
	assert.True(t, s.Replications()[0].Paused, "pause by VM: %q, %+v", failed, s.Replications()[0])
	if _, failed := invoke(t, s, "resume", "", map[string]any{"vm_id": s.VM(0)}); failed != "" {
		t.Errorf("resume by VM: %s", failed)
	}
	none := strings.Replace(s.VM(0), "vm-", "vm-9", 1)
	if _, failed := invoke(t, s, "pause", "", map[string]any{"vm_id": none}); !strings.Contains(
		failed, "VM has no replication") {
		t.Errorf("a VM without replication: %q", failed)
	}
	if _, failed := invoke(t, s, "pause", "no-such", nil); !strings.Contains(failed, "object does not exist") {
		t.Errorf("unknown replication: %q", failed)
	}
}

// reconnects invokes the action and checks its progress messages and error, the number of requests, and whether the
// sites are disconnected afterwards. fails is part of the expected error, or empty if the action must succeed.
func reconnects(
	t *testing.T, s *acctest.Sites, what string, config map[string]any, says, fails string, requests int, apart bool,
) {
	t.Helper()
	s.Traffic().Reset()
	progress, failed := invoke(t, s, "reconnect", "", config)
	if !strings.Contains(strings.Join(progress, "\n"), says) || !strings.Contains(failed, fails) ||
		(failed != "" && fails == "") {
		t.Errorf("%s: %q, %q", what, progress, failed)
	}
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
	for name, switches := range map[string]gateway.Switches{"by an answer": {}, "by a task": {FailInTask: true}} {
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
	reconnects(t, s, "remote site down, by force", map[string]any{"force": true}, "", "REMOTE_SITE_NOT_AVAILABLE", 1, true)
	s.RemoteDown(false)

	s.BreakTasks(gateway.TaskRule{Operation: "reconnectVrPairing", Fail: "The lookup service failed.", Details: "ls"})
	reconnects(t, s, "task failure", nil, "", "its task failed", 1, true)
	s.MendTasks()
	s.BreakTasks(gateway.TaskRule{Operation: "reconnectVrPairing", Fail: "Wrong password, try again."})
	reconnects(t, s, "account refused", nil, "", "Wrong password", 1, true)
	s.MendTasks()

	s.Traffic().Break(fault.Rule{Kind: "reconnectVrPairing", Times: 1, Before: func(*http.Request) { s.ExpireSessions() }})
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
	sha256, sha1 := "5d"+strings.Repeat(":2B", 31), "5d"+strings.Repeat(":2B", 19)
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
				"pairing_id": s.PairingID(), test.argument: test.value,
			}),
		})
		require.NoError(t, err)
		at := slices.ContainsFunc(answer.Diagnostics, func(d *tfprotov6.Diagnostic) bool {
			return strings.Contains(d.Attribute.String(), test.argument)
		})
		require.Equal(t, test.fine, len(answer.Diagnostics) == 0, answer.Diagnostics)
		assert.NotEqual(t, test.fine, at, answer.Diagnostics)
	}
	assert.Equal(t, 0, s.Traffic().Total())
}
