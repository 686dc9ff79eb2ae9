package gateway_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

func TestSession(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Config{})
	for _, password := range []string{"", "wrong", l.RemotePassword()} {
		if a := l.send(
			t,
			http.MethodPost,
			"/session",
			nil,
			basic(l.User(), password),
		); a.status != http.StatusUnauthorized ||
			len(a.raw) != 0 {
			t.Errorf("the password %q is answered %d %q", password, a.status, a.raw)
		}
	}
	l.get(t, "/session").want(t, http.StatusUnauthorized)
	l.login(t)
	if a := l.get(t, "/session").want(t, http.StatusOK); a.text(t, "username") != gateway.DefaultUser {
		t.Errorf("I am %s", a.raw)
	}
	if l.Sessions() != 1 || !slices.Equal(l.SessionIDs(), []string{l.session}) {
		t.Errorf("%d sessions, ids %v", l.Sessions(), l.SessionIDs())
	}
	l.call(t, http.MethodDelete, "/session", nil).want(t, http.StatusNoContent)
	l.get(t, "/pairings").want(t, http.StatusUnauthorized)
	if l.Sessions() != 0 || len(l.SessionIDs()) != 1 {
		t.Errorf("%d sessions after the logout", l.Sessions())
	}
}

func TestSession_lifetime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		switches gateway.Switches
		wait     time.Duration // between uses, ten of them
		lives    int           // uses that are answered
	}{
		// By default 300 s, used or not: at 100 and 200 s it lives.
		{"default", gateway.Switches{}, 100 * time.Second, 2},
		{"idle", gateway.Switches{SessionTTL: -1, SessionIdle: time.Minute}, 61 * time.Second, 0},
		{"used in time", gateway.Switches{SessionTTL: -1, SessionIdle: time.Minute}, 59 * time.Second, 10},
		{"absolute", gateway.Switches{SessionTTL: 10 * time.Minute, SessionIdle: -1}, 150 * time.Second, 3},
		{"for ever", gateway.Switches{SessionTTL: -1, SessionIdle: -1}, 24 * time.Hour, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t, gateway.Config{Switches: test.switches})
			l.login(t)
			lives := 0
			for range 10 {
				l.Advance(test.wait)
				if l.get(t, "/session").status == http.StatusOK {
					lives++
				}
			}
			if lives != test.lives {
				t.Errorf("it lived for %d uses, want %d", lives, test.lives)
			}
		})
	}
}

func TestRemoteSession(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Config{Switches: gateway.Switches{SessionTTL: -1, SessionIdle: 5 * time.Minute}})
	l.login(t)
	remote := l.pairing + "/remote-session"
	l.get(t, remote).want(t, http.StatusUnauthorized)
	l.send(t, http.MethodPost, remote, nil, basic(l.User(), l.Password())).
		want(t, http.StatusUnauthorized)
		// the local account
	l.remoteLogin(t)
	if a := l.get(t, remote).want(t, http.StatusOK); a.text(t, "username") != gateway.DefaultRemoteUser {
		t.Errorf("there I am %s", a.raw)
	}
	l.ExpireRemoteSessions()
	l.get(t, remote).want(t, http.StatusUnauthorized)
	l.get(t, "/session").want(t, http.StatusOK) // the local one lives
	l.remoteLogin(t)
	// It hangs off the local one.
	l.login(t)
	l.get(t, remote).want(t, http.StatusUnauthorized)
	l.remoteLogin(t)
	// It has an idle time of its own.
	for range 3 {
		l.Advance(2 * time.Minute)
		l.get(t, "/session").want(t, http.StatusOK)
	}
	l.get(t, remote).want(t, http.StatusUnauthorized)
	l.ExpireSessions()
	l.get(t, "/session").want(t, http.StatusUnauthorized)
}

