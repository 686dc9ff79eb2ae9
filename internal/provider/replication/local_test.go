package replication_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
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

// TestCLI_forceLocal destroys a replication after the remote site has become unavailable. It verifies that a destroy
// without a refresh removes the replication from the local site, but only if force_local_destroy was applied before.
func TestCLI_forceLocal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		allowed bool
		lose    func(*acctest.Sites)
		refusal string
	}{
		"site is down":            {true, func(s *acctest.Sites) { s.RemoteDown(true) }, "login at the remote site failed"},
		"login is refused":        {true, refuseRemote, "remote site rejected the user name or password"},
		"site is down, forbidden": {false, func(s *acctest.Sites) { s.RemoteDown(true) }, "login at the remote site failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 40, gateway.Switches{})
			w, dir := workspace(t, s)
			if test.allowed {
				allow(t, filepath.Join(dir, "resource.tf"))
			}
			acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
			test.lose(s)
			said := words(acctest.RunTerraform(t, w, 1, "destroy", "-auto-approve", "-input=false", "-no-color"))
			assert.Contains(t, said, test.refusal)
			id := only(t, s).ID
			code, most := 0, 1
			if !test.allowed {
				code, most = 1, 0
			}
			said = words(
				acctest.RunTerraform(t, w, code, "destroy", "-refresh=false", "-auto-approve", "-input=false", "-no-color"),
			)
			assert.Equal(t, most, s.Traffic().Count("destroyReplication"))
			if !test.allowed {
				require.Contains(t, said, "force_local_destroy = true must be applied while the remote site is available")
				assert.Len(t, s.Replications(), 1)
				s.RemoteDown(false)
				s.Traffic().Mend()
				acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
				return
			}
			for _, part := range []string{"Destroyed on One Site Only", id, "Remove the remaining part at the other site, " +
				"including the replica disks, manually"} {
				assert.Contains(t, said, part)
			}
			assert.Equal(t, 0, len(s.Replications()))
		})
	}
}

func refuseRemote(s *acctest.Sites) {
	s.ExpireSessions()
	s.Traffic().Break(fault.Rule{Kind: "createRemoteSession", Status: http.StatusUnauthorized})
}

func allow(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	content = bytes.Replace(content, []byte("  rpo_minutes "), []byte("  force_local_destroy = true\n  rpo_minutes "), 1)
	require.NoError(t, os.WriteFile(file, content, 0o600))
}

func words(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t│╷╵", r) }), " ")
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	turned := map[string]gateway.Switches{
		"":                   {},
		"SessionTTL":         {SessionTTL: 20 * time.Second},
		"SessionIdle":        {SessionIdle: 4 * time.Second},
		"RemoteStatus":       {RemoteStatus: http.StatusForbidden, SessionTTL: 20 * time.Second},
		"PartialSilent":      {PartialSilent: true, SessionTTL: 20 * time.Second},
		"PartialDropsRows":   {PartialDropsRows: true, SessionTTL: 20 * time.Second},
		"DownStatus":         {DownStatus: http.StatusServiceUnavailable},
		"FailInTask":         {FailInTask: true},
		"StrictState":        {StrictState: true},
		"SyncTaskWaits":      {SyncTaskWaits: true},
		"Enhanced":           {Enhanced: true},
		"BusyFor":            {BusyFor: 2 * time.Minute},
		"NullServerMoves":    {NullServerMoves: true},
		"NeedThumbprint":     {NeedThumbprint: true},
		"FilterByNameOnly":   {FilterByNameOnly: true},
		"SortByNameOnly":     {SortByNameOnly: true},
		"RequireContentType": {RequireContentType: true},
		"HideFor":            {HideFor: 12 * time.Second},
		"FilterContains":     {FilterContains: true},
		"PageCap":            {PageCap: 1},
		"SelfPairing":        {SelfPairing: true},
		"UsedFromInventory":  {UsedFromInventory: true},
		"DiskFormat":         {DiskFormat: true},
		"Limits":             {Limits: gateway.DefaultLimits()},
	}
	for name, switches := range turned {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goThrough(t, switches)
		})
	}
	// These switches affect only how much data is transferred and when.
	data := []string{"ChangeRate", "Rule"}
	for field := range reflect.TypeFor[gateway.Switches]().Fields() {
		_, known := turned[field.Name]
		assert.False(t, !known && !slices.Contains(data, field.Name), "the switch %s is not turned", field.Name)
	}
}

func goThrough(t *testing.T, switches gateway.Switches) {
	t.Helper()
	s := acctest.StartSites(t, 2, switches)
	f := &fleet{s: s, states: make([]*tfprotov6.DynamicValue, 2)}
	var servers []string // the servers that vSphere Replication chose initially
	s.RunInBubble(t, func(t *testing.T) {
		t.Helper()
		for _, step := range []struct {
			what    string
			rpo     int
			paused  any
			changes int
		}{
			{"create", 60, nil, 2},
			{"plan without changes", 60, nil, 0},
			{"change", 30, nil, 2},
			{"pause", 30, true, 2},
			{"plan of what is paused", 30, true, 0},
			{"resume", 30, false, 2},
			{"destroy", 0, nil, 2},
		} {
			f.paused = step.paused
			_, changes := f.apply(t, step.rpo)
			assert.Equal(t, step.changes, changes)
			all := s.Replications()
			for i, r := range all {
				if len(servers) <= i {
					servers = append(servers, r.ServerID)
				} else if r.ServerID != servers[i] {
					t.Errorf("%s: got the server %s, want %s as before", step.what, r.ServerID, servers[i])
				}
			}
			require.False(t, step.rpo == 0 && len(all) != 0, "%s: %d replications", step.what, len(all))
			assert.False(t, step.rpo != 0 && len(all) != 2, "%s: %d replications", step.what, len(all))
			for _, r := range all {
				require.Equal(t, int64(step.rpo), r.RPOMinutes)
				assert.Equal(t, step.paused == true, r.Paused)
			}
		}
	})
	if n := s.Traffic().Count("configureReplication"); n < 2 || n > 4 { // an expired session adds a request
		t.Errorf("%d requests to configure", n)
	}
}
