package actions_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
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
		ActionType: name,
		Config:     acctest.Object(t, schema.ActionSchemas[name].Schema, arguments),
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
			s.Run(t, resource.TestStep{
				Config: config,
				Check: func(*terraform.State) error {
					check(t, s, s.Replications()[0].ID)
					return nil
				},
			})
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
		assert.Contains(t, strings.Join(progress, "\n"), step.says, step.verb)
		assert.Contains(t, failed, step.fails, step.verb)
		assert.Equal(t, step.fails == "", failed == "", step.verb)
		after := s.Replications()[0]
		assert.Equal(t, step.paused, after.Paused)
		assert.Equal(t, step.requests, s.Traffic().Count(step.verb+"Replication"))
		if step.verb == "sync" && step.fails == "" {
			assert.Greater(t, after.SyncCount, before.SyncCount, "no sync ended")
		}
	}
	_, failed := invoke(t, s, "pause", "", map[string]any{"vm_id": s.VM(0)})
	require.Empty(t, failed)
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