// TestRemote is the table of what each operation does without the remote session, and without the remote site: full is
// an answer with nothing missing, partial one that announces what is, and error a refusal.
func TestRemote(t *testing.T) {
	t.Parallel()
	const (
		full    = "full"
		partial = "partial"
		refused = "error"
	)
	l := connect(t, gateway.Config{})
	replication := l.configured(t, 0)
	local, remote := l.pairing+"/vcenters/"+l.LocalVCenterID(), l.pairing+"/vcenters/"+l.RemoteVCenterID()
	vrms := l.get(t, l.pairing).want(t, http.StatusOK)
	localVRMS, remoteVRMS := vrms.text(t, "local_vrms.id"), vrms.text(t, "remote_vrms.id")
	vm := "/vms/" + url.PathEscape(l.vm(1))
	datastore := "/datastores/" + url.PathEscape(l.datastore(0)) + "/actions/"
	get, post := http.MethodGet, http.MethodPost
	const policy = "/storage-policies/dsbrowser.defaultStoragePolicy"
	seeds := []any{map[string]any{"vm_disk": map[string]any{"vm_id": l.vm(0)}}}
	for _, test := range []struct {
		method, path string
		body         any
		login, down  string
	}{
		{get, "/pairings", nil, partial, partial},
		{get, l.pairing, nil, partial, partial},
		{get, l.pairing + "/issues", nil, full, full},
		{get, l.pairing + "/vrs", nil, partial, partial},
		{get, l.pairing + "/vrs/" + localVRMS, nil, full, full},
		{get, l.pairing + "/vrs/" + remoteVRMS, nil, partial, partial},
		{get, "/info", nil, full, full},
		{get, "/replication-servers", nil, full, full},
		{get, l.pairing + "/replications?extended_info=true", nil, partial, partial},
		{get, replication, nil, partial, partial},
		{get, replication + "/disks", nil, partial, partial},
		{get, l.pairing + "/replications/count", nil, full, full},
		{get, l.pairing + "/replications/issues", nil, full, full},
		{get, local + "/vms", nil, full, full},
		{get, remote + "/vms", nil, refused, refused},
		{get, local + vm + "/disks", nil, full, full},
		{get, local + vm + "/capability", nil, full, full},
		{get, local + "/datastores", nil, full, full},
		{get, remote + "/datastores", nil, refused, refused},
		{post, remote + datastore + "browse", map[string]any{"query_type": "FOLDERS", "browse_path": ""}, refused, refused},
		{post, remote + datastore + "find-seeds", seeds, refused, refused},
		{get, local + "/storage-policies", nil, full, full},
		{get, remote + "/storage-policies", nil, refused, refused},
		{post, remote + policy + "/actions/check-compliance", []string{l.datastore(0)}, refused, refused},
		{get, l.pairing + "/vrs/" + localVRMS + "/replication-servers", nil, full, full},
		{get, l.pairing + "/vrs/" + remoteVRMS + "/replication-servers", nil, refused, refused},
		{get, "/tasks", nil, full, full},
		{post, l.pairing + "/replications", []any{l.spec(t, 1)}, refused, refused},
		{post, replication + "/actions/reconfigure", reconfiguration(l.spec(t, 0)), refused, refused},
		{post, replication + "/actions/pause", nil, refused, refused},
		{post, replication + "/actions/resume", nil, refused, refused},
		{post, replication + "/actions/unconfigure", nil, refused, refused},
		{post, replication + "/actions/sync", nil, full, refused},
		{get, l.pairing + "/remote-session", nil, refused, refused},
		{post, l.pairing + "/actions/reconnect", l.peer(), full, refused},
		{http.MethodDelete, replication, nil, full, full}, // last: it ends what the others ask for
	} {
		judge := func(a answer) string {
			switch {
			case a.status >= http.StatusBadRequest:
				return refused
			case strings.Contains(string(a.raw), `"errors":[{`):
				return partial
			default:
				return full
			}
		}
		l.ExpireRemoteSessions()
		a := l.call(t, test.method, test.path, test.body)
		if got := judge(a); got != test.login {
			t.Errorf(
				"%s %s without the remote session: %s, want %s: %d %s",
				test.method,
				test.path,
				got,
				test.login,
				a.status,
				a.raw,
			)
		}
		if test.login == refused && a.status != http.StatusUnauthorized {
			t.Errorf("%s %s without the remote session is answered %d", test.method, test.path, a.status)
		}
		l.remoteLogin(t)
		l.RemoteDown(true)
		a = l.call(t, test.method, test.path, test.body)
		if got := judge(a); got != test.down {
			t.Errorf(
				"%s %s without the remote site: %s, want %s: %d %s",
				test.method,
				test.path,
				got,
				test.down,
				a.status,
				a.raw,
			)
		}
		if test.down == refused && (a.status != http.StatusInternalServerError || a.text(t, "op_id") == "") {
			t.Errorf("%s %s without the remote site is answered %d %s", test.method, test.path, a.status, a.raw)
		}
		if strings.HasSuffix(test.path, "remote-session") {
			l.send(t, http.MethodPost, test.path, nil, basic(l.RemoteUser(), l.RemotePassword())).
				want(t, http.StatusInternalServerError)
		}
		l.RemoteDown(false)
		if a = l.call(t, test.method, test.path, test.body); judge(a) != full && test.method == get {
			t.Errorf("%s %s with everything there: %d %s", test.method, test.path, a.status, a.raw)
		}
	}
}

// reconfiguration is a configuration without what names the VM and the target.
func reconfiguration(spec map[string]any) map[string]any {
	delete(spec, "vm_id")
	delete(spec, "target_vc_id")
	return spec
}

