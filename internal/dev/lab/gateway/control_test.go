package gateway_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func start(t *testing.T) (*gateway.Gateway, []*vcsim.VCenter) {
	t.Helper()
	var sites []*vcsim.VCenter
	for n := range 2 {
		v, err := vcsim.Start(t.Context(), vcsim.Config{Site: n, VMs: 1, Datastores: 1})
		require.NoError(t, err)
		t.Cleanup(func() { _ = v.Close() })
		sites = append(sites, v)
	}
	g, err := gateway.Start(t.Context(), gateway.Config{Protected: sites[0], Recovery: sites[1]})
	require.NoError(t, err)
	t.Cleanup(g.Close)
	return g, sites
}

// TestInvalidBodies verifies that the gateway refuses requests that the API does not allow.
func TestInvalidBodies(t *testing.T) {
	t.Parallel()
	g, sites := start(t)
	session, user, password := "", g.User(), g.Password()
	send := func(method, path, body string) (int, string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), method, gateway.Base+path, strings.NewReader(body))
		r.SetBasicAuth(user, password)
		r.Header.Set("X-Dr-Session", session)
		g.Handler().ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	_, body := send(http.MethodPost, "/session", "")
	var opened struct {
		ID string `json:"session_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &opened))
	session, user, password = opened.ID, g.RemoteUser(), g.RemotePassword()
	pairing := "/pairings/" + g.PairingID()
	status, body := send(http.MethodPost, pairing+"/remote-session", "")
	require.Equal(t, http.StatusNoContent, status, body)
	local := pairing + "/vcenters/" + g.LocalVCenterID()
	seeds := local + "/datastores/Datastore:" + sites[0].VMStates()[0].DatastoreID + ":" + g.LocalVCenterID() +
		"/actions/find-seeds"
	for _, test := range []struct {
		method, path, body string
		want               int
	}{
		{http.MethodPost, seeds, `[{"vm_disk": {"vm_id": "x"}, "destination_path": null, "use_wildcard": true}]`, 200},
		{http.MethodPost, seeds, `[{"vm_disk": {"vm_id": "x"}, "destination_path": null, "use_wildcard": {}}]`, 400},
		{http.MethodPost, seeds, `null`, 400},
		{http.MethodPost, seeds, `[null]`, 400},
		{http.MethodPost, pairing + "/replications", `null`, 400},
		{http.MethodPost, pairing + "/replications", `[null]`, 400},
		{http.MethodGet, pairing + "/replications?source_vc_guid=" + g.LocalVCenterID(), "", 200},
		{http.MethodGet, pairing + "/replications?source_vc_guid=", "", 400},
	} {
		status, body := send(test.method, test.path, test.body)
		assert.Equal(t, test.want, status, "%s %s: %s", test.path, test.body, body)
	}
}

func TestControl(t *testing.T) {
	t.Parallel()
	g, sites := start(t)
	send := func(h http.Handler, method, path string) (int, string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.SetBasicAuth(g.User(), g.Password())
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	login := func() int {
		status, _ := send(g.Handler(), http.MethodPost, gateway.Base+"/session")
		return status
	}
	require.Equal(t, http.StatusOK, login())
	vm := sites[0].VMs()[0].ID
	require.NoError(t, sites[0].SetPower(vm, "poweredOn"))
	// The initial sync sends 1e9 B compressed to half that size, which takes 40 s at 12.5e6 B/s. It starts at second 8
	// and ends at second 48.
	require.NoError(t, g.AddReplication(gateway.ReplicationOptions{VM: vm, RPOMinutes: 15, Compression: true}))
	for _, test := range []struct {
		method, path string
		status       int
		want         string
	}{
		{http.MethodPost, "used?vm=" + vm + "&bytes=1e9", 200, "2024-01-01T00:00:00Z"},
		{http.MethodPost, "advance?seconds=47.5", 200, "2024-01-01T00:00:47.5Z"},
		{http.MethodGet, "replications", 200, `"SyncCount":0`},
		{http.MethodPost, "advance?seconds=0.5", 200, "2024-01-01T00:00:48Z"},
		{http.MethodGet, "replications", 200, `"SyncCount":1`},
		{http.MethodPost, "advance?seconds=-1", 400, "seconds"},
		{http.MethodGet, "advance?seconds=1", 405, ""},
		{http.MethodGet, "counts", 200, `"login":1`},
		{http.MethodGet, "access-log", 200, `"Operation":"login","Status":200`},
		{http.MethodPost, "status?vm=" + vm + "&status=RECOVERING", 200, ""},
		{http.MethodGet, "replications", 200, `"Status":"RECOVERING"`},
		{http.MethodPost, "status?vm=vm-99999&status=OK", 400, "not replicated"},
		{http.MethodPost, "break?operation=login&status=503&times=1", 200, ""},
		{http.MethodPost, "break?operation=login", 400, "status"},
	} {
		status, body := send(g.Control(), test.method, gateway.ControlPath+test.path)
		require.Equal(t, test.status, status, test.path)
		assert.Contains(t, body, test.want)
	}
	assert.Equal(t, http.StatusServiceUnavailable, login())
	status, _ := send(g.Handler(), http.MethodGet, gateway.Base+gateway.ControlPath+"now")
	assert.Equal(t, http.StatusNotFound, status, "the control is under the API")
	assert.Equal(t, gateway.Epoch.Add(48*time.Second), g.Now())
}
