package doctor_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli/doctor"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func applianceResults(t *testing.T, report *doctor.Report) map[string]doctor.Result {
	t.Helper()
	all := results(t, report)
	maps.DeleteFunc(all, func(id string, _ doctor.Result) bool {
		return !slices.Contains([]string{
			"sorted-lists", "list-totals", "enhanced-replication", "points-in-time", "status-words", "sync-bytes",
		}, id)
	})
	return all
}

// TestAppliance: pairings, replications and capabilities are read, and the assumptions about them are checked.
func TestAppliance(t *testing.T) {
	t.Parallel()
	const ok, differs, unknown = doctor.OK, doctor.Differs, doctor.Unknown
	for name, test := range map[string]struct {
		switches gateway.Switches
		change   func(*lab, *gateway.Gateway)
		want     map[string]doctor.Result
		sentence string
	}{
		"as assumed": {want: map[string]doctor.Result{
			"sorted-lists": ok, "list-totals": ok, "enhanced-replication": ok,
			"points-in-time": unknown, "status-words": ok, "sync-bytes": unknown,
		}, sentence: "2 replications in the pairing."},
		"sorting refused, status not known": {
			switches: gateway.Switches{SortByNameOnly: true},
			change:   func(l *lab, g *gateway.Gateway) { g.SetStatus(l.VMs()[0].ID, "DREAMING") },
			want: map[string]doctor.Result{
				"sorted-lists": differs, "list-totals": ok, "enhanced-replication": ok,
				"points-in-time": unknown, "status-words": differs, "sync-bytes": unknown,
			}, sentence: "1 replication has a status that vsla does not know.",
		},
		"status UNKNOWN": {
			change: func(l *lab, g *gateway.Gateway) { g.SetStatus(l.VMs()[0].ID, "UNKNOWN") },
			want: map[string]doctor.Result{
				"sorted-lists": ok, "list-totals": ok, "enhanced-replication": ok,
				"points-in-time": unknown, "status-words": ok, "sync-bytes": unknown,
			}, sentence: "1 of status UNKNOWN",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, vcsim.Config{})
			g := l.withAppliance(t, test.switches)
			require.NoError(t, g.AddReplications(15, l.VMs()[0].ID, l.VMs()[1].ID))
			if test.change != nil {
				test.change(l, g)
			}
			report, text := l.run(t.Context(), t)
			assert.Equal(t, test.want, applianceResults(t, report), text)
			require.Contains(t, text, test.sentence)
			assert.Contains(t, text, "A replicated VM: RPO from 5 minutes")
			for _, a := range g.AccessLog() {
				require.NotContains(t, a.Operation, "configure")
				assert.NotContains(t, a.Operation, "pause")
			}
		})
	}
}

// TestAppliance_totals: a list without a whole number as total, and without links, differs.
func TestAppliance_totals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meta map[string]any
		want doctor.Result
	}{
		"text":              {map[string]any{"total": "1"}, doctor.Differs},
		"text, with links":  {map[string]any{"total": "1", "links": map[string]any{}}, doctor.Differs},
		"fraction":          {map[string]any{"total": 1.5}, doctor.Differs},
		"neither":           {map[string]any{}, doctor.Differs},
		"null, with links":  {map[string]any{"total": nil, "links": map[string]any{}}, doctor.OK},
		"number, no links":  {map[string]any{"total": 1}, doctor.OK},
		"links and no more": {map[string]any{"links": map[string]any{}}, doctor.OK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, vcsim.Config{})
			g := l.withAppliance(t, gateway.Switches{})
			require.NoError(t, g.AddReplications(15, l.VMs()[0].ID))
			g.Spoil("getAllReplications", 0, func(answer map[string]any) { answer["_meta"] = test.meta })
			report, text := l.run(t.Context(), t)
			assert.Equal(t, test.want, applianceResults(t, report)["list-totals"], text)
		})
	}
}

// TestAppliance_login: a user whom vCenter refused is not tried at the appliance; a refused one there is tried once.
func TestAppliance_login(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	g := l.withAppliance(t, gateway.Switches{})
	right := l.settings.Password
	l.settings.Password = "wrong"
	_, text := l.run(t.Context(), t)
	require.Equal(t, 0, g.Traffic().Total())
	assert.Contains(t, text, "refused the same user")
	l.settings.Password, l.settings.Replication.Password = right, "wrong"
	report, _ := l.run(t.Context(), t)
	require.Len(t, report.Failed, 1)
	assert.Equal(t, 1, g.Traffic().Total())
}

// TestAppliance_remote: without a user for the other site its half is not examined, and a wrong one is tried once.
func TestAppliance_remote(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	g := l.withAppliance(t, gateway.Switches{})
	l.settings.Replication.RemoteUser = ""
	report, text := l.run(t.Context(), t)
	require.Empty(t, report.Failed)
	assert.Contains(t, text, "no user for the remote site is set")
	l.settings.Replication.RemoteUser, l.settings.Replication.RemotePassword = g.RemoteUser(), "wrong"
	_, text = l.run(t.Context(), t)
	logins := g.Traffic().Count("createRemoteSession")
	require.Equal(t, 1, logins)
	assert.Contains(t, text, "the remote site refused the user or password")
}

// TestAppliance_remoteOnce: after the remote site has refused the user, no other pairing is tried.
func TestAppliance_remoteOnce(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	g := l.withAppliance(t, gateway.Switches{})
	l.settings.Replication.RemotePassword = "wrong"
	g.Spoil("getVrPairings", 0, func(answer map[string]any) {
		list, ok := answer["list"].([]any)
		if !ok || len(list) != 1 {
			t.Errorf("the list of pairings is %v", answer["list"])
			return
		}
		answer["list"] = append(list, map[string]any{"pairing_id": "ffffffff-0000-4000-8000-000000000000"})
		answer["_meta"] = map[string]any{"total": 2}
	})
	_, text := l.run(t.Context(), t)
	require.Equal(t, 1, g.Traffic().Count("createRemoteSession"))
	assert.Contains(t, text, "Another pairing was not read, because the remote user was refused.")
}

// TestAppliance_manyPairings: five pairings are read at most, because an appliance accepts 50 requests a minute.
func TestAppliance_manyPairings(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	g := l.withAppliance(t, gateway.Switches{})
	g.Spoil("getVrPairings", 0, func(answer map[string]any) {
		list, ok := answer["list"].([]any)
		assert.True(t, ok, "the list of pairings is %v", answer["list"])
		for n := range 7 {
			list = append(list, map[string]any{"pairing_id": fmt.Sprintf("ffffffff-0000-4000-8000-%012d", n)})
		}
		answer["list"], answer["_meta"] = list, map[string]any{"total": 8}
	})
	// 8 pairings, of which 5 are read: 3 are left out.
	_, text := l.run(t.Context(), t)
	require.Contains(t, text, "- 3 pairings were left out.\n")
	assert.Equal(t, 5, strings.Count(text, "- A pairing of "))
}
