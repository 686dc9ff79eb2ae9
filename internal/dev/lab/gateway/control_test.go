package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// control asks the control listener.
func (l *lab) control(t *testing.T, method, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	l.Control().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, gateway.ControlPath+path, nil))
	return w.Code, w.Body.String()
}

func TestControl(t *testing.T) {
	t.Parallel()
	l := connect(t, own(t, gateway.Config{}))
	l.SetUsed(l.vm(0), 0)
	replication := l.configured(t, 0)
	vm := "vm=" + l.protected.VMs()[0].ID
	for _, test := range []struct {
		method, path string
		status       int
		want         string // in the answer
	}{
		{http.MethodGet, "now", 200, "2024-01-01T00:00:08Z"},
		{http.MethodPost, "advance?seconds=0.5", 200, "2024-01-01T00:00:08.5Z"},
		{http.MethodPost, "advance?seconds=-1", 400, "seconds"},
		{http.MethodPost, "advance", 400, "seconds"},
		{http.MethodGet, "advance?seconds=1", 405, ""},
		{http.MethodGet, "counts", 200, `"configureReplication":1`},
		{http.MethodGet, "access-log", 200, `"Operation":"login","Status":200`},
		{http.MethodGet, "replications", 200, `"Status":"OK"`},
		{http.MethodGet, "help", 200, `"change-rate":"vm=vm-42&bytes_per_second=1e6"`},
		{http.MethodPost, "power?" + vm + "&state=poweredOff", 200, ""},
		{http.MethodGet, "replications", 200, `"Status":"NOT_ACTIVE"`},
		{http.MethodPost, "power?" + vm + "&state=poweredOn", 200, ""},
		{http.MethodPost, "power?vm=vm-99999&state=poweredOn", 400, "vm-99999"},
		{http.MethodPost, "status?" + vm + "&status=RECOVERING", 200, ""},
		{http.MethodGet, "replications", 200, `"Status":"RECOVERING"`},
		{http.MethodPost, "status?vm=vm-99999&status=OK", 400, "not replicated"},
		{http.MethodPost, "status?" + vm + "&status=", 200, ""},
		{http.MethodPost, "recovery-solution?" + vm + "&solution=com.vmware.vcDr", 200, ""},
		{http.MethodPost, "change-rate?" + vm + "&bytes_per_second=1e6", 200, ""},
		{http.MethodPost, "change-rate?" + vm, 400, "bytes_per_second"},
		{http.MethodPost, "used?" + vm + "&bytes=1e9", 200, ""},
		{http.MethodPost, "used?" + vm + "&bytes=much", 400, "bytes"},
		{http.MethodPost, "reset-counts", 200, ""},
		{http.MethodGet, "counts", 200, "{}"},
		{http.MethodPost, "break?operation=getVrInfo&status=503&times=1", 200, ""},
		{http.MethodPost, "break?operation=getVrInfo", 400, "status"},
		{http.MethodPost, "break?status=many", 400, "status"},
	} {
		status, body := l.control(t, test.method, test.path)
		if status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s %s is answered %d %s, want %d %s", test.method, test.path, status, body, test.status, test.want)
		}
	}
	l.get(t, "/info").want(t, http.StatusServiceUnavailable)
	l.get(t, "/info").want(t, http.StatusOK)
	if a := l.get(t, replication); a.text(t, "recovery_solution") != "com.vmware.vcDr" {
		t.Errorf("%s", a.raw)
	}
	for _, test := range []struct {
		does, path string
		status     int
	}{
		{"break?operation=getVrInfo&cut=false&status=502", "/info", 502},
		{"mend", "/info", 200},
		{"expire-remote-sessions", l.pairing + "/remote-session", 401},
		{"remote-down", l.pairing + "/remote-session", 500},
		{"remote-up", l.pairing + "/remote-session", 401},
		{"lose-tasks", "/tasks/x", 404},
		{"remove?" + vm, replication, 404},
		{"restart", "/info", 401},
	} {
		if status, body := l.control(t, http.MethodPost, test.does); status != http.StatusOK {
			t.Errorf("%s: %d %s", test.does, status, body)
		}
		l.get(t, test.path).want(t, test.status)
	}
	l.login(t)
	if status, _ := l.control(t, http.MethodPost, "expire-sessions"); status != http.StatusOK || l.Sessions() != 0 {
		t.Errorf("%d, %d sessions", status, l.Sessions())
	}
	// It is never under the API.
	l.get(t, gateway.ControlPath+"now").want(t, http.StatusNotFound)
}