// TestRemote_partial: what is missing is named, or by a switch is not, or whole rows are gone.
func TestRemote_partial(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		switches     gateway.Switches
		rows, errors int
	}{
		{"announced", gateway.Switches{}, 2, 8}, // four fields of each
		{"silent", gateway.Switches{PartialSilent: true}, 2, 0},
		{"rows gone", gateway.Switches{PartialDropsRows: true}, 0, 1},
		{"rows gone silently", gateway.Switches{PartialDropsRows: true, PartialSilent: true}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := connect(t, gateway.Config{Switches: test.switches})
			l.configured(t, 0)
			l.configured(t, 1)
			l.ExpireRemoteSessions()
			a := l.get(t, l.pairing+"/replications?extended_info=true").want(t, http.StatusOK)
			if rows, errors := len(
				a.list(t, "list"),
			), len(
				a.list(t, "_meta.errors"),
			); rows != test.rows ||
				errors != test.errors {
				t.Errorf("%d rows and %d errors, want %d and %d: %s", rows, errors, test.rows, test.errors, a.raw)
			}
			if test.rows > 0 &&
				(a.at(t, "list.0.target_replication_server_uuid") != nil || a.at(t, "list.0.target_site_name") != nil) {
				t.Errorf("the row has what only the other side knows: %s", a.raw)
			}
			if test.rows > 0 && test.errors > 0 && a.text(t, "_meta.errors.0.field") != "$.list[0].target_site_name" {
				t.Errorf("the first error is %s", a.raw)
			}
		})
	}
}

func TestRemote_statusSwitch(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{RemoteStatus: 403, DownStatus: 503}})
	path := l.pairing + "/vcenters/" + l.RemoteVCenterID() + "/datastores"
	l.ExpireRemoteSessions()
	if a := l.get(t, path).want(t, http.StatusForbidden); a.text(t, "error_code") == "" {
		t.Errorf("%s", a.raw)
	}
	l.RemoteDown(true)
	l.get(t, path).want(t, http.StatusServiceUnavailable)
}

// TestSelf: a pairing of a site with itself needs no remote session.
func TestSelf(t *testing.T) {
	t.Parallel()
	l := &lab{protected: site(t, 0)}
	l.recovery = l.protected
	l.start(t, gateway.Config{Protected: l.protected})
	l.login(t)
	if l.LocalVCenterID() != l.RemoteVCenterID() {
		t.Error("two vCenters")
	}
	a := l.get(t, l.pairing).want(t, http.StatusOK)
	if a.text(t, "local_vc_server.id") != a.text(t, "remote_vc_server.id") || len(a.list(t, "_meta.errors")) != 0 {
		t.Errorf("%s", a.raw)
	}
	replication := l.configured(t, 0)
	l.get(t, replication).want(t, http.StatusOK)
	l.get(t, l.pairing+"/remote-session").want(t, http.StatusOK)
	if a := l.get(t, l.pairing+"/vrs").want(t, http.StatusOK); len(a.list(t, "list")) != 1 {
		t.Errorf("%s", a.raw)
	}
}

func TestSelf_listed(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{SelfPairing: true}})
	a := l.get(t, "/pairings").want(t, http.StatusOK)
	if len(a.list(t, "list")) != 2 || a.text(t, "list.1.remote_vc_server.id") != l.LocalVCenterID() ||
		a.text(t, "list.0.pairing_id") != l.PairingID() {
		t.Errorf("%s", a.raw)
	}
	l.configured(t, 0)
	own := "/pairings/" + a.text(t, "list.1.pairing_id")
	if a = l.get(t, own+"/replications").want(t, http.StatusOK); len(a.list(t, "list")) != 0 {
		t.Errorf("the pairing with itself has %s", a.raw)
	}
}

func TestStart_twins(t *testing.T) {
	t.Parallel()
	v := site(t, 0)
	if _, err := gateway.Start(
		t.Context(),
		gateway.Config{Protected: v, Recovery: site(t, 0)},
	); err == nil ||
		!strings.Contains(err.Error(), "Site") {
		t.Errorf("two vCenters of one instance UUID: %v", err)
	}
	if _, err := gateway.Start(t.Context(), gateway.Config{}); err == nil {
		t.Error("no vCenter at all")
	}
	if _, err := gateway.Start(t.Context(), gateway.Config{Protected: v, Listen: "256.0.0.1:0"}); err == nil {
		t.Error("an impossible address")
	}
}

func TestRestart(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.configured(t, 0)
	task := l.call(t, http.MethodPost, l.replication(t, 0)+"/actions/pause", nil).
		want(t, http.StatusAccepted).
		text(t, "id")
	l.Restart()
	l.get(t, "/tasks").want(t, http.StatusUnauthorized)
	l.login(t)
	l.remoteLogin(t)
	l.get(t, "/tasks/"+task).want(t, http.StatusNotFound)
	l.Advance(2 * time.Second)
	if r := l.Replications(); len(r) != 1 || !r[0].Paused {
		t.Errorf("the task did not continue: %+v", r)
	}
}
