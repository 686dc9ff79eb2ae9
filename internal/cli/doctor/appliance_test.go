package doctor_test

import (
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

func TestAppliance(t *testing.T) {
	t.Parallel()
	const ok, differs, unknown = doctor.OK, doctor.Differs, doctor.Unknown
	for name, test := range map[string]struct {
		switches gateway.Switches
		change   func(*lab, *gateway.Gateway)
		want     map[string]doctor.Result
		sentence string
	}{
		"as assumed": {
			want: map[string]doctor.Result{
				"sorted-lists":         ok,
				"list-totals":          ok,
				"enhanced-replication": ok,
				"points-in-time":       unknown,
				"status-words":         ok,
				"sync-bytes":           unknown,
			},
			sentence: "2 replications in the pairing.",
		},
		"sorting refused, status not known": {
			switches: gateway.Switches{SortByNameOnly: true},
			change:   func(l *lab, g *gateway.Gateway) { g.SetStatus(l.VMs()[0].ID, "DREAMING") },
			want: map[string]doctor.Result{
				"sorted-lists":         differs,
				"list-totals":          ok,
				"enhanced-replication": ok,
				"points-in-time":       unknown,
				"status-words":         differs,
				"sync-bytes":           unknown,
			},
			sentence: "1 replication has a status that vsla does not support.",
		},
		"status UNKNOWN": {
			change: func(l *lab, g *gateway.Gateway) { g.SetStatus(l.VMs()[0].ID, "UNKNOWN") },
			want: map[string]doctor.Result{
				"sorted-lists":         ok,
				"list-totals":          ok,
				"enhanced-replication": ok,
				"points-in-time":       unknown,
				"status-words":         ok,
				"sync-bytes":           unknown,
			},
			sentence: "Status UNKNOWN, not changed by vsla: 1.",
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
			assert.Contains(t, text, "Capabilities of a replicated VM: minimum RPO 5 minutes")
			for _, a := range g.AccessLog() {
				require.NotContains(t, a.Operation, "configure")
				assert.NotContains(t, a.Operation, "pause")
			}
		})
	}
}

func TestAppliance_login(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	g := l.withAppliance(t, gateway.Switches{})
	right := l.settings.Password
	l.settings.Password = "wrong"
	_, text := l.run(t.Context(), t)
	require.Equal(t, 0, g.Traffic().Total())
	assert.Contains(t, text, "rejected the same user")
	l.settings.Password, l.settings.Replication.Password = right, "wrong"
	report, _ := l.run(t.Context(), t)
	require.Len(t, report.Failed, 1)
	assert.Equal(t, 1, g.Traffic().Total())
}

func TestAppliance_remote(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	g := l.withAppliance(t, gateway.Switches{})
	l.settings.Replication.RemoteUser = ""
	report, text := l.run(t.Context(), t)
	require.Empty(t, report.Failed)
	assert.Contains(t, text, "no user for the remote site: ")
	l.settings.Replication.RemoteUser = g.RemoteUser()
	l.settings.Replication.RemotePassword = "wrong"
	report, _ = l.run(t.Context(), t)
	logins := g.Traffic().Count("createRemoteSession")
	require.Equal(t, 1, logins)
	require.Len(t, report.Failed, 1)
	assert.Contains(t, report.Failed[0], "the remote site rejected VSLA_REPLICATION_REMOTE_USER")
	assert.Contains(t, report.Answer(), "You may start, but not with everything.")
}

func TestAppliance_remoteOnce(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	g := l.withAppliance(t, gateway.Switches{})
	l.settings.Replication.RemotePassword = "wrong"
	addPairings(t, g, 1)
	_, text := l.run(t.Context(), t)
	require.Equal(t, 1, g.Traffic().Count("createRemoteSession"))
	assert.Contains(t, text, "Another pairing was skipped, because the remote site rejected the user or password.")
}

// TestAppliance_manyPairings verifies that at most five pairings are read, because an appliance accepts only 50
// requests per minute.
func TestAppliance_manyPairings(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	g := l.withAppliance(t, gateway.Switches{})
	addPairings(t, g, 7)
	// 5 of 8 pairings are read, so 3 are skipped.
	_, text := l.run(t.Context(), t)
	require.Contains(t, text, "- 3 pairings were skipped.\n")
	assert.Equal(t, 2, strings.Count(text, "- A pairing of "))
	assert.Contains(t, text, "status {unknown status}. (4 times)\n") // one of the five has the status OK
}
