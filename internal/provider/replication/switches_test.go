package replication_test

import (
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

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
		"Latest":             {Enhanced: true, Latest: gateway.AllOfLatest()},
		"Latest, optional":   {Latest: gateway.Latest{OmitOptional: true}},
		"BusyFor":            {BusyFor: 2 * time.Minute},
		"NullServerMoves":    {NullServerMoves: true},
		"NeedThumbprint":     {NeedThumbprint: true},
		"FilterByNameOnly":   {FilterByNameOnly: true},
		"SortByNameOnly":     {SortByNameOnly: true},
		"RequireContentType": {RequireContentType: true},
		"HideFor":            {HideFor: 12 * time.Second},
		"FilterContains":     {FilterContains: true},
		"PageCap":            {PageCap: 1},
		"Capitals":           {Capitals: true},
		"SelfPairing":        {SelfPairing: true},
		"UsedFromInventory":  {UsedFromInventory: true},
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
		if !known {
			assert.Contains(t, data, field.Name)
		}
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
			if step.rpo == 0 {
				require.Empty(t, all, step.what)
			}
			if step.rpo != 0 {
				assert.Len(t, all, 2, step.what)
			}
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
