package doctor_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

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
			"sorted-lists", "list-totals", "enhanced-replication", "encryption", "points-in-time", "status-words",
			"sync-bytes", "request-limit",
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
			"sorted-lists": ok, "list-totals": ok, "enhanced-replication": ok, "encryption": unknown,
			"points-in-time": unknown, "status-words": ok, "request-limit": unknown, "sync-bytes": unknown,
		}, sentence: "2 replications in the pairing."},
		"sorting refused, status not known": {
			switches: gateway.Switches{SortByNameOnly: true},
			change:   func(l *lab, g *gateway.Gateway) { g.SetStatus(l.VMs()[0].ID, "DREAMING") },
			want: map[string]doctor.Result{
				"sorted-lists": differs, "list-totals": ok, "enhanced-replication": ok, "encryption": unknown,
				"points-in-time": unknown, "status-words": differs, "request-limit": unknown, "sync-bytes": unknown,
			}, sentence: "1 replication has a status that vsla does not know.",
		},
		"status UNKNOWN": {
			change: func(l *lab, g *gateway.Gateway) { g.SetStatus(l.VMs()[0].ID, "UNKNOWN") },
			want: map[string]doctor.Result{
				"sorted-lists": ok, "list-totals": ok, "enhanced-replication": ok, "encryption": unknown,
				"points-in-time": unknown, "status-words": ok, "request-limit": unknown, "sync-bytes": unknown,
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
			if got := applianceResults(t, report); !maps.Equal(got, test.want) {
				t.Errorf("got %v, want %v\n%s", got, test.want, text)
			}
			if !strings.Contains(text, test.sentence) || !strings.Contains(text, "A replicated VM: RPO from 5 minutes") {
				t.Errorf("%q is missing in\n%s", test.sentence, text)
			}
			for _, a := range g.AccessLog() {
				if strings.Contains(a.Operation, "configure") || strings.Contains(a.Operation, "pause") {
					t.Errorf("sends %s", a.Operation)
				}
			}
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
	if _, text := l.run(t.Context(), t); g.Traffic().Total() != 0 || !strings.Contains(text, "refused the same user") {
		t.Errorf("%d requests to the appliance\n%s", g.Traffic().Total(), text)
	}
	l.settings.Password, l.settings.Replication.Password = right, "wrong"
	report, _ := l.run(t.Context(), t)
	if len(report.Failed) != 1 || g.Traffic().Total() != 1 {
		t.Errorf("failed %q after %d requests to the appliance", report.Failed, g.Traffic().Total())
	}
}

// TestAppliance_remote: without a user for the other site its half is not examined, and a wrong one is tried once.
func TestAppliance_remote(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	g := l.withAppliance(t, gateway.Switches{})
	l.settings.Replication.RemoteUser = ""
	report, text := l.run(t.Context(), t)
	if len(report.Failed) > 0 || !strings.Contains(text, "no user for the remote site is set") {
		t.Errorf("failed %q\n%s", report.Failed, text)
	}
	l.settings.Replication.RemoteUser, l.settings.Replication.RemotePassword = g.RemoteUser(), "wrong"
	_, text = l.run(t.Context(), t)
	logins := g.Traffic().Count("createRemoteSession")
	if logins != 1 || !strings.Contains(text, "the remote site refused the user or password") {
		t.Errorf("%d logins\n%s", logins, text)
	}
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
	if got := g.Traffic().Count("createRemoteSession"); got != 1 ||
		!strings.Contains(text, "Another pairing was not read, because the remote user was refused.") {
		t.Errorf("%d logins\n%s", got, text)
	}
}

// TestAppliance_manyPairings: five pairings are read at most, because an appliance accepts 50 requests a minute.
func TestAppliance_manyPairings(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	g := l.withAppliance(t, gateway.Switches{})
	g.Spoil("getVrPairings", 0, func(answer map[string]any) {
		list, ok := answer["list"].([]any)
		if !ok {
			t.Errorf("the list of pairings is %v", answer["list"])
		}
		for n := range 7 {
			list = append(list, map[string]any{"pairing_id": fmt.Sprintf("ffffffff-0000-4000-8000-%012d", n)})
		}
		answer["list"], answer["_meta"] = list, map[string]any{"total": 8}
	})
	// 8 pairings, of which 5 are read: 3 are left out.
	_, text := l.run(t.Context(), t)
	if !strings.Contains(text, "- 3 pairings were left out.\n") || strings.Count(text, "- A pairing of ") != 5 {
		t.Error(text)
	}
}
